"""Rounding of whole classes, against what float32 does in different orders of summation."""

from dataclasses import replace

import numpy as np
import pytest

from capax.auditor.bounds.attention_errors import attention_error, output_error, output_stray, query_errors
from capax.auditor.bounds.chain import (
    ActivationStage,
    CenterStage,
    LinearStage,
    ResidualStage,
    ScaleStage,
    ShiftStage,
    Stage,
    run,
    slope,
)
from capax.auditor.bounds.class_bound import Demands, evaluate
from capax.auditor.bounds.cut import roots
from capax.auditor.bounds.forms import LinearForm, StageRecord, through
from capax.auditor.bounds.oracle import WordClasses
from capax.auditor.bounds.prove import demands_of
from capax.auditor.bounds.ranges import basis_of
from capax.auditor.bounds.rounding import (
    Gradient,
    _back_linear,
    _backward,
    _entering,
    _local,
    _norm,
    _own,
    _widened,
    class_rounding,
)
from capax.auditor.bounds.splits import Splitter
from capax.auditor.bounds.table_errors import gamma, sum_error, table_errors
from capax.auditor.bounds.tables import Tables
from capax.auditor.decode import ClassDecode
from capax.auditor.question import Question
from capax.auditor.spec import SpecStates
from capax.model.parts import ACTIVATIONS, Array
from tests.support.audit_subjects import gpt, parity
from tests.support.audited import Kind, asked, random_kind, random_model, reordered, true_margins

COUNT = SpecStates(np.array([[k, k + 1] for k in range(9)] + [[-1, -1]]), 0, np.array([0] * 5 + [1] * 5))


def check(rng: np.random.Generator, kind: Kind, n: int) -> None:
    """The rounding of every class of a query is at least what float32 differs from float64 by, on all of its words."""
    kind = replace(kind, letters=2)
    model = random_model(rng, kind)
    question = asked(model, COUNT, "last")
    exact = true_margins(question, n)
    seen = dict.fromkeys(exact, 0.0)
    for order in range(3):
        same = model if not order else reordered(model, rng)
        for key, margin in true_margins(replace(question, model=same), n, "float32").items():
            seen[key] = max(seen[key], abs(margin - exact[key]))
    tables = Tables(question, n)
    errors, demands = table_errors(question, tables, 2.0**-24), demands_of(question)
    for letter in range(2):
        query = tables.query(n - 1, letter)
        splitter = Splitter(query, COUNT, n)
        nodes = roots(splitter, np.ones(COUNT.size, bool))
        classes = WordClasses(nodes[0].paths, np.stack([x.letters for x in nodes]), np.stack([x.goal for x in nodes]))
        wanted = demands.select(np.array([x.answer for x in nodes]))
        result = evaluate(query, classes, wanted, basis_of(query))
        bounds = class_rounding(result, wanted, np.arange(len(nodes)), query_errors(tables, errors, query))
        for (word, _), error in seen.items():
            if word[-1] == "ab"[letter]:
                at = [x for x in range(len(nodes)) if nodes[x].paths.state[nodes[x].goal][0] == word.count("b")]
                assert error <= bounds[at[0]]


@pytest.mark.parametrize("seed", range(4))
def test_float32_stays_within_the_rounding_of_its_class(seed: int) -> None:
    """Random models of every kind; coordinates and hidden units in several orders."""
    rng = np.random.default_rng(seed)
    for _ in range(3):
        check(rng, random_kind(rng), 5)


@pytest.mark.deep
def test_float32_stays_within_the_rounding_of_its_class_deep() -> None:
    """The same, for many models."""
    rng = np.random.default_rng(50)
    for _ in range(150):
        check(rng, random_kind(rng), int(rng.integers(1, 7)))


def test_rounding_is_small_and_scales_with_the_unit() -> None:
    """For float64 it is 2^-29 of that for float32, up to terms of second order."""
    rng = np.random.default_rng(2)
    question = asked(random_model(rng, Kind()), COUNT, "last")
    tables = Tables(question, 4)
    query = tables.query(3, 0)
    node = roots(Splitter(query, COUNT, 4), np.ones(COUNT.size, bool))[0]
    wanted = demands_of(question).select(np.array([node.answer]))
    result = evaluate(query, WordClasses(node.paths, node.letters[None], node.goal[None]), wanted, basis_of(query))
    sizes = []
    for u in (2.0**-24, 2.0**-53):
        errors = query_errors(tables, table_errors(question, tables, u), query)
        sizes.append(class_rounding(result, wanted, np.array([0]), errors)[0])
    assert 1e-7 < sizes[0] < 1e-3
    assert sizes[1] == pytest.approx(sizes[0] * 2.0**-29, rel=0.05)


def test_the_rounding_of_a_class_is_the_sum_of_its_sources() -> None:
    """What enters the chain, its stages and the attention, raised a little; nothing where nothing is demanded."""
    question = asked(random_model(np.random.default_rng(3), Kind()), COUNT, "last")
    tables = Tables(question, 4)
    query = tables.query(3, 1)
    nodes = roots(Splitter(query, COUNT, 4), np.ones(COUNT.size, bool))[:2]
    classes = WordClasses(nodes[0].paths, np.stack([x.letters for x in nodes]), np.stack([x.goal for x in nodes]))
    wanted = demands_of(question).select(np.array([x.answer for x in nodes]))
    result = evaluate(query, classes, wanted, basis_of(query))
    errors = query_errors(tables, table_errors(question, tables, 2.0**-24), query)
    which = np.arange(2)
    local = _entering(query, result.records[0], result, which, errors)
    coarse = np.linalg.norm(output_error(errors)) * _norm(query.output)
    stray = [sum(local[k] ** 2) ** 0.5 + min(output_stray(result, which, errors)[k], coarse) for k in range(2)]
    records, _ = _widened(list(result.records), np.array(stray), errors.u)
    rows = wanted.rows
    gradient, total = _backward(records, Gradient(rows, 0 * rows, np.zeros(rows.shape[:2])), errors.u)
    total = total + gradient.against(local)
    gradient = _back_linear(gradient, query.output)
    total = total + attention_error(result, which, gradient.center, gradient.radius, gradient.norm, errors)
    right = [max(total[k]) * (1 + 1e-6) for k in range(2)]
    assert np.allclose(class_rounding(result, wanted, which, errors), right, rtol=1e-9, atol=0.0)
    nothing = Demands(rows[:, :0], wanted.constants[:, :0])
    assert class_rounding(result, nothing, which, errors).tolist() == [0.0, 0.0]


@pytest.mark.parametrize(("width", "most"), [(16, 3e-3), pytest.param(64, 1e-2, marks=pytest.mark.deep)])
def test_rounding_of_a_long_word_is_small(width: int, most: float) -> None:
    """A word of 50 letters, in a model of one layer with norms and GELU."""
    n, rng = 50, np.random.default_rng(width)
    question = Question(gpt(1, width, width), parity(), "last", ClassDecode((False, True)))
    assert question.spec.states is not None
    states, tables = question.spec.states(n), Tables(question, n)
    word = rng.integers(0, 2, n)
    query = tables.query(n - 1, int(word[-1]))
    node = roots(Splitter(query, states, n), np.ones(states.size, bool))[int(word.sum() % 2)]
    wanted = demands_of(question).select(np.array([node.answer]))
    classes = WordClasses(node.paths, np.eye(2, dtype=bool)[word][None], node.goal[None])
    result = evaluate(query, classes, wanted, basis_of(query))
    errors = query_errors(tables, table_errors(question, tables, 2.0**-24), query)
    assert not result.empty[0]
    assert 0 < class_rounding(result, wanted, np.array([0]), errors)[0] <= most


D, U = 4, 2.0**-10


def stages(rng: np.random.Generator) -> list[Stage]:
    """One of each kind; the residual ends with a linear map."""
    one = LinearStage(rng.standard_normal((D, D)), rng.standard_normal(D))
    scale = ScaleStage(rng.standard_normal(D), rng.standard_normal(D), 0.2)
    residual = ResidualStage((CenterStage(), scale, one))
    activations = [ActivationStage(kind) for kind in ACTIVATIONS]
    return [one, ShiftStage(rng.standard_normal(D)), CenterStage(), scale, *activations, residual]


def recorded(rng: np.random.Generator, stage: Stage, radius: float) -> tuple[StageRecord, Array, Array]:
    """What a stage reads in two classes, of points (K, D) that move in a box; the middles and the ends of the box."""
    form = LinearForm(rng.standard_normal((2, D)), np.broadcast_to(np.eye(D), (2, D, D)), np.zeros((2, D)))

    def ranges(rows: Array) -> tuple[Array, Array]:
        reach = np.abs(rows).sum(axis=2) * radius
        return -reach, reach

    _, (record,) = through((stage,), form, ranges)
    return record, form.center - radius, form.center + radius


def test_a_gradient_is_against_errors_of_any_sign() -> None:
    """By plain sums over coordinates; radii and norm bound each other."""
    rng = np.random.default_rng(0)
    center, radius = rng.standard_normal((2, 3, D)), rng.uniform(0, 1, (2, 3, D))
    error, norm = rng.uniform(0, 1, (2, D)), rng.uniform(0.2, 2, (2, 3))
    gradient = Gradient(center, radius, norm)
    tight = gradient.tight()
    for k in range(2):
        length = sum(error[k] ** 2) ** 0.5
        for r in range(3):
            away = min(sum(radius[k, r] * error[k]), norm[k, r] * length)
            assert gradient.against(error)[k, r] == pytest.approx(sum(np.abs(center[k, r]) * error[k]) + away)
            assert tight.norm[k, r] == pytest.approx(min(norm[k, r], sum(radius[k, r] ** 2) ** 0.5))
            assert np.allclose(tight.radius[k, r], np.minimum(radius[k, r], tight.norm[k, r]))


def plain_mean_error(record: StageRecord, k: int) -> float:
    """The error of the mean of what a stage reads: of a sum of four, then of a quotient."""
    low, high = record.low[k], record.high[k]
    size, total = sum(np.maximum(np.abs(low), np.abs(high))), abs(sum((low + high) / 2)) + sum((high - low) / 2)
    return float(sum_error(3, size, total, U) + 4 * U * (total + gamma(4, U) * size)) / D


def plain_local(record: StageRecord, k: int) -> Array:
    """The rounding of one stage, by plain sums; with generous factors where the runtime's operations are counted."""
    size, stage, at = np.maximum(np.abs(record.low[k]), np.abs(record.high[k])), record.stage, range(D)
    match stage:
        case LinearStage(w, b):
            low, high = record.low[k], record.high[k]
            sizes = [sum(size[i] * abs(w[i, o]) for i in at) + abs(b[o]) for o in at]
            middles = [abs(sum((low[i] + high[i]) / 2 * w[i, o] for i in at) + b[o]) for o in at]
            halves = [sum((high[i] - low[i]) / 2 * abs(w[i, o]) for i in at) for o in at]
            return np.array([sum_error(4, sizes[o], middles[o] + halves[o], U) for o in at])
        case ShiftStage(b):
            return np.array([U * (size[i] + abs(b[i])) for i in at])
        case CenterStage():
            mean = sum(size) / D
            return np.array([2 * U * (size[i] + mean) + plain_mean_error(record, k) for i in at])
        case ScaleStage(gain, b):
            assert record.scale_high is not None
            n = [min(size[i] * record.scale_high[k], 2.0) for i in at]
            return np.array([(7 + 13) * U * n[i] * abs(gain[i]) + U * abs(b[i]) for i in at])
        case ActivationStage(kind):
            return np.zeros(D) if kind == "relu" else 10 * U * size
        case ResidualStage(inner):
            last = inner[-1]
            assert isinstance(last, LinearStage)
            reads = np.maximum(np.abs(record.inner[-1].low[k]), np.abs(record.inner[-1].high[k]))
            own = [sum(reads[i] * abs(last.weight[i, o]) for i in at) + abs(last.bias[o]) for o in at]
            return np.array([U * (size[o] + own[o] * 1.001) for o in at])


def test_the_rounding_of_a_stage_is_that_of_its_operations() -> None:
    rng = np.random.default_rng(1)
    for stage in stages(rng):
        record, _, _ = recorded(rng, stage, 0.2)
        for k in range(2):
            assert np.allclose(_local(record, U)[k], plain_local(record, k), rtol=1e-12), stage


def test_strays_grow_by_the_norm_of_a_stage_and_its_rounding() -> None:
    """One stage after the other, and a residual of three."""
    rng, stray = np.random.default_rng(2), np.array([0.01, 0.03])
    for stage in stages(rng):
        record, _, _ = recorded(rng, stage, 0.2)
        (wide,), after = _widened([record], stray, U)
        assert np.allclose(wide.low, record.low - stray[:, None])
        assert np.allclose(wide.high, record.high + stray[:, None])
        assert np.array_equal(wide.stray, stray)
        steep = np.ones(2)
        match stage:
            case LinearStage(weight):
                steep = np.full(2, np.linalg.svd(weight)[1][0])
            case ActivationStage():
                steep = np.full(2, 1.13)
            case ScaleStage(gain, _, epsilon):
                assert record.scale_high is not None
                assert record.scale_low is not None
                least = np.maximum(1 / record.scale_high - stray / 2, epsilon**0.5)
                assert wide.scale_high is not None
                assert wide.scale_low is not None
                assert np.allclose(wide.scale_high, 1 / least)
                assert np.allclose(wide.scale_low, 1 / (1 / record.scale_low + stray / 2))
                steep = np.abs(gain).max() / least
            case ResidualStage():
                inner, other = _widened(record.inner, stray, U)
                assert [x.stray.tolist() for x in wide.inner] == [x.stray.tolist() for x in inner]
                steep = (stray + other) / stray
            case _:
                pass
        local = [sum(plain_local(wide, k) ** 2) ** 0.5 for k in range(2)]
        if isinstance(stage, ResidualStage):  # its sum's rounding is taken before the inner stages are widened
            local = [sum(plain_local(replace(wide, inner=record.inner), k) ** 2) ** 0.5 for k in range(2)]
        assert np.allclose(after, steep * stray + local, rtol=1e-8), stage


def derivative(stage: Stage, x: Array) -> Array:
    """The derivative (in, out) of a stage by differences."""
    h = 1e-6
    return np.array([(run((stage,), x + h * e) - run((stage,), x - h * e)) / (2 * h) for e in np.eye(D)])


@pytest.mark.parametrize("radius", [0.0, 0.05, 0.4])
def test_gradients_enclose_those_at_every_point_of_a_class(radius: float) -> None:
    """For gradients near the given one; without a radius both are single points, and nothing is left over."""
    rng = np.random.default_rng(3)
    for stage in stages(rng):
        record, low, high = recorded(rng, stage, radius)
        (record,), _ = _widened([record], np.zeros(2), 0.0)
        center, away = rng.standard_normal((2, 3, D)), np.full((2, 3, D), radius / 4)
        g, _ = _backward([record], Gradient(center, away, np.sqrt((away**2).sum(axis=2))), U)
        for _ in range(20):
            x = rng.uniform(low, high)
            start = center + rng.choice([-1.0, 1.0], center.shape) * away
            for k in range(2):
                exact = start[k] @ derivative(stage, x[k]).T
                assert (np.abs(exact - g.center[k]) <= g.radius[k] + 1e-7).all(), stage
                assert (np.linalg.norm(exact - g.center[k], axis=1) <= g.norm[k] + 1e-7).all(), stage
        if not radius:
            assert g.norm.max() < 1e-9
            assert g.radius.max() < 1e-9


def test_rounding_of_a_stage_counts_by_its_gradient() -> None:
    """Errors that all coordinates share count by the sum of the gradient, the others by absolute values."""
    rng, away = np.random.default_rng(4), 0.05
    for stage in stages(rng)[:-1]:
        record, _, _ = recorded(rng, stage, 0.1)
        (record,), _ = _widened([record], np.array([0.01, 0.02]), U)
        g = rng.standard_normal((2, 3, D))
        _, total = _backward([record], Gradient(g, np.full(g.shape, away), np.full((2, 3), 2 * away)), U)
        for k in range(2):
            local, size = plain_local(record, k), np.maximum(np.abs(record.low[k]), np.abs(record.high[k]))
            for r in range(3):
                shared = 0.0
                if isinstance(stage, CenterStage):
                    local = 2 * U * (size + sum(size) / D)
                    shared = (abs(sum(g[k, r])) + 4 * away) * plain_mean_error(record, k)
                if isinstance(stage, ScaleStage):
                    *_, along, along_r = plain_scale(record, k, g[k, r], 2 * away)
                    local, shared = _own(record, U)[k], 13 * U * D * (abs(along) + along_r)
                right = sum(np.abs(g[k, r]) * local) + min(away * sum(local), 2 * away * sum(local**2) ** 0.5)
                assert total[k, r] == pytest.approx(right + shared, rel=1e-10), stage


def plain_scale(record: StageRecord, k: int, g: Array, norm: float) -> tuple[Array, float, float, float]:
    """For one margin: the gradient in the middle, its norm, mean(n h) and how far that can be off."""
    stage, low, high, stray = record.stage, record.low[k], record.high[k], float(record.stray[k])
    assert isinstance(stage, ScaleStage)
    assert record.scale_high is not None
    x = (low + high) / 2
    distance = sum(max((b - a) / 2 - stray, 0.0) ** 2 for a, b in zip(low, high, strict=True)) ** 0.5 + stray
    root = (sum(x * x) / D + stage.epsilon) ** 0.5
    inside = [max(a, -b, 0.0) for a, b in zip(low, high, strict=True)]
    least = max(root - distance / 2, (stage.epsilon + sum(t * t for t in inside) / D) ** 0.5)
    n, h = x / root, g * stage.gain
    steep, length, along = max(abs(stage.gain)) * norm, sum(h * h) ** 0.5, sum(n * h) / D
    away = min(1.16 * distance / (2 * least**2) * (length + steep), 2 * length / least)
    along_r = distance / least * (length + steep) / D + steep / 2
    return (h - n * along) / root, record.scale_high[k] * steep + away, along, along_r


@pytest.mark.parametrize("radius", [0.02, 0.3, 3.0])
def test_the_gradient_of_a_scale_is_that_of_its_formulas(radius: float) -> None:
    rng = np.random.default_rng(5)
    record, _, _ = recorded(rng, stages(rng)[3], radius)
    (record,), _ = _widened([record], np.array([0.01, 0.02]), U)
    center = rng.standard_normal((2, 3, D))
    g, _ = _backward([record], Gradient(center, np.full(center.shape, 0.05), np.full((2, 3), 0.1)), U)
    for k in range(2):
        for r in range(3):
            middle, norm, *_ = plain_scale(record, k, center[k, r], 0.1)
            assert np.allclose(g.center[k, r], middle)
            assert g.norm[k, r] == pytest.approx(norm)
            assert np.allclose(g.radius[k, r], norm)


def test_the_gradient_of_an_activation_has_the_slopes_of_its_interval() -> None:
    """The slope in the middle, up to 1.13 of half the width and within [-0.13, 1.13]; of ReLU, 0, 1 or both."""
    low = np.array([[-3.0, -0.2, 0.5, -0.01], [-0.5, 0.0, -1.0, 2.0]])
    high = np.array([[-1.0, 1.4, 2.0, 0.01], [0.0, 0.6, 3.0, 2.1]])
    center, away, norm = np.arange(1.0, 9.0).reshape(2, 1, D), np.full((2, 1, D), 0.1), np.full((2, 1), 0.15)
    for kind in ACTIVATIONS:
        g, _ = _backward([StageRecord(ActivationStage(kind), low, high)], Gradient(center, away, norm), U)
        for k in range(2):
            if kind == "relu":
                least, most = (low[k] > 0) * 1.0, (high[k] > 0) * 1.0
            else:
                middle, half = slope(kind, (low[k] + high[k]) / 2), 1.13 * (high[k] - low[k]) / 2
                least, most = np.maximum(middle - half, -0.13), np.minimum(middle + half, 1.13)
            mean, half = (least + most) / 2, (most - least) / 2
            changed = center[k, 0] * half
            length = max(np.abs(mean) + half) * 0.15 + sum(changed**2) ** 0.5
            radius = 0.1 * (np.abs(mean) + half) + changed
            length = min(length, sum(radius**2) ** 0.5)
            assert np.allclose(g.center[k, 0], center[k, 0] * mean)
            assert g.norm[k, 0] == pytest.approx(length, rel=1e-8)
            assert np.allclose(g.radius[k, 0], np.minimum(radius, length), rtol=1e-8, atol=1e-9)


def test_the_stream_enters_with_the_rounding_of_maps_and_sums() -> None:
    """By plain sums; and a rounding without limit is never taken for none."""
    rng = np.random.default_rng(6)
    question = asked(random_model(rng, Kind(heads=2)), COUNT, "last")
    tables = Tables(question, 4)
    query = tables.query(3, 0)
    node = roots(Splitter(query, COUNT, 4), np.ones(COUNT.size, bool))[1]
    wanted = demands_of(question).select(np.array([node.answer]))
    result = evaluate(query, WordClasses(node.paths, node.letters[None], node.goal[None]), wanted, basis_of(query))
    errors, first = query_errors(tables, table_errors(question, tables, U), query), result.records[0]
    assert isinstance(first.stage, ShiftStage)
    ranges, bias = result.ranges, first.stage.bias
    reach = [sum(ranges.radius[0, b] * abs(ranges.basis.directions[b, i]) for b in range(4)) for i in range(4)]
    away, middle = np.array(reach) + ranges.basis.rest + output_error(errors), ranges.middle[0]
    for o in range(5):
        moved = sum(away[i] * abs(query.output[i, o]) for i in range(4))
        size = sum(abs(middle[i] * query.output[i, o]) for i in range(4)) + abs(bias[o]) + moved
        value = abs(sum(middle[i] * query.output[i, o] for i in range(4)) + bias[o]) + moved
        mapped = sum_error(5, size, value, U)
        most = max(abs(first.low[0, o]), abs(first.high[0, o])) + abs(bias[o]) + mapped + errors.stream[o]
        right = errors.stream[o] + mapped + 2 * U * most
        assert _entering(query, first, result, np.array([0]), errors)[0, o] == pytest.approx(right)
    which = np.array([0])
    assert np.isfinite(
        class_rounding(result, wanted, which, query_errors(tables, table_errors(question, tables, 2**-24), query))
    )
    endless = replace(errors, letters=tuple(replace(x, noise=np.full_like(x.noise, np.inf)) for x in errors.letters))
    assert np.isposinf(class_rounding(result, wanted, which, endless)).all()
