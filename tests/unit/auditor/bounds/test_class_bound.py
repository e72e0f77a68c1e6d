"""The bound of a class, against the margins of all of its words."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from capax.auditor.bounds.chain import LinearStage, run
from capax.auditor.bounds.class_bound import Demands, evaluate
from capax.auditor.bounds.oracle import WordClasses
from capax.auditor.bounds.paths import state_paths
from capax.auditor.bounds.ranges import basis_of
from capax.auditor.bounds.tables import Tables
from capax.auditor.spec import SpecStates
from tests.support.audited import Kind, asked, random_kind, random_model

N = 3
FREE = SpecStates(np.array([[0, 0]]), 0, np.array([0]))


def test_margins_are_the_least_over_the_demands() -> None:
    rng = np.random.default_rng(0)
    rows, constants, logits = rng.standard_normal((4, 3, 2)), rng.standard_normal((4, 3)), rng.standard_normal((4, 2))
    demands = Demands(rows, constants)
    plain = [min(rows[k, r] @ logits[k] + constants[k, r] for r in range(3)) for k in range(4)]
    assert np.allclose(demands.margins(logits), plain)
    some = demands.select(np.array([2, 0]))
    assert np.allclose(some.margins(logits[[2, 0]]), [plain[2], plain[0]])
    assert np.isposinf(Demands(np.zeros((2, 0, 2)), np.zeros((2, 0))).margins(np.zeros((2, 2)))).all()


@pytest.mark.parametrize("seed", range(8))
def test_a_class_of_one_word_has_its_margin_and_a_wider_one_no_more(seed: int) -> None:
    """Random models of every kind; classes: every single word, all words, those with a letter fixed, none."""
    rng = np.random.default_rng(seed)
    kind = random_kind(rng)
    question = asked(random_model(rng, kind), FREE, "last")
    query = Tables(question, N).query(N - 1, 0)
    words = np.array([(*word, 0) for word in product(range(2), repeat=N - 1)])
    eye = np.eye(kind.letters, dtype=bool)
    letters = np.stack([*(eye[word] for word in words), eye[[0, 0, 0]], eye[[0, 0, 0]], eye[[0, 0, 0]]])
    letters[-3, :2, :2] = letters[-2, 0, :2] = True
    letters[-1, 1] = False
    states = SpecStates(np.zeros((1, kind.letters), np.int64), 0, np.array([0]))
    classes = WordClasses(state_paths(states, N, N), letters, np.ones((len(letters), 1), bool))
    demands = Demands(rng.standard_normal((len(letters), 2, 2)), rng.standard_normal((len(letters), 2)))
    exact = query.logits(words)
    members = [[0], [1], [2], [3], [0, 1, 2, 3], [0, 2], []]
    for how in (False, True):
        result = evaluate(query, classes, demands, basis_of(query), exact=how)
        assert result.empty.tolist() == [False] * 6 + [True]
        assert np.isposinf(result.bound[6])
        assert np.isposinf(result.margins[6])
        for k, inside in enumerate(members[:6]):
            margins = (exact[inside] @ demands.rows[k].T + demands.constants[k]).min(axis=1)
            assert result.bound[k] <= margins.min()
            assert result.margins[k] >= margins.min() - 1e-9
            assert result.words[k].tolist() in words[inside].tolist()
            if k < 4:
                assert result.bound[k] >= margins.min() - 1e-8
                assert result.margins[k] == pytest.approx(margins.min(), abs=1e-9)


def test_the_direction_is_the_gradient_of_the_worst_margin() -> None:
    """By differences of the margin at the outputs of a single word; and no demand at all is never missed."""
    rng = np.random.default_rng(3)
    query = Tables(asked(random_model(rng, Kind()), FREE, "last"), N).query(N - 1, 1)
    word = np.array([[0, 1, 1]])
    classes = WordClasses(state_paths(FREE, N, N), np.eye(2, dtype=bool)[word], np.ones((1, 1), bool))
    demands = Demands(rng.standard_normal((1, 3, 2)), np.zeros((1, 3)))
    result = evaluate(query, classes, demands, basis_of(query))
    y = query.outputs(word)[0]
    margins = demands.rows[0] @ query.logits(word)[0]
    row = demands.rows[0, int(margins.argmin())]
    for k in range(2):
        ends = [run(query.chain, query.residual + (y + h * np.eye(2)[k]) @ query.output) @ row for h in (-1e-5, 1e-5)]
        assert result.direction[0, k] == pytest.approx((ends[1] - ends[0]) / 2e-5, rel=1e-5, abs=1e-8)
    nothing = evaluate(query, classes, Demands(np.zeros((1, 0, 2)), np.zeros((1, 0))), basis_of(query))
    assert np.isposinf(nothing.bound[0])
    assert not nothing.direction.any()


def test_a_bound_has_room_for_the_rounding_of_its_own_arithmetic() -> None:
    """With a linear map alone: a share of the sums of absolute values, for the stream and again for the margin."""
    rng = np.random.default_rng(5)
    query = Tables(asked(random_model(rng, Kind()), FREE, "last"), N).query(N - 1, 1)
    query = replace(query, chain=query.chain[-1:], residual=1e4 * query.residual)
    word = np.array([[0, 1, 1]])
    classes = WordClasses(state_paths(FREE, N, N), np.eye(2, dtype=bool)[word], np.ones((1, 1), bool))
    row, last = np.array([1.0, -1.0]), query.chain[0]
    assert isinstance(last, LinearStage)
    result = evaluate(query, classes, Demands(row[None, None], np.zeros((1, 1))), basis_of(query))
    size = np.abs(query.residual) @ np.abs(last.weight @ row)
    room = (query.logits(word)[0] @ row - result.bound[0]) / size
    assert 1.99e-12 < room < 2.02e-12


def test_the_word_of_a_class_is_its_worst_one_where_all_is_linear() -> None:
    """With a linear map after the attention the least margin is attained, and the bound is that margin."""
    rng = np.random.default_rng(8)
    query = Tables(asked(random_model(rng, Kind()), FREE, "last"), N).query(N - 1, 1)
    query = replace(query, chain=query.chain[-1:])
    letters = np.ones((1, N, 2), bool)
    letters[0, -1, 0] = False
    words = np.array([(*word, 1) for word in product(range(2), repeat=N - 1)])
    for _ in range(5):
        demands = Demands(rng.standard_normal((1, 1, 2)), np.zeros((1, 1)))
        result = evaluate(
            query, WordClasses(state_paths(FREE, N, N), letters, np.ones((1, 1), bool)), demands, basis_of(query)
        )
        margins = query.logits(words) @ demands.rows[0, 0]
        assert result.words[0].tolist() == words[margins.argmin()].tolist()
        assert result.bound[0] == pytest.approx(margins.min(), abs=1e-4)


def test_a_margin_beyond_all_numbers_has_no_direction() -> None:
    """Where the form overflows, nothing is known of the class, and nothing is said of its gradient."""
    rng = np.random.default_rng(9)
    query = Tables(asked(random_model(rng, Kind(norm=None)), FREE, "last"), N).query(N - 1, 1)
    large = LinearStage(1e200 * np.eye(5), np.zeros(5))
    query = replace(query, chain=(large, large, *query.chain[-1:]))
    classes = WordClasses(state_paths(FREE, N, N), np.ones((1, N, 2), bool), np.ones((1, 1), bool))
    with np.errstate(all="ignore"):
        demands = Demands(np.array([[[1.0, -1.0]]]), np.zeros((1, 1)))
        result = evaluate(query, classes, demands, basis_of(query))
    assert not result.bound[0] > 0
    assert not result.direction.any()
