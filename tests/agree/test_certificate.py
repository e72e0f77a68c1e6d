"""Certificates against the models themselves: what is damaged is rejected, and what is accepted is right."""

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import capax
from capax.certify.certificate import Certificate, LengthVerdict
from capax.certify.recheck.recheck import recheck
from capax.certify.systems import SYSTEMS
from capax.compiler.compile import compile
from capax.errors import CapaxError
from capax.model.model import Model
from capax.model.parts import Affine, Head, TensorHead
from capax.model.vocabulary import Classes
from capax.rasp.ir.construction import Construction
from capax.rasp.ir.nodes import Node, SOpNode
from capax.rasp.python.program import SOp
from tests.support.perturbed import PROGRAMS, changed, claiming, compiled, heads, right, still_certified, units
from tests.support.programs import graphs

NAMES = list(PROGRAMS)
CHANGES = (1.0, -2.0, 64.0)
SIZES = (1.0, -1.0, 8.0, -8.0, 64.0, -64.0)
FINE = [0.0005, -0.003, 0.02, -0.1, 0.24, 0.5, -0.51, 1.0, -1.0, 2.0, -3.0, 40.0, -300.0, 1e6, -1e9]


@pytest.mark.parametrize("name", NAMES)
def test_the_certificate_of_a_compiled_model_follows(name: str) -> None:
    assert recheck(compiled(name).model).holds
    assert compiled(name).certified_length >= 1


@pytest.mark.parametrize("name", NAMES)
def test_every_head_and_every_unit_is_held(name: str) -> None:
    """For each head and each of its arrays, and each unit: some number of it, changed enough, is noticed.

    Or no such change matters: a unit may stand for a count that no word has, and the proof may know that.
    """
    made = compiled(name)
    model = claiming(made.model, "float32")
    parts = [(unit, side) for unit, into, out in units(model) for side in (into, out)]
    parts += [(f"{head} {array}", numbers) for head, arrays in heads(model) for array, numbers in arrays.items()]
    for what, numbers in parts:
        tried = [changed(model, *number, by) for by in SIZES for number in numbers]
        assert any(not recheck(m).holds for m in tried) or all(right(made, m) for m in tried), what


def held_or_no_matter(name: str, *, every: bool) -> None:
    """Changes each number of a model that is not zero: by one of the sizes in turn, or by every one."""
    made = compiled(name)
    numbers = [(array, int(place)) for array, values in made.model.arrays() for place in np.flatnonzero(values)]
    for k, (array, place) in enumerate(numbers):
        for by in CHANGES if every else (CHANGES[k % len(CHANGES)],):
            model = changed(made.model, array, place, by)
            assert not still_certified(made, model) or right(made, model, 250), (array, place, by)


@pytest.mark.parametrize("name", NAMES)
def test_every_number_that_is_not_zero_is_held_or_does_not_matter(name: str) -> None:
    held_or_no_matter(name, every=False)


@pytest.mark.deep
@pytest.mark.parametrize("name", NAMES)
def test_every_number_is_held_or_does_not_matter_by_every_change(name: str) -> None:
    held_or_no_matter(name, every=True)


@settings(max_examples=250, deadline=None)
@given(st.data())
def test_no_accepted_model_is_wrong(data: st.DataObject) -> None:
    """Any number of any array, zeros too, changed a little or a lot."""
    name = data.draw(st.sampled_from(NAMES))
    numbers = data.draw(st.sampled_from(["float32", "float32", "float64", "bfloat16"]))
    made = compiled(name)
    model = made.model if numbers == "float32" else made.model.to(numbers)
    arrays = [(a, v.size) for a, v in model.arrays() if v.size]
    for _ in range(data.draw(st.integers(1, 3))):
        array, size = data.draw(st.sampled_from(arrays))
        model = changed(model, array, data.draw(st.integers(0, size - 1)), data.draw(st.sampled_from(FINE)))
        if still_certified(made, model, numbers):
            assert right(made, model)


@pytest.mark.parametrize("name", ["reverse", "dyck"])
@pytest.mark.parametrize("by", [float("nan"), float("inf"), -3e38])
def test_what_is_no_number_is_rejected_wherever_it_stands(name: str, by: float) -> None:
    """Also in places that nothing reads: zero times infinity is no number either."""
    made = compiled(name)
    for array, values in made.model.arrays():
        for place in range(0, values.size, 7):
            model = changed(made.model, array, place, by)
            assert not still_certified(made, model) or (abs(by) < 1e39 and right(made, model, 100)), (array, place)


def each_head(change: Callable[[Any], Any]) -> Callable[[Model], Model]:
    def apply(model: Model) -> Model:
        blocks = tuple(replace(b, heads=tuple(change(h) for h in b.heads)) for b in model.blocks)
        return replace(model, blocks=blocks)

    return apply


def turned(model: Model) -> Model:
    """Answers that stand for others."""
    assert isinstance(model.decoding, Classes)
    return replace(model, decoding=Classes(model.decoding.values[1:] + model.decoding.values[:1]))


VALUE = {Head: "value", TensorHead: "value1"}


def twice(values: Affine) -> Affine:
    """Values that are twice as large."""
    return Affine(values.weight * 2, values.bias * 2)


STRUCTURE: dict[str, Callable[[Model], Model]] = {
    **{f"scale {s}": each_head(lambda h, s=s: replace(h, scale=s)) for s in (0.001, 0.3, 1.0, 3.0, 255.0, 1e4, -256.0)},
    **{
        f"mask {m}": each_head(lambda h, m=m: replace(h, mask=m))
        for m in ("none", "causal", "strict past", "future", "strict future")
    },
    **{
        a: each_head(lambda h, a=a: replace(h, attention=a) if isinstance(h, Head) else h)
        for a in ("average-hard", "leftmost-hard", "rightmost-hard", "sparsemax")
    },
    "no sink": each_head(lambda h: replace(h, sink=None)),
    "no output": each_head(lambda h: replace(h, output=h.output * 0)),
    "values twice": each_head(lambda h: replace(h, **{VALUE[type(h)]: twice(getattr(h, VALUE[type(h)]))})),
    "second values twice": each_head(lambda h: replace(h, value2=twice(h.value2)) if isinstance(h, TensorHead) else h),
    "first keys second": each_head(lambda h: replace(h, key1=h.key2, key2=h.key1) if isinstance(h, TensorHead) else h),
    "blocks turned round": lambda m: replace(m, blocks=m.blocks[::-1]),
    "heads turned round": lambda m: replace(m, blocks=tuple(replace(b, heads=b.heads[::-1]) for b in m.blocks)),
    "no MLPs": lambda m: replace(m, input_mlp=None, blocks=tuple(replace(b, mlp=None) for b in m.blocks)),
    "answers turned round": turned,
    "tokens turned round": lambda m: replace(m, vocabulary=replace_tokens(m)),
    "a bias": lambda m: replace(m, blocks=tuple(replace(b, bias=b.bias + 1) for b in m.blocks)),
}


def replace_tokens(model: Model) -> Any:
    return type(model.vocabulary)(model.vocabulary.tokens[::-1])


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("how", STRUCTURE)
def test_no_accepted_model_of_another_structure_is_wrong(name: str, how: str) -> None:
    made = compiled(name)
    if how == "answers turned round" and not isinstance(made.model.decoding, Classes):
        pytest.skip("answers are not classes")
    model = STRUCTURE[how](made.model)
    assert not still_certified(made, model) or right(made, model)


def test_a_smaller_scale_is_accepted_until_leaks_are_too_large() -> None:
    made = compiled("reverse")
    scales = [4.0**-k for k in range(8)]
    accepted = [still_certified(made, each_head(lambda h, s=s: replace(h, scale=256 * s))(made.model)) for s in scales]
    assert accepted[:2] == [True, True]
    assert not accepted[-1]
    assert accepted == sorted(accepted, reverse=True)


@settings(max_examples=120, deadline=None)
@given(graphs(max_steps=6), st.integers(1, 4), st.sampled_from(["ab", "01"]))
def test_random_programs_that_are_certified_are_right(node: Node, longest: int, alphabet: str) -> None:
    assume(isinstance(node, SOpNode))
    try:
        made = compile(SOp(node, Construction(node)), alphabet=alphabet, max_length=longest, words=20, budget=400)
    except CapaxError:
        assume(False)
    verdicts = {v.numbers: v for v in made.certificate.verdicts}
    assert set(verdicts) == set(SYSTEMS)
    for numbers, verdict in verdicts.items():
        assert verdict.length == longest or verdict.breaks, "what is not certified has a reason"
        if verdict.length:
            model = made.model if numbers == "float32" else made.model.to(numbers)
            assert right(replace_length(made, verdict.length), model)
    assert recheck(made.model).holds or not any(v.length for v in verdicts.values())


def replace_length(made: Any, longest: int) -> Any:
    """The compiled program as one that is certified up to a length."""
    return replace(made, certificate=Certificate(True, 1, (LengthVerdict(made.model.numbers, longest),)))


def test_most_of_a_sample_of_random_programs_are_certified() -> None:
    """A floor: lower it only with a reason."""
    compiled_ones, certified = 0, 0
    for node in sample(120):
        try:
            made = compile(SOp(node, Construction(node)), alphabet="ab", max_length=3, words=10, budget=400)
        except CapaxError:
            continue
        compiled_ones += 1
        certified += made.certified_length == 3
    assert compiled_ones >= 60
    assert certified >= 0.9 * compiled_ones, f"{certified} of {compiled_ones}"


def sample(count: int) -> list[SOpNode]:
    """The same random programs each time."""
    from capax import aggregate, indices, length, select, selector_width, tokens

    source = random.Random(0)
    sops: list[Any] = [tokens, indices, length]
    found: list[SOpNode] = []
    while len(found) < count:
        numbers = [s for s in sops if s is not tokens]
        a, b = source.choice(numbers), source.choice(numbers)
        chosen = source.choice(
            [
                select(indices, a, source.choice(["==", "<", "<=", "!="])),
                select(tokens, tokens, source.choice(["==", "!="])),
                select(a, b, source.choice(["==", "<", ">="])),
            ]
        )
        made = source.choice(
            [
                aggregate(chosen, a),
                selector_width(chosen),
                selector_width(chosen & select(indices, indices, "<=")),
                a + b,
            ]
        )
        sops = [*sops[-4:], tokens, indices, made] if source.random() < 0.7 else [tokens, indices, length]
        found.append(made.node)
    return found


def test_certificates_can_be_required() -> None:
    program, alphabet, longest = PROGRAMS["reverse"]
    made = capax.compile(program, alphabet=alphabet, max_length=longest, certify="require")
    assert made.label == f"certified in float32 up to length {longest}"
    untried = capax.compile(program, alphabet=alphabet, max_length=longest, certify=False)
    assert (untried.label, untried.certified_length) == ("checked by test only", 0)
    assert not recheck(untried.model).holds
