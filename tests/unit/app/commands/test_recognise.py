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
    done = capax("recognise", "(ab)*", "abab")
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


def test_where_the_answer_is_read(capax: Capax) -> None:
    """Softmax in fixed precision sees the last symbol at its own position, and not from an end marker."""
    for read, answer in (("last", "yes"), ("end", "no")):
        options = ("--alphabet", "ab", "--read", read)
        done = capax("recognise", ".*a", *options)
        assert f"  {answer}: softmax, fixed precision, strict past mask, no positions" in done.out
        one, other = (capax("recognise", *way, *options, "ba", "--json").json for way in ((".*a",), ("--ltl", "a")))
        assert one["verdicts"] == other["verdicts"]
        for found in (one, other):
            assert {told["read"] for told in found["verdicts"]} == {found["read"]} == {read}
            assert {one["read"] for one in found["routes"] if one["theorem"] != "automaton-thoughts"} == {read}
            assert {one["accepts"] for one in found["word"]["models"]} == {True}
    assert "--read is last or end" in capax("recognise", "a", "--read", "each").err


def test_a_model_with_an_end_marker(capax: Capax) -> None:
    """Is written with the marker among its symbols; what has no such model says so."""
    done = capax("recognise", "(ab)*", "--read", "end", "-o", "one.safetensors", "", "--json")
    assert done.json["end_marker"] == "$"
    assert done.json["saved"]["read"] == "end"
    assert {one["accepts"] for one in done.json["word"]["models"]} == {True, None}
    model = package.load_model("one.safetensors")
    assert [bool(model(word)[-1]) for word in ("$", "ab$", "aab$", "abab$")] == [True, True, False, True]
    assert model.provenance.end_marker == "$"
    none = capax("recognise", "--language", "dyck-2", "--read", "end")
    assert "no theorem here builds a model for it that is read at an end marker" in none.out


def test_a_language_that_is_not_regular(capax: Capax) -> None:
    """Has verdicts and models, and no automaton."""
    found = capax("recognise", "--language", "dyck-2", "([])", "--json").json
    assert not found["regular"]
    assert found["classes"] is None
    assert found["word"]["accepts"]
    assert {one["accepts"] for one in found["word"]["models"]} == {True}
    assert "words of 2 kinds of brackets" in capax("recognise", "--language", "dyck-2").out


def test_the_empty_language_and_the_empty_word(capax: Capax) -> None:
    """Are told; no model is asked about the empty word."""
    assert "the language is empty" in capax("recognise", "a&b").out
    assert "every word is in the language" in capax("recognise", ".*", "--alphabet", "ab").out
    found = capax("recognise", "(ab)*", "", "--json").json
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
    options = ("--route", "star-free", "abab", "--draw", "one.svg", "--figure", picture)
    done = capax("recognise", "(ab)*", *options)
    assert done.code == 0, done.err
    assert Path("one.svg").read_text().startswith("<svg")


def test_a_circuit(capax: Capax) -> None:
    """From a file: run, built and drawn; words of another length are an error."""
    gates = [{"kind": "not", "inputs": [0]}, {"kind": "and", "inputs": [1, 2]}]
    Path("c.json").write_text(json.dumps({"inputs": 2, "gates": gates, "output": 3}))
    found = capax("recognise", "--circuit", "c.json", "01", "--draw", "c.svg", "--json").json
    assert found["word"]["accepts"]
    assert [(one["theorem"], one["right_on"]) for one in found["routes"]] == [("circuit", 4), ("threshold-circuit", 4)]
    assert "NOT" in Path("c.svg").read_text()
    assert "reads 2 bits" in capax("recognise", "--circuit", "c.json", "011").err


def test_a_threshold_circuit(capax: Capax) -> None:
    """Is built by softmax, a wire that is read twice counting twice; its size is told."""
    gate = {"kind": "threshold", "inputs": [0, 0, 1, 2], "least": 2}
    Path("c.json").write_text(json.dumps({"inputs": 3, "gates": [gate], "output": 3}))
    found = capax("recognise", "--circuit", "c.json", "100", "--json").json
    assert found["word"]["accepts"]
    assert [(one["theorem"], one["right_on"]) for one in found["routes"]] == [("threshold-circuit", 8)]
    assert "3 inputs, 1 gate, depth 1; with threshold gates" in capax("recognise", "--circuit", "c.json").out


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ({"inputs": 2, "gates": [{"kind": "threshold", "inputs": [0, 1]}], "output": 2}, "has no least"),
        ({"inputs": 10**12, "gates": [], "output": 0}, "wires are more than 20,000"),
    ],
)
def test_circuits_that_are_slips(capax: Capax, data: object, told: str) -> None:
    """Are told, and nothing is built."""
    Path("c.json").write_text(json.dumps(data))
    done = capax("recognise", "--circuit", "c.json")
    assert done.code == 2
    assert told in done.err


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"accepting": ["evn"]}, "mentions the accepting state 'evn'"),
        ({"start": "begin"}, "mentions the start state 'begin'"),
        ({"alphabet": ["a", "b", ""]}, "the empty text"),
    ],
)
def test_automata_that_are_slips(capax: Capax, change: dict[str, object], told: str) -> None:
    """A state that no transition speaks of is not silently one that is never reached."""
    Path("even.json").write_text(json.dumps(EVEN | change))
    done = capax("recognise", "--dfa", "even.json")
    assert done.code == 2
    assert told in done.err


@pytest.mark.parametrize("expression", ["a" + "*" * 5_000, "(" * 3_000, "~" * 5_000, "a{100000}", "ab" * 10_000])
def test_absurd_expressions(capax: Capax, expression: str) -> None:
    """Are refused in words."""
    done = capax("recognise", expression)
    assert done.code == 2
    assert done.err.startswith("error[")


def test_long_automata_and_deep_brackets(capax: Capax) -> None:
    """Have verdicts, though no formula is written and no automaton built."""
    found = capax("recognise", "a{400,}", "--route", "automaton-thoughts", "--json").json
    assert found["classes"]["c_rasp"]
    assert found["counting_formula"] is None
    deep = capax("recognise", "--language", "bounded-dyck-20-20", "([{", "--json").json
    assert [one["answer"] for one in deep["verdicts"]] == ["no", *["yes"] * 6]
    assert [one["accepts"] for one in deep["word"]["models"]] == [False]


def test_words_that_are_long_for_a_model(capax: Capax) -> None:
    """Are not asked of it unless its route is chosen; a circuit's symbols are looked at."""
    found = capax("recognise", "(ab)*", "ab" * 4_000, "--json").json
    silent = {one["theorem"]: one["not_asked"] for one in found["word"]["models"]}
    assert "--route" in silent["log-depth"]
    assert silent["star-free"] is None
    Path("c.json").write_text('{"inputs": 2, "gates": [], "output": 0}')
    assert "'x' at position 1" in capax("recognise", "--circuit", "c.json", "1x").err


def test_a_counter_machine(capax: Capax) -> None:
    """In a file and by its name: the counters, the verdict, the model, and a word; a mistake points at its line."""
    Path("thirds.cm").write_text("a -> +1 0\nb -> -1 +1\nc -> 0 -1\naccept 0 0\n")
    done = capax("recognise", "--counter", "thirds.cm", "cab", "-o", "thirds.safetensors")
    assert done.code == 0, done.err
    assert "counters   2: a +1 0; b -1 +1; c 0 -1" in done.out
    assert "yes: softmax, causal mask, no positions, real numbers" in done.out
    assert "counter-machine, one uniform head for 2 counters; softmax, future mask: yes" in done.out
    assert capax("apply", "thirds.safetensors", "cabc", "--json").json[-1] is False
    named = capax("recognise", "--counter", "thirds", "--json").json
    assert (named["class"], named["regular"], named["routes"][0]["right_on"]) == ("SSCM", False, 363)
    Path("bad.cm").write_text("a -> +1\nb -> x\naccept 0\n")
    bad = capax("recognise", "--counter", "bad.cm")
    assert bad.code == 2
    assert "bad.cm:2:6" in bad.err
    assert "axes, balance, ratios, thirds" in capax("recognise", "--counter", "nowhere").err


@pytest.mark.parametrize(
    ("option", "formula", "theorem", "cls"),
    [
        ("--fo", "forall x. a(x) -> {2*x < n}", "monadic-predicates", "FO[Mon]"),
        ("--foc", "#p[a(p)] = #p[b(p) & p % 2 = 0]", "counting-quantifiers", "FOC[MOD;+]"),
        ("--ltlc", "#<[a] = #[b] & P {isprime(i)}", "temporal-counting", "LTL+C[Mon]"),
    ],
)
def test_logics_with_counts_and_predicates(capax: Capax, option: str, formula: str, theorem: str, cls: str) -> None:
    """Each has a class of the atlas, a verdict that says yes, and models that are right on all short words."""
    found = capax("recognise", option, formula, "--alphabet", "ab", "aabb", "--max-length", "12", "--json").json
    assert found["class"] == cls
    assert {route["theorem"] for route in found["routes"]} == {theorem}
    assert all(route["wrong_on"] is None and route["right_on"] == 510 for route in found["routes"])
    assert any(verdict["answer"] == "yes" for verdict in found["verdicts"])
    assert {model["accepts"] for model in found["word"]["models"]} == {found["word"]["accepts"]}
    assert capax("recognise", option, formula + " &").code == 2
    assert capax("recognise", option, formula, "--counter", "thirds").code == 2


def test_a_sentence_of_order_alone_is_regular(capax: Capax) -> None:
    """So that its automaton is classified, and all theorems about automata build models."""
    found = capax("recognise", "--fo", "forall x y. a(x) & b(y) -> x < y", "--json").json
    assert found["regular"]
    assert {"star-free", "monadic-predicates"} <= {route["theorem"] for route in found["routes"]}


def test_a_fixed_point_model_as_a_formula(capax: Capax) -> None:
    """The way back: formulas for each type of positions, checked; another model is refused."""
    assert capax("theorem", "fixed-precision-formula", "--prove", "0", "-o", "fixed.safetensors").code == 0
    done = capax("explain", "fixed.safetensors", "--foc")
    assert done.code == 0, done.err
    assert "-3*x0 + 10*x1 >= 0" in done.out
    assert capax("theorem", "first", "--prove", "0", "-o", "first.safetensors").code == 0
    assert "not in fixed point" in capax("explain", "first.safetensors", "--foc").err


def test_models_are_proved_on_words(capax: Capax) -> None:
    """On all short words, or on as many as are asked for, up to the length."""
    done = capax("recognise", "a.*", "--alphabet", "ab", "--route", "star-free")
    assert "all 510 words of 1 to 8 letters" in done.out
    assert "proved by exhaustion: each was run by capax's runtime in float64" in done.out
    command = ("recognise", "a.*", "--alphabet", "ab", "--route", "star-free", "--prove", "1000")
    label = capax(*command, "--json").json["routes"][0]["proof"]
    assert (label["count"], label["method"]) == (1022, "exhaustion")
    assert capax(*command, "--max-length", "4", "--json").json["routes"][0]["proof"]["whole"]
    ended = capax(*command, "--read", "end", "--json").json["routes"][0]["proof"]
    assert (ended["inputs"], ended["count"]) == ("words of 0 to 9 letters", 1023)
    assert capax("recognise", "a.*", "--alphabet", "ab", "--prove", "-3").code == 2


def test_a_model_with_a_loop_has_a_certificate_in_its_file(capax: Capax) -> None:
    """By induction over the rounds; it is made when the file is written."""
    assert capax("recognise", "(ab)*", "--max-length", "4", "--route", "log-rounds", "-o", "ab.safetensors").code == 0
    done = capax("verify", "--certificate", "ab.safetensors")
    assert done.out.startswith("ab.safetensors: the certificate follows from the weights and the program\n")
    assert "  float32   up to length 4\n" in done.out
