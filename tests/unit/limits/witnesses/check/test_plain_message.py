"""The plain sums of the second look, by hand: clipping, weights, masks, ties, sinks, and the order of all steps."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from capax.limits.witnesses.check import plain_message as plain
from capax.limits.witnesses.models.random_layers import ToyShape, random_model
from capax.model.model import Model
from capax.model.numbers import Integer, parse
from capax.model.parts import Affine, Block, Head, Mlp, Sink
from capax.model.positions import Positions
from capax.model.run.reference import define


def system_of(text: str) -> Integer:
    """The integers of a name."""
    found = parse(text)
    assert isinstance(found, Integer)
    return found


SYSTEM = system_of("integer:5,3,3")
"""Numbers from -16 to 15, values from -4 to 3, weights 1, 2, 4, 8 for the scores 0 ... 3."""


def affine(weight: list[list[int]], bias: list[int]) -> Affine:
    """A map in whole numbers."""
    return Affine(np.array(weight, np.int64), np.array(bias, np.int64))


def head_of(**change: Any) -> Head:
    """A head of one number over a stream of two: the query is 1, the key the first number, the value the second."""
    parts: dict[str, Any] = {
        "query": affine([[0], [0]], [1]),
        "key": affine([[1], [0]], [0]),
        "value": affine([[0], [1]], [0]),
        "output": np.array([[1, 0]], np.int64),
    }
    return Head(**(parts | change))


KEYS = {4: [1, 2], 1: [2, -1], 7: [2, 3]}
"""Streams at positions, not in order; those at 1 and 7 have the highest score."""


def test_numbers_are_clipped() -> None:
    assert [plain._clip(SYSTEM, x) for x in (-99, -17, -16, -1, 0, 15, 16, 99)] == [-16, -16, -16, -1, 0, 15, 15, 15]


def test_weights_are_looked_up() -> None:
    assert [plain._weight(SYSTEM, score) for score in (-9, -1, 0, 1, 2, 3, 4, 99)] == [1, 1, 1, 2, 4, 8, 8, 8]
    other = replace(SYSTEM, low=-1, table=(1, 5, 7))
    assert [plain._weight(other, score) for score in (-2, -1, 0, 1, 2)] == [1, 1, 5, 7, 7]


@pytest.mark.parametrize(
    ("mask", "before", "itself", "after"),
    [
        ("none", True, True, True),
        ("causal", True, True, False),
        ("strict past", True, False, False),
        ("future", False, True, True),
        ("strict future", False, False, True),
    ],
)
def test_masks(mask: Any, before: bool, itself: bool, after: bool) -> None:
    assert [plain._sees(mask, 4, j) for j in (3, 4, 5)] == [before, itself, after]
    seen = plain.scored(SYSTEM, head_of(mask=mask), [1], KEYS, 4)
    assert [place for _, place, _ in seen] == [at for at, there in ((1, before), (4, itself), (7, after)) if there]


def test_maps_and_mlps() -> None:
    one = affine([[1, 2], [3, -1]], [5, 0])
    assert plain._affine(one, [2, 4]) == [2 + 12 + 5, 4 - 4]
    mlp = Mlp((affine([[1, -1], [0, 2]], [0, 1]), affine([[1, 9], [-2, 1]], [0, -4]), affine([[1, 0], [1, 1]], [0, 3])))
    # 3, 2: then 3 and -3 + 4 + 1 = 2; then 3 - 4 = -1 and 27 + 2 - 4 = 25, clipped to 15; then 0 + 15 and 15 + 3
    assert plain._after_mlp(SYSTEM, mlp, [3, 2]) == [15, 15]
    assert plain._after_mlp(SYSTEM, mlp, [-9, -20]) == [-9, -16]


def test_queries_are_clipped_and_then_scaled() -> None:
    head = head_of(query=affine([[2, 1], [0, 0]], [0, -1]), key=affine([[1, 0], [0, 1]], [0, 0]), scale=3.0)
    assert plain.scaled_query(SYSTEM, head, [9, 0]) == [45, 24]


def test_keys_and_values_are_clipped() -> None:
    head = head_of(key=affine([[9], [0]], [1]), value=affine([[0], [2]], [0]))
    assert plain.scored(SYSTEM, head, [2], {0: [2, 1], 3: [-2, 2], 5: [0, -3]}, 0) == [
        (30, 0, [2]),
        (-32, 3, [3]),
        (2, 5, [-4]),
    ]
    assert plain.weighed(SYSTEM, (2, 0, [3, -1])) == [12, -4, 4]


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("softmax", [4 * -1 + 2 * 2 + 4 * 3, 10]),
        ("average-hard", [2, [2], 2, None]),
        ("leftmost-hard", [2, [-1], 1, [1]]),
        ("rightmost-hard", [2, [3], 1, [7]]),
    ],
)
def test_messages_of_a_head(kind: Any, said: list[Any]) -> None:
    assert plain._head(SYSTEM, head_of(attention=kind), [0, 0], KEYS, 4) == said
    alone = plain._head(SYSTEM, head_of(attention=kind, mask="strict past"), [0, 0], KEYS, 1)
    assert alone == ([] if kind == "softmax" else None)


@pytest.mark.parametrize(
    ("kind", "mean", "with_sink"),
    [
        ("softmax", [1], [-1]),  # 12 / 10, and (12 - 8 * 4) / 18 = -10/9
        ("average-hard", [1], [-4]),
        ("leftmost-hard", [-1], [-4]),
        ("rightmost-hard", [3], [-4]),
    ],
)
def test_means_of_a_head(kind: Any, mean: list[int], with_sink: list[int]) -> None:
    head = head_of(attention=kind)
    assert plain._mean(SYSTEM, head, [0, 0], KEYS, 4) == mean
    sink = Sink(np.array([3], np.int64), np.array([-4], np.int64))
    assert plain._mean(SYSTEM, replace(head, sink=sink), [0, 0], KEYS, 4) == with_sink
    nothing = replace(head, mask="strict past")
    assert plain._mean(SYSTEM, nothing, [0, 0], KEYS, 1) == [0]
    assert plain._mean(SYSTEM, replace(nothing, sink=sink), [0, 0], KEYS, 1) == [-4]


def test_the_sink_is_the_last_of_equals() -> None:
    sink = Sink(np.array([2], np.int64), np.array([-4], np.int64))
    means = {
        kind: plain._mean(SYSTEM, head_of(attention=kind, sink=sink), [0, 0], KEYS, 4)
        for kind in ("average-hard", "leftmost-hard", "rightmost-hard")
    }
    assert means == {"average-hard": [-1], "leftmost-hard": [-1], "rightmost-hard": [-4]}


def test_means_are_rounded_to_even() -> None:
    """Of the values 1 and 2 the mean is 2, of 2 and 3 it is 2, of -1 and 0 it is 0."""
    head = head_of(attention="average-hard")
    for one, two, mean in ((1, 2, 2), (2, 3, 2), (-1, 0, 0), (-1, -2, -2)):
        assert plain._mean(SYSTEM, head, [0, 0], {0: [1, one], 1: [1, two]}, 0) == [mean]


def model_of(**change: Any) -> Model:
    """A random model of one layer that reads words of up to 6 of the numbers 0, 1, 2."""
    base = random_model(ToyShape(width=3, hidden=2, dim=2, numbers="integer:7,3,4"), range(3), range(3), 6, 3, None)
    return replace(base, **change)


def test_positions_are_added() -> None:
    """Functions times their weights, then the table, clipped in between where there are both."""
    weight, table = np.array([[1, 0, 40], [0, 2, 1]], np.int64), np.arange(18).reshape(6, 3)
    system = system_of("integer:7,3,4")
    functions = Positions(("i", "1"), weight)
    both = Positions(("i", "1"), weight, table)
    alone = Positions((), np.zeros((0, 3), np.int64), table + 60)
    assert plain.position_vector(model_of(positions=functions), system, 6, 3) == [3, 2, 121]
    assert plain.position_vector(model_of(positions=both), system, 6, 3) == [12, 12, 63]
    assert plain.position_vector(model_of(positions=alone), system, 6, 3) == [69, 70, 71]


def test_embeddings_are_clipped() -> None:
    embedding = np.array([[1, 2, 3], [60, -60, 0], [0, 0, 0]], np.int64)
    model = model_of(embedding=embedding, input_mlp=None)
    system = system_of("integer:7,3,4")
    assert plain.entered(model, system, 0, [1, 1, 1]) == [2, 3, 4]
    assert plain.entered(model, system, 1, [9, -9, 9]) == [63, -64, 9]
    mlp = Mlp((affine([[1], [0], [0]], [0]), affine([[1, 0, 0]], [0, 1, 0])))
    assert plain.entered(replace(model, input_mlp=mlp), system, 0, [1, 1, 1]) == [4, 4, 4]


def test_blocks_before_attention() -> None:
    """Their bias and their MLP are added to every stream, and the number of the layer is counted."""
    base = model_of()
    system = system_of("integer:7,3,4")
    mlp = Mlp((affine([[1], [0], [0]], [0]), affine([[0, 1, 0]], [0, 0, 0])))
    first = Block((), np.array([2, 0, -1], np.int64), mlp)
    model = replace(base, blocks=(first, replace(first, mlp=None), *base.blocks))
    assert plain.to_attention(base, system, [1, 2, 3]) == (0, [1, 2, 3])
    assert plain.to_attention(model, system, [1, 2, 3]) == (2, [5, 5, 1])
    assert plain.to_attention(model, system, [63, 63, -64]) == (2, [63, 63, -64])
    with pytest.raises(AssertionError, match="a model with attention"):
        plain.to_attention(replace(base, blocks=(first,)), system, [1, 2, 3])


def test_the_whole_is_the_definition() -> None:
    """With blocks before and after the layer that attends, a prefix, several heads, and at every position."""
    base = model_of()
    mlp = Mlp((affine([[1, 0], [0, 1], [-1, 2]], [1, 0]), affine([[0, 1, 1], [2, 0, -1]], [0, 3, 0])))
    apart = Block((), np.array([2, 0, -1], np.int64), mlp)
    heads = (*base.blocks[0].heads, replace(base.blocks[0].heads[0], mask="causal", attention="leftmost-hard"))
    layer = replace(base.blocks[0], heads=heads, bias=np.array([1, -1, 2], np.int64))
    model = replace(
        base, blocks=(apart, layer, apart, replace(apart, mlp=None)), prefix=(1,), max_length=5, min_length=1
    )
    for word in ([0, 1, 2, 0], [2, 2, 1], [0], [1, 0, 2, 2, 1]):
        whole = define(model, word)
        for at in range(len(word)):
            assert [float(c) for c in plain.plain_logits(model, word, at)] == whole[at]


def test_messages_leave_the_prefix_out() -> None:
    """Positions are those of the word; streams are those at the positions behind the prefix."""
    model = model_of(prefix=(1,), max_length=5)
    system = system_of("integer:7,3,4")
    word = [0, 2, 1, 0]
    found = plain.message(model, system, word, [1, 2], 3)
    layer, query = plain.to_attention(model, system, plain.embedded(model, system, word, 4))
    keys = {at: plain.embedded(model, system, word, at + 1) for at in (1, 2)}
    assert layer == 0
    assert found == [plain._head(system, head, query, keys, 3) for head in model.blocks[0].heads]
    assert plain.embedded(model, system, word, 0) == plain.entered(
        model, system, 1, plain.position_vector(model, system, 5, 0)
    )
