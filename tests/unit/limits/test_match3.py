"""Match3: worked numbers, and sets that the messages tell apart."""

import math
from itertools import product

import pytest

from capax.limits import limit
from capax.limits.match3 import least_modulus
from capax.tasks.match3 import TASK as MATCH3


@pytest.mark.parametrize("elements", [1, 2, 3, 4])
def test_match3_tells_sets_apart(elements: int) -> None:
    """The words behind the bound, all of them: the first token has a match exactly if the two sets meet."""
    length, modulus = 2 * elements + 1, least_modulus(2 * elements + 1)
    for bits in product((0, 1), repeat=2 * elements):
        a, b = bits[:elements], bits[elements:]
        first = [(2 * elements + i) * x for i, x in enumerate(a, 1)]
        second = [(modulus - 1 - 2 * elements - i) * x for i, x in enumerate(b, 1)]
        word = [1, *first, *second]
        assert len(word) == length
        assert MATCH3.reference(word, modulus=modulus)[0] == max(x * y for x, y in zip(a, b, strict=True))


def test_match3_sizes() -> None:
    """It speaks just below (N - 1)/2 bits."""
    one = limit("match3")
    assert not one.run(n=101, count="measured", messages=2**49).vacuous
    assert one.run(n=101, count="measured", messages=2**50).vacuous
    assert one.run(n=101, count="measured", messages=2, modulus=399).vacuous
    assert not one.run(n=101, count="measured", messages=2, modulus=400).vacuous
    assert one.run(n=101, heads=1, dim=1, bits=1)["N / log log N"].value == pytest.approx(
        101 / math.log2(math.log2(101))
    )
