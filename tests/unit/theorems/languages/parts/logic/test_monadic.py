"""Models of sentences of FO[Mon]: with masks and without, at the greatest lengths, and where they end."""

import numpy as np
import pytest
from hypothesis import assume, given, settings

from capax.errors import CapaxError
from capax.formal.automata.dfa import words_up_to
from capax.formal.logic.fo.automaton import fo_automaton
from capax.formal.logic.fo.formula import FoFormula, FoLanguage
from capax.formal.logic.fo.text import parse_fo
from capax.formal.logic.fo.words import fo_words
from capax.theorems.languages.parts.logic.monadic import EXPONENT, longest_unmasked, monadic_model, ratio_bits, unmasked
from tests.unit.formal.logic.fo.test_formula import formulas

SHORT = [list(word) for word in words_up_to("ab", 6, least=1)]


@settings(max_examples=15, deadline=None)
@given(formulas((), 3))
def test_models_say_what_sentences_say(formula: FoFormula) -> None:
    """Both forms, on all words of up to six symbols."""
    language = FoLanguage(formula, ("a", "b"))
    dfa, finer = fo_automaton(language)
    assume(dfa.size < 40)
    masked = monadic_model(dfa, finer, "")
    right = [dfa.accepts(finer.word(word)) for word in SHORT]
    for model in (masked, unmasked(masked, 7)):
        assert [bool(answers[-1]) for answers in model.batch(SHORT)] == right
    heads = [head for block in unmasked(masked, 7).blocks for head in block.heads]
    assert {(head.mask, getattr(head, "attention", "")) for head in heads} <= {("none", "leftmost-hard")}


@pytest.mark.parametrize("numbers", ["float64", "float32"])
def test_without_masks_up_to_the_greatest_length(numbers: str) -> None:
    """Random words that are as long as numbers allow; one symbol more is refused."""
    text = "forall x. {isprime(x + 1)} & a(x) -> exists y. x < y & b(y) & {issquare(y)}"
    language = FoLanguage(parse_fo(text), ("a", "b"))
    dfa, finer = fo_automaton(language)
    most = longest_unmasked(numbers)
    assert ratio_bits(most) * most <= EXPONENT[numbers] < ratio_bits(most + 1) * (most + 1)
    assert 2 ** ratio_bits(most) >= 4 * (most + 2)
    masked = monadic_model(dfa, finer, text)
    model = unmasked(masked, most, numbers).to(numbers)
    words, random = fo_words(language, dfa, finer), np.random.default_rng(0)
    tried = [list(words.sample(random, most)) for _ in range(30)]
    right = [words.accepts(word) for word in tried]
    assert set(right) == {True, False}
    assert [bool(answers[-1]) for answers in model.batch(tried)] == right
    with pytest.raises(CapaxError, match=f"up to {most} symbols"):
        unmasked(masked, most + 1, numbers)
