"""The words that exports are tried on, and what counts as the same answer."""

import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from capax.errors import CapaxError
from capax.model.export.export_check import alphabet, check, random_words, short_words
from capax.model.export.rare_words import rare_words
from capax.model.export.target import ExportOutput, Word
from capax.model.model import Model
from capax.model.provenance import Provenance, RecordedDomain
from capax.model.run.run import logits as logits_of
from capax.model.vocabulary import Classes, Numbers
from tests.support.exported import compiled, model
from tests.support.models import Shape, with_heads


def shifted(found: Model, by: float) -> object:
    """A runner that gives a model's answers from logits that are off by so much."""

    def run(words: list[Word]) -> list[ExportOutput]:
        return [ExportOutput(found.decoding.decode(x + by), x + by) for x in logits_of(found, words)]

    return run


def test_all_short_words_and_random_long_ones() -> None:
    """As many as asked for, within the lengths that the model reads, the same for the same seed."""
    found = model("reverse")
    short, length = short_words(found, 100)
    assert (len(short), length) == (84, 3)
    assert len(set(short)) == 84
    long = random_words(found, 50, 1)
    assert (len(long), max(map(len, long)), min(map(len, long))) == (50, 9, 1)
    assert long == random_words(found, 50, 1) != random_words(found, 50, 2)


def test_words_have_no_token_that_the_domain_lacks() -> None:
    """A token that only stands before words is none of theirs."""
    found = model("reverse")
    assert alphabet(found) == tuple("abcd")
    fewer = replace(found, provenance=Provenance(domain=RecordedDomain(("a", "b"), None)))
    assert {t for word in random_words(fewer, 50, 1) for t in word} == {"a", "b"}


def test_lengths_without_a_bound() -> None:
    """A model that reads words of any length is tried on some; a table bounds them."""
    found = with_heads(Shape(table=False))
    assert max(map(len, random_words(found, 50, 0))) == 24
    tabled = next(m for m in (with_heads(Shape(functions=(), pair_share=p / 10)) for p in range(10)) if m.positions.table is not None)  # fmt: skip  # noqa: E501
    assert max(map(len, random_words(tabled, 50, 0))) == 12 - len(tabled.prefix)


def test_answers_are_those_of_the_model_before_it_was_changed() -> None:
    """An export of a changed model that has other answers than the first one is no export of that."""
    changed, runner = model("reverse"), shifted(model("reverse"), 0.0)
    assert check(changed, runner, words=50, first=compiled("reverse", "abcd", 9, target="plain")).holds  # type: ignore[arg-type]
    other = compiled("answer = sort(tokens, tokens);", "abcd", 9)
    with pytest.raises(CapaxError) as caught:
        check(changed, runner, words=50, first=other)  # type: ignore[arg-type]
    assert caught.value.code == "export-differs"
    assert caught.value.data["expected"] == other(caught.value.data["word"])


def test_the_difference_is_reported() -> None:
    """The greatest of any logit; answers that stay the same are right."""
    report = check(model("reverse"), shifted(model("reverse"), 0.125), words=50)  # type: ignore[arg-type]
    assert report.figures["difference"] == 0.125
    assert report.evidence == "sampled"
    assert [part.evidence for part in report.parts] == ["exhaustive", "sampled"]


def test_numbers_may_differ_by_rounding_only() -> None:
    """An answer that is a number itself is compared up to rounding; others are compared with their types."""
    base = with_heads(Shape(decoding=("x",)))
    numbers = replace(base, decoding=Numbers())
    assert check(numbers, shifted(numbers, 1e-13), words=10)  # type: ignore[arg-type]
    with pytest.raises(CapaxError, match="on the word 'a'"):
        check(numbers, shifted(numbers, 1e-3), words=10)  # type: ignore[arg-type]
    ones, trues = replace(base, decoding=Classes((1,))), replace(base, decoding=Classes((True,)))
    with pytest.raises(CapaxError, match="True"):
        check(ones, shifted(trues, 0.0), words=10)  # type: ignore[arg-type]


def test_what_is_not_a_number_differs() -> None:
    """A NaN on one side alone is an infinite difference."""
    found = replace(with_heads(Shape(decoding=("x",))), decoding=Classes(("x",)))

    def run(words: list[Word]) -> list[ExportOutput]:
        return [ExportOutput(["x"] * len(w), np.full((len(w), 1), np.nan)) for w in words]

    assert check(found, run, words=5).figures["difference"] == np.inf  # type: ignore[arg-type]


@given(st.lists(st.integers(1, 9), max_size=5), st.integers(0, 99), st.sampled_from(["reverse", "causal induction"]))
def test_rare_words_have_the_lengths_and_tokens_asked_for(lengths: list[int], seed: int, name: str) -> None:
    """And are the same for the same source."""
    found = model(name)
    tokens = alphabet(found)
    words = rare_words(found, tokens, lengths, random.Random(seed))
    assert [len(word) for word in words] == lengths
    assert {token for word in words for token in word} <= set(tokens)
    assert words == rare_words(found, tokens, lengths, random.Random(seed))


def test_answers_that_random_words_hardly_have_are_tried() -> None:
    """One word of brackets in ten thousand is balanced; an export that is wrong on those alone is found out."""
    found = compiled("dyck2_ptf", "(){}", 16)

    def run(words: list[Word]) -> list[ExportOutput]:
        outputs = [ExportOutput(found.decoding.decode(x), x) for x in logits_of(found, words)]
        return [
            ExportOutput(["F"] * len(o.answers), o.logits) if len(o.answers) > 9 and o.answers[-1] == "T" else o
            for o in outputs
        ]

    with pytest.raises(CapaxError) as caught:
        check(found, run, words=300)  # type: ignore[arg-type]
    assert caught.value.code == "export-differs"
    assert caught.value.data["expected"][-1] == "T"
