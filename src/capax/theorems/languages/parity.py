"""PARITY by two layers of softmax.

Statement: a transformer of two layers with one and two softmax heads, positions i / n and (-1)^i, three ReLU units and
no layer norm answers at every position of every word of bits whether the number of ones is odd. On words of n - 1 bits
the two numbers that are compared differ by about 2 tanh(1) / n^2.
Idea: a uniform head has k / n, where k is the number of ones and n counts a mark before the word; three ReLU units make
of it a number that is 1 / n at position k and 0 elsewhere. Two heads look for it, one with more weight on even
positions and one with more on odd positions: the larger output tells the parity of k.
Cite: Chiang and Cholak (2022), Overcoming a theoretical limitation of self-attention, section 3 (number cited, not
checked here). Hahn (2020), Theoretical limitations of self-attention: the margin of any such model tends to 0 with n.
Scope: the margin is about 1.5 / n^2, and rounding does not shrink: the sign is guaranteed to about n = 10^7 in float64
and 1,500 in float32. The code tries words up to the given length. Whether it can be learned is another question.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np

from capax.auditor.model_proof import ModelProof
from capax.formal.languages.catalogue import parity
from capax.formal.languages.language import Language
from capax.model.model import Model
from capax.report import Report
from capax.theorems.base.route import Route
from capax.theorems.base.theorem import SizeRow, parameter, theorem_in
from capax.theorems.checks import recognises, recognises_some
from capax.theorems.languages.parts.acceptance_head import recogniser
from capax.theorems.proofs import proved_language
from capax.theorems.weights.stream import Stream

NAME = "parity"
MARK: Final = "start"
STREAM = Stream(("mark", "one", "i/n", "(-1)^i", "k/n", "1/n", "[i=k]/n", "odd minus even"))
STEEP: Final = 2.0**60
"""The answer is that of the sign, so the difference is put far from 0."""


def comparing(length: int | None, marked: bool = True) -> Model:
    """The model; `marked` says whether there is a mark before the word, which counts as a position."""
    uniform = STREAM.head(
        query=[{}], key=[{}], value=[{"one": 1.0}, {"mark": 1.0}], into=["k/n", "1/n"], name="the share of ones"
    )
    # relu(x + w) - 2 relu(x) + relu(x - w) is a tooth of height w = 1/n around x = k/n - i/n = 0.
    units = {
        "after": {"k/n": 1.0, "i/n": -1.0, "1/n": 1.0},
        "at": {"k/n": 1.0, "i/n": -1.0},
        "before": {"k/n": 1.0, "i/n": -1.0, "1/n": -1.0},
    }
    tooth = STREAM.mlp([units], {"[i=k]/n": {"after": 1.0, "at": -2.0, "before": 1.0}})
    heads = [
        STREAM.head(
            query=[{"": 1.0}],
            key=[{"(-1)^i": sign}],
            value=[{"[i=k]/n": -sign}],
            into=["odd minus even"],
            name=f"more weight on {which} positions",
        )
        for which, sign in (("even", 1.0), ("odd", -1.0))
    ]
    rows: dict[str, dict[str, float]] = {"0": {}, "1": {"one": 1.0}, MARK: {"mark": 1.0}}
    return recogniser(
        STREAM,
        rows,
        (STREAM.block(uniform, mlp=tooth), STREAM.block(*heads)),
        {"": 0.5, "odd minus even": STEEP},
        positions={"i/n": "i/n", "(-1)^i": "(-1)^i"},
        prefix=(MARK,) if marked else (),
        max_length=length,
    )


def margin(n: int) -> float:
    """The least difference of the two outputs on words of n - 1 bits, over real numbers."""
    even, odd = (n + 1) // 2, n // 2
    margins = []
    for here, there in ((even, odd), (odd, even)):
        margins.append((1 / (here + there * math.exp(-2)) - 1 / (here + there * math.exp(2))) / n)
    return min(margins)


def measured(model: Model, length: int) -> float:
    """The least difference that a model computes on words of `length` bits that are ones and then zeros."""
    ones = sorted({round(k) for k in np.linspace(0, length, 12)})
    words = [["1"] * k + ["0"] * (length - k) for k in ones]
    logits = (float(out[-1, 0]) for out in model.run(words, many=True).logits)
    return min(abs(logit - 0.5) / STEEP for logit in logits)


@dataclass(frozen=True, slots=True)
class ParityParameters:
    """The parameters of the theorem."""

    length: int = parameter(60, "the greatest length N", 1, 1_000_000)
    dtype: str = parameter("float64", "the number system", choices=("float64", "float32"))


def construct(at: ParityParameters) -> Model:
    """The model for words of at most `length` bits; its weights do not depend on it."""
    return comparing(at.length).to(at.dtype)


def verify(model: Model, at: ParityParameters) -> Report:
    """Whether a model recognises PARITY: all short words, and random ones."""
    return recognises(model, parity(), at.length)


def prove(model: Model, at: ParityParameters, least: int) -> ModelProof | None:
    """Whether a model is right on all words of up to a length."""
    return proved_language(model, parity(), at.length, least=least)


def size(at: ParityParameters) -> tuple[SizeRow, ...]:
    """The sizes beside the paper's, and the margin."""
    model = construct(at)
    built = model.size
    return (
        SizeRow("layers", built.attention_layers, 2),
        SizeRow("heads per layer", ", ".join(map(str, built.heads)), "1, 2"),
        SizeRow("ReLU units", built.hidden, "O(1)"),
        SizeRow("width of the stream", built.width, "O(1)"),
        SizeRow(
            "margin at the greatest length", measured(model, at.length), margin(at.length + 1), "over real numbers"
        ),
        SizeRow("margin, 10 times longer", "not run", margin(10 * at.length + 1), "about 2 tanh(1) / n^2"),
    )


def break_it(at: ParityParameters) -> Report:
    """Without the mark before the word, position k does not exist when all bits are ones."""
    words = ["1" * n + "0" * m for n in range(1, 6) for m in range(4)]
    return recognises_some(
        comparing(None, marked=False).to(at.dtype), parity(), words, "PARITY without a position before the word"
    )


def routes(thing: object, max_length: int) -> Iterable[Route]:
    """PARITY itself."""
    if isinstance(thing, Language) and thing.family == NAME:
        note = f"exact, but the margin is {margin(max_length + 1):.2g} at length {max_length:,}: about 2 tanh(1) / n^2"
        what = "two layers of softmax"
        yield Route(NAME, what, lambda: construct(ParityParameters(max_length, "float64")), max_length, note=note)


THEOREM = theorem_in(
    __name__,
    ParityParameters,
    assumptions=("positions i / n and (-1)^i", "one token before the word", "no layer norm"),
    attention="softmax; no mask",
    computes="language:parity",
    precision="about 2 log2 n bits",
    task="language",
    small=({"length": 1}, {"length": 1_000}, {"length": 500, "dtype": "float32"}),
    large=({"length": 5_000},),
)
