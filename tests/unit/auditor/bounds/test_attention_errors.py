"""Rounding inside the attention: each number by plain sums over keys, and the greatest mean over all words."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from capax.auditor.bounds.attention_errors import (
    KeyErrors,
    QueryErrors,
    attention_error,
    output_error,
    output_stray,
    query_errors,
)
from capax.auditor.bounds.class_bound import ClassBounds, Demands, evaluate
from capax.auditor.bounds.oracle import WordClasses
from capax.auditor.bounds.paths import count_paths, state_paths
from capax.auditor.bounds.ranges import basis_of
from capax.auditor.bounds.table_errors import HeadErrors, TableErrors, gamma, table_errors
from capax.auditor.bounds.tables import AnswerQuery, Tables
from capax.auditor.spec import SpecStates
from capax.model.parts import Array
from tests.support.audited import Kind, asked, random_model

N, U, OWN = 3, 2.0**-12, 1
PARITY = SpecStates(np.array([[0, 1], [1, 0]]), 0, np.array([0, 1]))
LABELS = np.tile([0, 1], (N, 1))


def subject(kind: Kind) -> tuple[Tables, TableErrors, AnswerQuery, QueryErrors]:
    """A query at the last letter of a random model, and all that rounding does to it."""
    question = asked(random_model(np.random.default_rng(4), kind), PARITY, "last")
    tables = Tables(question, N)
    errors, query = table_errors(question, tables, U), tables.query(N - 1, OWN)
    return tables, errors, query, query_errors(tables, errors, query)


def plain_rho(tables: Tables, k: int, errors: HeadErrors, key: Array, size: Array, noise: Array, score: float) -> float:
    """The error of one key's weight: of its score against a common key, of its distance from the highest, of exp."""
    at, dims = tables.prefix + N - 1, range(3)
    q, q_noise, q_size = errors.query.value[at, OWN], errors.query.noise[at, OWN], errors.query.size[at, OWN]
    scores = tables.scores(k, at, OWN)
    shares = np.exp(scores - scores.max()) / np.exp(scores - scores.max()).sum()
    common = sum(shares[j, a] * errors.key.value[j, a] for j in range(tables.total) for a in range(2))
    e = sum(abs(sum((key[i] - common[i]) * c[i] for i in dims)) for c in q_noise)
    e += sum(abs(sum(c[i] * q[i] for i in dims)) for c in noise)
    e += sum(size[i] * q_size[i] for i in dims)
    e += gamma(7, U) * sum((abs(key[i]) + size[i]) * (abs(q[i]) + q_size[i]) for i in dims)
    top = max(float(tables.scores(k, at, OWN).max()), tables.sink_score(k, at, OWN))
    shift = tables.query(N - 1, OWN).heads[k].shift
    assert shift <= top
    e *= tables.heads[k].scale * (1 + 1e-6)
    return float(np.expm1(e + 2 * U * max(shift - score, 0.0) + U) + 10 * U)


@pytest.mark.parametrize("sink", [False, True])
def test_weights_are_wrong_by_scores_distances_and_exp(sink: bool) -> None:
    """Letters, the prefix and the sink, whose key is exact but whose query is not."""
    tables, errors, _, result = subject(Kind(heads=2, sink=sink, scale=0.7))
    at = tables.prefix + N - 1
    for k, head in enumerate(errors.heads):
        scores = tables.scores(k, at, OWN)
        for j, a in product(range(N), range(2)):
            key = (head.key.value[j + 1, a], head.key.size[j + 1, a], head.key.noise[j + 1, a])
            assert result.letters[k].rho[j, a] == pytest.approx(plain_rho(tables, k, head, *key, scores[j + 1, a]))
            assert result.letters[k].score[j, a] == scores[j + 1, a]
            assert np.array_equal(result.letters[k].value[j, a], head.value.value[j + 1, a])
        key = (head.key.value[0, 0], head.key.size[0, 0], head.key.noise[0, 0])
        assert result.constants[k].rho[0] == pytest.approx(plain_rho(tables, k, head, *key, scores[0, 0]))
        assert len(result.constants[k].rho) == 1 + sink
        one = tables.heads[k].sink
        if one is not None:
            key = (np.asarray(one.key, np.float64), np.zeros(3), np.zeros((1, 3)))
            right = plain_rho(tables, k, head, *key, tables.sink_score(k, at, OWN))
            assert result.constants[k].rho[1] == pytest.approx(right, rel=1e-9)
            assert not result.constants[k].noise[1].any()
            assert np.allclose(result.constants[k].value[1], one.value)
    assert result.keys == tables.total + 1
    assert np.array_equal(result.stream, errors.stream[at, OWN])
    strict = subject(Kind(mask="strict past"))[3].letters[0]
    assert not strict.rho[-1].any()
    assert strict.rho[0].all()


def every_key(errors: QueryErrors, k: int) -> list[KeyErrors]:
    """The keys of a head, one by one."""
    letters, constants = errors.letters[k], errors.constants[k]
    places = [(letters, at) for at in product(range(N), range(2))] + [
        (constants, (c,)) for c in range(len(constants.rho))
    ]
    return [KeyErrors(x.score[at], x.rho[at], x.value[at], x.noise[at]) for x, at in places]


def test_the_coarse_error_has_all_keys_at_their_worst() -> None:
    """By plain loops; without a limit as soon as a weight may vanish."""
    _, _, _, errors = subject(Kind(heads=2, sink=True))
    result = output_error(errors).reshape(2, 2)
    for k in range(2):
        keys = every_key(errors, k)
        rho = max(float(key.rho) for key in keys)
        for v in range(2):
            value = max(abs(key.value[v]) for key in keys)
            wrong = max(sum(abs(c[v]) for c in key.noise) for key in keys)
            right = (2 * rho * value + wrong + 2 * gamma(errors.keys + 4, U) * (value + wrong)) / (1 - rho)
            assert result[k, v] == pytest.approx(right)
    lost = replace(errors, letters=tuple(replace(x, rho=np.ones_like(x.rho)) for x in errors.letters))
    assert np.isposinf(output_error(lost)).all()


def bounds_of(query: AnswerQuery, *, sorting: bool = False) -> ClassBounds:
    """Two classes of words: all with an odd number of ones, and those that begin with 0."""
    letters = np.ones((2, N, 2), bool)
    letters[:, -1, 0] = letters[1, 0, 1] = False
    paths = count_paths(PARITY, N, N, LABELS) if sorting else state_paths(PARITY, N, N)
    assert paths is not None
    goal = np.stack([paths.state == 1, np.ones(len(paths.state), bool)])
    demands = Demands(np.random.default_rng(1).standard_normal((2, 2, 2)), np.zeros((2, 2)))
    return evaluate(query, WordClasses(paths, letters, goal), demands, basis_of(query))


def plain_loss(
    errors: QueryErrors, key: KeyErrors, g: Array, r: Array, norm: float, y: tuple[Array, Array, float]
) -> float:
    """The number T of one key for one gradient; y: its middle, its radii, and how far gradient . y moves."""
    middle, spread, moved = y
    rho = max(float(x.rho.max()) for x in (*errors.letters, *errors.constants))

    def away(size: Array) -> float:
        return float(min(sum(size * r), norm * sum(size**2) ** 0.5))

    size = np.array([sum(abs(c[v]) for c in key.noise) for v in range(2)])
    apart, of_y = away(np.abs(key.value)), away(np.abs(middle) + spread)
    loss = key.rho * (abs(sum(key.value * g) - sum(middle * g)) + moved + apart + of_y)
    loss += sum(abs(sum(c * g)) for c in key.noise) + away(size)
    sums, reach = sum((np.abs(key.value) + 2 * size) * np.abs(g)) + apart + 2 * away(size), np.abs(middle) + spread
    most, reached = gamma(errors.keys, U), sum(reach * np.abs(g)) + of_y
    loss += 5 * U * sums + most * (sums / 2 + reached / 2 + 3 * rho * sums + most * sums)
    loss += gamma(errors.keys + 4, U) * (abs(sum(middle * g)) + moved + of_y)
    return float((1 + rho) / (1 - rho) * loss)


@pytest.mark.parametrize("heads", [1, 2])
def test_the_error_is_the_greatest_mean_of_losses_over_the_words_of_a_class(heads: int) -> None:
    """Against every word; above by at most the tolerance of the oracle."""
    _, _, query, errors = subject(Kind(heads=heads, sink=True))
    result, rng = bounds_of(query), np.random.default_rng(2)
    g, r = rng.standard_normal((2, 3, 2 * heads)), rng.uniform(0, 0.2, (2, 3, 2 * heads))
    norm = rng.uniform(0.05, 0.3, (2, 3))
    bound = attention_error(result, np.arange(2), g, r, norm, errors)
    ranges = result.ranges
    for c, m in product(range(2), range(3)):
        total, slack = 0.0, 0.0
        for k in range(heads):
            part = slice(2 * k, 2 * k + 2)
            spread = (ranges.radius[c] @ np.abs(ranges.basis.directions) + ranges.basis.rest)[part]
            moved = sum(abs(ranges.basis.directions[:, part] @ g[c, m, part]) * ranges.radius[c])
            moved += ranges.basis.rest * np.linalg.norm(g[c, m, part])
            y = (ranges.middle[c, part], spread, float(moved))
            keys = every_key(errors, k)
            loss = [plain_loss(errors, key, g[c, m, part], r[c, m, part], norm[c, m], y) for key in keys]
            weight = [np.exp(key.score) for key in keys]
            best = 0.0
            for word in product(range(2), range(2), (1,)):
                if (sum(word) % 2 == 1) if c == 0 else word[0] == 0:
                    at = [2 * j + a for j, a in enumerate(word)] + list(range(2 * N, len(keys)))
                    best = max(best, sum(weight[i] * loss[i] for i in at) / sum(weight[i] for i in at))
            total, slack = total + best, slack + 0.051 * (max(loss) + max(loss[2 * N :]))
        assert total <= bound[c, m] * (1 + 1e-12)
        assert bound[c, m] <= total + slack


@pytest.mark.parametrize("sorting", [False, True])
def test_an_error_without_limit_is_never_taken_for_none(sorting: bool) -> None:
    """For one letter, or a key that is no number; whatever finds the best word of a class."""
    _, _, query, errors = subject(Kind())
    result = bounds_of(query, sorting=sorting)
    g, zero = np.ones((2, 1, 2)), np.zeros((2, 1, 2))
    limited = attention_error(result, np.arange(2), g, zero, np.zeros((2, 1)), errors)
    assert np.isfinite(limited).all()
    for wrong in (np.inf, np.nan):
        letters, constants = errors.letters[0], errors.constants[0]
        noise, rho, fixed = letters.noise.copy(), letters.rho.copy(), constants.noise.copy()
        noise[1, 0, 0, 0] = rho[1, 0] = fixed[0, 0, 0] = wrong
        others = (
            replace(errors, letters=(replace(letters, noise=noise),)),
            replace(errors, letters=(replace(letters, rho=rho),)),
            replace(errors, constants=(replace(constants, noise=fixed),)),
        )
        for other in others:
            with np.errstate(invalid="ignore"):
                bound = attention_error(result, np.arange(2), g, zero, np.zeros((2, 1)), other)
            assert np.isposinf(bound).all()


def members(c: int) -> list[tuple[int, ...]]:
    """The words of the classes of `bounds_of`."""
    words = product(range(2), range(2), (1,))
    return [word for word in words if ((sum(word) % 2 == 1) if c == 0 else word[0] == 0)]


def plain_stray(errors: QueryErrors, key: KeyErrors, output: Array, middle: Array, extent: float) -> float:
    """The number T of one key for the norm of what a head adds to the stream."""
    rho = max(float(x.rho.max()) for x in (*errors.letters, *errors.constants))
    size = np.array([sum(abs(c[v]) for c in key.noise) for v in range(2)])
    most = float(np.linalg.svd(output, compute_uv=False)[0])
    away = float(np.linalg.norm(key.value @ output - middle @ output)) + extent
    sums = most * float(np.linalg.norm(np.abs(key.value) + size)) + float(np.linalg.norm(middle @ output)) + extent
    loss = key.rho * away + most * np.linalg.norm(size) + gamma(errors.keys + 4, U) * sums
    return float((1 + rho) / (1 - rho) * loss)


def sums_alone(errors: QueryErrors) -> QueryErrors:
    """With exact weights and values, and values so large that their squares are not mistaken for other powers."""

    def exact(keys: KeyErrors) -> KeyErrors:
        return replace(keys, rho=np.zeros_like(keys.rho), value=5 * keys.value, noise=np.zeros_like(keys.noise))

    return replace(errors, letters=tuple(map(exact, errors.letters)), constants=tuple(map(exact, errors.constants)))


@pytest.mark.parametrize(("heads", "alone"), [(1, False), (2, False), (1, True)])
def test_the_stray_is_the_greatest_mean_of_norms_over_the_words_of_a_class(heads: int, alone: bool) -> None:
    """Against every word, by plain loops; and against errors of weights and values that are drawn."""
    _, _, query, errors = subject(Kind(heads=heads, sink=True))
    errors = sums_alone(errors) if alone else errors
    result, rng = bounds_of(query), np.random.default_rng(7)
    bound, ranges = output_stray(result, np.arange(2), errors), result.ranges
    for c in range(2):
        total, slack, moved = 0.0, 0.0, {word: np.zeros((50, 5)) for word in members(c)}
        for k in range(heads):
            part = slice(2 * k, 2 * k + 2)
            output = query.output[part]
            lengths = [np.linalg.norm(row @ output) for row in ranges.basis.directions[:, part]]
            extent = float(sum(ranges.radius[c] * lengths)) + ranges.basis.rest * float(np.linalg.norm(output, 2))
            keys = every_key(errors, k)
            loss = [plain_stray(errors, key, output, ranges.middle[c, part], extent) for key in keys]
            weight, best = [float(np.exp(key.score)) for key in keys], 0.0
            for word in members(c):
                at = [2 * j + a for j, a in enumerate(word)] + list(range(2 * N, len(keys)))
                p = np.array([weight[i] for i in at]) / sum(weight[i] for i in at)
                best = max(best, float(p @ [loss[i] for i in at]))
                value = np.array([keys[i].value for i in at])
                for x in moved[word]:
                    wrong = p * (1 + np.array([keys[i].rho for i in at]) * rng.choice((-1, 1), len(at)))
                    noise = [rng.choice((-1, 1), len(keys[i].noise)) @ keys[i].noise for i in at]
                    x += (wrong @ (value + noise) / wrong.sum() - p @ value) @ output
            total, slack = total + best, slack + 0.051 * (max(loss) + max(loss[2 * N :]))
        assert total <= bound[c] * (1 + 1e-8)
        assert bound[c] <= total + slack
        assert max(np.linalg.norm(x, axis=1).max() for x in moved.values()) <= bound[c]


def test_a_class_without_words_has_no_error_and_one_with_lost_weights_no_limit() -> None:
    _, _, query, errors = subject(Kind())
    letters = np.ones((1, N, 2), bool)
    letters[0, 1] = False
    demands = Demands(np.ones((1, 1, 2)), np.zeros((1, 1)))
    for goal in (False, True):
        paths = state_paths(PARITY, N, N)
        classes = WordClasses(paths, letters, np.full((1, 2), goal))
        result, which = evaluate(query, classes, demands, basis_of(query)), np.zeros(1, np.int64)
        assert output_stray(result, which, errors).tolist() == [0.0]
        error = attention_error(result, which, np.ones((1, 1, 2)), np.zeros((1, 1, 2)), np.zeros((1, 1)), errors)
        assert error.tolist() == [[0.0]]
    half = replace(errors, letters=tuple(replace(x, rho=np.full_like(x.rho, 0.5)) for x in errors.letters))
    assert np.isposinf(output_stray(bounds_of(query), np.arange(2), half)).all()


def test_a_query_that_sees_no_key_has_no_error_of_scores() -> None:
    """The first position of a head that looks at the past alone."""
    question = asked(random_model(np.random.default_rng(4), Kind(mask="strict past", prefix=False)), PARITY, "each")
    tables = Tables(question, N)
    errors = query_errors(tables, table_errors(question, tables, U), tables.query(0, OWN))
    assert not errors.letters[0].rho.any()
