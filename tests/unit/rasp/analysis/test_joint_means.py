"""Which means of two s-ops go together: those of all words, and no others."""

from itertools import combinations_with_replacement, product

from hypothesis import given
from hypothesis import strategies as st

from capax import aggregate, full_s, tokens_asis
from capax.rasp.analysis.joint_means import joint_means

NUMBERS = st.integers(-30, 30)


@given(st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=4), st.integers(1, 4))
def test_pairs_are_those_of_all_choices(pairs: list[tuple[int, int]], longest: int) -> None:
    together = joint_means(pairs, longest)
    assert together is not None
    for count, means in enumerate(together, 1):
        chosen = combinations_with_replacement(pairs, count)
        expected = {(sum(a for a, _ in c) / count, sum(b for _, b in c) / count) for c in chosen}
        assert set(zip(*means.tolist(), strict=True)) == expected


def test_they_are_the_means_of_the_language() -> None:
    digits, longest = (0, 1, 7), 4
    squares, means = aggregate(full_s, tokens_asis * tokens_asis), aggregate(full_s, tokens_asis)
    together = joint_means([(d, d * d) for d in digits], longest)
    assert together is not None
    for size in range(1, longest + 1):
        allowed = set(zip(*together[size - 1].tolist(), strict=True))
        assert {(means(w)[0], squares(w)[0]) for w in product(digits, repeat=size)} == allowed


def test_other_numbers_and_too_many_are_left() -> None:
    assert joint_means([(1, 0.5)], 3) is None
    assert joint_means([(True, 1)], 3) is None
    assert joint_means([(1, "a")], 3) is None
    assert joint_means([], 3) is None
    assert joint_means([(2**26, 1)], 3) is None
    assert joint_means([(a, b) for a in range(40) for b in range(40)], 40) is None
