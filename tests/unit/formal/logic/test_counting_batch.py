"""Formulas on many words at once."""

import numpy as np
from hypothesis import given, settings

from capax.formal.automata.dfa import words_up_to
from capax.formal.logic.counting import Counting, counting_values
from capax.formal.logic.counting_batch import all_words, batch_values
from tests.support.counting_formulas import counting


@settings(max_examples=80, deadline=None)
@given(counting(atoms=True))
def test_a_batch_is_its_words(formula: Counting) -> None:
    """At every position, also of a marker."""
    words = np.array([[0, 1, 1, 0], [1, 1, 0, 2], [0, 0, 0, 0]])
    values = batch_values(formula, ("a", "b"), words)
    for row, word in zip(values, words, strict=True):
        assert list(row) == counting_values(formula, ["ab$"[k] for k in word])


def test_all_words_are_those_of_a_length() -> None:
    """In the order of the alphabet; one without letters."""
    for letters, n in ((2, 5), (3, 3), (1, 4), (2, 0)):
        words = np.concatenate(list(all_words(letters, n)))
        assert ["".join("abc"[a] for a in word) for word in words] == [
            "".join(word) for word in words_up_to("abc"[:letters], n, least=n)
        ]
