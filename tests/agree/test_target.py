"""Models made plain for other tools: the same answers as before, row by row, and nothing in them that is not plain."""

import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, note, settings
from hypothesis import strategies as st

import capax
from capax import aggregate, full_s, indicator, indices, length, select, tokens
from capax.compiler.check.agreement import compare, meaning
from capax.compiler.compile_program import build
from capax.compiler.domain import Domain, domain
from capax.compiler.target.build_for_target import build_for
from capax.compiler.target.fit_to_target import fit
from capax.errors import CapaxError
from capax.model.adapt.make_plain import PlainModel, make_plain, why_not_plain
from capax.model.adapt.sink_token import has_sinks
from capax.model.io.file import from_bytes, to_bytes
from capax.model.model import Model
from capax.model.parts import Head, Mlp
from capax.model.run.reference import define
from capax.rasp.ir.describe import describe
from capax.rasp.ir.loop_nodes import has_loop
from capax.rasp.ir.nodes import SOpNode
from capax.rasp.python.program import SOp
from tests.agree.test_compile import NUMBERS, REFUSALS, words_of
from tests.support.models import Shape, models, words
from tests.support.perturbed import changed, right, still_certified
from tests.support.typed_programs import typed_programs


def is_plain(model: Model) -> bool:
    """The definition again, in the plainest words."""
    heads = [h for b in model.blocks for h in b.heads]
    mlps = [b.mlp for b in model.blocks if b.mlp is not None]
    return (
        model.input_mlp is None
        and model.positions.functions == ()
        and model.positions.table is not None
        and all(isinstance(h, Head) and h.sink is None and h.attention == "softmax" for h in heads)
        and {h.mask for h in heads} in (set(), {"none"}, {"causal"})
        and all(isinstance(m, Mlp) and len(m.maps) == 2 for m in mlps)
    )


def row_of_the_sink_is_clean(model: Model, word: Any) -> bool:
    """Whether the stream at the sink token is exactly the token's own direction before every layer."""
    trace = model.run(word, trace=True, many=False).activations
    unit = np.eye(model.width)[-1]
    return all(np.array_equal(trace[f"blocks.{n}.resid_pre"][0, 0], unit) for n in range(len(model.blocks)))


@settings(max_examples=80)
@given(
    typed_programs(),
    st.sampled_from(NUMBERS),
    st.integers(1, 6),
    st.booleans(),
    st.sampled_from(["float32", "float64"]),
    st.integers(0, 10**6),
)
def test_random_programs(
    root: SOpNode, alphabet: tuple[Any, ...], longest: int, causal: bool, dtype: str, seed: int
) -> None:
    """A program compiled for a target gives the interpreter's answers, in a plain model with a clean first row."""
    note(describe(root, longest=2000))
    found = domain(alphabet, longest, causal=causal, dtype=dtype)
    model = targeted(root, found)
    assume(model is not None)
    assert model is not None
    assert is_plain(model)
    assert why_not_plain(model) is None
    if causal:
        assert {h.mask for b in model.blocks for h in b.heads} <= {"causal"}
    tried = words_of(found, seed)
    wrong = disagreement(model, meaning(root, found), tried)
    assert wrong is None, wrong
    if model.provenance.target.sink is not None:
        assert row_of_the_sink_is_clean(model, tried[-1])


def disagreement(model: Model, node: SOpNode, tried: list[tuple[Any, ...]]) -> Any:
    """A word on which the model is wrong, with both answers, or None."""
    return compare(model, node, tried).wrong


def targeted(root: SOpNode, found: Domain) -> Model | None:
    """The model for a target, after a way through a file; None for a program that is refused."""
    try:
        return from_bytes(to_bytes(build_for("plain", root, found, {}).model), "model")
    except CapaxError as error:
        if error.code not in REFUSALS:
            raise
        return None


@settings(max_examples=60)
@given(typed_programs(), st.sampled_from(NUMBERS), st.integers(1, 6), st.booleans(), st.integers(0, 10**6))
def test_weights_in_another_form(
    root: SOpNode, alphabet: tuple[Any, ...], longest: int, causal: bool, seed: int
) -> None:
    """A compiled model whose masks are alike gives the same answers when it is made plain."""
    try:
        model = build(root, domain(alphabet, longest, causal=causal, masks=False), {}).model
    except CapaxError as error:
        assume(error.code not in REFUSALS)
        raise
    made = make_plain(model)
    assume(isinstance(made, PlainModel))
    assert isinstance(made, PlainModel)
    assert is_plain(made.model)
    tried = words_of(domain(alphabet, longest), seed)
    for before, after in zip(model.batch(tried), made.model.batch(tried), strict=True):
        assert before == after


HAND = Shape(
    kinds=("softmax",), masks=("causal",), norms=False, pairs=False, activations=("relu", "gelu"), prefix=False
)


@pytest.mark.parametrize("mask", ["causal", "none"])
@pytest.mark.parametrize("activation", ["relu", "gelu", "gelu-tanh"])
def test_models_made_by_hand(mask: Any, activation: str) -> None:
    """Random weights with sinks, biases, an input MLP and deep MLPs: the logits are equal up to rounding."""

    @settings(max_examples=40)
    @given(models(replace(HAND, masks=(mask,), activations=(activation,))), words(1, 7))
    def compared(model: Model, word: str) -> None:
        model = replace(model, max_length=7)
        found = make_plain(model)
        if activation == "relu":
            assert isinstance(found, PlainModel), found
        assume(isinstance(found, PlainModel))
        assert isinstance(found, PlainModel)
        assert is_plain(found.model)
        before, after = define(model, word), define(found.model, word)
        assert np.allclose(before, after, rtol=1e-9, atol=1e-9)
        assert np.allclose(found.model.run(word).logits, before, rtol=1e-9, atol=1e-9)
        assert bool(found.model.prefix) == has_sinks(model)

    compared()


LIBRARY = [n for n in dir(capax.library) if isinstance(p := getattr(capax.library, n), SOp) and not has_loop(p.node)]
"""The programs of the library; targets have no loops."""


@pytest.mark.parametrize("name", LIBRARY)
@pytest.mark.parametrize("causal", [False, True], ids=["seeing all", "causal"])
def test_the_library(name: str, causal: bool) -> None:
    """Every program of the library, its model fitted to a target and compiled for it anew."""
    program = getattr(capax.library, name)
    alphabet = "()[]" if "dyck" in name else "01+" if name in ("addition", "parity", "majority") else "ab§"
    settings = {"alphabet": alphabet, "max_length": 5, "causal": causal, "certify": False, "words": 60}
    try:
        compiled = capax.compile(program, **settings)
    except CapaxError as error:
        if error.code not in REFUSALS:
            raise
        pytest.skip(f"{name} is not compiled for these words: {error.what}")
    source = random.Random(0)
    fitted, made = fit(compiled.model, "plain"), capax.compile(program, target="plain", **settings)
    assert is_plain(fitted.model)
    assert is_plain(made.model)
    node = meaning(program.node, compiled.domain)
    tried = [tuple(source.choices(alphabet, k=source.randint(1, 5))) for _ in range(60)]
    for model in (fitted.model, made.model):
        assert disagreement(model, node, tried) is None


@pytest.mark.parametrize("name", ["sort", "sort_by_most_freq", "dyck2_ptf", "hist2_nobos", "reverse", "induction"])
@pytest.mark.parametrize("length", [10, 40])
def test_a_model_for_a_target_is_certified_whole(name: str, length: int) -> None:
    """A token in place of sinks and layers in place of stages cost no length: nothing is left in cleared directions."""
    program = capax.library.sort(tokens, tokens) if name == "sort" else getattr(capax.library, name)
    alphabet = "(){}" if name == "dyck2_ptf" else "abcd"
    compiled = capax.compile(program, alphabet=alphabet, max_length=length, target="plain", words=20)
    assert compiled.label == f"certified in float32 up to length {length}"


def test_a_length_is_read_beside_a_token_in_place_of_sinks() -> None:
    """The head that finds the length has a sink then, which never serves; a changed value of it is not accepted."""
    same = aggregate(full_s, indicator(aggregate(select(indices, length - 1 - indices, "=="), tokens) != tokens)) == 0
    compiled = capax.compile(same, alphabet="abc", max_length=6, target="plain", words=20)
    assert compiled.label == "certified in float32 up to length 6"
    assert still_certified(compiled, compiled.model)
    refused = 0
    for array, values in compiled.model.arrays():
        for place in np.flatnonzero(values)[::5].tolist():
            model = changed(compiled.model, array, place, -1.0)
            refused += not (held := still_certified(compiled, model))
            assert not held or right(compiled, model, 400), (array, place)
    assert refused > 10
