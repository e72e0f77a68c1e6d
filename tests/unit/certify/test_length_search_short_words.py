"""Short words first: the noise of a length that is too much for them is too much for all."""

from functools import cache

import pytest

import capax
from capax.certify import certify
from capax.certify import length_search as module
from capax.certify.not_certified import NotCertified
from capax.certify.pipeline import check_length  # certificate,
from capax.certify.recheck.recheck import spec_of
from capax.compiler.compile_program import build
from capax.compiler.domain import domain
from capax.model.model import Model
from capax.rasp.analysis.output_spec import OutputSpec


@cache
def means() -> tuple[Model, OutputSpec]:
    """A model whose answers in float32 get too near to each other on long words: means of numbers far apart."""
    value = capax.where(capax.tokens == "a", 0.1, capax.where(capax.tokens == "b", 70.3, 0.3))
    program = capax.aggregate(capax.select(capax.indices, capax.indices, "<="), value)
    model = build(program.node, domain("abc", 40), program.names()).model
    return model, spec_of(model, program.node, causal=False)


def margin(length: int, keys: int) -> float:
    """The margin at a length, with the noise of another; below zero where it is refused."""
    model, spec = means()
    try:
        found = check_length(model, spec, numbers="float32", longest=length, keys=keys).decoding_margin
    except NotCertified as failure:
        found = failure.margin
    assert found is not None
    return found


@pytest.mark.parametrize("length", [9, 12, 20, 24, 30])
def test_short_words_are_among_the_others(length: int) -> None:
    short, whole = margin(8, length), margin(length, 0)
    assert short >= whole
    assert (whole > 0) == (length <= 20)


def test_noise_grows_with_the_keys_alone() -> None:
    found = [margin(8, keys) for keys in (0, 8, 20, 40, 200)]
    assert found[0] == found[1]
    assert found == sorted(found, reverse=True)
    assert found[0] > 0 > found[-1]


def test_the_greatest_length_is_found_and_is_the_greatest() -> None:
    model, spec = means()
    own = certify(model, spec).verdicts[0]
    assert own.numbers == "float32"
    assert own.breaks.startswith(f"at length {own.length + 1}: ")
    assert margin(own.length, 0) == own.decoding_margin > 0 > margin(own.length + 1, 0)


def test_it_is_found_without_short_words_too(monkeypatch: pytest.MonkeyPatch) -> None:
    model, spec = means()
    found = certify(model, spec)
    monkeypatch.setattr(module, "LONG", 1000)
    monkeypatch.setattr(module, "PROBES", 0)
    assert certify(model, spec) == found
