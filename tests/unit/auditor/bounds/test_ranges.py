"""Ranges of linear functions of the heads' outputs, against all words of a class."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from capax.auditor.bounds.oracle import WordClasses
from capax.auditor.bounds.paths import state_paths
from capax.auditor.bounds.ranges import Basis, Ranges, basis_of
from capax.auditor.bounds.tables import AnswerQuery, HeadTable, Tables
from capax.auditor.spec import SpecStates
from capax.model.parts import Array
from tests.support.audited import Kind, asked, random_model

N = 4
PARITY = SpecStates(np.array([[0, 1], [1, 0]]), 0, np.array([0, 1]))


def subject(seed: int, heads: int = 1) -> tuple[AnswerQuery, WordClasses, list[Array]]:
    """A query, three classes of words (the last has none) and the outputs of their words."""
    rng = np.random.default_rng(seed)
    query = Tables(asked(random_model(rng, Kind(heads=heads)), PARITY, "last"), N).query(N - 1, 1)
    letters = np.ones((3, N, 2), bool)
    letters[:, -1, 0] = False
    letters[1, 0, 0] = letters[2, 1] = False
    goal = np.array([[True, False], [False, True], [True, True]])
    words = np.array(list(product(range(2), repeat=N)))
    words = words[words[:, -1] == 1]
    even = words.sum(axis=1) % 2 == 0
    parts = [words[even], words[~even & (words[:, 0] == 1)]]
    return query, WordClasses(state_paths(PARITY, N, N), letters, goal), [query.outputs(part) for part in parts]


@pytest.mark.parametrize("seed", range(3))
def test_the_box_is_the_smallest_in_its_basis(seed: int) -> None:
    """Its ends are those of the words; rows are bounded by the sum over its sides."""
    query, classes, outputs = subject(seed)
    whole = basis_of(query)
    basis = whole.directions
    assert np.allclose(basis @ basis.T, np.eye(2), atol=1e-12)
    ranges = Ranges(query, classes, whole)
    rows = np.random.default_rng(seed).standard_normal((3, 5, 2))
    box = ranges.box(rows)
    for k, y in enumerate(outputs):
        along = y @ basis.T
        assert np.allclose(ranges.radius[k], (along.max(axis=0) - along.min(axis=0)) / 2, atol=1e-10)
        assert (ranges.radius[k] >= (along.max(axis=0) - along.min(axis=0)) / 2).all()
        assert np.allclose(ranges.middle[k] @ basis.T, (along.max(axis=0) + along.min(axis=0)) / 2, atol=1e-10)
        plain = [sum(abs(row @ b) * r for b, r in zip(basis, ranges.radius[k], strict=True)) for row in rows[k]]
        plain = [x + whole.rest * sum(row**2) ** 0.5 for x, row in zip(plain, rows[k], strict=True)]
        assert np.allclose(box[k], plain, rtol=1e-10)
        assert (box[k] >= np.array(plain) * (1 + 5e-13)).all()
    assert ranges.empty.tolist() == [False, False, True]
    assert ranges.radius[2].max() < 1e-14
    assert not ranges.middle[2].any()
    low, high = ranges(rows)
    assert np.array_equal(high, box)
    assert np.array_equal(low, -box)
    assert all(np.array_equal(a, b) for a, b in zip(ranges.box_range(rows), (low, high), strict=True))


@pytest.mark.parametrize("heads", [1, 2])
def test_exact_ranges_are_those_of_the_words(heads: int) -> None:
    """Never inside the true range; with one head no wider than the tolerance; never wider than the box."""
    for seed in range(3):
        query, classes, outputs = subject(seed, heads)
        ranges = Ranges(query, classes, basis_of(query))
        rows = np.random.default_rng(seed).standard_normal((3, 4, 2 * heads))
        ranges.exact = True
        box, (low, high), least = ranges.box(rows), ranges(rows), ranges.least(rows)
        for k, y in enumerate(outputs):
            true = (y - ranges.middle[k]) @ rows[k].T
            assert (high[k] >= true.max(axis=0)).all()
            assert (low[k] <= true.min(axis=0)).all()
            assert (least[k] <= true.min(axis=0)).all()
            assert (np.maximum(high[k], -low[k]) <= box[k]).all()
            if heads == 1:
                assert (high[k] <= true.max(axis=0) + 0.0101 * box[k]).all()
                assert (low[k] >= true.min(axis=0) - 0.0101 * box[k]).all()
                assert (least[k] >= true.min(axis=0) - 1.01e-4 * box[k]).all()
        rows[0, 1, 0] = np.inf
        with np.errstate(invalid="ignore"):
            assert np.isposinf(ranges(rows)[1][0, 1])
            assert np.isneginf(ranges.least(rows)[0, 1])
            assert np.isfinite(ranges.least(rows)[1]).all()


def test_the_basis_follows_the_main_direction_of_the_weighted_values() -> None:
    query, _, _ = subject(4)
    head = query.heads[0]
    pairs = [(head.weight[j, a], head.value[j, a]) for j in range(N) for a in range(2)]
    pairs.append((head.constant_weight, head.constant_value))
    mean = sum(w * v for w, v in pairs) / sum(w for w, _ in pairs)
    spread = sum(w * np.outer(v - mean, v - mean) for w, v in pairs)
    _, vectors = np.linalg.eigh(spread)
    assert abs(basis_of(query).directions[0] @ vectors[:, -1]) == pytest.approx(1.0, abs=1e-9)
    light = replace(query, heads=(replace(head, score=head.score - 8.0, constant_score=head.constant_score - 8.0),))
    assert abs(basis_of(light).directions[0] @ vectors[:, -1]) == pytest.approx(1.0, abs=1e-6)


def test_a_wide_head_needs_no_more_directions_than_its_values_span() -> None:
    """Outputs 40 numbers wide of three letters: what is outside of their few directions is no larger than rounding."""
    rng = np.random.default_rng(12)
    head = HeadTable(rng.standard_normal((3, 2)), rng.standard_normal((3, 2, 40)), 0.5, rng.standard_normal(40), 0.0)
    query = AnswerQuery(2, None, np.zeros(40), (head,), np.eye(40), ())
    basis = basis_of(query)
    assert basis.directions.shape == (6, 40)
    assert 1e-13 < basis.rest < 1e-11
    words = np.array(list(product(range(2), repeat=3)))
    paths = state_paths(SpecStates(np.array([[0, 0]]), 0, np.array([0])), 3, 3)
    ranges = Ranges(query, WordClasses(paths, np.ones((1, 3, 2), bool), np.ones((1, 1), bool)), basis)
    away = query.outputs(words) - ranges.middle[0]
    rows = rng.standard_normal((1, 30, 40))
    assert (np.abs(away @ rows[0].T) <= ranges.box(rows)[0]).all()
    assert (np.abs(away) <= ranges.spread()[0]).all()
    assert (np.abs(away @ basis.directions.T) <= ranges.radius[0] * (1 + 1e-9)).all()


def test_what_a_basis_leaves_out_is_part_of_every_range() -> None:
    """Of values in two dimensions, with one direction alone: the ranges hold by the rest."""
    query, classes, outputs = subject(6)
    head = query.heads[0]
    one = basis_of(query).directions[:1]
    values = np.concatenate([head.value.reshape(-1, 2), head.constant_value[None]])
    point = values.mean(axis=0)
    outside = (values - point) - (values - point) @ one.T @ one
    basis = Basis(one, point, float(np.linalg.norm(outside, axis=1).max()))
    ranges, rows = Ranges(query, classes, basis), np.random.default_rng(6).standard_normal((3, 8, 2))
    for k, y in enumerate(outputs):
        assert (np.abs((y - ranges.middle[k]) @ rows[k].T) <= ranges.box(rows)[k]).all()
        assert (np.abs(y - ranges.middle[k]) <= ranges.spread()[k]).all()
        along = np.abs(rows[k] @ one[0]) * ranges.radius[k] + basis.rest * np.linalg.norm(rows[k], axis=1)
        assert np.allclose(ranges.box(rows)[k], along)
