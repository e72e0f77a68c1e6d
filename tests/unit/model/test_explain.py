"""Explanations name what the weights say."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import given

from capax.app.commands._answer_position import answer_position
from capax.app.commands.explain import Explanation
from capax.model.explain import CONSTANT, explain
from capax.model.model import Model
from capax.model.parts import Affine, Block, Head, Mlp, OracleMap, Origin, Sink, TensorHead
from capax.model.provenance import Provenance
from examples.previous_token import build
from tests.support.random_models import models


def weights(found: list[dict[str, Any]]) -> dict[str, float]:
    """The weights by direction."""
    return {item["direction"]: item["weight"] for item in found}


def shown(parts: dict[str, Any]) -> str:
    """What `capax explain` prints."""
    return Explanation("model", parts, answer_position(Provenance.from_json(parts["facts"]))).render()


def test_the_example() -> None:
    """Each part of the head by its directions."""
    head = explain(build())["layers"][0]["heads"][0]
    assert (head["head"], head["name"], head["kind"], head["mask"]) == ("1.1", "before", "softmax", "strict past")
    assert head["origin"] == {"what": "the token at the position before", "location": None}
    assert (head["sink"], head["scale"], head["dimension"], head["value_dimension"]) == (False, 2048.0, 1, 3)
    assert weights(head["query"]) == {CONSTANT: 1.0}
    assert weights(head["key"]) == {"position": 1.0}
    assert weights(head["value"]) == {"is a": 1.0, "is b": 1.0, "is c": 1.0}
    assert weights(head["writes"]) == {"was a": 1.0, "was b": 1.0, "was c": 1.0}


@given(models())
def test_directions_are_those_of_the_weights(model: Model) -> None:
    """A direction is named where some weight of it is not zero, with the largest, in falling order."""
    unique = replace(model, names=tuple(f"d{i}" for i in range(model.width)))
    told = explain(unique)
    unit = 2.0**-8 if model.numbers.startswith("fixed") else 1.0
    for block, layer in zip(unique.blocks, told["layers"], strict=True):
        for head, found in zip(block.heads, layer["heads"], strict=True):
            output = head.output.astype(float) * unit
            largest = np.max(np.abs(output), axis=0)
            shown = [abs(item["weight"]) for item in found["writes"]]
            assert shown == sorted(shown, reverse=True)
            assert {n: abs(w) for n, w in weights(found["writes"]).items()} == {
                f"d{i}": x for i, x in enumerate(largest) if x
            }
            keys = [head.key] if isinstance(head, Head) else [head.key1, head.key2]
            read = {f"d{i}" for key in keys for i in range(model.width) if np.any(key.weight[i])}
            assert {n for n in weights(found["key"]) if n != CONSTANT} == read
            assert (CONSTANT in weights(found["key"])) == any(np.any(key.bias) for key in keys)


@given(models())
def test_any_model_can_be_explained(model: Model) -> None:
    """As data for JSON and as text, with every head and every kind of unit."""
    told = explain(model)
    assert json.loads(json.dumps(told["layers"])) == told["layers"]
    text = shown(told)
    for number, block in enumerate(model.blocks, 1):
        assert f"layer {number}" in text
        assert all(f"head {number}.{place}" in text for place in range(1, len(block.heads) + 1))
        assert all(("third-order" in text) for head in block.heads if isinstance(head, TensorHead))


def test_units_by_their_purpose() -> None:
    """Units of one origin are counted together."""
    d = build().width
    carry, digit = Origin("carry", "add.rasp:3:1"), Origin("digit")
    mlp = Mlp((Affine(np.eye(d, 3), np.ones(3)), Affine(np.eye(3, d), np.zeros(d))), units=((carry, digit, carry),))
    model = replace(build(), input_mlp=mlp, blocks=(Block((), np.ones(d), OracleMap(np.sin, "guess")),))
    told = explain(model)
    assert told["input_mlp"]["purposes"] == [
        {"what": "carry", "location": "add.rasp:3:1", "units": 2},
        {"what": "digit", "location": None, "units": 1},
    ]
    text = shown(told)
    assert "MLP before the first layer: 3 relu units" in text
    assert "  2 units: carry (add.rasp:3:1)\n  1 unit: digit" in text
    assert "MLP: guess, an arbitrary function" in text


def test_long_lists_are_cut() -> None:
    """With how many there are."""
    model = build()
    head = replace(model.blocks[0].heads[0], key=Affine(np.ones((7, 1)), np.ones(1)), output=np.ones((3, 7)))
    wide = replace(model, blocks=(replace(model.blocks[0], heads=(head,)),))
    told = explain(wide)
    told["layers"][0]["heads"][0]["writes"] *= 3
    assert ", ... (21 in all)" in shown(told)


def test_sinks() -> None:
    """What a head writes when its sink has all the weight."""
    model = build()
    head = replace(model.blocks[0].heads[0], sink=Sink(np.zeros(1), np.array([0.5, 0.0, -2.0])))
    told = explain(replace(model, blocks=(replace(model.blocks[0], heads=(head,)),)))
    found = told["layers"][0]["heads"][0]
    assert found["sink"] is True
    assert weights(found["sink_writes"]) == {"was a": 0.5, "was c": -2.0}
    assert "    sink     -2 × [was c], 0.5 × [was a]\n" in shown(told)


def test_facts_are_shown_and_nested_ones_only_named() -> None:
    """What is empty is left out."""
    facts = {"check": {"holds": True, "parts": [{"a": 1}]}, "none": [], "text": "a\nb", "some": {"x": True, "y": [1]}}
    text = shown(explain(replace(build(), provenance=Provenance.from_json(facts))))
    assert text.endswith("\n\ntext\n  a\n  b\n\nsome\n  x: yes\n  y: 1\n\nalso in the file, shown by --json: check")
