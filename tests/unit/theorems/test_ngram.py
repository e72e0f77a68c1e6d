"""n-gram models as transformers: any model, any construction; where encodings of positions fail; space."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from capax import CapaxError
from capax.formal.ngram.fit import fit, random_ngram
from capax.formal.ngram.ngram import NGram
from capax.model.model import Model
from capax.theorems import theorem
from capax.theorems.ngram.parts.equivalence import agreement_on, distributions, longest_exhaustive, weak_equivalence
from capax.theorems.ngram.parts.fitted import fitted
from capax.theorems.ngram.parts.heads import by_heads, integer_rows
from capax.theorems.ngram.parts.layers import by_layers
from capax.theorems.ngram.parts.one_head import by_one_head, product_rows, sparse_slope
from capax.theorems.ngram.parts.predictor import marks, predictor
from capax.theorems.ngram.parts.space import first_wrong, score_bits

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


@settings(max_examples=40)
@given(
    st.lists(st.text(alphabet="abcdefgh", max_size=8), min_size=1, max_size=6).filter(any),
    st.integers(2, 5),
    st.sampled_from([0.0, 0.5]),
    st.sampled_from(ATTENTIONS),
    st.text(alphabet="abcdefgh", max_size=9),
)
def test_fitted_models(words: list[str], order: int, smooth: float, attention: str, word: str) -> None:
    """A table that lacks histories: the transformer says the rest after them, as the n-gram model does."""
    language = fit(words, order, smooth=smooth, alphabet="abcdefgh")
    model = fitted(language, attention=attention, numbers="float64")
    got = distributions(model, np.array([language.numbers(word)], dtype=np.int64))[0]
    right = language.conditionals(word)
    np.testing.assert_allclose(got, right, atol=1e-10)
    np.testing.assert_array_equal(got == 0, right == 0)


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


@pytest.mark.parametrize("numbers", ["float64", "float32"])
@pytest.mark.parametrize("k", [1, 2, 3, 4, 5, 6, 7])
def test_the_stated_length_of_the_product(numbers: str, k: int) -> None:
    """(2 T)^k is below the integers of the system, and the next T's is not."""
    most = product_rows(numbers, k)
    limit = {"float64": 2**53, "float32": 2**24}[numbers]
    assert (2 * most) ** k < limit <= (2 * most + 2) ** k


def test_where_position_encodings_first_fail() -> None:
    """Measured, not stated: the paper's encoding early, integers not before the stated limit."""
    assert first_wrong("sqrt", "float32", 1000) == 104
    assert first_wrong("sqrt", "float64", 100_000) == 77_779
    wrong = first_wrong("integer", "float32", 20_000)
    assert wrong is not None
    assert wrong >= integer_rows("float32")
    top = integer_rows("float64")
    assert first_wrong("integer", "float64", top, start=top - 2000) is None
    assert first_wrong("integer", "float64", 4 * top, start=4 * top - 2000) is not None
    for order in (3, 4, 5):
        wrong = first_wrong("product", "float32", 10_000, order=order)
        assert wrong is not None
        assert wrong >= product_rows("float32", order - 1)


def test_many_symbols_are_checked_on_fewer_words() -> None:
    """All words of the order's length would be millions: shorter ones are tried, and the report says so."""
    language = random_ngram(3, 120, zeros=0.3, seed=0)
    assert longest_exhaustive(language, None) == 1
    assert longest_exhaustive(random_ngram(5, 4, zeros=0.3, seed=0), None) == 5
    report = theorem("ngram-heads").run(symbols=120, length=50).check
    assert report.holds, str(report)
    assert "up to 1 symbols" in report.parts[0].statement


def test_slopes_of_sparsemax() -> None:
    """In the interval in which exactly the last k rows have weight."""
    for k in range(2, 12):
        assert 2 / (k * (k + 1)) <= sparse_slope(k) < 2 / (k * (k - 1))


def test_space_grows_as_the_logarithm_of_the_length() -> None:
    """Twice the length costs 1 bit by one soft head, 2 by integers, 3 by the paper's encoding, k by the product."""
    for encoding, bits in (("softmax", 1), ("sparsemax", 1), ("integer", 2), ("sqrt", 3), ("product", 4)):
        more = score_bits(encoding, 5, 2**20 - 4) - score_bits(encoding, 5, 2**19 - 4)
        assert more == pytest.approx(bits)


def test_another_model_is_not_equivalent() -> None:
    """The check sees one changed probability, and a zero that is only nearly one."""
    language = random_ngram(3, 2, zeros=0.4, seed=1)
    model = built(language, "one", "softmax", "float64", "softmax")
    table = language.table.copy()
    row = int((table > 0).sum(axis=1).argmax())
    one, two = np.flatnonzero(table[row])[:2]
    table[row, one] += table[row, two] / 1e6
    table[row, two] -= table[row, two] / 1e6
    assert not weak_equivalence(model, replace(language, table=table), length=50, seed=0).holds
    free = np.flatnonzero(table.min(axis=1) == 0)[0]
    table = language.table.copy()
    table[free, table[free].argmin()] = 1e-14
    assert not weak_equivalence(model, replace(language, table=table), length=50, seed=0).holds
