"""Dyck-k of bounded depth by D + 1 layers.

Statement: for all k and D there is a transformer of D + 1 layers with two hard heads in each and one in the last, width
3 ceil(log2 k) + 5 and no positions, that answers at every position of every word of k kinds of brackets whether they
match with at most D inside each other. Its weights are 0, 1, -1, 1/2 and -2; the length of words is not bounded.
Idea: in each layer a bracket looks at the last one before it and at the first after it that is left, by masked hard
attention. An opening bracket whose neighbour after it is a closing one of its kind is erased, and that one with it. The
pairs that hold nothing go first: after D layers nothing is left of a word of depth at most D, and of no other word.
Cite: Yao, Peng, Papadimitriou and Narasimhan (2021), Self-attention networks can process bounded hierarchical
languages: D + 1 layers of hard attention and O(log k) memory recognise Dyck-(k, D).
Scope: the paper finds neighbours by positions, here masks do; its other construction, two layers of soft attention that
generate, is not built. A recurrent model needs O(D log k) memory, which is cited. Every number is 0, 1 or a small
multiple, so any number system and any length will do.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from capax.auditor.model_proof import ModelProof
from capax.formal.languages.brackets import bounded_dyck, brackets
from capax.formal.languages.language import Language
from capax.model.model import Model
from capax.report import Report
from capax.theorems.base.route import Route
from capax.theorems.base.theorem import SizeRow, parameter, theorem_in
from capax.theorems.checks import recognises, recognises_some
from capax.theorems.languages.parts.brackets.erasing import erasing
from capax.theorems.proofs import proved_language
from capax.theorems.weights.bits import digits

NAME = "bounded-dyck"


@dataclass(frozen=True, slots=True)
class BoundedDyckParameters:
    """The parameters of the theorem."""

    k: int = parameter(2, "the kinds of brackets", 1, 50)
    depth: int = parameter(3, "D: the most brackets inside each other", 1, 50)
    length: int = parameter(60, "the greatest length that is tried", 2, 100_000)
    dtype: str = parameter("float64", "the number system", choices=("float64", "float32", "float16", "bfloat16"))


def construct(at: BoundedDyckParameters) -> Model:
    """The model for k kinds of brackets, at most `depth` inside each other."""
    return erasing(brackets(at.k), at.depth).to(at.dtype)


def verify(model: Model, at: BoundedDyckParameters) -> Report:
    """Whether a model recognises Dyck-(k, D): all short words, and random ones."""
    return recognises(model, bounded_dyck(at.k, at.depth), at.length)


def prove(model: Model, at: BoundedDyckParameters, least: int) -> ModelProof | None:
    """Whether a model is right on all words of up to a length."""
    return proved_language(model, bounded_dyck(at.k, at.depth), at.length, least=least)


def width_of(k: int) -> int:
    """The width of the stream for k kinds, whatever the depth is."""
    return 3 * (digits(k) if k > 1 else 0) + 5


def size(at: BoundedDyckParameters) -> tuple[SizeRow, ...]:
    """The sizes beside the paper's."""
    built = construct(at).size
    bits = digits(at.k) if at.k > 1 else 0
    return (
        SizeRow("layers", built.attention_layers, at.depth + 1, "D + 1"),
        SizeRow("heads per layer", max(built.heads), "O(1)"),
        SizeRow("width of the stream", built.width, "O(log k)", "3 ceil(log2 k) + 5, whatever D is"),
        SizeRow("width for 2 k kinds", width_of(2 * at.k), "O(log k)", "a bit more, three directions"),
        SizeRow("bits of memory of a position", 3 * bits + 5, "O(log k)", "one bit in each direction"),
        SizeRow("bits of a recurrent model", "not built", at.depth * max(1, bits), "about D log2 k: the stack"),
    )


def break_it(at: BoundedDyckParameters) -> Report:
    """One layer less: words of the full depth have brackets left."""
    opening, close = brackets(at.k)[0]
    words: list[Sequence[str]] = [(opening,) * d + (close,) * d for d in range(1, at.depth + 1)]
    statement = f"brackets {at.depth} deep by {at.depth} layers, and not {at.depth + 1}"
    return recognises_some(
        erasing(brackets(at.k), at.depth - 1).to(at.dtype), bounded_dyck(at.k, at.depth), words, statement
    )


def routes(thing: object, max_length: int) -> Iterable[Route]:
    """Dyck-k of bounded depth."""
    if isinstance(thing, Language) and thing.family == NAME:
        k, depth = int(thing.parameters["k"]), int(thing.parameters["depth"])
        yield Route(
            NAME,
            "innermost pairs erased layer by layer",
            lambda: construct(BoundedDyckParameters(k, depth, max_length, "float64")),
        )


THEOREM = theorem_in(
    __name__,
    BoundedDyckParameters,
    assumptions=("masks for the past and for the future in one layer",),
    attention="rightmost-hard and leftmost-hard; strict past and strict future masks",
    computes="language:bounded-dyck-{k}-{depth}",
    precision="1 bit",
    task="language",
    small=(
        {"k": 1, "depth": 1},
        {"k": 3, "depth": 2, "dtype": "float16"},
        {"k": 5, "depth": 4, "length": 200, "dtype": "bfloat16"},
        {"k": 2, "depth": 10, "length": 200},
    ),
    large=({"k": 50, "depth": 20, "length": 2_000},),
)
