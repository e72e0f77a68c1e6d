"""What a model's file says of its parts is what the compiler knows of them."""

from dataclasses import replace
from functools import cache
from typing import Any

import pytest

import capax as cx
from capax.compiler.compiled import Compiled
from capax.compiler.node_meanings.node_notes import node_notes, planned_nodes
from capax.compiler.node_meanings.recorded_meanings import recorded_meanings
from capax.compiler.target.fit_to_target import fit
from capax.model.export.transformer_lens.names import names_json
from capax.model.model import Model
from capax.model.provenance import HeadClaim, Provenance

CASES = [("induction", "abc", True), ("hist_nobos", "abc", False), ("dyck1_ptf", "()", False)]


@cache
def compiled(name: str, alphabet: str, causal: bool) -> Compiled:
    """A program of the library that keeps all values."""
    program = getattr(cx.library, name)
    return cx.compile(program, alphabet=alphabet, max_length=6, causal=causal, keep_all=True, certify=False)


def plain(name: str, alphabet: str, causal: bool) -> Model:
    """The same for TransformerLens, as a file would have it."""
    return fit(compiled(name, alphabet, causal).model, "transformer-lens").model


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case[0]))
def test_variables_and_notes_are_those_of_the_compiler(case: Any) -> None:
    """From the file alone: the same values by the same numbers, and heads told in the same sentences."""
    again = cx.compile(
        getattr(cx.library, case[0]), alphabet=case[1], max_length=6, causal=case[2], keep_all=True, target="plain"
    )
    meanings = recorded_meanings(again.model)
    assert meanings.why_not is None
    told = again.variables(case[1][0] * 6)
    assert [dict(variable) for variable in meanings.variables] == [v.to_json() for v in told.variables]
    notes = node_notes(again.passes.titles, planned_nodes(again.passes.network), again.model)
    assert meanings.notes == {name: text for name, text in notes.items() if name.startswith("a")}


def test_directions_lead_to_values() -> None:
    """The numbers at a position, looked up in the table of names.json, are the values of the program there."""
    model = plain(*CASES[0])
    names = names_json(model, recorded_meanings(model))
    variable = next(v for v in names["variables"] if v["name"] == "_before")
    stream = model.run("abca", trace=True, many=False)[variable["hook"].replace("hook_", "")]
    numbers = stream[0, 1:][:, variable["directions"]].tolist()
    table = {tuple(entry["numbers"]): entry["value"] for entry in variable["values"]}
    assert [table[tuple(row)] for row in numbers] == ["", "a", "b", "c"]
    assert names["heads"][0]["does"].startswith("averages _before = ")
    assert not any("..." in text for text in [names["heads"][1]["does"], *names["directions"]])


def test_why_variables_are_not_known() -> None:
    """A program is missing, directions are reused, or the claims about heads are damaged."""
    model = plain(*CASES[0])
    assert "no program" in (recorded_meanings(replace(model, provenance=Provenance())).why_not or "")
    reused = cx.compile(cx.library.dyck1_ptf, alphabet="()", max_length=6, target="transformer-lens").model
    assert "keep_all" in (recorded_meanings(reused).why_not or "")
    assert names_json(reused, recorded_meanings(reused))["variables"] == {"why_not": recorded_meanings(reused).why_not}
    damaged = replace(model.provenance, heads=((HeadClaim((999,)),), (HeadClaim((1,)),)))
    assert recorded_meanings(replace(model, provenance=damaged)).notes == {}
