"""TriID (Match3) by pairwise heads whose dimensions sum to M.

Statement: for all M, N and H there is a transformer of one layer with H softmax heads whose dimensions sum to M, and an
MLP of two ReLU stages with M (M + 1) / 2 units in the second, that answers TriID (the poster's name of Match3) on every
word of at most N tokens in 1 ... M.
Idea: uniform attention over one-hot values is the histogram of the word divided by its length. The first stage asks
which residues occur; a unit of the second fires when a, b and the token itself, all present, sum to 0 mod M.
Cite: Sanford, Hsu and Telgarsky (2023), Representational strengths and limitations of transformers, Theorem 7 (number
cited, not checked here): one layer of pairwise heads needs H m p = Omega(N / log log N) for M >= N + 1. This is the
other side, with H m = M, and with p = O(log N) bits. The construction is plain counting and is ours.
Scope: there are M (M + 1) / 2 units: made for small M. Shares of 1 / N need log2 N bits. That several layers do not
help is a conjecture of the paper (every multi-layer transformer for Match3 has width, depth, embedding dimension or
bits of at least N^Omega(1)) and is open; nothing here is evidence for or against it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from capax.auditor.model_proof import ModelProof
from capax.model.model import Model
from capax.model.vocabulary import Vocabulary
from capax.report import Report
from capax.tasks.tri_id import TASK
from capax.theorems.base.theorem import SizeRow, parameter, theorem_in
from capax.theorems.checks import SEED, TASKS, agreement, checked, sampled
from capax.theorems.matching.parts.ramp import ANSWER, answer_of
from capax.theorems.proofs import proved_task
from capax.theorems.weights.stream import Stream, family


def histogram(tokens: Sequence[int], modulus: int, length: int, heads: int, counted: int) -> Model:
    """The model of some tokens; residues from `counted` on share the last coordinate of the heads."""
    here, there = family("is", modulus), family("share of", counted)
    stream = Stream((*here, *there, "answer"))
    rows = [{here[x % modulus]: 1.0} for x in tokens]
    parts = [list(range(h, counted, heads)) for h in range(heads)]
    heads_used = [
        stream.head(
            query=[{}],
            key=[{}],
            value=[{here[r]: 1.0 for r in range(modulus) if min(r, counted - 1) == c} for c in part],
            into=[there[c] for c in part],
            name=f"shares {h}",
        )
        for h, part in enumerate(parts)
    ]
    first = {f"{name}, at all": {name: float(length)} for name in there}
    first |= {f"{name}, above": {name: float(length), "": -1.0} for name in there}
    first |= {name: {name: 1.0} for name in here}
    second = {}
    for a in range(modulus):
        for b in range(a, modulus):
            unit: dict[str, float] = {here[-(a + b) % modulus]: 1.0, "": -2.0}
            for r in (a, b):
                name = there[min(r, counted - 1)]
                unit[f"{name}, at all"] = unit.get(f"{name}, at all", 0.0) + 1.0
                unit[f"{name}, above"] = unit.get(f"{name}, above", 0.0) - 1.0
            second[f"{a} and {b}"] = unit
    mlp = stream.mlp([first, second], {"answer": dict.fromkeys(second, 1.0)})
    return Model(
        vocabulary=Vocabulary(tuple(tokens)),
        embedding=stream.rows(rows),
        positions=stream.positions({}),
        blocks=(stream.block(*heads_used, mlp=mlp),),
        readout=answer_of(stream, "answer"),
        decoding=ANSWER,
        names=stream.names,
        max_length=length,
    )


@dataclass(frozen=True, slots=True)
class TriIdParameters:
    """The parameters of the theorem."""

    modulus: int = parameter(9, "the modulus M; tokens are 1 ... M", 4, 200)
    length: int = parameter(24, "the greatest length N", 2, 10_000)
    heads: int = parameter(1, "the number of heads H", 1, 64)


def construct(at: TriIdParameters) -> Model:
    """The model for a modulus, words of at most `length` tokens, and a number of heads."""
    return histogram(range(1, at.modulus + 1), at.modulus, at.length, min(at.heads, at.modulus), at.modulus)


def verify(model: Model, at: TriIdParameters) -> Report:
    """Whether a model computes TriID: all short words, and random ones."""
    return checked(model, TASK, at.length, trials=replace(TASKS, every=5_000), modulus=at.modulus)


def prove(model: Model, at: TriIdParameters, least: int) -> ModelProof | None:
    """Whether a model is right on all words of up to a length."""
    return proved_task(model, TASK, at.length, least=least, modulus=at.modulus)


def size(at: TriIdParameters) -> tuple[SizeRow, ...]:
    """The sizes beside the bounds."""
    built = construct(at).size
    note = "the lower bound is for M >= N + 1" + ("" if at.modulus > at.length else ", which does not hold here")
    return (
        SizeRow("layers", built.attention_layers, 1),
        SizeRow("heads H", built.heads[0]),
        SizeRow("head dimension m", built.head_dimension, "", "the values; queries and keys are 0"),
        SizeRow("H m", at.modulus, "Omega(N / (p log log N))", note),
        SizeRow("ReLU units of the second stage", at.modulus * (at.modulus + 1) // 2, "any function"),
    )


def break_it(at: TriIdParameters) -> Report:
    """With one coordinate too few, two residues are counted together."""
    words = list(sampled(TASK, min(at.length, 6), 400, modulus=at.modulus))
    statement = f"TriID mod {at.modulus} with H m = {at.modulus - 1}: two residues share a coordinate"
    return agreement(
        histogram(range(1, at.modulus + 1), at.modulus, at.length, 1, at.modulus - 1),
        TASK,
        words,
        statement,
        seed=SEED,
        modulus=at.modulus,
    )


THEOREM = theorem_in(
    __name__,
    TriIdParameters,
    assumptions=(),
    attention="softmax (uniform)",
    computes="task:tri-id?modulus={modulus}",
    precision="O(log N) bits",
    task="tri-id",
    small=({"modulus": 13, "heads": 4, "length": 12}, {"modulus": 41, "length": 40}),
    large=({"modulus": 101, "length": 100, "heads": 10},),
)
