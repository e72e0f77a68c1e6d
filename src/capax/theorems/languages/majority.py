"""MAJORITY by one uniform head.

Statement: a transformer of one layer with one softmax head whose scores are all 0, no positions and no MLP answers at
every position of every word of bits whether more than half of the bits up to there are ones.
Idea: the mean of +1 for a one and -1 for a zero is above 0 exactly then. Weights are all 1 and sums are whole numbers,
so the mean's sign is exact in floating point.
Cite: Perez, Barcelo and Marinkovic (2021), Attention is Turing-complete, and Merrill, Sabharwal and Smith (2022),
Saturated transformers are constant-depth threshold circuits: MAJORITY by uniform attention, which AC0 circuits cannot.
Scope: exact up to 2^53 positions in float64 and 2^24 in float32. The margin is 1 / n.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from capax.auditor.model_proof import ModelProof
from capax.formal.languages.counted import majority
from capax.formal.languages.language import Language
from capax.model.model import Model
from capax.model.parts import AttentionKind
from capax.report import Report
from capax.theorems.base.route import Route
from capax.theorems.base.theorem import SizeRow, parameter, theorem_in
from capax.theorems.checks import recognises, recognises_some
from capax.theorems.languages.parts.acceptance_head import recogniser
from capax.theorems.proofs import proved_language
from capax.theorems.weights.stream import Stream

NAME = "majority"
STREAM = Stream(("vote", "mean vote"))
STEEP = 2.0**53
"""The answer is that of the sign, so the mean is put far from 0."""


def voting(attention: AttentionKind) -> Model:
    """The model with a kind of attention, all of whose scores are equal."""
    head = STREAM.head(
        query=[{}],
        key=[{}],
        value=[{"vote": 1.0}],
        into=["mean vote"],
        attention=attention,
        mask="causal",
        name="mean vote of the prefix",
    )
    rows = {"0": {"vote": -1.0}, "1": {"vote": 1.0}}
    # Half is not a majority: an answer of 1/2 means no.
    return recogniser(STREAM, rows, (STREAM.block(head),), {"": 0.5, "mean vote": STEEP})


@dataclass(frozen=True, slots=True)
class MajorityParameters:
    """The parameters of the theorem."""

    attention: AttentionKind = parameter("softmax", "the kind of attention", choices=("softmax", "average-hard"))
    length: int = parameter(200, "the greatest length that is tried", 1, 1_000_000)
    dtype: str = parameter("float64", "the number system", choices=("float64", "float32"))


def construct(at: MajorityParameters) -> Model:
    """The model; it is the same for every length."""
    return voting(at.attention).to(at.dtype)


def verify(model: Model, at: MajorityParameters) -> Report:
    """Whether a model recognises MAJORITY: all short words, and random ones with a majority of one vote often."""
    return recognises(model, majority(), at.length)


def prove(model: Model, at: MajorityParameters, least: int) -> ModelProof | None:
    """Whether a model is right on all words of up to a length."""
    return proved_language(model, majority(), at.length, least=least)


def size(at: MajorityParameters) -> tuple[SizeRow, ...]:
    """The sizes beside those of the argument."""
    built = construct(at).size
    return (
        SizeRow("layers", built.attention_layers, 1),
        SizeRow("heads", built.heads[0], 1),
        SizeRow("width of the stream", built.width, "O(1)"),
        SizeRow("margin of the answer", 1 / at.length, "1 / n"),
        SizeRow(
            "boolean circuits of depth d", "not built", "2^(n^(1/(d-1)))", "gates, up to a constant in the exponent"
        ),
    )


def break_it(at: MajorityParameters) -> Report:
    """One position alone instead of the mean of all: hard attention that breaks ties."""
    words = ["1", "10", "110", "011", "1001"]
    return recognises_some(
        voting("rightmost-hard").to(at.dtype), majority(), words, "MAJORITY with ties broken to the right"
    )


def routes(thing: object, max_length: int) -> Iterable[Route]:
    """MAJORITY itself."""
    if isinstance(thing, Language) and thing.family == NAME:
        note = "the margin is 1 / n"
        yield Route(
            NAME, "one uniform head", lambda: construct(MajorityParameters("softmax", max_length, "float64")), note=note
        )


THEOREM = theorem_in(
    __name__,
    MajorityParameters,
    assumptions=("sums of as many ones as the word has positions are exact",),
    attention="softmax, average-hard; causal mask",
    computes="language:majority",
    precision="log2 n + 1 bits",
    task="language",
    small=({"attention": "average-hard"}, {"dtype": "float32", "length": 1_000}),
    large=({"length": 10_000},),
)
