"""The plain sums of the second look are the definition's, for one layer of any kind."""

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from capax.limits.witnesses.check.plain_message import plain_logits
from capax.model.run.reference import define
from tests.support.models import Draw, Shape


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 7))
def test_one_place_is_that_of_the_definition(seed: int, n: int) -> None:
    shape = Shape(norms=False, pairs=False, scales=(1.0, 2.0), grain=1, reach=3, most_layers=3)
    model = Draw(shape, seed).model().to("integer:10,6,6")
    assume(sum(bool(block.heads) for block in model.blocks) == 1)
    word = np.random.default_rng(seed).choice(["a", "b", "c"], n).tolist()
    whole = define(model, word)
    for at in range(n):
        assert [float(c) for c in plain_logits(model, word, at)] == whole[at]
