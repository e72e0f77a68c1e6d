"""n-gram models: probabilities, counts, sampling and tightness, against plain definitions."""

import math
from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from capax import CapaxError
from capax.formal.ngram import fit as ngram_fit
from capax.formal.ngram.fit import fit, from_table, random_ngram
from capax.formal.ngram.ngram import NGram, legal_count, legal_histories
from capax.formal.ngram.texts import text, text_names
from capax.formal.ngram.tight import tightness

WORDS = st.lists(st.text(alphabet="abc", max_size=6), min_size=1, max_size=8)


def ended_within(model: NGram, longest: int) -> float:
    """The total probability of all words of at most that many symbols."""
    k = model.order - 1
    weights: dict[tuple[int, ...], float] = {(model.bos,) * k: 1.0}
    ended = 0.0
    for _ in range(longest + 1):
        following: dict[tuple[int, ...], float] = {}
        for history, weight in weights.items():
            row = model.next(history) * weight
            ended += float(row[model.bos])
            for symbol in np.flatnonzero(row[: model.bos]):
                after = (*history, int(symbol))[1:] if k else ()
                following[after] = following.get(after, 0.0) + float(row[symbol])
        weights = following
    return ended


def plain_probability(words: list[str], order: int, smooth: float, alphabet: list[str], word: str) -> float:
    """p(word) by counting anew for every symbol."""
    value, k = 1.0, order - 1
    padded = ["^"] * k + list(word) + ["$"]
    for t in range(k, len(padded)):
        history = padded[t - k : t]
        follow = Counter(
            one[u]
            for other in words
            for one in [["^"] * k + list(other) + ["$"]]
            for u in range(k, len(one))
            if one[u - k : u] == history
        )
        total = sum(follow.values())
        size = len(alphabet) + 1
        value *= (follow[padded[t]] + smooth) / (total + smooth * size) if total else 1 / size
    return value


@given(WORDS, st.integers(1, 4), st.sampled_from([0.0, 0.5, 1.0]), st.text(alphabet="abc", max_size=5))
def test_fit_counts(words: list[str], order: int, smooth: float, word: str) -> None:
    """The probability of any word is that of the definition, unseen histories and zeros included."""
    model = fit(words, order, smooth=smooth, alphabet="abc")
    right = plain_probability(words, order, smooth, list("abc"), word)
    assert model.probability(word) == pytest.approx(right, rel=1e-9, abs=0)


@given(st.integers(1, 3), st.integers(1, 3), st.integers(0, 99))
def test_random_models(order: int, symbols: int, seed: int) -> None:
    """Every history has a row; all words of a length, with those that ended before, have probability 1 or less."""
    model = random_ngram(order, symbols, zeros=0.4, seed=seed)
    assert len(model.histories) == legal_count(symbols, order - 1)
    words = [w for n in range(4) for w in product(model.alphabet, repeat=n)]
    total = math.fsum(model.probability(w) for w in words)
    assert total == pytest.approx(ended_within(model, 3), abs=1e-12)
    assert total <= 1 + 1e-12


def test_legal_histories() -> None:
    """Padding stands first, and each history stands once."""
    found = legal_histories(2, 2).tolist()
    assert found == [[2, 2], [2, 0], [2, 1], [0, 0], [0, 1], [1, 0], [1, 1]]


@settings(max_examples=30)
@given(st.integers(1, 3), st.integers(1, 3), st.integers(0, 500))
def test_tightness_is_what_long_words_show(order: int, symbols: int, seed: int) -> None:
    """A tight model ends; one that is not keeps a part of its probability for ever."""
    model = random_ngram(order, symbols, zeros=0.8, seed=seed)
    ended = ended_within(model, 3000)
    if tightness(model).holds:
        assert ended == pytest.approx(1, abs=1e-6)
    else:
        assert ended < 1 - 1e-9


def test_a_model_that_is_not_tight() -> None:
    """It can come to a history from which no end can be reached, and the report shows it."""
    model = from_table(2, "ab", {(None,): {"a": 0.5, None: 0.5}, ("a",): {"b": 1}, ("b",): {"a": 0.5, "b": 0.5}})
    report = tightness(model)
    assert not report.holds
    assert report.evidence == "exact"
    assert report.counterexample["history"] in (["a"], ["b"])
    assert ended_within(model, 100) == 0.5


def test_histories_that_cannot_occur_do_not_count() -> None:
    """A history without an end that is never reached takes nothing."""
    rows = {(None,): {"a": 0.5, None: 0.5}, ("a",): {"a": 0.5, None: 0.5}, ("b",): {"b": 1.0}}
    assert tightness(from_table(2, "ab", rows)).holds


def test_samples_follow_the_probabilities() -> None:
    """Frequencies of short words are near their probabilities, and the seed decides."""
    model = random_ngram(2, 2, zeros=0.0, seed=3)
    random = np.random.default_rng(0)
    counts = Counter("".join(map(str, model.sample(random, 50))) for _ in range(4000))
    for word in ("", "a", "b"):
        assert counts[word] / 4000 == pytest.approx(model.probability(word), abs=0.03)
    again = random_ngram(2, 2, zeros=0.0, seed=3)
    draws = [m.sample(np.random.default_rng(5), 50) for m in (model, again)]
    assert draws[0] == draws[1]


def test_perplexity_of_known_models() -> None:
    """Of a uniform model it is the number of outcomes; of an impossible word it is infinite."""
    uniform = random_ngram(1, 3, zeros=0.0, seed=0)
    uniform = NGram(1, uniform.alphabet, uniform.histories, np.full((1, 4), 0.25))
    assert uniform.perplexity(["abc", "a"]) == pytest.approx(4)
    strict = from_table(1, "ab", {(): {"a": 0.5, None: 0.5}})
    assert strict.perplexity(["ab"]) == math.inf
    assert strict.probability("b") == 0


@pytest.mark.parametrize(
    "make",
    [
        lambda: from_table(2, "ab", {(None,): {"a": 0.5}}, rest={None: 1.0}),
        lambda: from_table(2, "ab", {(None,): {"a": 1.5, "b": -0.5}}, rest={None: 1.0}),
        lambda: from_table(2, "ab", {(None,): {"a": 1.0}}),
        lambda: from_table(2, "ab", {("a", "b"): {"a": 1.0}}, rest={None: 1.0}),
        lambda: from_table(2, "aa", {(None,): {"a": 1.0}}, rest={None: 1.0}),
        lambda: from_table(2, "ab", {(None,): {"c": 1.0}}, rest={None: 1.0}),
        lambda: from_table(0, "ab", {}, rest={None: 1.0}),
        lambda: fit([], 2),
        lambda: fit([""], 2),
        lambda: fit(["a"], 2, smooth=-1),
        lambda: fit(["a"], 0),
    ],
)
def test_what_is_no_model_is_refused(make: object) -> None:
    """With a code and a reason."""
    assert callable(make)
    with pytest.raises(CapaxError) as raised:
        make()
    assert raised.value.code == "bad-ngram"


def test_large_tables_are_refused() -> None:
    """Before memory runs out."""
    with pytest.raises(CapaxError, match="histories"):
        random_ngram(6, 200, zeros=0.0, seed=0)


def test_the_sonnets_have_fourteen_lines() -> None:
    """The sonnets are there: fourteen lines each."""
    assert text_names() == ("sonnets",)
    poems = text("sonnets").strip().split("\n\n")
    assert {len(poem.split("\n")) for poem in poems} == {14}
    assert text("sonnets").startswith("From fairest creatures we desire increase,\n")
    assert text("sonnets").isascii()


@given(st.lists(st.text("abc", max_size=30), min_size=1), st.integers(1, 6), st.integers(1, 20))
def test_counting_in_parts(words: list[str], order: int, chunk: int) -> None:
    """The same counts, in the same order, as one symbol after the other gives."""
    assume(any(words))
    found: dict[tuple[int, ...], Counter[int]] = {}
    symbols = sorted(set("".join(words)))
    for word in words:
        ids = [len(symbols)] * (order - 1) + [symbols.index(x) for x in word] + [len(symbols)]
        for t in range(order - 1, len(ids)):
            found.setdefault(tuple(ids[t - order + 1 : t]), Counter())[ids[t]] += 1
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ngram_fit, "CHUNK", chunk)
        counts = ngram_fit.counted(words, order)
    assert list(counts.after.items()) == list(found.items())
    model = counts.model(0.5)
    assert counts.perplexity(model) == pytest.approx(model.perplexity(words))
