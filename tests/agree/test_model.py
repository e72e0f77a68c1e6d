"""The fast runtime of models against their definition: every kind, mask, sink, norm and number system."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from capax.model.numbers import Float, Integer, parse
from capax.model.parts import ATTENTION_KINDS, MASKS, AttentionKind, Mask
from capax.model.run import attention, run
from capax.model.run import third_order as pairs
from capax.model.run.reference import define
from tests.support.models import LETTERS, Draw, Shape, words

TABLE = ";-20:" + ",".join(str(1 + i * i // 4) for i in range(40))
SYSTEMS = (
    "float64",
    "float32",
    "float16",
    "bfloat16",
    "fixed:16.8",
    "fixed:8.3",
    "fixed:6.0",
    "fixed:18.15",
    "integer:8,10,8",
    "integer:12,10,6" + TABLE,
)

TOLERANCE = {"float64": 256, "float32": 256, "float16": 32, "bfloat16": 32}
"""Both runtimes of a float system may differ by this many unit roundoffs of the largest logit (or of 1)."""

HARD = ("average-hard", "leftmost-hard", "rightmost-hard")


def shape_for(numbers: str, kinds: tuple[AttentionKind, ...], masks: tuple[Mask, ...]) -> Shape:
    """What models may hold: integers alone in exact integers; in floats, exact sums before hard attention."""
    system = parse(numbers)
    if isinstance(system, Integer):
        return Shape(kinds, masks, norms=False, grain=1, reach=2, scales=(1.0, 2.0))
    if isinstance(system, Float) and set(kinds) & set(HARD):
        # One layer of integer weights: scores are small integers, whatever the order of summation, and ties are exact.
        return Shape(kinds, masks, norms=False, pairs=False, grain=1, most_layers=1, scales=(1.0, 2.0))
    # A norm with a small epsilon magnifies the error of floats without bound.
    epsilons = (0.125,) if isinstance(system, Float) else (1e-5, 0.125)
    return Shape(kinds, masks, activations=("relu", "gelu", "gelu-tanh"), epsilons=epsilons)


@pytest.mark.parametrize("numbers", SYSTEMS)
@pytest.mark.parametrize("kind", ATTENTION_KINDS)
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_the_runtime_agrees_with_the_definition(kind: AttentionKind, numbers: str, data: st.DataObject) -> None:
    mask = data.draw(st.sampled_from(MASKS))
    kinds = (kind,) if data.draw(st.booleans()) or isinstance(parse(numbers), Float) else ATTENTION_KINDS
    shape = shape_for(numbers, kinds, (mask,) if data.draw(st.booleans()) else MASKS)
    model = Draw(shape, data.draw(st.integers(0, 2**32 - 1))).model().to(numbers)
    batch = data.draw(st.lists(words(), min_size=1, max_size=2))
    for word, found in zip(batch, run.logits(model, batch), strict=True):
        assert agrees(numbers, np.array(define(model, word)), found)


def agrees(numbers: str, wanted: np.ndarray, found: np.ndarray, *, times: int = 1) -> bool:
    """Whether logits are equal: bit for bit in exact systems, up to so many times the tolerance in floats."""
    system = parse(numbers)
    if wanted.shape != found.shape or not np.isfinite(wanted).all():
        return False
    if not isinstance(system, Float):
        return bool((wanted == found).all())
    limit = times * TOLERANCE[system.name] * system.roundoff * max(1, np.abs(wanted).max())
    return bool(np.abs(wanted - found).max() <= limit)


@pytest.mark.parametrize("numbers", ["float32", "fixed:12.6", "integer:8,10,8"])
@pytest.mark.parametrize(("kind", "mask"), list(itertools.product(ATTENTION_KINDS, MASKS)))
def test_small_blocks_change_nothing(
    kind: AttentionKind, mask: Mask, numbers: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shape = replace(shape_for(numbers, (kind,), (mask,)), norms=False, pairs=True)
    rng = np.random.default_rng(5)
    some = ["".join(rng.choice(LETTERS, 7)) for _ in range(5)]
    for seed in range(6):
        model = Draw(shape, seed).model().to(numbers)
        whole = run.logits(model, some)
        with monkeypatch.context() as patch:
            patch.setattr(attention, "BLOCK_BYTES", 100)
            patch.setattr(attention, "MASKED_BLOCK", 3)
            patch.setattr(attention, "LEAST_SPLIT", 0)
            patch.setattr(pairs, "PAIR_BYTES", 150)
            patch.setattr(run, "SLICE_BYTES", 2000)
            for one, two in zip(whole, run.logits(model, some), strict=True):
                assert agrees(numbers, one.astype(float), two)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.lists(words(0, 6), max_size=6))
@example(0, [])
def test_a_batch_is_each_of_its_words(seed: int, batch: list[str]) -> None:
    model = replace(Draw(Shape(), seed).model().to("fixed:16.8"), min_length=0)
    for word, found in zip(batch, run.logits(model, batch), strict=True):
        assert (found == run.logits(model, [word])[0]).all()
        assert len(found) == len(word)
