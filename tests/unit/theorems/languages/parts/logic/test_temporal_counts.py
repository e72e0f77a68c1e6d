"""Models of formulas of LTL + C[Mon]: their answers at every position, and the layers that they take."""

import pytest
from hypothesis import given, settings

from capax.formal.automata.dfa import words_up_to
from capax.formal.logic.ltlc.formula import LtlcFormula, LtlcLanguage, ltlc_lines
from capax.formal.logic.ltlc.text import parse_ltlc
from capax.theorems.languages.parts.logic.temporal_counts import LtlcBuilder, layer_of
from tests.unit.formal.logic.ltlc.test_formula import FORMULAS

SHORT = [list(word) for word in words_up_to("ab", 5, least=1)]


@settings(max_examples=40, deadline=None)
@given(FORMULAS)
def test_models_say_what_formulas_say(formula: LtlcFormula) -> None:
    """At every position of all words of up to five symbols, made for words of at most nine."""
    model = LtlcBuilder(LtlcLanguage(formula, ("a", "b")), 9).model()
    answers = [[bool(answer) for answer in line] for line in model.batch(SHORT)]
    assert answers == [ltlc_lines(formula, word) for word in SHORT]
    assert model.size.attention_layers <= layer_of(formula)[formula]


@pytest.mark.parametrize(
    ("text", "layers"),
    [("a & {i = 0}", 0), ("P (a & Y b)", 2), ("#<[a] > #[b]", 2), ("#[#<[a] > 1] > #>[P b]", 4), ("1 > 2", 0)],
)
def test_an_operator_takes_a_layer_and_a_count_two(text: str, layers: int) -> None:
    """As the theorem says."""
    formula = parse_ltlc(text)
    assert layer_of(formula)[formula] == layers
    assert LtlcBuilder(LtlcLanguage(formula, ("a", "b")), 5).model().size.attention_layers == layers
