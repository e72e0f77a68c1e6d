"""Attention on arrays: the scores of hard heads, and queries whose scores overflow."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capax.errors import CapaxError
from capax.model.arithmetic.scalars import scalars
from capax.model.arithmetic.select import arithmetic
from capax.model.model import Model
from capax.model.parts import HARD_KINDS, Affine, Block, HardKind, Head, Mask, Readout, TensorHead
from capax.model.positions import Positions
from capax.model.run.attention import attend, hide, record_for, seen, spans, weights
from capax.model.run.cache import ArrayStore
from capax.model.run.lookup import KeyStore
from capax.model.vocabulary import Classes, Vocabulary

FLOATS = ("float64", "float32", "float16", "bfloat16")


def hard(numbers: str, kind: HardKind, q: np.ndarray, k: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The scores and weights (query, key) of a hard head without a mask."""
    a = arithmetic(numbers)
    q, k = (a.outside(x)[None, None] for x in (q, k))
    record = record_for(a, q.shape[:3], False)
    with np.errstate(all="ignore"):
        attend(a, kind, "none", q, k, np.zeros((*k.shape[:3], 1), a.dtype), None, np.zeros((*q.shape[:3], 1)), record)
    return record.scores[0, 0], record.pattern[0, 0]


@pytest.mark.parametrize("numbers", FLOATS)
@settings(max_examples=30, deadline=None)
@given(st.integers(1, 60), st.integers(0, 20), st.integers(0, 2**32 - 1))
def test_equal_keys_tie(numbers: str, n: int, k: int, seed: int) -> None:
    """Whatever their number and place, though scores are not exact; and scores are those of the definition."""
    random = np.random.default_rng(seed)
    kinds = random.normal(size=(3, k)) * 1.1
    which = random.integers(0, 3, n)
    queries = random.normal(size=(n, k))
    scores, weights = hard(numbers, "average-hard", queries, kinds[which])
    a, s = arithmetic(numbers), scalars(numbers)
    for i in range(n):
        wanted = [s.hard_score(a.outside(queries[i]).tolist(), a.outside(key).tolist()) for key in kinds]
        assert scores[i].tolist() == [wanted[j] for j in which]
        assert all(len(set(weights[i, which == kind])) <= 1 for kind in range(3))


@pytest.mark.parametrize("numbers", ["float64", "float32"])
@pytest.mark.parametrize("kind", HARD_KINDS)
@settings(max_examples=30, deadline=None)
@given(st.integers(1, 40), st.integers(0, 8), st.integers(0, 2**32 - 1))
def test_kept_keys_are_chosen_as_in_a_whole_run(numbers: str, kind: HardKind, n: int, k: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    a = arithmetic(numbers)
    # Keys that differ in the last bit: any other order of summation would choose others.
    keys = np.round(random.normal(size=(1, k)), 2) * (1 + random.integers(0, 3, (n, k)) * np.finfo(a.dtype).eps)
    keys, queries = a.outside(keys), a.outside(random.normal(size=(n, k)))
    if n > 2 and k:
        keys[1, 0], keys[2, 0] = np.inf, -np.inf
    _, weights = hard(numbers, kind, queries, keys)
    stores = [ArrayStore(a, kind, k, n), KeyStore(kind, k, n, numbers)]
    with np.errstate(all="ignore"):
        for store in stores:
            for j in range(n):
                store.append(keys[j], np.eye(n, dtype=a.dtype)[j])
            for i in range(n):
                assert store.attend(queries[i]).tolist() == weights[i].tolist()


def _overflowing(head: Head | TensorHead) -> Model:
    return Model(
        Vocabulary(("a",)),
        np.ones((1, 1)),
        Positions((), np.zeros((0, 1))),
        (Block((head,), np.zeros(1)),),
        Readout(Affine(np.ones((1, 1)), np.zeros(1))),
        Classes(("x",)),
        ("one",),
    )


def test_a_softmax_of_scores_that_all_overflow_is_no_answer() -> None:
    one, low = Affine(np.ones((1, 1)), np.zeros(1)), Affine(np.full((1, 1), -1000.0), np.zeros(1))
    for mask in ("none", "strict past", "strict future"):
        heads = (
            Head(one, low, one, np.ones((1, 1)), mask=mask, scale=100.0),  # type: ignore[arg-type]
            TensorHead(one, low, one, one, one, np.ones((1, 1)), mask=mask, scale=100.0),  # type: ignore[arg-type]
        )
        for head in heads:
            model = _overflowing(head)
            assert model("aa") == ["x", "x"]
            with pytest.raises(CapaxError, match="nan: a number was too large for float16"):
                model.to("float16")("aa")


@pytest.mark.parametrize("kind", HARD_KINDS)
def test_hard_heads_see_keys_whose_scores_overflow(kind: HardKind) -> None:
    """They tie, as in the definition; what is not seen stays so."""
    from capax.model.run.reference import define

    one, low = Affine(np.ones((1, 1)), np.zeros(1)), Affine(np.full((1, 1), -1000.0), np.zeros(1))
    model = _overflowing(Head(one, low, one, np.ones((1, 1)), kind, "strict past", scale=100.0)).to("float16")
    assert model.run("aaa").logits[0][:, 0].tolist() == [1, 2, 2] == [row[0] for row in define(model, "aaa")]


@pytest.mark.parametrize("kind", HARD_KINDS)
@pytest.mark.parametrize("numbers", [*FLOATS, "fixed:16.8"])
def test_no_key_has_weight_where_none_is_seen(kind: HardKind, numbers: str) -> None:
    """Whatever marks keys that are not seen, a row of them gives weight to none.

    In a run such rows are the one that a strict mask makes, which is known beforehand: scores of hard heads that
    overflow stay above the mark.
    """
    a = arithmetic(numbers)
    s = np.array([[a.unseen] * 3, [0, a.unseen, 0]], a.dtype)
    w, _, _ = weights(a, kind, s, None)
    assert w[0].tolist() == [0, 0, 0]
    assert w[1].tolist() == {"average-hard": [1, 0, 1], "leftmost-hard": [1, 0, 0], "rightmost-hard": [0, 0, 1]}[kind]


@pytest.mark.parametrize("mask", ["none", "causal", "strict past", "future", "strict future"])
@pytest.mark.parametrize(("n", "block"), [(1, 1), (1, 4), (5, 1), (5, 2), (6, 3), (7, 9)])
def test_blocks_hold_the_keys_that_are_seen(mask: Mask, n: int, block: int) -> None:
    """Each query is in one block, each key of a block is seen by some query of it, and `hide` leaves what is seen."""
    a = arithmetic("float64")
    found = np.zeros((n, n))
    for span in spans(mask, n, block):
        s = np.ones((span.stop - span.start, span.high - span.low))
        hide(a, s, mask, span)
        assert (s == 1).any(axis=0).all()
        found[span.queries, span.keys] += s == 1
    assert np.array_equal(found, seen(mask, np.arange(n), np.arange(n)))


@pytest.mark.parametrize("kind", ["softmax", "average-hard", "leftmost-hard", "rightmost-hard", "sparsemax"])
@pytest.mark.parametrize("numbers", ["float32", "float64", "fixed:16.8"])
@pytest.mark.parametrize("sink", [False, True])
def test_queries_without_features_have_one_mean(kind: Any, numbers: str, sink: bool) -> None:
    """That of a query by itself, and that of queries whose features are zero."""
    a = arithmetic(numbers)
    values = a.outside(np.random.default_rng(0).integers(-4, 4, (2, 3, 5, 2)) / 2)
    none, zeros = np.zeros((2, 3, 5, 0), a.dtype), np.zeros((2, 3, 5, 1), a.dtype)
    row = a.outside(np.array([[0.5, -1.0]] * 3))
    outputs = []
    for q in (none, zeros):
        out = np.empty_like(values)
        own = (np.zeros((3, q.shape[-1]), a.dtype), row) if sink else None
        attend(a, kind, "none", q, q, values, own, out)
        outputs.append(out)
    assert np.allclose(outputs[0], outputs[1], rtol=1e-6)  # a product of one row may be rounded otherwise
    assert (outputs[0] == outputs[0][:, :, :1]).all()
