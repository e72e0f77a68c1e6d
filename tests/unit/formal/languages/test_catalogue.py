"""Named languages, circuits, probabilistic automata and files of automata."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capax import CapaxError
from capax.formal.automata.dfa import Dfa, counts, random_word, words_up_to
from capax.formal.automata.dfa_json import circuit_from_json, dfa_from_json
from capax.formal.automata.pfa import random_pfa
from capax.formal.circuits.circuit import Circuit, Gate, majority_circuit, table_circuit
from capax.formal.languages.catalogue import FAMILIES, language
from tests.support.formal_objects import automata

NAMES = (
    *("parity", "majority", "first", "mod-3", "dyck-1", "dyck-2", "dyck-5", "bounded-dyck-2-2", "shuffle-dyck-2"),
    *("anbn", "anbncn", "palindrome", "copy", "word-problem-s3", *(f"tomita-{n}" for n in range(1, 8))),
)


def dfa_to_json(dfa: Dfa) -> dict[str, Any]:
    """An automaton as plain data that `dfa_from_json` reads; states are named by their numbers."""
    moves = {
        str(q): {symbol: str(t) for symbol, t in zip(dfa.alphabet, row, strict=True)} for q, row in enumerate(dfa.delta)
    }
    return {
        "alphabet": list(dfa.alphabet),
        "start": str(dfa.start),
        "accepting": [str(q) for q in sorted(dfa.accepting)],
        "transitions": moves,
    }


@pytest.mark.parametrize("name", NAMES)
def test_a_language_has_words_inside_and_outside(name: str) -> None:
    """`inside` gives words of it; samples have both kinds; its automaton says the same as the definition."""
    found = language(name)
    assert found.name == name
    random = np.random.default_rng(0)
    words = [found.inside(random, length) for length in (1, 6, 7, 12, 20)]
    assert all(word is None or found.accepts(word) for word in words)
    assert any(word for word in words)
    said = {found.accepts(found.sample(random, 14)) for _ in range(200)}
    assert said == {True, False}
    with pytest.raises(CapaxError, match="not in the alphabet"):
        found.accepts(("?",))


@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_bounded_dyck_is_dyck_of_bounded_depth(k: int, depth: int) -> None:
    """By its automaton, its definition, and Dyck's own with the depth counted."""
    bounded, free = language(f"bounded-dyck-{k}-{depth}"), language(f"dyck-{k}")
    assert bounded.automaton is not None
    assert bounded.automaton.size == 1 + sum(k**level for level in range(depth + 1))
    for word in words_up_to(free.alphabet, 8 if k == 1 else 6):
        level = deepest = 0
        for symbol in word:
            level += 1 if symbol in "([" else -1
            deepest = max(deepest, level)
        right = free.accepts(word) and deepest <= depth
        assert bounded.accepts(word) == bounded.automaton.accepts(word) == right


def test_every_family_is_made_by_name() -> None:
    """And a name without its numbers is an error that says what to write."""
    for family, made in FAMILIES.items():
        name = "-".join([family, *("2" for _ in made.parameters)])
        assert language(name).family == family
    for wrong in (
        "dyck",
        "dyck-2-3",
        "dyck-0",
        "tomita-9",
        "mod-1",
        "dyck-x",
        "parity-2",
        "nothing",
        "dyck-99999999999",
    ):
        with pytest.raises(CapaxError):
            language(wrong)


@settings(max_examples=40, deadline=None)
@given(automata(most=4), st.integers(0, 6))
def test_random_words_are_accepted_and_counted(dfa: Dfa, length: int) -> None:
    """The counts are those of all words; a random word is one of them."""
    good = [word for word in words_up_to("ab", length, least=length) if dfa.accepts(word)]
    assert counts(dfa, length)[length][dfa.start] == len(good)
    word = random_word(dfa, np.random.default_rng(length), length)
    assert word in good if good else word is None


@settings(max_examples=40, deadline=None)
@given(automata(most=5))
def test_files_of_automata(dfa: Dfa) -> None:
    """What is written is read as the same language."""
    assert dfa_from_json(json.loads(json.dumps(dfa_to_json(dfa)))).minimal() == dfa


def test_a_missing_move_leads_to_failure() -> None:
    """The automaton of ab alone, without a state of failure in the file."""
    moves = {"x": {"a": "y"}, "y": {"b": "z"}}
    found = dfa_from_json({"alphabet": ["a", "b"], "start": "x", "accepting": ["z"], "transitions": moves})
    assert [word for word in words_up_to("ab", 4) if found.accepts(word)] == [("a", "b")]
    for wrong in (3, {"alphabet": ["a"]}, {"alphabet": "ab", "start": "x", "accepting": [], "transitions": {}}):
        with pytest.raises(CapaxError):
            dfa_from_json(wrong)


@given(st.integers(1, 4), st.data())
def test_circuits_of_tables_and_thresholds(inputs: int, data: st.DataObject) -> None:
    """A table circuit accepts its table; a threshold counts."""
    words = [tuple(bit == "1" for bit in word) for word in words_up_to("01", inputs, least=inputs)]
    table = data.draw(st.sets(st.sampled_from(words)))
    made = table_circuit(inputs, sorted(table))
    assert made.is_boolean
    for word in words:
        assert made(word) == (word in table)
        assert majority_circuit(inputs)(word) == (2 * sum(word) > inputs)


def test_bad_circuits_are_refused() -> None:
    """Wires that do not come before, and data of another form."""
    with pytest.raises(CapaxError):
        Circuit(1, (Gate("and", (1,)),), 1)
    with pytest.raises(CapaxError):
        circuit_from_json({"inputs": 1, "gates": [{"kind": "xor", "inputs": [0]}], "output": 1})
    with pytest.raises(CapaxError):
        circuit_from_json({"inputs": 1, "gates": [{"kind": "or", "inputs": ["0"]}], "output": 1})
    assert circuit_from_json({"inputs": 1, "gates": [{"kind": "not", "inputs": [0]}], "output": 1})((False,))


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 4), st.integers(0, 1000))
def test_probabilities_of_all_words_sum_to_one(states: int, seed: int) -> None:
    """Up to those of longer words: the sum of p over words up to n, and of what goes on, is 1."""
    random = np.random.default_rng(seed)
    pfa = random_pfa(("a", "b"), states, random, end=0.5)
    ended = sum(pfa.probability(word) for word in words_up_to("ab", 5))
    going = sum(float(pfa.forward(word).sum()) for word in words_up_to("ab", 6, least=6))
    assert abs(ended + going - 1) < 1e-12
    word, path = pfa.sample(random, 10)
    assert len(path) == len(word) + 1
