"""Errors planted in the truth of a suite: each changes a file as a careless hand would, and nothing else."""

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

Plant = Callable[[Path, Random], str]
"""Changes something in the folder of a level; says what."""


def _truth(level: Path) -> Any:
    return json.loads((level / "truth.json").read_text())


def _write(path: Path, data: Any) -> None:
    path.write_text(json.dumps(data))


def drop_edge(level: Path, draw: Random) -> str:
    """An edge that matters is left out of the truth."""
    truth = _truth(level)
    edge = truth["edges"].pop(draw.randrange(len(truth["edges"])))
    _write(level / "truth.json", truth)
    return f"dropped {edge['edge']}"


def add_edge(level: Path, draw: Random) -> str:
    """An edge that does not matter is put in, with the witness of another."""
    truth, graph = _truth(level), json.loads((level / "edges.json").read_text())
    inside = {edge["edge"] for edge in truth["edges"]} | set(truth["kinds"])
    name = draw.choice([name for name in graph["edges"] if name not in inside])
    truth["edges"].append({**draw.choice(truth["edges"]), "edge": name})
    _write(level / "truth.json", truth)
    return f"added {name}"


def flip_length(level: Path, draw: Random) -> str:
    """An edge is said to matter for words of one length, or not to."""
    truth = _truth(level)
    edge = draw.choice(truth["edges"])
    edge["same_length"] = not edge["same_length"]
    _write(level / "truth.json", truth)
    return f"flipped the kind of {edge['edge']}"


def wrong_answer(level: Path, draw: Random) -> str:
    """The answers of a witness are changed."""
    truth = _truth(level)
    edge = draw.choice(truth["edges"])
    edge["witness"]["after"] = edge["witness"]["before"]
    _write(level / "truth.json", truth)
    return f"changed the witness of {edge['edge']}"


def swap_labels(level: Path, draw: Random) -> str:
    """The notes of two components are exchanged."""
    data = json.loads((level / "annotations.json").read_text())
    parts = data["components"]
    pairs = [(a, b) for a in parts for b in parts if a["role"] != b["role"]]
    one, two = draw.choice(pairs)
    one["role"], two["role"] = two["role"], one["role"]
    _write(level / "annotations.json", data)
    return f"exchanged the notes of {one['id']} and {two['id']}"


def wrong_graph(level: Path, draw: Random) -> str:
    """The graph for EAP has an edge more or less."""
    name = draw.choice(["edges.json", "edges_same_length.json"])
    graph = json.loads((level / name).read_text())
    edge = draw.choice(list(graph["edges"]))
    graph["edges"][edge]["in_graph"] = not graph["edges"][edge]["in_graph"]
    _write(level / name, graph)
    return f"flipped {edge} in {name}"


def wrong_pair(level: Path, draw: Random) -> str:
    """A pair of words has another answer, or another word."""
    path = level.parent / "pairs.csv"
    rows = list(csv.reader(io.StringIO(path.read_text())))
    row = draw.choice(rows[1:])
    if draw.random() < 0.5:
        row[3], row[4] = row[4], row[3]
    else:
        row[1] = row[0]
    path.write_text("\n".join(",".join(row) for row in rows) + "\n")
    return f"changed the pair {row[0]}, {row[1]}"


def wrong_value(level: Path, draw: Random) -> str:
    """Two values of a variable are exchanged."""
    path = level.parent / "variables.json"
    data = json.loads(path.read_text())
    variable = draw.choice([v for v in data if len(v["values"]) > 1])
    one, two = draw.sample(variable["values"], 2)
    one["value"], two["value"] = two["value"], one["value"]
    _write(path, data)
    return f"exchanged values of {variable['name']}"


def wrong_feature(level: Path, draw: Random) -> str:
    """Two values of a feature dictionary are exchanged: those of a variable, so that no set of values changes."""
    path = level / "features.npz"
    with np.load(path) as file:
        data = dict(file)
    known = {variable["name"] for variable in json.loads((level.parent / "variables.json").read_text())}
    owner = draw.choice([number for number, name in enumerate(data["variable_name"].tolist()) if name in known])
    one, two = np.flatnonzero(data["variable"] == owner)[:2]
    data["value"][[one, two]] = data["value"][[two, one]]
    np.savez_compressed(path, **data)
    return f"exchanged the values of the atoms {one} and {two}"


def wrong_example(level: Path, draw: Random) -> str:
    """An example of the task has another answer."""
    data = json.loads((level / "annotations.json").read_text())
    example = draw.choice(data["task"]["examples"])
    example["output"][0] += "x"
    _write(level / "annotations.json", data)
    return f"changed the example {example['input']}"


def wrong_decoding(level: Path, draw: Random) -> str:
    """Two answers are exchanged in the list that numbers of answers stand for."""
    path = level.parent / "words.json"
    data = json.loads(path.read_text())
    values = data["decoding"]["values"]
    one, two = draw.sample(range(len(values)), 2)
    values[one], values[two] = values[two], values[one]
    _write(path, data)
    return f"exchanged the answers {one} and {two}"


def wrong_kind(level: Path, draw: Random) -> str:
    """An edge is said to be of heads that cancel, so that it would not be tried."""
    truth, graph = _truth(level), json.loads((level / "edges.json").read_text())
    inside = {edge["edge"] for edge in truth["edges"]}
    name = draw.choice([name for name in graph["edges"] if name not in inside | set(truth["kinds"])])
    truth["kinds"][name] = "cancels"
    _write(level / "truth.json", truth)
    return f"marked {name}"


def wrong_claim(level: Path, draw: Random) -> str:
    """A model is said to have a greater margin, or edges that are out to have been tried that were not."""
    if draw.random() < 0.5:
        check = json.loads((level / "check.json").read_text())
        _write(level / "check.json", {**check, "margin": 2 * check["margin"]})
        return "doubled the margin"
    truth = _truth(level)
    truth["out"]["edges_tried"] += 1
    _write(level / "truth.json", truth)
    return "counted an edge twice"


PLANTS: tuple[Plant, ...] = (
    drop_edge, add_edge, flip_length, wrong_answer, swap_labels, wrong_graph, wrong_pair, wrong_value,
    wrong_feature, wrong_example, wrong_decoding, wrong_kind, wrong_claim,
)  # fmt: skip
