"""Bounds of heads against what they really compute."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from capax import aggregate, full_s, select, selector_width, tokens, where
from capax.certify.intervals.arithmetic import IntervalArithmetic
from capax.certify.intervals.tensor import ZERO, between
from capax.certify.not_certified import NotCertified
from capax.certify.parts.check_heads import HeadCheck, _averaged, _counted, gap_of
from capax.certify.parts.extremes import Extremes
from capax.certify.parts.pairs import sink_of
from capax.certify.pipeline import (
    ProofCache,
    check_length,  #
)
from capax.certify.recheck.recheck import program_in, spec_of
from capax.certify.systems import rounded_model
from capax.certify.values.axes import TOKEN, Axes
from capax.model.model import Model
from capax.model.parts import Affine, Head, Sink
from capax.rasp.analysis.output_spec import OutputSpec
from capax.rasp.ir.nodes import SOpNode
from tests.support.perturbed import compiled


def spec(model: Model) -> OutputSpec:
    """What a model is to compute."""
    program, causal = program_in(model)
    assert isinstance(program.node, SOpNode)
    return spec_of(model, program.node, causal=causal)


def with_first_head(model: Model, **changes: object) -> Model:
    """The model with another first head."""
    block = model.blocks[0]
    head = block.heads[0]
    assert isinstance(head, Head)
    heads = (replace(head, **changes), *block.heads[1:])  # type: ignore[arg-type]
    return replace(model, blocks=(replace(block, heads=heads), *model.blocks[1:]))


@pytest.mark.parametrize("name", ["histogram", "sort", "latest greatest", "shift with a default"])
def test_a_head_that_tells_no_keys_apart_is_refused_for_that(name: str) -> None:
    """With queries of zero all scores are equal: unselected keys are not below selected ones."""
    model = compiled(name).model
    head = model.blocks[0].heads[0]
    assert isinstance(head, Head)
    silent = replace(head.query, weight=np.zeros_like(head.query.weight), bias=np.zeros_like(head.query.bias))
    sink = None if head.sink is None else replace(head.sink, key=np.zeros_like(head.sink.key))
    with pytest.raises(NotCertified) as caught:
        check_length(with_first_head(model, query=silent, sink=sink), spec(model), numbers="float32", longest=3)
    assert "score gap <= 0" in caught.value.why


@pytest.mark.parametrize("counts", [False, True])
@pytest.mark.parametrize("sink", [None, (-2.0, -2.0)])
def test_a_gap_is_more_than_nothing(counts: bool, sink: tuple[float, float] | None) -> None:
    """Equal scores are no gap, however exact they are; the least gap that there is counts."""
    some = full_s if sink is None else select(tokens, "a", "==")
    node = (selector_width(some) if counts else aggregate(some, tokens)).node
    axes = Axes(node, ("a", "b"), 1)
    nothing = Affine(np.zeros((1, 1)), np.zeros(1))
    head = Head(query=nothing, key=nothing, value=nothing, output=np.ones((1, 1)))
    check = HeadCheck(head, [node], some.node, [ZERO], axes, IntervalArithmetic("float32", {}), "head", None)  # type: ignore[arg-type]
    level = -2.0 if counts and sink else 0.0  # where the sink is as high as the selected keys, what is below both
    for others, fine in ((level, False), (level + 1.0, False), (np.nextafter(level, -9), True), (-9.0, True)):
        found = Extremes((0.0, 0.0), float(others), sink)
        if sink and not counts:
            fine = others < -2.0
        if fine:
            gap, spread = gap_of(check, found)
            assert 0 < gap <= 9
            assert spread == (2.0 if counts and sink else 0.0)
        else:
            with pytest.raises(NotCertified, match="score gap <= 0"):
                gap_of(check, found)


def test_a_sink_that_never_serves_is_a_key_that_is_not_selected() -> None:
    """Where every query selects a key, the sink may be below the unselected keys, but not as high as a selected one."""
    node = aggregate(full_s, tokens).node
    nothing = Affine(np.zeros((1, 1)), np.zeros(1))
    head = Head(query=nothing, key=nothing, value=nothing, output=np.ones((1, 1)))
    axes = Axes(node, ("a",), 1)
    check = HeadCheck(head, [node], full_s.node, [ZERO], axes, IntervalArithmetic("float32", {}), "head", None)  # type: ignore[arg-type]
    assert check.filled
    assert gap_of(check, Extremes((0.0, 0.0), -2.0, (-5.0, -3.0))) == (2.0, 0.0)
    assert gap_of(check, Extremes((0.0, 0.0), -2.0, (-1.5, -1.0))) == (1.0, 0.0)
    with pytest.raises(NotCertified, match="score gap <= 0"):
        gap_of(check, Extremes((0.0, 0.0), -2.0, (-5.0, 0.0)))


def test_counts_are_no_further_off_than_sums_of_weights_may_be() -> None:
    """The bound of a counting head holds what floats give for 1/(k + 1), and is a few units of rounding wide."""
    model = compiled("histogram").model
    cache = ProofCache()
    for numbers, unit in (("float64", 2.0**-53), ("float32", 2.0**-24)):
        found = check_length(rounded_model(model, numbers, cache.plain), spec(model), numbers=numbers, longest=5)
        (head,) = found.heads
        assert unit / 4 <= head.error <= 64 * unit


def test_more_keys_than_a_number_system_can_count_are_refused() -> None:
    """In bfloat16 the sum of 257 weights of 1 is rounded: a head that counts so many keys has no bound."""
    model = compiled("histogram").model
    small = check_length(model, spec(model), numbers="float32", longest=3, keys=100)
    assert small.length == 3
    with pytest.raises(NotCertified, match=r"a sum of .* terms has no bound in float32"):
        check_length(model, spec(model), numbers="float32", longest=3, keys=2**24)
    with pytest.raises(NotCertified):
        check_length(model, spec(model), numbers="bfloat16", longest=3, keys=300)


def test_weights_that_leak_are_summed_with_rounding() -> None:
    """A leak below a quarter of a unit leaves a sum of ones exact; one above it makes all partial sums round."""
    model, unit = compiled("histogram").model, 2.0**-24
    for scale, low, high in ((20.0, 6 * unit, 7 * unit), (19.0, 14 * unit, 20 * unit)):
        found = check_length(with_first_head(model, scale=scale), spec(model), numbers="float32", longest=5)
        (head,) = found.heads
        assert (head.spread, head.gap, head.leak < unit / 4) == (0.0, scale, scale == 20)
        assert low <= head.error <= high


def test_the_best_key_leads_by_more_than_nothing() -> None:
    """A small scale makes a small gap, which counts; none at all does not."""
    model = compiled("latest greatest").model
    (head,) = model.blocks[0].heads
    assert isinstance(head, Head)
    whole = check_length(model, spec(model), numbers="float32", longest=3).heads[0].gap
    low = replace(head, scale=head.scale / 2.0 ** round(np.log2(whole) + 1))
    reader = replace(model, blocks=(replace(model.blocks[0], heads=(low,)), *model.blocks[1:]))
    with pytest.raises(NotCertified) as caught:
        check_length(reader, spec(model), numbers="float32", longest=3)
    assert "score gap <= 0" not in caught.value.why


def test_quotients_that_are_lost_are_within_the_bounds_of_counts() -> None:
    """The sink's value over a count may be below all normal numbers, where some devices have zero."""
    count = selector_width(select(tokens, tokens, "==")).node
    axes = Axes(count, ("a", "b"), 3)
    nothing = Affine(np.zeros((1, 1)), np.zeros(1))
    for value, lost in ((2.0**-126, True), (2.0**-126 * 1.25, True), (1.0, False)):
        sink = Sink(np.zeros(1), np.array([value]))
        head = Head(query=nothing, key=nothing, value=nothing, output=np.ones((1, 1)), sink=sink)
        arithmetic = IntervalArithmetic("float32", {a: len(v) for a, v in axes.values.items()})
        found = _counted(HeadCheck(head, [count], count.selector, [ZERO], axes, arithmetic, "head", sink_of(head)), 0.0)
        assert (found.low <= [value / (k + 1) for k in axes.values[count]]).all()
        assert (found.low <= 0).all() == lost


def test_the_mean_of_equal_numbers_lies_where_the_number_lies() -> None:
    """Whatever stands for it, and however far it may be to one side; but for what rounding adds."""
    mean = aggregate(full_s, where(tokens == "a", 0.1, 0.1)).node
    axes = Axes(mean, ("a", "b"), 3)
    same = Affine(np.ones((1, 1)), np.zeros(1))
    head = Head(query=same, key=same, value=same, output=np.ones((1, 1)))
    arithmetic = IntervalArithmetic("float32", {a: len(v) for a, v in axes.values.items()})
    slot = between((), np.array(0.1), np.array(0.2))
    found = _averaged(HeadCheck(head, [mean], mean.selector, [slot], axes, arithmetic, "head", None), 0, mean, 0.0)
    assert np.allclose(found.low, 0.1, atol=1e-5)
    assert np.allclose(found.high, 0.2, atol=1e-5)
    assert len(axes.values[mean]) > 1, "three times 0.1 by three is not 0.1"


def in_some_order(terms: np.ndarray, draw: np.random.Generator) -> np.floating:  # type: ignore[type-arg]
    """A sum in float32, of two of the terms at a time."""
    left = list(terms)
    while len(left) > 1:
        one, two = (left.pop(int(draw.integers(len(left)))) for _ in range(2))
        left.append(one + two)
    return np.float32(left[0])


@given(st.integers(2, 40), st.floats(0, 1000, width=32), st.booleans(), st.integers(0, 2**32 - 1))
def test_means_of_whole_weights_lie_in_their_bounds_in_any_order(
    length: int, default: float, one_quotient: bool, seed: int
) -> None:
    """Divided before or after they are added up; a large default does not widen them, but is within its own bounds."""
    draw = np.random.default_rng(seed)
    mean = aggregate(select(tokens, "c", "!="), where(tokens == "a", 1, 3), default).node
    axes = Axes(mean, ("a", "b", "c"), length)
    same = Affine(np.ones((1, 1)), np.zeros(1))
    head = Head(query=same, key=same, value=same, output=np.ones((1, 1)), sink=Sink(np.zeros(1), np.array([default])))
    arithmetic = IntervalArithmetic("float32", {a: len(v) for a, v in axes.values.items()})
    arithmetic.one_quotient = one_quotient
    noise = 1e-4 * draw.random(2)
    exact, off = np.array([1.0, 3.0, 3.0]), noise[[0, 1, 1]]
    slot = between((TOKEN,), exact - off, exact + off)
    check = HeadCheck(head, [mean], mean.selector, [slot], axes, arithmetic, "head", sink_of(head))
    bounds = _averaged(check, 0, mean, 0.0)
    at = dict(zip(axes.values[mean], zip(bounds.low, bounds.high, strict=True), strict=True))
    assert at[default][0] <= np.float32(default) <= at[default][1]
    for values in (draw.integers(0, 2, int(draw.integers(1, length + 1))) * 2 + 1 for _ in range(5)):
        low, high = at[values.sum() / len(values)]
        off = noise[(values > 1).astype(int)] * draw.uniform(-1, 1, len(values))
        numbers, count = (values + off).astype(np.float32), np.float32(len(values))
        reciprocal = np.float32(1) / count
        total = in_some_order(numbers, draw)
        for result in (total / count, total * reciprocal, in_some_order(numbers * reciprocal, draw)):
            assert low <= result <= high
    wide = float((bounds.high - bounds.low)[[v != default for v in axes.values[mean]]].max(initial=0.0))
    assert wide <= 2 * (noise.max() + 3.001 * (length + 7) * 2.0**-24)
