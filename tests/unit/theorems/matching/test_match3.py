"""Match3: the third-order head, its margins, its shortcut for residues, and the moduli that numbers carry."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from capax import CapaxError
from capax.model.run.reference import define
from capax.tasks.match3 import TASK
from capax.theorems.matching.match3 import THEOREM, tensor
from capax.theorems.matching.parts.residues import shortcut
from capax.theorems.matching.tri_id import histogram
from tests.support.modulus_range import carries, reach


def attended(modulus: int, word: list[int]) -> np.ndarray:
    """The weight on matches of the third-order head, streamed over all pairs."""
    model = tensor(range(1, modulus + 1), modulus, 200)
    stream = np.asarray(model.run(word, trace=True)["resid_post"]).reshape(len(word) + 1, -1)
    return stream[1:, model.names.index("weight on matches")]


@pytest.mark.parametrize(("modulus", "length"), [(4, 9), (7, 30), (101, 90), (1009, 60)])
def test_the_shortcut_has_the_same_outputs(modulus: int, length: int) -> None:
    """The sums over residues are the sums over pairs, up to rounding."""
    model = tensor(range(1, modulus + 1), modulus, 200)
    for word in TASK.samples(4, length, seed=modulus, modulus=modulus):
        np.testing.assert_allclose(shortcut(model, word, modulus), attended(modulus, word), atol=1e-8)


@pytest.mark.parametrize(
    ("at", "code"),
    [({"dtype": "float32", "length": 129}, "bad-option"), ({"by": "streaming", "length": 100_000}, "too-large")],
)
def test_what_a_check_of_long_words_refuses(at: dict[str, Any], code: str) -> None:
    """Rounded scores do not depend on sums alone, and nobody waits for 10^15 scores."""
    with pytest.raises(CapaxError) as raised:
        THEOREM.run(**at)
    assert raised.value.code == code
    assert not THEOREM.broken(**at).holds


@given(st.integers(4, 30), st.data())
def test_the_margins_of_the_argument(modulus: int, data: st.DataObject) -> None:
    """The weight on matches is at most 1/6 without a match and at least 6/13 with one, as the proof says."""
    word = data.draw(st.lists(st.integers(1, modulus), min_size=1, max_size=8))
    for weight, answer in zip(attended(modulus, word), TASK.reference(word, modulus=modulus), strict=True):
        assert weight >= 6 / 13 if answer else weight <= 1 / 6


@given(st.lists(st.integers(1, 5), min_size=1, max_size=4))
def test_the_definition_agrees(word: list[int]) -> None:
    """The slow definition of the model answers the same, and so does the head that counts."""
    model = tensor(range(1, 6), 5, 4)
    right = TASK.reference(word, modulus=5)
    assert [round(row[0]) for row in define(model, word)] == model(word) == right
    assert histogram(range(1, 6), 5, 4, 2, 5)(word) == right


@pytest.mark.parametrize(("numbers", "largest"), [("float64", 10**7), ("float32", 1_000), ("float16", 20)])
def test_the_range_of_moduli(numbers: str, largest: int) -> None:
    """What the theorem's limits say holds with a little to spare, and fifty times more does not."""
    assert reach(lambda tokens, m: tensor(tokens, m, 30), TASK, 30, numbers, most=largest) == largest
    assert not carries(lambda tokens, m: tensor(tokens, m, 30), TASK, 50 * largest + 1, 30, numbers, samples=60)
