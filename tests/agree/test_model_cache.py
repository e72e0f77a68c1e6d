"""Keys and values kept between tokens give what a whole run gives."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capax.model.numbers import Integer, parse
from capax.model.parts import ATTENTION_KINDS
from capax.model.run.cache import Cache
from capax.model.run.generate import generate, stream
from capax.model.run.run import logits, run_rows
from tests.agree.test_model import agrees, shape_for
from tests.support.models import LETTERS, Draw, Shape, words

CAUSAL = ("causal", "strict past")


@pytest.mark.parametrize("numbers", ["float64", "float32", "bfloat16", "fixed:16.8", "integer:8,10,8"])
@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_cache_is_the_whole_run(numbers: str, data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from(ATTENTION_KINDS))
    model = Draw(shape_for(numbers, (kind,), CAUSAL), data.draw(st.integers(0, 2**32 - 1))).model().to(numbers)
    rows = model.read(data.draw(words(1, 9)))
    cuts = sorted(data.draw(st.sets(st.integers(1, len(rows)), max_size=3)) | {0, len(rows)})
    cache = Cache(model)
    parts = [cache.feed(rows[start:stop]) for start, stop in pairwise(cuts)]
    assert agrees(numbers, run_rows(model, np.array([rows]))[0].astype(float), np.concatenate(parts))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), words(1, 5), st.sampled_from(["fixed:16.8", "integer:8,10,8"]))
def test_greedy_generation_is_the_best_token_of_whole_runs(seed: int, prompt: str, numbers: str) -> None:
    whole = isinstance(parse(numbers), Integer)
    shape = Shape(masks=CAUSAL, decoding=LETTERS, table=False, norms=not whole, grain=1 if whole else 4)
    model = Draw(shape, seed).model().to(numbers)
    word = list(prompt)
    for _ in range(6):
        word.append(LETTERS[int(np.argmax(logits(model, [word])[0][-1]))])
    assert generate(model, prompt, 6) == word[len(prompt) :]
    follow = stream(model, prompt)
    assert [next(follow) for _ in range(3)] == word[len(prompt) :][:3]
