"""Values of two means that happen together: what words have is allowed, and the rest mostly is not."""

from itertools import product

import numpy as np
import pytest

import capax
from capax import aggregate, full_s, indices, length, select, tokens, tokens_asis, tokens_int
from capax.certify.values.axes import Axes
from capax.rasp.ir.nodes import SOpNode
from capax.rasp.meaning.fast import evaluate_batch

AFTER = select(indices, indices, ">")
LOW = select(tokens_asis, 3, "<")
SQUARE, MEAN = aggregate(full_s, tokens_asis * tokens_asis), aggregate(full_s, tokens_asis)


@pytest.mark.parametrize(
    "pair",
    [
        (SQUARE, MEAN),
        (aggregate(AFTER, tokens_asis, 7), aggregate(AFTER, tokens_asis * indices, -1)),
        (aggregate(LOW, tokens_asis, 7), aggregate(LOW, 5 - tokens_asis, 2)),
        (length * MEAN, SQUARE),  # axes of sums
    ],
)
def test_what_happens_is_feasible(pair: tuple[capax.SOp, capax.SOp]) -> None:
    alphabet, longest = (0, 1, 4), 4
    one, two = (p.node for p in pair)
    assert isinstance(one, SOpNode)
    assert isinstance(two, SOpNode)
    axes = Axes((one, two, (pair[0] + length * pair[1]).node), alphabet, longest)  # type: ignore[arg-type]
    both = axes.of(one), axes.of(two)
    over = tuple(dict.fromkeys([*both[0].axes, *both[1].axes]))
    limit = axes.feasible(over)
    assert limit is not None
    columns = [np.broadcast_to(axes.expand(v, over), limit.shape) for v in both]
    fine = limit & (columns[0] >= 0) & (columns[1] >= 0)
    allowed = {(both[0].listed[a], both[1].listed[b]) for a, b in zip(*(c[fine] for c in columns), strict=True)}
    words = [w for size in range(1, longest + 1) for w in product(alphabet, repeat=size)]
    seen = set()
    for word in words:
        ones, twos = (evaluate_batch(node, [word])[0] for node in (one, two))
        seen |= set(zip(ones, twos, strict=True))
    assert seen <= allowed
    assert len(allowed) < len({a for a, _ in allowed}) * len({b for _, b in allowed})


@pytest.mark.parametrize("longest", [3, 5, 6, 10])
def test_the_variance_of_digits_is_certified_whole(longest: int) -> None:
    mean = aggregate(full_s, tokens_int)
    variance = aggregate(full_s, tokens_int * tokens_int) - mean * mean
    compiled = capax.compile(variance, alphabet="0123456789", max_length=longest, words=30)
    assert compiled.certified_length == longest
    assert compiled.size.parameters <= 100_000


def test_means_of_strings_are_left() -> None:
    copied = aggregate(select(indices, 0, "=="), tokens) + aggregate(select(indices, 0, "=="), tokens)
    assert capax.compile(copied, alphabet="ab", max_length=3).certified_length == 3
