"""Dyck-k on deep brackets, and the lengths that are refused."""

from collections.abc import Sequence

import numpy as np
import pytest

from capax import theorems
from capax.errors import CapaxError
from capax.formal.languages.brackets import brackets, dyck, shuffle_dyck


def nested(k: int, depth: int) -> tuple[str, ...]:
    """Brackets of alternating kinds, `depth` of them inside each other."""
    pairs = brackets(k)
    kinds = [at % k for at in range(depth)]
    return (*(pairs[kind][0] for kind in kinds), *(pairs[kind][1] for kind in reversed(kinds)))


def changes(word: Sequence[str], alphabet: Sequence[str], count: int) -> list[tuple[str, ...]]:
    """The word, and some words with one symbol changed or two neighbours exchanged."""
    random = np.random.default_rng(1)
    words = [tuple(word)]
    for _ in range(count):
        at = int(random.integers(len(word) - 1))
        words.append((*word[:at], alphabet[int(random.integers(len(alphabet)))], *word[at + 1 :]))
        words.append((*word[:at], word[at + 1], word[at], *word[at + 2 :]))
    return words


@pytest.mark.parametrize("attention", ["hard", "softmax"])
@pytest.mark.parametrize(("numbers", "depth"), [("float64", 400), ("float32", 400)])
def test_deep_brackets(attention: str, numbers: str, depth: int) -> None:
    """Words of Dyck-3 and Shuffle-Dyck-3 whose height goes up to a half of their length, and words near them."""
    word = nested(3, depth)
    for name, thing in (("dyck", dyck(3)), ("shuffle-dyck", shuffle_dyck(3))):
        model = theorems.theorem(name).build(k=3, attention=attention, length=len(word), dtype=numbers)
        words = changes(word, thing.alphabet, 8)
        assert [answers[-1] for answers in model.batch(words)] == [thing.accepts(word) for word in words]


@pytest.mark.parametrize("name", ["dyck", "modular-counters", "log-depth"])
def test_lengths_beyond_the_numbers_are_refused(name: str) -> None:
    """Rather than a model that confuses places."""
    with pytest.raises(CapaxError) as raised:
        theorems.theorem(name).run(length=5_000, dtype="float32")
    assert raised.value.code == "bad-option"
