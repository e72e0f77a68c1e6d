"""Decoding: combinations that agree in all are looked at once."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from capax.certify import verdict_at
from capax.certify.intervals.tensor import between
from capax.certify.not_certified import NotCertified
from capax.certify.parts import decoding
from capax.certify.parts.logit_differences import bound_margins
from capax.certify.recheck.recheck import spec_of
from capax.certify.values import coded_values as values
from capax.certify.values.axes import Axes
from capax.certify.values.coded_values import IMPOSSIBLE, coded
from capax.model.vocabulary import Classes, Nearest
from capax.rasp.analysis.output_spec import OutputSpec
from capax.rasp.ir.nodes import Aggregate, Const, Indices, Input, Map, Node, Select
from tests.support.perturbed import PROGRAMS, compiled


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_margin_is_that_of_all_combinations(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made = compiled(name)
    spec = spec_of(made.model, made.program.node, causal=False)  # type: ignore[arg-type]
    length = made.model.max_length or 1
    found = verdict_at(made.model, spec, "float32", length)
    monkeypatch.setattr(decoding, "MOST_KINDS", 0)
    assert verdict_at(made.model, spec, "float32", length) == found
    assert found.length == length


@pytest.mark.parametrize("count", [1, 2, 9])
def test_logits_of_many_kinds_are_looked_at_combination_by_combination(count: int) -> None:
    """Each logit has an axis of its own with 100 values: for nine of them a list of all kinds would fit no memory."""
    place, source = Indices(), np.random.default_rng(count)
    over: tuple[Node, ...] = tuple(Aggregate(Select(place, place, "=="), place, k) for k in range(count))
    lows = source.normal(size=(count, 100))
    logits = [between((axis,), low, low + 1) for axis, low in zip(over, lows, strict=True)]
    places, right = source.integers(0, 100, (count, 50)), source.integers(0, 2, 50)
    met = decoding.Combinations(over, [100] * count, np.ravel_multi_index(list(places), (100,) * count))
    answers, bounds = decoding._kinds(met, right, 2, logits)
    expected = {(int(right[k]), *(float(x.low[places[axis, k]]) for axis, x in enumerate(logits))) for k in range(50)}
    assert {(int(a), *(float(low[k]) for low, _ in bounds)) for k, a in enumerate(answers)} == expected
    assert all((high == low + 1).all() for low, high in bounds)


@given(st.lists(st.one_of(st.floats(allow_nan=False), st.sampled_from([0.0, -0.0, 1.5, IMPOSSIBLE]))))
def test_floats_are_told_apart_at_once(given: list[Any]) -> None:
    slow = coded(given)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(values, "MANY", 1)
        fast = coded(given)
    for codes, listed in (slow, fast):
        back = [IMPOSSIBLE if c < 0 else listed[c] for c in codes.tolist()]
        assert [repr(v) for v in back] == [repr(v) for v in given]
        assert len({repr(v) for v in listed}) == len(listed)


def test_margins_of_classes_are_half_of_the_lead() -> None:
    """The lowest right logit over the highest of all others; with one class there is no other."""
    right = np.array([0, 2])
    bounds = [(np.array([3.0, 0.0]), np.array([4.0, 1.0])), (np.array([0.0, 0.0]), np.array([1.0, 4.5]))]
    bounds.append((np.array([-2.0, 5.0]), np.array([2.0, 6.0])))
    assert bound_margins(right, bounds).tolist() == [0.5, 0.25]
    assert bound_margins(np.array([0]), bounds[:1]).tolist() == [np.inf]


def test_margins_of_numbers_are_to_the_middle_of_neighbours() -> None:
    """On both sides; at the ends there is one neighbour."""
    line = Nearest((0.0, 1.0, 4.0), ("a", "b", "c"))
    right, low, high = np.array([0, 1, 1, 2]), np.array([-9.0, 0.75, 0.75, 3.0]), np.array([0.25, 1.0, 2.25, 99.0])
    assert decoding._nearest(line, right, low, high).tolist() == [0.25, 0.25, 0.25, 0.5]


def test_answers_are_found_up_to_rounding() -> None:
    """Among those of the same type, if types are asked for; one that is not there is refused."""
    known = [0.1, 1, "a", True, 0.3]
    assert decoding._row([0.1 * (1 + 2.0**-45), "a", 0.1 + 0.2], known, False).tolist() == [0, 2, 4]
    assert decoding._row([1, True], [True, 1], True).tolist() == [1, 0]
    for near in (1 + 2.0**-40, 1 - 2.0**-40):  # as near as values that the compiler takes for one
        assert decoding._row([0.1, 4 * near], [0.1, 4], False).tolist() == [0, 1]
    for far in (1 + 2.0**-39, 1 - 2.0**-39):
        with pytest.raises(NotCertified, match="is not among the model's answers"):
            decoding._row([0.1, 4 * far], [0.1, 4], False)
    for value, typed in ((0.1 * (1 + 2.0**-35), False), ("b", False), (1.0, True), (0.2, False), (2, True)):
        with pytest.raises(NotCertified, match="is not among the model's answers"):
            decoding._row([0.1, value], known, typed)


@pytest.mark.parametrize(("shift", "fine"), [(5, True), (4, False), (3, False)])
def test_types_are_a_shift_apart(shift: int, fine: bool) -> None:
    """The shift is more than twice any value, so that none is taken for one of another type."""
    node = Input("asis")
    spec = OutputSpec(node, {}, Map("==", (node, Const(1))), shift)
    known = Axes(spec.root, (0, 1, 2), 2)
    values = known.of(spec.root)
    classes = Classes((0.0, 1, 2.0))
    if fine:
        decoding._right(classes, spec, values, known)
    else:
        with pytest.raises(NotCertified, match="the shift between types of answers is too small"):
            decoding._right(classes, spec, values, known)
