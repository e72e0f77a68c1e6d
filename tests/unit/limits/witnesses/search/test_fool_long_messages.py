"""Long messages: the lists find what the birthday paradox does not."""

import json
import time

import pytest

from capax.limits.witnesses.check.fooling_check import check_witness
from capax.limits.witnesses.check.read_witness import read_witness
from capax.limits.witnesses.models import composition
from capax.limits.witnesses.models.random_layers import ToyShape
from capax.limits.witnesses.search.fool import fool


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "sizes", [(32, 1, 3, "integer:8,5,5"), (64, 2, 2, "integer:8,4,4"), (64, 2, 3, "integer:8,4,4")]
)
def test_messages_of_up_to_106_bits(sizes: tuple[int, int, int, str], seed: int) -> None:
    n, heads, dim, numbers = sizes
    model = composition.random_layers(n, ToyShape(heads=heads, dim=dim, numbers=numbers), seed)
    start = time.process_time()
    found = fool(model, "composition", {}, seed=seed, used=lambda: (time.process_time() - start) / 120)
    assert found.guaranteed
    assert found.witness is not None
    assert found.witness["kind"] == "equal-transcripts"
    assert check_witness(read_witness(json.dumps(found.witness), "w"), model).holds
