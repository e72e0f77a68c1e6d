"""Formulas as programs and models."""

import pytest
from hypothesis import given, settings

from capax.atlas.recognition.crasp.build import counting_model, read_model
from capax.atlas.recognition.crasp.program import counting_program
from capax.formal.automata.dfa import words_up_to
from capax.formal.automata.random_regex import random_expressions
from capax.formal.automata.regex import regex_dfa
from capax.formal.crasp.decide import Reading, decide_crasp
from capax.formal.crasp.formula import crasp_formula
from capax.formal.crasp.machine import Atoms
from capax.formal.logic.counting import Counting, counting_depth, counting_values
from capax.rasp.analysis.dialects.crasp import C_RASP
from capax.rasp.python.program import Program
from tests.support.counting_formulas import counting


@settings(max_examples=40, deadline=None)
@given(counting(atoms=True))
def test_a_program_is_its_formula(formula: Counting) -> None:
    """At every position of words of up to 4 letters."""
    program = counting_program(formula)
    for word in ("a", "ab", "bba", "abab", "aabb"):
        assert list(program(word)) == counting_values(formula, word)[1:]


def test_programs_stay_in_the_dialect() -> None:
    """The text of every formula that the decision gives is accepted, and is read back as the same program."""
    checked = 0
    for _, _, dfa in random_expressions(1, 25):
        for read in ("last", "end"):
            formula = crasp_formula(decide_crasp(dfa), read)  # type: ignore[arg-type]
            if formula is not None:
                built = counting_model(formula, dfa.alphabet, "last")
                assert built.dialect.inside
                assert C_RASP.check(Program.from_text(built.text)).inside
                checked += 1
    assert checked >= 20


@pytest.mark.parametrize(("regex", "read"), [("(ab)*", "last"), ("(ab)*b.*", "end")])
def test_a_model_answers_as_the_automaton_does(regex: str, read: Reading) -> None:
    """On all words of up to 5 letters, at the last letter or at the marker; layers are the depth of the formula."""
    dfa = regex_dfa(regex, "ab").minimal()
    formula = crasp_formula(decide_crasp(dfa), read)
    assert formula is not None
    built = counting_model(formula, dfa.alphabet, read, length=6)
    assert built.compiled is not None
    assert built.compiled.size.attention_layers == counting_depth(formula)
    assert "certified" in built.compiled.label
    model = read_model(built, dfa.alphabet, read, regex)
    assert model.provenance.read == read
    marker = ["$"] if read == "end" else []
    for word in words_up_to("ab", 5, least=0 if marker else 1):
        assert bool(model([*word, *marker])[-1]) == dfa.accepts(word)


def test_local_atoms_leave_the_dialect() -> None:
    """The program is right, and the check says why it is not C-RASP."""
    dfa = regex_dfa(".*aa.*", "ab").minimal()
    formula = crasp_formula(decide_crasp(dfa, Atoms(1)), "last")
    assert formula is not None
    built = counting_model(formula, dfa.alphabet, "last")
    assert not built.dialect.inside
    assert "at a distance" in built.to_json()["findings"][0]
