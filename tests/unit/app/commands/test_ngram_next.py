"""`capax ngram next` and `capax ngram score --prefix`."""

import math
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capax.app.commands._ngram_next import next_symbol
from capax.formal.ngram.fit import fit
from capax.theorems.ngram.parts.one_head import fitted
from tests.unit.app.outcome import Capax

END = "</s>"


@given(st.lists(st.text("ab", max_size=4), min_size=1, max_size=5), st.text("ab", max_size=3), st.integers(2, 3))
@settings(max_examples=25, deadline=None)
def test_the_law_is_that_of_the_counts(words: list[str], text: str, order: int) -> None:
    """The definition: what words begin with the text, by all words of up to 9 symbols; and quotients of prefixes."""
    language = fit(words, order, alphabet="ab")
    model = fitted(language, attention="softmax", numbers="float64", split="chars", smooth=0.0, corpus="")
    record = model.provenance.ngram
    assert record is not None
    law = next_symbol(model, record, text, top=3, counts=lambda _: language)
    assert law.agrees
    assert sum(row.probability for row in law.rows) == pytest.approx(1)
    prefix = math.exp(law.log_prefix)
    every = ["".join(word) for n in range(10) for word in product("ab", repeat=n)]
    below = math.fsum(language.probability(word) for word in every if word.startswith(text))
    rest = 1 - math.fsum(language.probability(word) for word in every)
    assert below - 1e-9 <= prefix <= below + rest + 1e-9
    for row in law.rows:
        longer = language.probability(text) if row.symbol == END else None
        if longer is None:
            longer = math.exp(next_symbol(model, record, text + row.symbol, top=3, counts=None).log_prefix)
        assert prefix * row.probability == pytest.approx(longer)


@pytest.fixture
def model(capax: Capax) -> str:
    """A model of three words."""
    with open("ab.txt", "w") as file:
        file.write("abab\nabba\nb\n")
    assert capax("ngram", "fit", "ab.txt", "-n", "2", "-o", "lm.safetensors", "--dtype", "float64").code == 0
    return "lm.safetensors"


def test_what_follows(capax: Capax, model: str) -> None:
    """A table, the likeliest first, the end among them; as JSON whole."""
    done = capax("ngram", "next", model, "ab", "--corpus", "ab.txt")
    assert done.code == 0
    assert [line.split()[0] for line in done.out.splitlines()[2:5]] == ["a", END, "b"]
    assert "the model is what the counts say" in done.out
    told = capax("ngram", "next", model, "ab", "--json").json
    assert [row["p"] for row in told["next"]] == pytest.approx([0.4, 0.4, 0.2])
    assert told["log_prefix"] == pytest.approx(math.log(2 / 3 * 3 / 4))
    assert "and 1 symbol more with 0.600000 together" not in capax("ngram", "next", model, "ab", "--top", "1").out
    assert "and 2 symbols more with 0.600000 together" in capax("ngram", "next", model, "ab", "--top", "1").out
    assert "1 symbol with probability 0" in capax("ngram", "next", model, "").out


def test_a_text_that_cannot_be(capax: Capax, model: str) -> None:
    """No quotient says what follows it: the answer is no."""
    done = capax("ngram", "next", model, "aa")
    assert (done.code, "no word begins with it" in done.out) == (1, True)


def test_counts_that_differ(capax: Capax, model: str) -> None:
    """Of another corpus with the same symbols: exit code 1. With other symbols: an error."""
    with open("other.txt", "w") as file:
        file.write("ab\nbbb\n")
    done = capax("ngram", "next", model, "ab", "--corpus", "other.txt")
    assert (done.code, "DIFFERS" in done.out) == (1, True)
    with open("third.txt", "w") as file:
        file.write("abc\n")
    assert capax("ngram", "next", model, "ab", "--corpus", "third.txt").err.startswith("error[bad-ngram]")


@pytest.mark.parametrize("args", [("x",), ("ab", "--top", "0"), ("ab", "--corpus", "none.txt")])
def test_wrong_arguments(capax: Capax, model: str, args: tuple[str, ...]) -> None:
    assert capax("ngram", "next", model, *args).code == 2


def test_a_file_that_is_given_as_a_text(capax: Capax, model: str) -> None:
    """Its name is not scored without a word about `--file`."""
    with open("corpus.txt", "w") as file:
        file.write("ab\n")
    assert "--file corpus.txt" in capax("ngram", "score", model, "corpus.txt").err
    assert capax("ngram", "score", model, "--file", "corpus.txt").code == 0


def test_the_probability_of_a_prefix(capax: Capax, model: str) -> None:
    """Without the end of the word, and never less than with it."""
    prefix = capax("ngram", "score", model, "aba", "--prefix", "--json").json
    whole = capax("ngram", "score", model, "aba", "--json").json
    assert prefix["log_probability"] == pytest.approx(math.log(2 / 3 * 3 / 4 * 2 / 5))
    assert (prefix["tokens"], whole["tokens"]) == (3, 4)
    assert whole["log_probability"] == pytest.approx(prefix["log_probability"] + math.log(1 / 4))


def test_every_word_begins_with_nothing(capax: Capax, model: str) -> None:
    """The empty prefix has probability 1; the empty word is still no text to score."""
    done = capax("ngram", "score", model, "", "--prefix", "--json")
    assert done.code == 0
    assert (done.json["log_probability"], done.json["tokens"], done.json["perplexity"]) == (0.0, 0, 1.0)
    assert capax("ngram", "score", model, "").code == 2
