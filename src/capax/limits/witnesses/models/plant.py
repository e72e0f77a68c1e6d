"""A small model for a task of the limits, by name."""

from collections.abc import Mapping
from typing import Any

from capax.errors import CapaxError
from capax.limits.protocols.match3 import require_modulus
from capax.limits.witnesses.claim import claim_of
from capax.limits.witnesses.models import composition, match3, sparse_averaging, triangle_graph
from capax.limits.witnesses.models.random_layers import Shape, random_model
from capax.model.model import Model
from capax.model.numbers import Integer, parse
from capax.tasks.inputs.sequential_tables import SequentialLayout
from capax.tasks.sequential_composition import sizes as query_sizes

LONGEST = 2_000
"""Longer inputs are not planted."""
MOST_NUMBERS = 16_384
"""Layers times heads times their dimension: beyond, weights would fill the memory."""


def plant(task: str, kind: str, sizes: Mapping[str, Any], seed: int) -> Model:
    """A model of random weights for a task, one that solves it, or the heads of two layers side by side in one."""
    n = int(sizes["n"])
    if n > LONGEST:
        raise CapaxError("bad-option", f"n = {n:,} is more than the {LONGEST:,} that are planted", hint="take less")
    if kind == "random" and int(sizes["layers"]) * int(sizes["heads"]) * int(sizes["dim"]) > MOST_NUMBERS:
        what = f"layers, heads and their dimension make more than {MOST_NUMBERS:,} numbers"
        raise CapaxError("bad-option", what, hint="planted models are small: take fewer")
    if task == "match3":
        require_modulus(n, _modulus(sizes))
    made = _random(task, sizes, seed) if kind == "random" else _made(task, kind, n, _modulus(sizes))
    claim_of(made, task)
    return made


def _modulus(sizes: Mapping[str, Any]) -> int:
    return int(sizes.get("modulus") or 8 * int(sizes["n"]))


def _made(task: str, kind: str, n: int, modulus: int) -> Model:
    match task, kind:
        case "composition", "solves":
            return composition.solving(n)
        case "composition", "side-by-side":
            return composition.side_by_side(n)
        case "match3", "solves":
            return match3.solving(n, modulus)
        case "sparse-averaging", "solves":
            return sparse_averaging.solving(n)
        case "triangle-graph", "solves":
            return triangle_graph.solving(n)
        case _:
            raise CapaxError(
                "bad-option",
                f"no model of the kind {kind} is planted for {task}",
                hint="--kind random, or another task",
            )


def _random(task: str, sizes: Mapping[str, Any], seed: int) -> Model:
    n = int(sizes["n"])
    numbers = str(sizes["numbers"])
    if not isinstance(parse(numbers), Integer):
        raise CapaxError("number-system", f"{numbers:.60} is not a system of exact integers", hint="integer:8,4,4")
    shape = Shape(int(sizes["layers"]), int(sizes["heads"]), int(sizes["dim"]), numbers=numbers)
    match task:
        case "composition":
            return composition.random_layers(n, shape, seed)
        case "match3":
            return match3.random_layers(n, _modulus(sizes), shape, seed)
        case "parity":
            return random_model(shape, (0, 1), (0, 1), n, seed, {"task": task, "n": n})
        case "sparse-averaging":
            return sparse_averaging.random_keys(n, shape.dim, 2, seed)
        case "sequential-composition":
            return _sequential(n, str(sizes["queries"]), shape, seed)
        case _:
            raise CapaxError("bad-option", f"no random model is planted for {task}", hint="--kind solves")


def _sequential(n: int, queries: str, shape: Shape, seed: int) -> Model:
    layout = SequentialLayout(n, query_sizes(queries))
    if layout.length > LONGEST:
        raise CapaxError("bad-option", f"prompts would have {layout.length:,} tokens", hint=f"at most {LONGEST:,}")
    causal = Shape(shape.layers, shape.heads, shape.dim, numbers=shape.numbers, mask="causal")
    values = range(layout.size(layout.steps - 1))
    declared = {"task": "sequential-composition", "n": n, "queries": queries}
    top = range(max(len(values), *layout.queries, n) if layout.queries else n)
    return random_model(causal, top, values, layout.length, seed, declared)
