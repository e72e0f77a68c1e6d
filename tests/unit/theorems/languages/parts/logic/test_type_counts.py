"""Models of sentences of FOC[MOD; +] and of counter machines: all short words, and how long they stay right."""

import numpy as np
import pytest
from hypothesis import assume, given, settings

from capax.errors import CapaxError
from capax.formal.automata.dfa import words_up_to
from capax.formal.counters.machine import CounterMachine
from capax.formal.logic.foc.formula import FocFormula, FocLanguage
from capax.formal.logic.foc.normal import foc_normal_form
from capax.formal.logic.foc.text import parse_foc
from capax.theorems.languages.parts.logic.counters import counting_model, exact_length
from capax.theorems.languages.parts.logic.type_counts import exact_foc_length, type_counting_model
from tests.unit.formal.counters.test_machine import machines
from tests.unit.formal.logic.foc.test_formula import formulas

SHORT = [list(word) for word in words_up_to("ab", 6, least=1)]


@settings(max_examples=25, deadline=None)
@given(formulas((), (), 4))
def test_models_say_what_sentences_say(formula: FocFormula) -> None:
    """On all words of up to six symbols, in two number systems."""
    try:
        normal = foc_normal_form(FocLanguage(formula, ("a", "b")))
    except CapaxError as error:
        assume(error.code != "too-large")
        raise
    model = type_counting_model(normal)
    right = [normal.accepts(word) for word in SHORT]
    for numbers in ("float64", "float32"):
        assert [bool(answers[-1]) for answers in model.to(numbers).batch(SHORT)] == right


@settings(max_examples=25, deadline=None)
@given(machines())
def test_models_say_what_machines_say(machine: CounterMachine) -> None:
    """At every position of all words of up to six symbols."""
    lines = counting_model(machine).batch(SHORT)
    right = [[machine.fits(counters) for counters in machine.trace(word)[1:]] for word in SHORT]
    assert [[bool(answer) for answer in line] for line in lines] == right


@pytest.mark.parametrize(("text", "modulus"), [("#p[a(p)] = #p[b(p)]", 1), ("#p[a(p) & p % 12 = 5] = #p[b(p)]", 12)])
def test_long_words_in_single_precision(text: str, modulus: int) -> None:
    """Words as long as the bound allows, and at most 900: equal counts, and counts that differ by one."""
    normal = foc_normal_form(FocLanguage(parse_foc(text), ("a", "b")))
    assert normal.modulus == modulus
    length = min(900, exact_foc_length(normal, "float32"))
    assert length > 50
    model = type_counting_model(normal).to("float32")
    random = np.random.default_rng(1)
    words = []
    for more in (0, 1):
        fives = [i for i in range(length) if modulus == 1 or i % modulus == 5]
        pairs = len(fives) // 2
        word = ["a"] * length
        for i in random.permutation(fives)[: pairs + more]:
            word[int(i)] = "b"
        words.append(word)
    assert [bool(answers[-1]) for answers in model.batch(words)] == [normal.accepts(word) for word in words]


def test_the_bound_on_lengths_falls_with_the_numbers() -> None:
    """Larger updates and fewer bits make it shorter."""
    small, large = (CounterMachine(("a", "b"), ((step,), (-1,)), (("0",),)) for step in (1, 500))
    assert exact_length(small, "float64") > 100 * exact_length(large, "float64") > 10**9
    assert 1_000 < exact_length(small, "float32") < 10**6
