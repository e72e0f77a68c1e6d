"""L-step sequential composition in L + 1 layers.

Statement: for all n, c and L there is a transformer of L + 1 layers, L heads of dimension 2 in the first and one in
each of the others, and no MLP, that on every prompt z_L ... z_1 i_0 w_1 ... w_(L-1) answers i_L, where i_1 = z_1(i_0)
and i_(l+1) = z_(l+1)(w_l, i_l); z_1 has n entries and each further table c times as many.
Idea: the first layer brings i_0 and the queries w to the last position; layer l + 1 reads the entry of z_l at the
position offset + w N + i, which is linear in the stream.
Cite: Chen, Peng and Wu (2024), Theoretical limitations of multi-layer transformer, arXiv 2412.02975: L layers cannot
while H d p <= n^(2^-4L), so L + 1 layers against L is a separation.
Scope: the definition with L - 1 queries and tables in decreasing order is used, in which a causal model meets z_L
first. Positions are exact while the square of the prompt's length stays below 2^53 (float64) or 2^24 (float32). The
lower bound is cited, and vacuous at every size that can be built.
"""

import math
from dataclasses import dataclass, replace

from capax.auditor.model_proof import ModelProof
from capax.model.model import Model
from capax.model.parts import AttentionKind, Head
from capax.model.vocabulary import Classes, Vocabulary
from capax.report import Report
from capax.tasks.inputs.sequential_tables import SequentialLayout
from capax.tasks.iterated_composition import CHOICES, STEPS, TASK
from capax.theorems.base.theorem import SizeRow, like, parameter, theorem_in
from capax.theorems.checks import SEED, agreement, checked_at, last, require_short
from capax.theorems.proofs import proved_size
from capax.theorems.weights.lookup import SCALE, lookup, whole_numbers
from capax.theorems.weights.stream import Stream, family

EVERY = 5_000


def stacked(layout: SequentialLayout, attention: AttentionKind, scale: float) -> Model:
    """The model for prompts of a layout."""
    steps = layout.steps
    values, queries = family("i_", steps + 1), family("w_", steps)
    stream = Stream(("i", "i^2", "token", *values, *queries[1:]))

    def reads(position: dict[str, float], into: str, name: str) -> Head:
        return lookup(
            stream, position, [{"token": 1.0}], [into], attention=attention, mask="causal", scale=scale, name=name
        )

    # The last token is i_0 itself when there are no queries, and w_(L-1) otherwise: it reads all of them by position.
    first = [reads({"": float(layout.start)}, values[0], "i_0")]
    first += [reads({"": float(layout.start + w)}, queries[w], f"w_{w}") for w in range(1, steps)]
    blocks = [stream.block(*first)]
    for step in range(1, steps + 1):
        position = {values[step - 1]: 1.0, "": float(layout.offset(step))}
        if step > 1:
            position[queries[step - 1]] = float(layout.size(step - 2))
        blocks.append(stream.block(reads(position, values[step], f"z_{step}")))
    largest = max(layout.ranges())
    return Model(
        vocabulary=Vocabulary(tuple(range(largest))),
        embedding=stream.rows([{"token": float(x)} for x in range(largest)]),
        positions=stream.positions({"i": "i", "i^2": "i^2"}),
        blocks=tuple(blocks),
        readout=whole_numbers(stream, values[-1], largest),
        decoding=Classes(tuple(range(largest))),
        names=stream.names,
        min_length=layout.length,
        max_length=layout.length,
    )


@dataclass(frozen=True, slots=True)
class IteratedCompositionParameters:
    """The parameters of the theorem."""

    n: int = parameter(2, "the entries of the first table", 2, 2_000)
    steps: int = like(STEPS)
    choices: int = like(CHOICES)
    attention: AttentionKind = parameter("softmax", "the kind of attention", choices=("softmax", "average-hard"))
    dtype: str = parameter("float64", "the number system", choices=("float64", "float32"))


def construct(at: IteratedCompositionParameters) -> Model:
    """The model for a first table of n entries."""
    require_short(
        SequentialLayout.uniform(at.n, at.steps, at.choices).length,
        "each step multiplies the table by the choices: take fewer of them",
    )
    return stacked(SequentialLayout.uniform(at.n, at.steps, at.choices), at.attention, SCALE[at.dtype]).to(at.dtype)


def verify(model: Model, at: IteratedCompositionParameters) -> Report:
    """Whether a model composes: every prompt if these are few, and random ones."""
    layout = SequentialLayout.uniform(at.n, at.steps, at.choices)
    return checked_at(
        model,
        TASK,
        at.n,
        f"the model computes {at.steps}-step composition",
        every=f"every prompt of {layout.length} tokens" if math.prod(layout.ranges()) <= EVERY else None,
        random=f"random prompts of {layout.length:,} tokens",
        samples=max(5, min(100, 4_000_000 // layout.length**2)),
        decode=last,
        steps=at.steps,
        choices=at.choices,
    )


def prove(model: Model, at: IteratedCompositionParameters, least: int) -> ModelProof | None:
    """Whether a model is right on all inputs of this size, if these are not too many."""
    layout = SequentialLayout.uniform(at.n, at.steps, at.choices)
    what, count = f"prompts of {layout.length} tokens", math.prod(layout.ranges())
    return proved_size(model, TASK, at.n, what, count, steps=at.steps, choices=at.choices)


def size(at: IteratedCompositionParameters) -> tuple[SizeRow, ...]:
    """The sizes beside the bounds."""
    built, layout = construct(at).size, SequentialLayout.uniform(at.n, at.steps, at.choices)
    return (
        SizeRow(
            "layers", built.attention_layers, f"more than {at.steps}", "L layers fail while H d p <= n^(2^-4L) (cited)"
        ),
        SizeRow("heads of the first layer", built.heads[0], "O(L)"),
        SizeRow("heads of the others", 1, 1),
        SizeRow("head dimension", built.head_dimension, "O(1)"),
        SizeRow("width of the stream", built.width, "O(L)"),
        SizeRow("tokens of the prompt", layout.length, "", "the lower bound is vacuous at this size"),
    )


def break_it(at: IteratedCompositionParameters) -> Report:
    """The first layer together with the second: i_0 is not there yet when z_1 is read."""
    model = construct(at)
    merged = replace(model.blocks[1], heads=(*model.blocks[0].heads, *model.blocks[1].heads))
    flat = replace(model, blocks=(merged, *model.blocks[2:]))
    drawn = TASK.samples(300, at.n, SEED, steps=at.steps, choices=at.choices)
    statement = f"{at.steps}-step composition in {at.steps} layers: the first two of {at.steps + 1} made one"
    return agreement(
        flat,
        TASK,
        drawn,
        statement,
        seed=SEED,
        decode=last,
        steps=at.steps,
        choices=at.choices,
    )


THEOREM = theorem_in(
    __name__,
    IteratedCompositionParameters,
    assumptions=("positions i and i^2", "prompts of one length"),
    attention="softmax, average-hard; causal mask",
    computes="task:iterated-composition?steps={steps}&choices={choices}",
    precision="2 log2 of the prompt's length in bits",
    task="iterated-composition",
    small=(
        {"n": 3, "steps": 1},
        {"n": 4, "steps": 4},
        {"n": 20, "steps": 3, "choices": 3, "attention": "average-hard"},
        {"n": 10, "steps": 5, "choices": 1, "dtype": "float32"},
    ),
    large=({"n": 50, "steps": 6},),
)
