"""Ranks of patterns: against all small realisations, and against each other."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capax.rasp.analysis.pattern.ranks import equal_scores_rank, sign_rank


def _patterns(n: int) -> list[tuple[tuple[bool, ...], ...]]:
    bits = itertools.product((False, True), repeat=n * n)
    return [tuple(flat[i * n : i * n + n] for i in range(n)) for flat in bits]


def _in_the_plane() -> set[tuple[tuple[bool, ...], ...]]:
    """The signs of q . k for queries and keys in the plane, at angles between which no sign changes unseen."""
    angles = [2 * math.pi * (k + 0.5) / 24 for k in range(24)]
    lines = {
        tuple(math.cos(a - b) > 0 for b in keys) for keys in itertools.product(angles, repeat=3) for a in angles[:1]
    }
    assert len(lines) == 8
    patterns = set()
    for keys in itertools.combinations_with_replacement(angles, 3):
        rows = {tuple(math.cos(a - 0.03 - b) > 0 for b in keys) for a in angles}
        for order in itertools.permutations(range(3)):
            turned = [tuple(row[k] for k in order) for row in rows]
            patterns |= set(itertools.product(turned, repeat=3))
    return patterns


def test_sign_rank_of_every_small_pattern() -> None:
    """All 512 patterns of three positions: exact, and at most 2 exactly where some angles have the signs."""
    realised = _in_the_plane()
    for pattern in _patterns(3):
        rank = sign_rank(pattern)
        assert rank.exact
        assert (rank.high <= 2) == (pattern in realised), pattern
        alike = {row if row[0] else tuple(not x for x in row) for row in pattern}
        assert (rank.high == 1) == (len(alike) == 1), pattern


def test_equal_scores_of_every_small_pattern() -> None:
    """All patterns of three positions against scores q k of small integers: rank 1 exactly where some are there."""
    by_rank_one = set()
    for keys in itertools.product((-1, 0, 1, 2), repeat=3):
        lines = set()
        for q in (-1, 0, 1):
            scores = [q * k for k in keys]
            lines |= {tuple(s == max(scores) for s in scores), (False, False, False)}
        by_rank_one |= set(itertools.product(lines, repeat=3))
    for pattern in _patterns(3):
        rank = equal_scores_rank(pattern)
        assert 0 <= rank.low <= rank.high <= 3
        assert (rank.high <= 1) == (pattern in by_rank_one), pattern


@given(st.integers(4, 5), st.data())
@settings(max_examples=30)
def test_bounds_hold_for_random_factors(n: int, data: st.DataObject) -> None:
    """The signs of a product of rank d have sign rank at most d."""
    d = data.draw(st.integers(1, 3))
    seed = data.draw(st.integers(0, 10**6))
    random = np.random.default_rng(seed)
    signs = random.standard_normal((n, d)) @ random.standard_normal((d, n)) > 0
    rank = sign_rank([[bool(x) for x in row] for row in signs])
    assert rank.low <= d
    assert sign_rank([[bool(x) for x in row] for row in signs.T]).low <= d


@pytest.mark.parametrize(("n", "low"), [(4, 2), (8, 3)])
def test_forster_on_hadamard_matrices(n: int, low: int) -> None:
    """The inner product modulo 2: at least sqrt(n)."""
    pattern = [[bin(i & j).count("1") % 2 == 0 for j in range(n)] for i in range(n)]
    assert low <= sign_rank(pattern).low <= sign_rank(pattern).high


def test_known_patterns() -> None:
    """Identities need three dimensions for signs and two for equal scores; orders need n - 1 for equal scores."""
    for n in (4, 6):
        same = [[i == j for j in range(n)] for i in range(n)]
        assert (sign_rank(same).low, sign_rank(same).high) == (3, 3)
        assert (equal_scores_rank(same).low, equal_scores_rank(same).high) == (2, 2)
        before = [[j < i for j in range(n)] for i in range(n)]
        assert equal_scores_rank(before).low >= n - 2
        assert "exact" in sign_rank(before).render()
