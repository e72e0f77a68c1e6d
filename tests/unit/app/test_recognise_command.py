"""`capax recognise`: the four ways to give a language, the verdicts, the models, and the pictures."""

import json
from pathlib import Path

import pytest

import capax as package
from tests.unit.app.outcome import Capax

EVEN = {
    "alphabet": ["a", "b"],
    "start": "even",
    "accepting": ["even"],
    "transitions": {"even": {"a": "odd", "b": "even"}, "odd": {"a": "even", "b": "odd"}},
}


def test_an_expression(capax: Capax) -> None:
    """Classes, verdicts with sources, a table of models, and the word."""
    done = capax("recognise", "(ab)*", "--word", "abab")
    assert done.code == 0, done.err
    assert "3 states; monoid 6 elements" in done.out
    assert "star-free                      yes" in done.out
    assert "Yang, Chiang and Angluin 2024, Masked hard-attention" in done.out
    assert "abab: in the language" in done.out
    assert "log-depth, prefixes composed by doubling; softmax: yes" in done.out


def test_the_same_language_in_four_ways(capax: Capax) -> None:
    """Has the same classes."""
    Path("even.json").write_text(json.dumps(EVEN))
    ways = [("b*(ab*ab*)*",), ("--dfa", "even.json")]
    found = [capax("recognise", *way, "--route", "log-depth", "--json").json for way in ways]
    named = capax("recognise", "--language", "mod-2", "--route", "log-depth", "--json").json
    assert found[0]["classes"] == found[1]["classes"]
    assert (
        named["classes"]["groups"]
        == found[0]["classes"]["groups"]
        == [{"order": 2, "solvable": True, "factors": ["Z2"]}]
    )
    formula = capax("recognise", "--ltl", "a & !P true", "--alphabet", "ab", "--json").json
    assert formula["classes"]["star_free"]
    assert {"ltl", "log-depth", "star-free"} <= {route["theorem"] for route in formula["routes"]}
    assert all(route["wrong_on"] is None and route["right_on"] > 0 for route in formula["routes"])


def test_a_model_is_written_and_run(capax: Capax) -> None:
    """The shallowest one that answers at once, or the one that is asked for."""
    done = capax("recognise", "--language", "parity", "-o", "parity.safetensors", "--json")
    assert done.json["saved"]["theorem"] in ("parity", "modular-counters")
    model = package.load_model("parity.safetensors")
    assert [bool(model(word)[-1]) for word in ("1", "11", "0110100")] == [True, False, True]
    capax("recognise", "--language", "parity", "--route", "log-depth", "-o", "deep.safetensors")
    assert package.load_model("deep.safetensors").depth == 5


def test_a_language_that_is_not_regular(capax: Capax) -> None:
    """Has verdicts and models, and no automaton."""
    found = capax("recognise", "--language", "dyck-2", "--word", "([])", "--json").json
    assert not found["regular"]
    assert found["classes"] is None
    assert found["word"]["accepts"]
    assert {one["accepts"] for one in found["word"]["models"]} == {True}
    assert "words of 2 kinds of brackets" in capax("recognise", "--language", "dyck-2").out


def test_the_empty_language_and_the_empty_word(capax: Capax) -> None:
    """Are told; no model is asked about the empty word."""
    assert "the language is empty" in capax("recognise", "a&b").out
    assert "every word is in the language" in capax("recognise", ".*", "--alphabet", "ab").out
    found = capax("recognise", "(ab)*", "--word", "", "--json").json
    assert found["word"]["accepts"]
    assert {one["accepts"] for one in found["word"]["models"]} == {None}


def test_conditional_verdicts_say_so(capax: Capax) -> None:
    """The word problem of A5 needs TC0 != NC1; its group is named."""
    done = capax("recognise", "--language", "word-problem-a5", "--route", "automaton-thoughts")
    assert "no, assuming TC0 != NC1: constant depth" in done.out
    assert "60 elements (A5)" in done.out


def test_a_huge_monoid_is_told(capax: Capax) -> None:
    """What needs it is not found out, and large models are not built unasked."""
    done = capax("recognise", "(a|b)*a(a|b){9}", "--budget", "2000")
    assert done.code == 0, done.err
    assert "monoid too large" in done.out
    assert "not found out" in done.out
    assert "not built, since the automaton has 1,024 states" in done.out


@pytest.mark.parametrize("picture", ["automaton", "monoid", "attention"])
def test_pictures(capax: Capax, picture: str) -> None:
    """Are SVG documents."""
    options = ("--route", "star-free", "--word", "abab", "--draw", "one.svg", "--picture", picture)
    done = capax("recognise", "(ab)*", *options)
    assert done.code == 0, done.err
    assert Path("one.svg").read_text().startswith("<svg")


def test_a_circuit(capax: Capax) -> None:
    """From a file: run, built and drawn; words of another length are an error."""
    gates = [{"kind": "not", "inputs": [0]}, {"kind": "and", "inputs": [1, 2]}]
    Path("c.json").write_text(json.dumps({"inputs": 2, "gates": gates, "output": 3}))
    found = capax("recognise", "--circuit", "c.json", "--word", "01", "--draw", "c.svg", "--json").json
    assert found["word"]["accepts"]
    assert [(one["theorem"], one["right_on"]) for one in found["routes"]] == [("circuit", 4)]
    assert "NOT" in Path("c.svg").read_text()
    assert "reads 2 bits" in capax("recognise", "--circuit", "c.json", "--word", "011").err
