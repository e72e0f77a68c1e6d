"""n-gram models as transformers, by every construction."""

from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from capax import CapaxError
from capax.formal.ngram.fit import fit, random_ngram
from capax.formal.ngram.ngram import NGram
from capax.model.model import Model
from capax.theorems.ngram.ngram_layers import by_layers
from capax.theorems.ngram.parts.distance_heads import by_heads
from capax.theorems.ngram.parts.equivalence import agreement_on, weak_equivalence
from capax.theorems.ngram.parts.one_head import by_one_head, fitted, product_rows
from capax.theorems.ngram.parts.predictor import marks, predictor

ATTENTIONS = ("hard", "sparsemax", "softmax")


def built(language: NGram, construction: str, attention: str, numbers: str, normaliser: str) -> Model:
    """The transformer by a construction."""
    match construction:
        case "heads":
            looking = by_heads(language, attention, numbers, "integer", 0)
        case "layers":
            looking = by_layers(language, attention, numbers)
        case _:
            looking = by_one_head(language, attention, numbers)
    return predictor(language, looking, numbers=numbers, normaliser=normaliser)


@settings(max_examples=60)
@given(
    st.sampled_from(("heads", "layers", "one")),
    st.sampled_from(ATTENTIONS),
    st.sampled_from(("float64", "float32")),
    st.sampled_from(("sparsemax", "softmax")),
    st.integers(2, 5),
    st.integers(1, 4),
    st.integers(0, 10**6),
)
@example("one", "softmax", "float32", "softmax", 6, 2, 0)
@example("one", "sparsemax", "float64", "sparsemax", 6, 2, 0)
@example("layers", "softmax", "float64", "softmax", 2, 2, 0)
def test_any_model_by_any_construction(
    construction: str, attention: str, numbers: str, normaliser: str, order: int, symbols: int, seed: int
) -> None:
    """Weakly equivalent: all short words and random longer ones, impossible ones included."""
    language = random_ngram(order, symbols, zeros=0.4, seed=seed)
    model = built(language, construction, attention, numbers, normaliser)
    report = weak_equivalence(model, language, length=100, seed=seed)
    assert report.holds, str(report)


def test_generation_with_kept_keys_is_the_language_model() -> None:
    """The likeliest symbols, token by token, are those of the table."""
    language = random_ngram(4, 3, zeros=0.3, seed=2)
    for attention in ATTENTIONS:
        model = built(language, "one", attention, "float64", "softmax")
        end = marks(language)[1]
        made = model.generate([], 40, stop=end)
        word: list[str] = []
        for token in made:
            best = int(language.conditionals(word)[-1].argmax())
            assert token == (*language.alphabet, end)[best]
            word.append(str(token))


def test_marks_are_no_symbols() -> None:
    """An alphabet that has the usual marks gets others."""
    language = fit([["<s>", "</s>", "x"]], 2)
    bos, eos = marks(language)
    assert not {bos, eos} & set(language.alphabet)
    model = fitted(language, attention="softmax", numbers="float64")
    assert model.generate([], 9, stop=eos) == ["<s>", "</s>", "x", eos]


@pytest.mark.parametrize("words", [[["the", "end"], ["end", "known"]], [[1, "1", "end"], ["'1'", 1, "i"]]])
@pytest.mark.parametrize("construction", ["heads", "layers", "one"])
def test_symbols_that_are_called_like_directions(words: list[list[str | int]], construction: str) -> None:
    """A word `end` is not the end, and 1 is not "1": each has a logit of its own."""
    language = fit(words, 3)
    model = built(language, construction, "hard", "float64", "softmax")
    assert agreement_on(model, language, words).holds
    assert not agreement_on(model, replace(language, table=language.table[:, ::-1]), words).holds


def test_words_beyond_the_exact_length_are_refused() -> None:
    """The product of four differences is exact to 32 rows in float32; a longer word is an error, not a wrong answer."""
    language = random_ngram(5, 2, zeros=0.3, seed=0)
    model = built(language, "one", "hard", "float32", "sparsemax")
    assert model.max_length == product_rows("float32", 4) - 4 == 27
    with pytest.raises(CapaxError) as raised:
        model("a" * 28)
    assert raised.value.code == "word-length"
