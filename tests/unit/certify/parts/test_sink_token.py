"""Models with a sink token: what is certified is the model with sinks, and it computes the same."""

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import capax
from capax.certify.not_certified import NotCertified
from capax.certify.parts.sink_token import with_sinks
from capax.certify.recheck.recheck import recheck
from capax.compiler.compiled import Compiled
from capax.model.model import Model
from capax.model.parts import Affine, Head, Mlp
from tests.support.outcomes import count_outcome, least_share

THE_AS = capax.selector_width(capax.select(capax.tokens, "a", "=="))
FLIP = capax.aggregate(capax.select(capax.indices, THE_AS - 1 - capax.indices, "=="), capax.tokens, "c")
PROGRAMS = [
    ("flip", "abc", False),
    ("hist_nobos", "abc", False),
    ("hist_nobos", "abc", True),
    ("dyck2_best", "(){}", False),
    ("induction", "abc", True),
]
WORDS = [(0,), (1, 0), (2, 2, 1), (0, 1, 2, 0, 1), (1, 1, 1, 1, 1, 1), (2, 0, 1, 1, 0, 2)]


@cache
def compiled(name: str, alphabet: str, causal: bool, target: str | None = "plain") -> Compiled:
    """A program of the library for a target."""
    program = FLIP if name == "flip" else getattr(capax.library, name)
    return capax.compile(program, alphabet=alphabet, max_length=6, causal=causal, target=target, words=50)  # type: ignore[no-any-return]


def words_of(model: Model) -> list[list[Any]]:
    """Words without the token."""
    return [[model.vocabulary.tokens[i] for i in word] for word in WORDS]


@pytest.mark.parametrize("program", PROGRAMS, ids=str)
def test_a_target_is_certified_as_far_as_the_program(program: Any) -> None:
    """In the number systems of the compiler to the whole length, and the certificate is found again from the file."""
    found = compiled(*program)
    assert found.model.prefix == ("<bos>",)
    assert found.certified_length == compiled(*program, target=None).certified_length == 6
    hidden = ", for the program with later positions hidden" if found.domain.causal else ""
    assert found.label == f"certified in float32 up to length 6{hidden}"
    report = recheck(found.model)
    assert report.holds == recheck(compiled(*program, target=None).model).holds
    assert report.figures["certified length in float32"] == 6


def test_deep_mlps_are_certified_as_layers() -> None:
    """What stages hand on to each other is seen to be cleared."""
    assert compiled("dyck2_ptf", "(){}", False).label == "certified in float32 up to length 6"


def test_heads_that_always_select_need_no_token() -> None:
    """Reverse reads the length at the last position, and then one position: no head may select nothing."""
    assert compiled("reverse", "abc", False).model.prefix == ()


@pytest.mark.parametrize("length", [12, 20])
def test_one_selected_key_has_all_the_weight(length: int) -> None:
    """Shallow MLPs leave noise in the scores of the longest words; a key that is alone does not mind."""
    found = capax.compile(FLIP, alphabet="abcd", max_length=length, target="plain", words=50)
    assert found.label == f"certified in float32 up to length {length}"


@pytest.mark.parametrize("program", PROGRAMS, ids=str)
def test_the_model_with_sinks_computes_the_same(program: Any) -> None:
    """The logits on words, and every activation but those of the token."""
    model = compiled(*program).model
    other = with_sinks(model)
    assert other.prefix == ()
    for word in words_of(model):
        one, two = model.run(word, trace=True, many=False), other.run(word, trace=True, many=False)
        assert np.allclose(one.logits[0], two.logits[0], rtol=1e-6)
        assert np.allclose(one["resid_post"][:, 1:], two["resid_post"], rtol=1e-6)


def changed(model: Model, data: st.DataObject) -> Model:
    """The model with one number changed, often one in the token's direction."""
    names = [name for name, array in model.arrays() if array.size]
    name = data.draw(st.sampled_from(names))
    array = dict(model.arrays())[name].copy()
    at = [data.draw(st.integers(0, size - 1)) for size in array.shape]
    if array.ndim == 2 and array.shape[0] == model.width and data.draw(st.booleans()):
        at[0] = model.width - 1
    array[tuple(at)] += data.draw(st.sampled_from([1.0, -1.0, 0.5, 2.0**-20, 300.0, 1 / 3]))
    return with_array(model, name, array)


def with_array(model: Model, name: str, array: Any) -> Model:
    """The model with another array of that name."""
    place, _, rest = name.partition(".")
    if place == "embedding":
        return replace(model, embedding=array)
    if place == "positions":
        return replace(model, positions=replace(model.positions, **{rest: array}))
    if place == "readout":
        return replace(model, readout=replace(model.readout, map=replace(model.readout.map, **{rest[4:]: array})))
    number, _, rest = rest.partition(".")
    block = model.blocks[int(number)]
    return replace(
        model, blocks=(*model.blocks[: int(number)], in_block(block, rest, array), *model.blocks[int(number) + 1 :])
    )


def in_block(block: Any, name: str, array: Any) -> Any:
    """The block with another array of that name."""
    if name == "bias":
        return replace(block, bias=array)
    kind, _, number, *rest = name.split(".") if name.startswith("mlp") else name.replace(".", "..", 1).split(".")
    if kind == "mlp":
        assert isinstance(block.mlp, Mlp)
        maps = list(block.mlp.maps)
        maps[int(number)] = replace(maps[int(number)], **{rest[0]: array})
        return replace(block, mlp=replace(block.mlp, maps=tuple(maps)))
    heads = list(block.heads)
    head = heads[int(number)]
    assert isinstance(head, Head)
    part = {"output": array} if rest == ["output"] else {rest[0]: replace(getattr(head, rest[0]), **{rest[1]: array})}
    heads[int(number)] = replace(head, **part)
    return replace(block, heads=tuple(heads))


@least_share("the same function", 0.2)
@settings(max_examples=150, deadline=None)
@given(st.sampled_from(PROGRAMS), st.data())
def test_what_is_changed_is_refused_or_still_the_same(program: Any, data: st.DataObject) -> None:
    """No change of one weight makes the model with sinks another function of words than the model itself."""
    model = changed(compiled(*program).model, data)
    try:
        other = with_sinks(model)
    except NotCertified:
        count_outcome("refused")
        return
    count_outcome("the same function")
    for word in words_of(model):
        one, two = model.run(word, many=False).logits[0], other.run(word, many=False).logits[0]
        assert np.allclose(one, two, rtol=1e-4, atol=1e-4)


def test_many_changes_are_refused() -> None:
    """The check can fail: a key, a value, a gate and the clearing unit that are wrong are all seen."""
    model = compiled(*PROGRAMS[0]).model
    at = model.width - 1
    block = model.blocks[0]
    head = block.heads[0]
    assert isinstance(head, Head)
    assert isinstance(block.mlp, Mlp)

    def raised(map: Affine) -> Affine:
        weight = np.array(map.weight)
        weight[at] += 1
        return replace(map, weight=weight)

    cases = [
        replace(block, heads=(replace(head, value=raised(head.value)),)),
        replace(block, mlp=replace(block.mlp, maps=(raised(block.mlp.maps[0]), block.mlp.maps[1]))),
        replace(block, bias=np.ones_like(block.bias)),
        replace(block, mlp=None),
    ]
    for case in cases:
        with pytest.raises(NotCertified, match="does not act as a sink"):
            with_sinks(replace(model, blocks=(case, *model.blocks[1:])))
    with pytest.raises(NotCertified, match="does not act as a sink"):
        with_sinks(replace(model, prefix=("a",)))
    assert with_sinks(replace(model, prefix=())) == replace(model, prefix=())
