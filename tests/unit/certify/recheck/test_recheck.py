"""Certificates that claim more, hints that lie and programs that were edited are rejected."""

import copy
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

import capax
from capax import library
from capax.certify.certificate import Certificate
from capax.certify.recheck.excess_claims import claims_too_much
from capax.certify.recheck.recheck import program_in, recheck
from capax.errors import CapaxError
from tests.support.perturbed import claiming, compiled, with_provenance

SMALL = "a string at the first position"
"""A model with one head and one MLP: it has every part of a certificate, and is checked in little time."""
MODELS = ["reverse", "sort", "dyck", "fraction of previous", "latest greatest"]


def edited(name: str, edit: Callable[[Any], object]) -> Any:
    """The report on a model whose certificate was edited in place."""
    model = compiled(name).model
    claimed = copy.deepcopy(model.provenance.certificate)
    edit(claimed)
    return recheck(with_provenance(model, certificate=claimed))


def put(*path: Any, to: Any) -> Callable[[Any], None]:
    """An edit: the entry at a path becomes another, or what a function makes of it."""

    def edit(claimed: Any) -> None:
        for step in path[:-1]:
            claimed = claimed[step]
        claimed[path[-1]] = to(claimed[path[-1]]) if callable(to) else to

    return edit


MORE = {
    "a greater length": put("verdicts", 1, "length", to=lambda n: n + 1),
    "a huge length": put("verdicts", 0, "length", to=10**9),
    "a larger gap": put("verdicts", 1, "heads", 0, "gap", to=lambda x: 1.01 * x),
    "a smaller leak": put("verdicts", 0, "heads", 0, "leak", to=lambda x: -1.0 if x == 0 else x / 2),
    "a smaller error": put("verdicts", 1, "heads", 0, "error", to=-1e-30),
    "a smaller spread": put("verdicts", 1, "heads", 0, "spread", to=-1.0),
    "a larger margin": put("verdicts", 1, "decoding_margin", to=lambda x: x + 0.01),
    "no margin": put("verdicts", 1, "decoding_margin", to=None),
    "another head": put("verdicts", 1, "heads", 0, "where", to="layer 9, head 9"),
    "another aggregate": put("verdicts", 1, "heads", 0, "computes", to="everything"),
    "fewer assumptions": put("assumptions", to=lambda a: a[:-1]),
    "no assumptions": put("assumptions", to=[]),
    "another version": put("version", to=1),
    "another number system": put("verdicts", 1, "numbers", to="float8"),
    "a system twice": put("verdicts", to=lambda v: [*v, v[0]]),
    "no verdicts": put("verdicts", to=[]),
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("what", MORE)
def test_claims_of_more_are_rejected(name: str, what: str) -> None:
    report = edited(name, MORE[what])
    assert not report.holds
    assert report.counterexample


@pytest.mark.parametrize("junk", [None, 7, "x", [], {}, True, float("nan"), [[]], {"a": 1}])
@pytest.mark.parametrize(
    "path",
    [
        ("version",),
        ("assumptions",),
        ("verdicts",),
        ("verdicts", 1),
        *(("verdicts", 1, k) for k in ("numbers", "length", "heads", "stages", "decoding_margin")),
        ("verdicts", 1, "heads", 0),
        *(("verdicts", 1, "heads", 0, k) for k in ("where", "computes", "gap", "spread", "leak", "error")),
        ("verdicts", 1, "stages", 0),
        *(("verdicts", 1, "stages", 0, k) for k in ("where", "units", "error_in", "error_out")),
    ],
    ids=lambda p: ".".join(map(str, p)) if isinstance(p, tuple) else None,
)
def test_damage_is_rejected_and_crashes_nothing(path: tuple[Any, ...], junk: Any) -> None:
    honest = compiled(SMALL).model.provenance.certificate
    for step in path:
        honest = honest[step]
    claims_less = junk == 7 and path[-1] in ("gap", "spread", "leak", "error", "error_in", "error_out")
    assert junk == honest or edited(SMALL, put(*path, to=junk)).holds == claims_less


@pytest.mark.parametrize("part", ["version", "assumptions", "verdicts"])
def test_missing_parts_are_rejected(part: str) -> None:
    assert not edited("sort", lambda c: c.pop(part)).holds


@pytest.mark.parametrize("part", ["numbers", "length", "whole", "heads", "stages", "decoding_margin"])
def test_missing_parts_of_a_verdict_are_rejected(part: str) -> None:
    shorter = edited("sort", lambda c: c["verdicts"][1].pop(part))
    assert shorter.holds == (part == "whole"), "a model that is certified as a whole may leave that out"


def test_claims_of_less_are_accepted() -> None:
    for edit in (
        put("verdicts", to=lambda v: v[:1]),
        put("verdicts", 1, "heads", 0, "gap", to=1e-3),
        put("verdicts", 1, "heads", 0, "leak", to=1.0),
        put("verdicts", 1, "heads", 0, "underflows", to=False),
        put("verdicts", 1, "stages", 0, "error_out", to=3.0),
        put("verdicts", 1, "decoding_margin", to=1e-3),
    ):
        assert edited("sort", edit).holds


@pytest.mark.parametrize("certificate", [None, 3, [], "yes", {}])
def test_no_certificate_is_no_proof(certificate: Any) -> None:
    assert not recheck(with_provenance(compiled("reverse").model, certificate=certificate)).holds


def test_underflow_that_floats_do_not_have_is_not_claimed() -> None:
    """In float64 scores 256 apart do not underflow: saying so claims more."""
    model = claiming(compiled("reverse").model, "float64")
    assert recheck(model).holds
    assert model.provenance.certificate["verdicts"][0]["heads"][1]["underflows"] is False
    claimed = copy.deepcopy(model.provenance.certificate)
    claimed["verdicts"][0]["heads"][1]["underflows"] = True
    assert "zero in floats" in recheck(with_provenance(model, certificate=claimed)).counterexample


# hints


def hints(name: str) -> list[list[dict[str, Any]]]:
    return copy.deepcopy(compiled(name).model.provenance.to_json()["heads"])


LIES: dict[str, Callable[[list[list[dict[str, Any]]]], object]] = {
    "blocks turned round": lambda h: h.reverse(),
    "another node": put(0, 0, "computes", to=lambda c: [c[0] + 1]),
    "the first node": put(0, 0, "computes", to=[0]),
    "no node": put(0, 0, "computes", to=[]),
    "a node twice": put(0, 0, "computes", to=lambda c: [*c, *c]),
    "no such node": put(0, 0, "computes", to=[10**6]),
    "a negative node": put(0, 0, "computes", to=[-1]),
    "a string": put(0, 0, "computes", to="0"),
    "no list": put(0, 0, "computes", to=None),
    "a part": put(0, 0, "part", to=lambda p: 1 if p is None else p + 1),
    "a wrong part": put(0, 0, "part", to="first"),
    "nothing": put(0, 0, to=None),
    "fewer heads": put(0, to=lambda b: b[:-1]),
    "fewer blocks": lambda h: h.pop(),
    "one head's for all": put(-1, -1, to=lambda _: {"computes": [2], "part": None}),
}


@pytest.mark.parametrize("name", ["reverse", "sort", "dyck"])
@pytest.mark.parametrize("what", LIES)
def test_hints_that_lie_are_rejected(name: str, what: str) -> None:
    said = hints(name)
    LIES[what](said)
    assert said != hints(name)
    assert not recheck(with_provenance(compiled(name).model, heads=said)).holds


def test_hints_of_swapped_heads_are_rejected() -> None:
    said = hints("dyck")
    swapped = next(k for k, block in enumerate(said) if len(block) > 1)
    said[swapped].reverse()
    assert not recheck(with_provenance(compiled("dyck").model, heads=said)).holds


# programs


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("reverse", "length - 1", "length - 2"),
        ("histogram", "==", "!="),
        ("sort", "<", ">"),
        ("fraction of previous", "<=", "<"),
        ("fraction of previous", '"a"', '"b"'),
        ("shift with a default", "2", "1"),
        ("shift with a default", '"-"', '"a"'),
    ],
)
def test_another_program_is_rejected(name: str, old: str, new: str) -> None:
    model = compiled(name).model
    text = model.provenance.program
    assert old in text
    assert not recheck(with_provenance(model, program=text.replace(old, new))).holds


def test_a_longer_model_is_not_certified_by_a_shorter_one() -> None:
    model = compiled("histogram").model
    assert model.max_length is not None
    longer = replace(model, max_length=4 * model.max_length)
    claimed = copy.deepcopy(model.provenance.certificate)
    for verdict in claimed["verdicts"]:
        verdict["length"] = longer.max_length
    assert not recheck(with_provenance(longer, certificate=claimed)).holds


def test_a_model_without_a_program_is_an_error() -> None:
    for lost in ({"program": None}, {"domain": 3}, {"name": 3}):
        with pytest.raises(CapaxError) as caught:
            program_in(with_provenance(compiled("reverse").model, **lost))
        assert caught.value.code == "no-program"


def test_a_selector_is_no_program_of_a_model() -> None:
    text = "s = select(indices, indices, ==);"
    with pytest.raises(CapaxError) as caught:
        recheck(with_provenance(compiled("reverse").model, program=text, name="s"))
    assert caught.value.code == "no-program"


def test_verdicts_that_nobody_found_are_too_much() -> None:
    honest = compiled("sort").model.provenance.certificate
    assert claims_too_much(honest, Certificate.from_json(honest)) is None
    assert claims_too_much(honest, Certificate.from_json({**honest, "verdicts": honest["verdicts"][:1]}))


def test_checking_again_loads_nothing_of_the_compiler() -> None:
    code = (
        "import sys, capax.certify.recheck.recheck; print([m for m in sys.modules if m.startswith('capax.compiler')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_certificate_holds_before_it_was_in_a_file() -> None:
    """Its figures are plain numbers from the start."""
    made = capax.compile(library.induction, alphabet="abc", max_length=6, causal=True)
    assert recheck(made.model).holds
