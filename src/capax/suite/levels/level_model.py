"""A model of a level: its weights, the plain model behind it, how the one stands in the other, and its true edges."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

import numpy as np

from capax.errors import CapaxError
from capax.model.interpretability.circuit import CircuitEdge
from capax.model.interpretability.graph import Edge, head_name, head_of
from capax.model.interpretability.lens_model import LensModel, answer_codes, run
from capax.model.parts import Array

SIX: Final = ("plain", "rotated", "soft", "gelu-norm", "decoy", "cancelling")
LEVELS: Final = (*SIX, "backup", "voting", "superposed", "imitated")
ROOM: Final = 10.0
"""The least margin of the answers is so many times what rounding to float32 changes."""


Turn = Literal["whole", "blocks", "inside", "none"]
"""What is turned: the whole stream; blocks of directions of about one size; only what is inside heads; or nothing.

Heads and units are permuted in any case, but on plain models.
"""


class UnfitLevelError(CapaxError):
    """A level that a program cannot have, whatever is tried: nothing is wrong with the suite without it."""

    def __init__(self, what: str) -> None:
        super().__init__("bad-suite", what)


@dataclass(frozen=True, slots=True)
class HeadOrder:
    """For each layer, which old head each head is."""

    layers: tuple[tuple[int, ...], ...]

    def new_name(self, name: str) -> str:
        """The name that a node, or what reads it, has after the heads are permuted."""
        place = head_of(name)
        if place is None:
            return name
        layer, head = place
        return head_name(layer, self.layers[layer].index(head)) + name[len(head_name(layer, head)) :]

    def old_name(self, name: str) -> str:
        """The name that a node had before the heads were permuted."""
        place = head_of(name)
        return name if place is None else head_name(place[0], self.layers[place[0]][place[1]])

    def edge(self, edge: Edge) -> Edge:
        """The edge after the heads are permuted."""
        return Edge(self.new_name(edge.source), self.new_name(edge.target))


@dataclass(frozen=True, slots=True, eq=False)
class LevelModel:
    """A model of a level.

    `plain` is the model whose directions are named, and its stream x stands in the model's as x @ `basis` + `constant`.
    `edges` are the edges that matter; `kinds` says of others what they are: `cancels` or `decoy`, and of edges of
    which several may have to be exchanged at once, `backup`. `origins` has for each node the node of the plain model
    before heads were permuted.
    """

    level: str
    lens: LensModel
    plain: LensModel
    basis: Array
    constant: Array
    edges: tuple[CircuitEdge, ...]
    origins: Mapping[str, str]
    kinds: Mapping[str, str] = field(default_factory=dict)
    joint: tuple[tuple[str, ...], ...] = ()
    """Groups of nodes that are exchanged together: pairs that cancel, or back each other up."""
    order: HeadOrder | None = None
    """How heads were permuted; None where they were not."""
    turned: Turn = "none"
    """What was turned at random."""
    scores: float = 1.0
    """What attention scores were multiplied by, beside those of the compiler."""
    out_effect: float | None = None
    """The greatest change of a logit through an edge that is out, where that was seen when the edges were sought."""


@dataclass(frozen=True, slots=True)
class Soundness:
    """How right a model is: on how many words, how many are wrong, the least margin, and what rounding changes."""

    words: int
    wrong: int
    margin: float
    rounding: float
    """The greatest difference of a logit between float32 and float64."""
    reordered: float
    """The same, where directions, numbers of heads and units stand in the reverse order, and so do the sums."""

    @property
    def sound(self) -> bool:
        """Whether all answers are right, with room for another order of the sums."""
        return not self.wrong and self.margin >= ROOM * max(self.rounding, self.reordered)


def soundness(lens: LensModel, words: Sequence[Array], answers: Sequence[Array]) -> Soundness:
    """How right a model is on words with known answers."""
    wrong, margin = wrong_words(lens, words, answers)
    rounding, reordered = (np.inf, np.inf) if wrong else rounding_differences(lens, words)
    return Soundness(sum(map(len, words)), wrong, margin, rounding, reordered)


def wrong_words(lens: LensModel, words: Sequence[Array], answers: Sequence[Array]) -> tuple[int, float]:
    """How many words a model answers wrongly, and the least margin of a logit over the next."""
    wrong, margin = 0, np.inf
    for rows, expected in zip(words, answers, strict=True):
        for start in range(0, len(rows), 2048):
            part = slice(start, start + 2048)
            logits = run(lens, rows[part]).logits
            wrong += int((answer_codes(lens, logits) != expected[part]).any(1).sum())
            if logits.shape[-1] > 1:
                top = np.partition(logits[:, lens.start :], -2, axis=-1)
                margin = min(margin, float((top[..., -1] - top[..., -2]).min(initial=np.inf)))
    return wrong, margin


def rounding_differences(lens: LensModel, words: Sequence[Array]) -> tuple[float, float]:
    """The greatest difference of a logit between float32 and float64, on some of the words, in two orders of sums.

    Others run the weights with sums in orders of their own. Where numbers as large as the squares of the codes of many
    letters cancel, one order may be exact, and another far off.
    """
    double, turned = lens.in_numbers("float64"), reversed_order(lens)
    greatest = [0.0, 0.0]
    for rows in words:
        some = rows[:: max(1, len(rows) // 100)]
        exact = run(double, some).logits
        for number, model in enumerate((lens, turned)):
            apart = np.abs(run(model, some).logits - exact)[:, lens.start :]
            greatest[number] = max(greatest[number], float(apart.max(initial=0)))
    return greatest[0], greatest[1]


REVERSED: Final[Mapping[str, tuple[int, ...]]] = {
    **dict.fromkeys(("W_E", "W_pos"), (1,)),
    **dict.fromkeys(("W_Q", "W_K", "W_V", "W_O"), (1, 2)),
    **dict.fromkeys(("b_Q", "b_K", "b_V"), (1,)),
    **dict.fromkeys(("W_in", "W_out"), (0, 1)),
    **dict.fromkeys(("b_O", "b_in", "b_out", "w", "b", "W_U"), (0,)),
    "b_U": (),
}
"""The axes of directions, numbers of heads and units, by the kind of tensor."""


def reversed_order(lens: LensModel) -> LensModel:
    """The same function with directions, numbers inside heads and units in the reverse order."""
    tensors = {
        name: np.ascontiguousarray(np.flip(array, REVERSED[name.rpartition(".")[2]]))
        for name, array in lens.tensors.items()
    }
    return lens.changed(tensors)


def widened(lens: LensModel, *, width: int = 0, heads: int = 0, size: int = 0, units: int = 0) -> LensModel:
    """The model with more directions, heads, numbers in a head and units, all zeros."""
    kinds = {
        "W_E": (0, width),
        "W_pos": (0, width),
        "W_U": (width, 0),
        "b_U": (0,),
        "W_Q": (heads, width, size),
        "W_K": (heads, width, size),
        "W_V": (heads, width, size),
        "W_O": (heads, size, width),
        "b_Q": (heads, size),
        "b_K": (heads, size),
        "b_V": (heads, size),
        "b_O": (width,),
        "W_in": (width, units),
        "b_in": (units,),
        "W_out": (units, width),
        "b_out": (width,),
    }
    tensors = {
        name: np.pad(array, [(0, more) for more in kinds[name.rpartition(".")[2]]])
        for name, array in lens.tensors.items()
    }
    sizes = {"d_model": width, "n_heads": heads, "d_head": size, "d_mlp": units}
    return lens.changed(tensors, **{name: int(lens.config[name]) + more for name, more in sizes.items()})


def without_order(lens: LensModel) -> dict[str, str]:
    """Every node as its own origin."""
    return {node: node for node in (*lens.shape.nodes(), "logits")}
