"""Generation with looked-up keys gives what whole runs give."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from capax.model.arithmetic.select import arithmetic
from capax.model.parts import HARD_KINDS, Affine, HardKind, Head
from capax.model.run.cache import ArrayStore, Cache
from capax.model.run.generate import generate
from capax.model.run.lookup import KeyStore
from capax.model.run.lookup import forest as forest_module
from capax.model.run.lookup import key_store as store
from capax.model.run.lookup.key_store import MOST_DIMENSIONS, lookup_store
from capax.model.run.run import logits, run_rows
from tests.support.models import LETTERS, Draw, Shape, words


@pytest.fixture(autouse=True)
def small_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lookups from the first key on, in a forest that grows all its parts on few keys."""
    monkeypatch.setattr(store, "PLAIN", 0)
    monkeypatch.setattr(store, "MANY", 2)
    monkeypatch.setattr(forest_module, "LEAF", 2)
    monkeypatch.setattr(forest_module, "FLAT", 4)


def shape(kind: HardKind) -> Shape:
    """One layer of integer weights: scores are small integers, and ties are exact in every number system."""
    return Shape(
        (kind,),
        ("causal", "strict past"),
        norms=False,
        pairs=False,
        grain=1,
        most_layers=1,
        scales=(1.0, 2.0),
        decoding=LETTERS,
        table=False,
    )


@pytest.mark.parametrize("kind", HARD_KINDS)
@pytest.mark.parametrize("numbers", ["float64", "float32", "integer:8,10,8"])
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_looked_up_keys_give_the_whole_run(kind: HardKind, numbers: str, data: st.DataObject) -> None:
    model = Draw(shape(kind), data.draw(st.integers(0, 2**32 - 1))).model().to(numbers)
    rows = model.read(data.draw(words(20, 60)))
    found = Cache(model, lookup_store).feed(rows)
    whole = run_rows(model, np.array([rows]))[0]
    # a mean over several keys is rounded otherwise in a matrix product
    tolerance = {"float64": 1e-13, "float32": 1e-4}.get(numbers, 0) * max(1.0, float(np.abs(whole).max()))
    assert np.abs(whole - found).max() <= tolerance


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 2**32 - 1), words(1, 5), st.sampled_from(HARD_KINDS))
def test_generation_looks_keys_up(seed: int, prompt: str, kind: HardKind) -> None:
    numbers = "integer:8,10,8"
    model = Draw(shape(kind), seed).model().to(numbers)
    word = list(prompt)
    for _ in range(12):
        word.append(LETTERS[int(np.argmax(logits(model, [word])[0][-1]))])
    assert generate(model, prompt, 12) == word[len(prompt) :]


def test_who_gets_a_lookup() -> None:
    def made(kind: str, k: int, numbers: str) -> type:
        maps = Affine(np.zeros((1, k)), np.zeros(k)), Affine(np.zeros((1, k)), np.zeros(k))
        head = Head(*maps, Affine(np.zeros((1, 1)), np.zeros(1)), np.zeros((1, 1)), attention=kind)  # type: ignore[arg-type]
        return type(lookup_store(head, arithmetic(numbers)))

    assert made("average-hard", 2, "float64") is made("leftmost-hard", 0, "float32") is KeyStore
    assert made("rightmost-hard", MOST_DIMENSIONS, "integer:8,10,8") is KeyStore
    assert made("softmax", 2, "float64") is made("rightmost-hard", 2, "bfloat16") is ArrayStore
    assert made("rightmost-hard", 2, "fixed:16.8") is made("average-hard", 9, "float64") is ArrayStore
