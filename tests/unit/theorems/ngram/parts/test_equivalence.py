"""The check of weak equivalence."""

from dataclasses import replace

import numpy as np

from capax.formal.ngram.fit import random_ngram
from capax.formal.ngram.ngram import NGram
from capax.model.model import Model
from capax.theorems import theorem
from capax.theorems.ngram.ngram_layers import by_layers
from capax.theorems.ngram.parts.distance_heads import by_heads
from capax.theorems.ngram.parts.equivalence import longest_exhaustive, weak_equivalence
from capax.theorems.ngram.parts.one_head import by_one_head
from capax.theorems.ngram.parts.predictor import predictor


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


def test_many_symbols_are_checked_on_fewer_words() -> None:
    """All words of the order's length would be millions: shorter ones are tried, and the report says so."""
    language = random_ngram(3, 120, zeros=0.3, seed=0)
    assert longest_exhaustive(language, None) == 1
    assert longest_exhaustive(random_ngram(5, 4, zeros=0.3, seed=0), None) == 5
    report = theorem("ngram-heads").run(symbols=120, length=50).check
    assert report.holds, str(report)
    assert "up to 1 symbols" in report.parts[0].statement


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
