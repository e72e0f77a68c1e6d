"""L-step sequential composition in L + 1 layers.

Statement: for all n, c and L there is a transformer of L + 1 layers, L heads of dimension 2 in the first
and one in each of the others, and no MLP, that on every prompt z_L ... z_1 i_0 w_1 ... w_(L-1) answers i_L, where
i_1 = z_1(i_0) and i_(l+1) = z_(l+1)(w_l, i_l); z_1 has n entries and each further table c times as many.
Idea: the first layer brings i_0 and the queries w to the last place; layer l + 1 reads the entry of z_l at the place
offset + w N + i, which is linear in the stream.
Cite: Chen, Peng and Wu (2024), arXiv 2412.02975: L layers cannot while H d p <= n^(2^-4L), so L + 1 layers against L
is a separation; at sizes that can be built the lower bound says nothing.
Scope: the definition with L - 1 queries and tables in decreasing order is used, in which a causal model meets z_L
first. The construction is checked; the lower bound is cited.
"""

import math
from dataclasses import replace

from capax.model.model import Model
from capax.model.parts import AttentionKind, Head
from capax.model.vocabulary import Classes, Vocabulary
from capax.report import Report
from capax.tasks.base.parameter import Parameter
from capax.tasks.inputs.tables import Layout
from capax.tasks.iterated_composition import CHOICES, STEPS, TASK
from capax.theorems.base.theorem import Row, Theorem
from capax.theorems.checks import SEED, agreement, checked_at, last, require_short
from capax.theorems.weights.logits import whole_numbers
from capax.theorems.weights.lookup import SCALE, lookup
from capax.theorems.weights.stream import Stream, family

EVERY = 5_000


def stacked(layout: Layout, attention: AttentionKind, scale: float) -> Model:
    """The model for prompts of a layout."""
    steps = layout.steps
    found, asked = family("i_", steps + 1), family("w_", steps)
    stream = Stream(("i", "i^2", "token", *found, *asked[1:]))

    def reads(place: dict[str, float], into: str, name: str) -> Head:
        return lookup(
            stream, place, [{"token": 1.0}], [into], attention=attention, mask="causal", scale=scale, name=name
        )

    # The last place is i_0 itself when there are no queries, and w_(L-1) otherwise: it reads all of them by place.
    first = [reads({"": float(layout.start)}, found[0], "i_0")]
    first += [reads({"": float(layout.start + w)}, asked[w], f"w_{w}") for w in range(1, steps)]
    blocks = [stream.block(*first)]
    for step in range(1, steps + 1):
        place = {found[step - 1]: 1.0, "": float(layout.offset(step))}
        if step > 1:
            place[asked[step - 1]] = float(layout.inner(step))
        blocks.append(stream.block(reads(place, found[step], f"z_{step}")))
    largest = max(layout.ranges())
    return Model(
        vocabulary=Vocabulary(tuple(range(largest))),
        embedding=stream.rows([{"token": float(x)} for x in range(largest)]),
        positions=stream.positions({"i": "i", "i^2": "i^2"}),
        blocks=tuple(blocks),
        readout=whole_numbers(stream, found[-1], largest),
        decoding=Classes(tuple(range(largest))),
        names=stream.names,
        min_length=layout.length,
        max_length=layout.length,
    )


def construct(n: int, steps: int, choices: int, attention: AttentionKind, numbers: str) -> Model:
    """The model for a first table of n entries."""
    require_short(Layout(n, steps, choices).length, "each step multiplies the table by the choices: take fewer of them")
    return stacked(Layout(n, steps, choices), attention, SCALE[numbers]).to(numbers)


def verify(model: Model, n: int, steps: int, choices: int, attention: AttentionKind, numbers: str) -> Report:
    """Whether a model composes: every prompt if these are few, and random ones."""
    layout = Layout(n, steps, choices)
    return checked_at(
        model,
        TASK,
        n,
        f"the model computes {steps}-step composition",
        every=f"every prompt of {layout.length} tokens" if math.prod(layout.ranges()) <= EVERY else None,
        random=f"random prompts of {layout.length:,} tokens",
        samples=max(5, min(100, 4_000_000 // layout.length**2)),
        decode=last,
        steps=steps,
        choices=choices,
    )


def size(n: int, steps: int, choices: int, attention: AttentionKind, numbers: str) -> tuple[Row, ...]:
    """The sizes beside the bounds."""
    made, layout = construct(n, steps, choices, attention, numbers).size, Layout(n, steps, choices)
    return (
        Row("layers", made.attention_layers, f"more than {steps}", "L layers fail while H d p <= n^(2^-4L) (cited)"),
        Row("heads of the first layer", made.heads[0], "O(L)"),
        Row("heads of the others", 1, 1),
        Row("head dimension", made.head_dimension, "O(1)"),
        Row("width of the stream", made.width, "O(L)"),
        Row("tokens of the prompt", layout.length, "", "the lower bound says nothing at this size"),
    )


def break_it(n: int, steps: int, choices: int, attention: AttentionKind, numbers: str) -> Report:
    """The first layer together with the second: i_0 is not there yet when z_1 is read."""
    model = construct(n, steps, choices, attention, numbers)
    merged = replace(model.blocks[1], heads=(*model.blocks[0].heads, *model.blocks[1].heads))
    flat = replace(model, blocks=(merged, *model.blocks[2:]))
    drawn = TASK.samples(300, n, SEED, steps=steps, choices=choices)
    statement = f"{steps}-step composition in {steps} layers: the first two of {steps + 1} made one"
    return agreement(
        flat,
        TASK,
        drawn,
        statement,
        seed=SEED,
        decode=last,
        steps=steps,
        choices=choices,
    )


THEOREM = Theorem(
    name="iterated-composition",
    title="L-step sequential composition in L + 1 layers",
    statement=(
        "For all n, c and L, a transformer with L + 1 layers, L heads of dimension 2 in the first and one in each of "
        "the others, and no MLP answers i_L at the last place of every prompt z_L ... z_1 i_0 w_1 ... w_(L-1), where "
        "i_1 = z_1(i_0) and i_(l+1) = z_(l+1)(w_l, i_l)."
    ),
    assumptions=("positions i and i^2", "prompts of one length"),
    attention="softmax, average-hard; causal mask",
    precision="2 log2 of the prompt's length in bits",
    citation="Chen, Peng and Wu (2024), Theoretical limitations of multi-layer transformer, arXiv 2412.02975",
    parameters=(
        Parameter("n", 2, "the entries of the first table", 2, 2_000),
        STEPS,
        CHOICES,
        Parameter("attention", "softmax", "the kind of attention", choices=("softmax", "average-hard")),
        Parameter("numbers", "float64", "the number system", choices=("float64", "float32")),
    ),
    construct=construct,
    verify=verify,
    size=size,
    break_it=break_it,
    limits=(
        "Places are exact while the square of the prompt's length stays below 2^53 (float64) or 2^24 (float32). The "
        "lower bound says nothing at any size that can be built."
    ),
    task="iterated-composition",
    small=(
        {"n": 3, "steps": 1},
        {"n": 4, "steps": 4},
        {"n": 20, "steps": 3, "choices": 3, "attention": "average-hard"},
        {"n": 10, "steps": 5, "choices": 1, "numbers": "float32"},
    ),
    large=({"n": 50, "steps": 6},),
)
