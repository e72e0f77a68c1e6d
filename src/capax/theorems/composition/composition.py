"""Composition of K functions in K layers of one head.

Statement: for all n and K there is a transformer of K layers with one head of dimension 2 each, no MLP and a stream of
width K + 3, that on every prompt f_1(0) ... f_1(n-1) ... f_K(0) ... f_K(n-1) x of functions on 0 ... n-1 answers
f_K(...f_1(x)...) at the last position. For g(f(x)) that is two layers.
Idea: the last position holds a number v, x at first; layer k reads the position p = (k-1) n + v by the score 2 p j -
j^2, which is linear in p.
Cite: Peng, Narayanan and Papadimitriou (2024), On limitations of the transformer architecture: one layer of H heads,
width d and p bits errs with probability at least R / (3 n log2 n), R = n log2 n - H (d + 1) p, if R is positive
(constant cited, not checked here). Two layers escape that bound.
Scope: a softmax with this scale is one-hot in floats (exactly 0 elsewhere); over the reals its values are off by less
than n^2 e^-scale. Positions are exact while (K n + 1)^2 stays below 2^53 (float64) or 2^24 (float32): K n up to 9e7 and
4,095.
"""

import math
from dataclasses import dataclass, replace

from capax.auditor.model_proof import ModelProof
from capax.model.model import Model
from capax.model.parts import AttentionKind
from capax.model.vocabulary import Classes, Vocabulary
from capax.report import Report
from capax.tasks.composition import FUNCTIONS, TASK
from capax.theorems.base.theorem import SizeRow, like, parameter, theorem_in
from capax.theorems.checks import SEED, agreement, checked_at, last, require_short
from capax.theorems.proofs import proved_size
from capax.theorems.weights.lookup import SCALE, lookup, whole_numbers
from capax.theorems.weights.stream import Stream, family

EVERY = 4_000


def layers(n: int, functions: int, attention: AttentionKind, scale: float) -> Model:
    """The model with a layer for each function."""
    values = family("v", functions + 1)
    stream = Stream(("i", "i^2", *values))
    blocks = []
    for k in range(functions):
        position = {values[k]: 1.0, "": float(k * n)}
        head = lookup(
            stream, position, [{values[0]: 1.0}], [values[k + 1]], attention=attention, scale=scale, name=f"f_{k + 1}"
        )
        blocks.append(stream.block(head))
    return Model(
        vocabulary=Vocabulary(tuple(range(n))),
        embedding=stream.rows([{values[0]: float(x)} for x in range(n)]),
        positions=stream.positions({"i": "i", "i^2": "i^2"}),
        blocks=tuple(blocks),
        readout=whole_numbers(stream, values[-1], n),
        decoding=Classes(tuple(range(n))),
        names=stream.names,
        min_length=functions * n + 1,
        max_length=functions * n + 1,
    )


@dataclass(frozen=True, slots=True)
class CompositionParameters:
    """The parameters of the theorem."""

    n: int = parameter(3, "the number of points", 2, 10_000)
    functions: int = like(FUNCTIONS)
    attention: AttentionKind = parameter("softmax", "the kind of attention", choices=("softmax", "average-hard"))
    dtype: str = parameter("float64", "the number system", choices=("float64", "float32"))


def construct(at: CompositionParameters) -> Model:
    """The model for functions on 0 ... n-1."""
    require_short(at.functions * at.n + 1, "take fewer points or functions")
    return layers(at.n, at.functions, at.attention, SCALE[at.dtype]).to(at.dtype)


def verify(model: Model, at: CompositionParameters) -> Report:
    """Whether a model composes: every prompt if these are few, and random ones."""
    return prompts_checked(model, at.n, at.functions)


def prove(model: Model, at: CompositionParameters, least: int) -> ModelProof | None:
    """Whether a model is right on all inputs of this size, if these are not too many."""
    what, count = f"prompts with {at.functions} functions on {at.n} points", at.n ** (at.functions * at.n + 1)
    return proved_size(model, TASK, at.n, what, count, functions=at.functions)


def prompts_checked(model: Model, n: int, functions: int) -> Report:
    """The check of a model that answers a prompt at its last position."""
    few = n ** (functions * n + 1) <= EVERY
    return checked_at(
        model,
        TASK,
        n,
        f"the model composes {functions} functions on {n:,} points",
        every=f"every prompt with {functions} functions on {n} points" if few else None,
        random=f"random prompts with {functions} functions on {n:,} points",
        samples=max(5, min(200, 4_000_000 // (functions * (n * functions) ** 2))),
        decode=last,
        functions=functions,
    )


def one_layer_bits(n: int) -> float:
    """n log2 n: what the heads of one layer have to carry for two functions."""
    return n * math.log2(n) if n > 1 else 0.0


def size(at: CompositionParameters) -> tuple[SizeRow, ...]:
    """The sizes beside the bounds."""
    built = construct(at).size
    bits = {"float64": 64, "float32": 32}[at.dtype]
    carried = at.functions * (built.width + 1) * bits
    says = "vacuous at this size" if carried >= one_layer_bits(at.n) else "one layer like this errs"
    return (
        SizeRow("layers", built.attention_layers, 2 if at.functions == 2 else at.functions),
        SizeRow("heads per layer", 1, 1),
        SizeRow("head dimension", built.head_dimension, "O(1)"),
        SizeRow("width of the stream", built.width, "O(1)", "K + 3"),
        SizeRow(
            "bits of a position", 2 * max(1, (at.functions * at.n).bit_length()), "O(log n)", "its square is exact"
        ),
        SizeRow("these heads in one layer: H (d + 1) p", carried, one_layer_bits(at.n), f"needs n log2 n: {says}"),
    )


def break_it(at: CompositionParameters) -> Report:
    """The same heads side by side in one layer: the second cannot know what the first found."""
    model = construct(replace(at, functions=max(2, at.functions)))
    heads = tuple(head for block in model.blocks for head in block.heads)
    flat = replace(model, blocks=(replace(model.blocks[0], heads=heads),))
    drawn = TASK.samples(200, at.n, SEED, functions=max(2, at.functions))
    statement = "composition with the heads of all layers side by side in one layer"
    return agreement(
        flat,
        TASK,
        drawn,
        statement,
        seed=SEED,
        decode=last,
        functions=max(2, at.functions),
    )


THEOREM = theorem_in(
    __name__,
    CompositionParameters,
    assumptions=("positions i and i^2", "prompts of the one length K n + 1"),
    attention="softmax, average-hard",
    computes="task:composition?functions={functions}",
    precision="2 log2(K n) bits",
    task="composition",
    small=(
        {"n": 200},
        {"n": 100, "attention": "average-hard"},
        {"n": 500, "dtype": "float32"},
        {"n": 30, "functions": 8},
    ),
    large=({"n": 5_000}, {"n": 1_000, "functions": 6}),
)
