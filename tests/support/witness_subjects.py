"""Small models and networks with a witness against each, for the tests of the second look."""

import json
from functools import cache
from typing import Any

from capax.limits.witnesses.models import composition, match3, sparse_averaging
from capax.limits.witnesses.models.random_layers import ToyShape, random_model
from capax.limits.witnesses.net import read_net
from capax.limits.witnesses.search.fool import fool
from capax.limits.witnesses.search.fool_nets import fool_net
from capax.model.model import Model

Witness = dict[str, Any]
SMALL: dict[str, Any] = {"width": 3, "hidden": 2, "dim": 1}
PARITY = {"task": "parity", "n": 6}
TOY = {"task": "sequential-composition", "n": 2, "queries": "2"}
GRAPHS = {"task": "triangle-graph", "n": 3}
ROWS = [format(bits, "03b") for bits in range(8)]
TWO = ToyShape(**SMALL, layers=2, mask="causal", numbers="integer:4,2,2")
SUBJECTS: dict[str, tuple[Model, str, str]] = {
    "composition": (composition.random_layers(4, ToyShape(**SMALL), 0), "composition", "equal-transcripts"),
    "no guarantee": (composition.random_layers(4, ToyShape(**SMALL), 1), "composition", "equal-transcripts"),
    "hard heads": (
        composition.random_layers(4, ToyShape(**SMALL, attention="leftmost-hard"), 0),
        "composition",
        "equal-transcripts",
    ),
    "match3": (match3.random_layers(5, 40, ToyShape(**SMALL), 0), "match3", "equal-transcripts"),
    "averages": (sparse_averaging.random_keys(3, 1, 1, 0), "sparse-averaging", "equal-transcripts"),
    "parity": (random_model(ToyShape(**SMALL), (0, 1), (0, 1), 6, 2, PARITY), "parity", "equal-transcripts"),
    "sequential": (random_model(TWO, range(4), range(4), 8, 0, TOY), "sequential-composition", "indistinguishable"),
    "two layers": (composition.random_layers(4, ToyShape(**SMALL, layers=2), 0), "composition", "wrong-answer"),
    "graphs": (random_model(ToyShape(), ROWS, (0, 1), 3, 1, GRAPHS), "triangle-graph", "wrong-answer"),
}
NETS = {
    "recurrent": {"format": "capax-net", "kind": "recurrent", "length": 5, "bits": 3, "start": [0], "state": [[1]]}
    | {"input": [[0], [1]], "bias": [0], "read": [[1]] * 5},
    "wide recurrent": {"format": "capax-net", "kind": "recurrent", "length": 3, "bits": 3, "start": [0], "bias": [0]}
    | {"state": [[1]], "input": [[0], [1]], "read": [[1]] * 3},
    "connected": {"format": "capax-net", "kind": "fully-connected", "length": 3, "vectors": [[1, 2, 3], [0.5, 1, -1]]}
    | {"positions": [[1, 0, 0], [0, 1, 0]], "bias": [0, 1], "layers": [{"weight": [[1, 1]], "bias": [0]}]},
}


@cache
def witness_of(name: str) -> str:
    """The witness of a subject, as the text that the search gives; written once for all tests."""
    if name in NETS:
        found = fool_net(read_net(json.dumps(NETS[name]), name), lambda: 0.0)
    else:
        model, task, _ = SUBJECTS[name]
        looks = iter(range(41))
        found = fool(model, task, {}, seed=0, used=lambda: next(looks, 41) / 40)
    assert found.witness is not None
    return json.dumps(found.witness)
