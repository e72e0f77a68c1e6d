"""The support function of the attention, against all words of a class."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from capax.auditor.bounds import oracle
from capax.auditor.bounds.oracle import SLACK, Slices, WordClasses, _least_denominators, extreme_words, support
from capax.auditor.bounds.paths import count_paths, state_paths
from capax.auditor.bounds.tables import AnswerQuery, HeadTable, Tables
from capax.auditor.spec import SpecStates
from capax.model.parts import Array
from tests.support.audited import Kind, asked, random_kind, random_model, random_states

N = 5
PARITY = SpecStates(np.array([[0, 1], [1, 0]]), 0, np.array([0, 1]))


def all_words(letters: int, n: int) -> Array:
    """Every word, as numbers."""
    return np.array(list(product(range(letters), repeat=n)))


def members(words: Array, states: SpecStates, mask: Array, goals: set[int], layer: int) -> Array:
    """Which words are in a class: allowed letters, a state of the goal after `layer` letters, no dead end."""
    fits = mask[np.arange(words.shape[1]), words].all(axis=1)
    at = [states.after(word[:layer]) for word in words.tolist()]
    end = [states.after(word) for word in words.tolist()]
    return np.array([f and s in goals and e != -1 for f, s, e in zip(fits, at, end, strict=True)], bool)


def random_classes(
    rng: np.random.Generator, query: AnswerQuery, states: SpecStates, layer: int, count: int
) -> WordClasses:
    """Classes with random letters and goals."""
    paths = state_paths(states, N, layer)
    letters = rng.random((count, N, query.letters)) < 0.7
    letters[np.arange(count)[:, None], np.arange(N), rng.integers(0, query.letters, (count, N))] = True
    return WordClasses(paths, letters, rng.random((count, len(paths.state))) < 0.6)


def check(rng: np.random.Generator, directions: int) -> int:
    """Compares one random model's supports with all words; the number of classes that have words times directions."""
    kind = random_kind(rng)
    states = random_states(rng, kind.letters)
    position = int(rng.integers(0, N))
    tables = Tables(asked(random_model(rng, kind), states, "each"), N)
    query = tables.query(position, int(rng.integers(0, kind.letters)))
    classes = random_classes(rng, query, states, position + 1, 4)
    words = all_words(kind.letters, N)
    y = query.outputs(words)
    u = rng.standard_normal((directions, y.shape[1]))
    compared = 0
    for k in range(len(classes)):
        goals = set(classes.paths.state[classes.goal[k]].tolist())
        inside = members(words, states, classes.letters[k], goals, position + 1)
        bound = support(query, classes, np.full(directions, k), u)
        assert classes.empty()[k] == (not inside.any())
        if not inside.any():
            assert np.isneginf(bound).all()
            continue
        truth = (y[inside] @ u.T).max(axis=0)
        assert (bound >= truth).all()
        if kind.heads == 1:
            assert (bound <= truth + 1e-9 * (1 + np.abs(y).max() * np.abs(u).sum(axis=1))).all()
            best = extreme_words(query, classes, np.full(directions, k), u)
            values = (query.outputs(best) * u).sum(axis=1)
            assert np.allclose(values, truth, atol=1e-9)
        compared += directions
    return compared


@pytest.mark.parametrize("seed", range(4))
def test_no_word_exceeds_the_support_and_one_head_attains_it(seed: int) -> None:
    """Random models of every kind, classes and directions: never below the truth; exact with one head."""
    rng = np.random.default_rng(seed)
    assert sum(check(rng, 10) for _ in range(12)) >= 250


@pytest.mark.deep
def test_no_word_exceeds_the_support_deep() -> None:
    """The same, many times more."""
    rng = np.random.default_rng(1000)
    assert sum(check(rng, 25) for _ in range(400)) >= 10_000


def test_slices_bound_the_words_inside_them() -> None:
    """In a slice the bound holds for the words whose outputs lie in it, whatever multipliers are proposed."""
    rng = np.random.default_rng(5)
    for _ in range(10):
        query = Tables(asked(random_model(rng, Kind()), PARITY, "last"), N).query(N - 1, 1)
        words = all_words(2, N)
        words = words[words[:, -1] == 1]
        y, p, u = query.outputs(words), rng.standard_normal((2, 2)), rng.standard_normal((6, 2))
        low, high = np.quantile(y @ p.T, [0.2, 0.7], axis=0)
        mask = np.ones((1, N, 2), bool)
        mask[0, -1, 0] = False
        for shares in (rng.standard_normal((2, 2)), np.linalg.inv(p).T, np.array([p[0] / (p[0] @ p[0]), np.zeros(2)])):
            slices = Slices(p[None], low[None], high[None], shares[None])
            classes = WordClasses(state_paths(PARITY, N, N), mask, np.ones((1, 2), bool), slices)
            inside = ((y @ p.T >= low) & (y @ p.T <= high)).all(axis=1)
            if not inside.any():
                continue
            bound = support(query, classes, np.zeros(6, np.int64), u)
            assert (bound >= (y[inside] @ u.T).max(axis=0)).all()
            assert (bound <= (y @ u.T).max(axis=0) + 1e-9).all()


def test_in_a_slice_the_least_of_the_multipliers_is_taken_and_raised_by_the_slack() -> None:
    """By the formula, with supports of the whole class; ends count by the sign of their multiplier."""
    rng = np.random.default_rng(15)
    query = Tables(asked(random_model(rng, Kind()), PARITY, "last"), N).query(N - 1, 1)
    mask = np.ones((1, N, 2), bool)
    mask[0, -1, 0] = False
    whole = WordClasses(state_paths(PARITY, N, N), mask, np.ones((1, 2), bool))
    p, u, low, high = rng.standard_normal((2, 2)), rng.standard_normal((12, 2)), np.full(2, -4.0), np.full(2, -3.0)
    shares = rng.standard_normal((2, 2))
    bound = support(query, replace(whole, slices=Slices(p[None], low[None], high[None], shares[None])), of_first(12), u)
    for row in range(12):
        values, slacks = [float(support(query, whole, of_first(1), u[row][None])[0])], [0.0]
        for share in (1.0, 0.6):
            t = [share * float(shares[d] @ u[row]) for d in range(2)]
            ends = [x * (high[d] if x >= 0 else low[d]) for d, x in enumerate(t)]
            rest = float(support(query, whole, of_first(1), (u[row] - t[0] * p[0] - t[1] * p[1])[None])[0])
            other = rest + sum(ends)
            values.append(other)
            slacks.append(1e-12 * (abs(ends[0]) + abs(ends[1]) + abs(other)))
        best = int(np.argmin(values))
        assert bound[row] >= values[best] + 0.9 * slacks[best]
        assert bound[row] <= values[best] + 1.1 * slacks[best] + 1e-14
    assert (bound < -1.0).any()


def of_first(rows: int) -> Array:
    """So many rows about the first class."""
    return np.zeros(rows, np.int64)


def test_counts_by_sorting_equal_counts_by_states() -> None:
    """Where a count decides the state, sorting and the dynamic program agree."""
    rng = np.random.default_rng(7)
    for letters in (2, 3):
        step = np.array([[min(s + (a == 1), 3) for a in range(letters)] for s in range(4)])
        states = SpecStates(step, 0, np.array([0, 0, 0, 1]))
        labels = np.tile(np.arange(letters) == 1, (N, 1)).astype(np.int64)
        sorting, by_states = count_paths(states, N, N, labels), state_paths(states, N, N, labels)
        assert sorting is not None
        query = Tables(asked(random_model(rng, Kind(letters=letters)), states, "last"), N).query(N - 1, 0)
        mask = rng.random((6, N, letters)) < 0.8
        mask[:, :, 0] = True
        u = rng.standard_normal((6, 2))
        for count in range(N + 1):
            results = []
            for paths in (sorting, by_states):
                goal = np.repeat((paths.count == count)[None], 6, axis=0)
                results.append(support(query, WordClasses(paths, mask, goal), np.arange(6), u))
            assert np.allclose(results[0], results[1], atol=1e-9)


def test_words_by_sorting_have_the_greatest_gain_of_their_count() -> None:
    """Against all words: the count is right, and no word of that count gains more."""
    rng = np.random.default_rng(11)
    labels = np.tile([0, 1], (N, 1))
    paths = count_paths(PARITY, N, N, labels)
    assert paths is not None
    words, gains = all_words(2, N), rng.standard_normal((N, 2, 3))
    for count in range(N + 1):
        some = words[words.sum(axis=1) == count]
        best = paths.words(gains, np.repeat((paths.count == count)[None], 3, axis=0))
        for row in range(3):
            assert best[row].sum() == count
            most = max(gains[np.arange(N), word, row].sum() for word in some)
            assert gains[np.arange(N), best[row], row].sum() == pytest.approx(most)


def test_a_count_that_does_not_decide_the_state_is_not_sorted() -> None:
    """Neither where words of one count differ in state, nor where some words are left out."""
    labels = np.tile([0, 1], (N, 1))
    assert count_paths(SpecStates(np.array([[0, 1], [0, 1]]), 0, np.array([0, 1])), N, N, labels) is None
    assert count_paths(SpecStates(np.array([[0, -1]]), 0, np.array([0])), N, N, labels) is None
    late = SpecStates(np.array([[1, 1], [2, 2], [2, -1]]), 0, np.zeros(3, np.int64))
    assert count_paths(late, N, N, labels) is None
    assert count_paths(PARITY, N, N, labels) is not None


def test_weights_that_underflow_give_the_greatest_value() -> None:
    """Scores a thousand apart: the bound is still one that no word exceeds."""
    rng = np.random.default_rng(3)
    query = Tables(asked(random_model(rng, Kind(scale=3000.0, prefix=False)), PARITY, "last"), N).query(N - 1, 0)
    words = all_words(2, N)
    words = words[words[:, -1] == 0]
    mask = np.ones((1, N, 2), bool)
    mask[0, -1, 1] = False
    u = rng.standard_normal((8, 2))
    classes = WordClasses(state_paths(PARITY, N, N), mask, np.ones((1, 2), bool))
    assert (support(query, classes, np.zeros(8, np.int64), u) >= (query.outputs(words) @ u.T).max(axis=0)).all()


def test_the_least_denominator_is_the_sum_of_the_least_weights() -> None:
    """Position by position, of the letters that a class allows; a class without a letter somewhere has none."""
    rng = np.random.default_rng(3)
    tables = Tables(asked(random_model(rng, Kind(sink=True)), PARITY, "last"), N)
    query = tables.query(N - 1, 0)
    classes = random_classes(rng, query, PARITY, N, 6)
    letters = classes.letters.copy()
    letters[5, 2] = False
    head, result = query.heads[0], _least_denominators(query.heads[0], replace(classes, letters=letters))
    words = all_words(2, N)
    for k in range(5):
        inside = words[letters[k][np.arange(N), words].all(axis=1)]
        least = min(sum(head.weight[j, a] for j, a in enumerate(word)) for word in inside)
        assert result[k] == pytest.approx(least * (1 - SLACK) + head.constant_weight, rel=1e-14, abs=0.0)
        assert result[k] < least + head.constant_weight
    assert result[5] == 1.0


def test_the_best_word_is_found_where_others_have_tiny_weights() -> None:
    """A letter with hardly any weight, and a value just below: its gain would be greater above the best value."""
    score, value = np.array([[0.0, -30.0]]), np.array([[[1.0], [0.999]]])
    head = HeadTable(score, value, -np.inf, np.zeros(1), 0.0)
    query = AnswerQuery(0, None, np.zeros(1), (head,), np.eye(1), ())
    paths = state_paths(SpecStates(np.array([[0, 0]]), 0, np.array([0])), 1, 1)
    classes = WordClasses(paths, np.ones((1, 1, 2), bool), np.ones((1, 1), bool))
    assert extreme_words(query, classes, np.zeros(1, np.int64), np.ones((1, 1))).tolist() == [[0]]
    assert extreme_words(query, classes, np.zeros(1, np.int64), -np.ones((1, 1))).tolist() == [[1]]


def test_rows_are_taken_one_by_one_if_no_more_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(8)
    query = Tables(asked(random_model(rng, Kind()), PARITY, "last"), N).query(N - 1, 0)
    classes, u = random_classes(rng, query, PARITY, N, 3), rng.standard_normal((6, 2))
    of = np.repeat(np.arange(3), 2)
    before = support(query, classes, of, u)
    monkeypatch.setattr(oracle, "CHUNK", 1)
    assert np.allclose(support(query, classes, of, u), before, rtol=1e-14, atol=0.0)


def test_words_that_are_asked_of_an_empty_class_still_have_letters() -> None:
    """They are of no class, and are evaluated like others."""
    rng = np.random.default_rng(9)
    query = Tables(asked(random_model(rng, Kind()), PARITY, "last"), N).query(N - 1, 0)
    paths = state_paths(PARITY, N, N)
    classes = WordClasses(paths, np.ones((1, N, 2), bool), np.zeros((1, len(paths.state)), bool))
    words = extreme_words(query, classes, np.zeros(3, np.int64), rng.standard_normal((3, 2)))
    assert set(words.ravel().tolist()) <= {0, 1}
