"""A small model in exact integers for a task of the limits, by name."""

from dataclasses import dataclass
from typing import Final

from capax.errors import CapaxError, nearest
from capax.limits.protocols.match3 import require_modulus
from capax.limits.witnesses.claimed_task import claim_of
from capax.limits.witnesses.models import composition, match3, sparse_averaging, triangle_digraph, triangle_graph
from capax.limits.witnesses.models.random_layers import ToyShape, random_model
from capax.model.model import Model
from capax.model.numbers import Integer, parse
from capax.tasks.sequential_composition import layout_of

KINDS: Final = ("random", "solves", "side-by-side", "directed")
TASKS: Final = ("composition", "match3", "parity", "sparse-averaging", "sequential-composition", "triangle-graph")
LONGEST: Final = 2_000
"""Models for longer inputs are not made."""
MOST_NUMBERS: Final = 16_384
"""Layers times heads times their dimension: beyond, weights would fill the memory."""


@dataclass(frozen=True, slots=True)
class ToySizes:
    """The sizes of a toy model: `n`, `modulus` (0 for 8n) and `queries` are the task's, the others a random model's."""

    n: int
    modulus: int = 0
    queries: str = "2"
    layers: int = 1
    heads: int = 1
    dim: int = 2
    numbers: str = "integer:8,4,4"


def toy_model(task: str, kind: str, sizes: ToySizes, seed: int) -> Model:
    """A model of random weights for a task, one that solves it, or the heads of two layers side by side in one.

    The kind `directed` solves the triangles of directed graphs.
    """
    if task not in TASKS:
        near = nearest(task, list(TASKS))
        hint = f"did you mean {near}?" if near else f"known are {', '.join(TASKS)}"
        raise CapaxError("bad-option", f"there is no toy model for {task!r:.60}", hint=hint)
    if kind not in KINDS:
        raise CapaxError("bad-option", f"there is no kind {kind!r:.60}", hint=f"known are {', '.join(KINDS)}")
    if sizes.n > LONGEST:
        raise CapaxError("bad-option", f"n = {sizes.n:,} is more than {LONGEST:,}", hint="toy models are small")
    if kind == "random" and sizes.layers * sizes.heads * sizes.dim > MOST_NUMBERS:
        what = f"layers times heads times their dimension is more than {MOST_NUMBERS:,}"
        raise CapaxError("bad-option", what, hint="toy models are small: take fewer")
    modulus = sizes.modulus or 8 * sizes.n
    if task == "match3":
        require_modulus(sizes.n, modulus)
    model = _random(task, sizes, modulus, seed) if kind == "random" else _solving(task, kind, sizes.n, modulus)
    claim_of(model, task)
    return model


def _solving(task: str, kind: str, n: int, modulus: int) -> Model:
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
        case "triangle-graph", "directed":
            return triangle_digraph.solving(n)
        case _:
            what = f"there is no toy model of the kind {kind} for {task}"
            raise CapaxError("bad-option", what, hint="--kind random, or another task")


def _random(task: str, sizes: ToySizes, modulus: int, seed: int) -> Model:
    n, numbers = sizes.n, sizes.numbers
    if not isinstance(parse(numbers), Integer):
        raise CapaxError("number-system", f"{numbers:.60} is not a system of exact integers", hint="integer:8,4,4")
    shape = ToyShape(sizes.layers, sizes.heads, sizes.dim, numbers=numbers)
    match task:
        case "composition":
            return composition.random_layers(n, shape, seed)
        case "match3":
            return match3.random_layers(n, modulus, shape, seed)
        case "parity":
            return random_model(shape, (0, 1), (0, 1), n, seed, {"task": task, "n": n})
        case "sparse-averaging":
            return sparse_averaging.random_keys(n, shape.dim, 2, seed)
        case "sequential-composition":
            return _sequential(n, sizes.queries, shape, seed)
        case _:
            return triangle_graph.random_layers(n, shape, seed)


def _sequential(n: int, queries: str, shape: ToyShape, seed: int) -> Model:
    layout = layout_of(n, queries)
    if layout.length > LONGEST:
        raise CapaxError("bad-option", f"prompts would have {layout.length:,} tokens", hint=f"at most {LONGEST:,}")
    causal = ToyShape(shape.layers, shape.heads, shape.dim, numbers=shape.numbers, mask="causal")
    values = range(layout.size(layout.steps - 1))
    declared = {"task": "sequential-composition", "n": n, "queries": queries}
    top = range(max(layout.ranges()))
    return random_model(causal, top, values, layout.length, seed, declared)
