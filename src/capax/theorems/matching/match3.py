"""Match3 (TriID) by one third-order head of dimension 5.

Statement: for all M and N there is a transformer of one layer with one third-order (tensor) softmax head of dimension
5, one blank token before the word, and two ReLU units that, on every word of at most N tokens in 1 ... M, answers 1
exactly at the positions i for which some j and k have x_i + x_j + x_k = 0 mod M.
Idea: cos(a + b + c) = (4/3) sum over r = 0, 1, 2 of cos(a - f_r) cos(b - f_r) cos(c - f_r) with f_r = 2 pi r / 3: three
products of three. So the score c (cos(a_i + a_j + a_k) - 1) is trilinear; it is 0 on matches and at most -8 c / M^2
elsewhere. Two more coordinates give (blank, blank) the score 0 and (token, blank) the score -c, so that exactly one
pair competes with the matches: the output is at most 1/6 without a match and at least 6/13 with one.
Cite: Sanford, Hsu and Telgarsky (2023), Representational strengths and limitations of transformers, Theorem 18 (number
cited, not checked here); the rank-3 identity and the constants are ours.
Scope: time N^3, memory N times a block (the runtime streams). For residues there is a shortcut with equal outputs,
`capax.theorems.matching.parts.residues`. Whether several layers of pairwise heads of dimension N^o(1) compute Match3 is
open: the paper conjectures that they do not. Largest modulus on the grid 5, 10, 20, 50, ... with 20 random words of 30
tokens right, near misses among them: 5e7 in float64, 2,000 in float32, 20 in float16 and in bfloat16. A modulus that
passed is measured, not proved.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from capax.auditor.model_proof import ModelProof
from capax.errors import CapaxError
from capax.model.model import Model
from capax.model.vocabulary import Vocabulary
from capax.report import Report, joined
from capax.tasks.match3 import TASK
from capax.theorems.base.theorem import SizeRow, parameter, theorem_in
from capax.theorems.checks import SEED, TASKS, agreement, checked
from capax.theorems.matching.match2 import angle
from capax.theorems.matching.parts.ramp import ANSWER, answer_of, ramp
from capax.theorems.matching.parts.residues import shortcut
from capax.theorems.proofs import proved_task
from capax.theorems.weights.stream import Stream, family

BLANK = "blank"
COS = family("cos", 3)
STREAM = Stream((*COS, "row", BLANK, "weight on matches", "answer"))
STREAMED = 128
"""Longer words are checked by the shortcut for residues, if the runtime is not asked for."""

LONGEST = 4_000
"""Still longer words are not streamed: they have N^3 scores."""


def tensor(tokens: Sequence[int], modulus: int, length: int, share: float = 1.0, paired: bool = True) -> Model:
    """The model of some tokens; without `paired`, the blank is the zero vector, and every (token, blank) scores 0."""
    rows = [{BLANK: 1.0, "row": 1.0} if paired else {}]
    for x in tokens:
        cosines = {name: math.cos(angle(x, modulus) - 2 * math.pi * r / 3) for r, name in enumerate(COS)}
        rows.append({**cosines, "row": 1.0})
    key = [*({name: 1.0} for name in COS), {"row": 1.0}, {BLANK: 1.0}]
    is_token = [{"row": 1.0, BLANK: -1.0}]
    head = STREAM.tensor_head(
        query=[*({name: 4 / 3} for name in COS), {"": -1.0}, {"": 1.0}],
        keys=(key, key),
        values=(is_token, is_token),
        into=["weight on matches"],
        scale=share * modulus**2 * math.log(6 * length**2) / 8,
        name="angles that sum to 0",
    )
    return Model(
        vocabulary=Vocabulary((BLANK, *tokens)),
        embedding=STREAM.rows(rows),
        positions=STREAM.positions({}),
        blocks=(STREAM.block(head, mlp=ramp(STREAM, "weight on matches", "answer")),),
        readout=answer_of(STREAM, "answer"),
        decoding=ANSWER,
        names=STREAM.names,
        max_length=length,
        prefix=(BLANK,),
    )


@dataclass(frozen=True, slots=True)
class Match3Parameters:
    """The parameters of the theorem."""

    modulus: int = parameter(7, "the modulus M; tokens are 1 ... M", 4, 100_000)
    length: int = parameter(40, "the greatest length N", 3, 100_000)
    dtype: str = parameter("float64", "the number system", choices=("float64", "float32", "float16", "bfloat16"))
    by: str = parameter("residues", "how words of more than 128 tokens run", choices=("residues", "streaming"))


def construct(at: Match3Parameters) -> Model:
    """The model for a modulus and words of at most `length` tokens."""
    return tensor(range(1, at.modulus + 1), at.modulus, at.length).to(at.dtype)


def verify(model: Model, at: Match3Parameters) -> Report:
    """Whether a model computes Match3: all short words, random ones, and long ones as `by` says."""
    _refuse(at.length, at.dtype, at.by)
    trials = replace(TASKS, every=4_000, samples=30)
    parts = [*checked(model, TASK, min(at.length, 40), trials=trials, modulus=at.modulus).parts]
    if at.length > 40:
        random = np.random.default_rng(SEED)
        words = [TASK.sample(random, at.length, modulus=at.modulus) for _ in range(1 if at.by == "streaming" else 6)]
        if at.by == "streaming" or at.length <= STREAMED:
            statement = f"random words of length {at.length:,}, streamed over all pairs"
            parts.append(agreement(model, TASK, words, statement, seed=SEED, modulus=at.modulus))
        else:
            parts.append(by_residues(model, words, at.modulus, at.length))
    return joined("the model computes match3", tuple(parts))


def prove(model: Model, at: Match3Parameters, least: int) -> ModelProof | None:
    """Whether a model is right on all words of up to a length."""
    return proved_task(model, TASK, at.length, least=least, modulus=at.modulus)


def _refuse(length: int, numbers: str, by: str) -> None:
    """Refuses what would take days, and the shortcut where scores do not depend on the sum of residues alone."""
    if by == "streaming" and length > LONGEST:
        what = f"a word of {length:,} tokens has {length**3:.1g} scores"
        raise CapaxError("too-large", what, hint=f"--by residues, or a length of at most {LONGEST:,}")
    if by == "residues" and length > STREAMED and numbers != "float64":
        what = f"in {numbers} scores of equal sums differ by rounding, and the shortcut for residues does not hold"
        raise CapaxError("bad-option", what, hint=f"--by streaming, or a length of at most {STREAMED}")


def by_residues(model: Model, words: list[list[int]], modulus: int, length: int) -> Report:
    """The check of long words with the weights that the shortcut finds."""
    statement = f"random words of length {length:,}, by the shortcut for residues"
    for word in words:
        got = [int(6 * z - 1 > 0.5) for z in shortcut(model, word, modulus)]
        if got != (right := TASK.reference(word, modulus=modulus)):
            at = next(i for i, (a, b) in enumerate(zip(got, right, strict=True)) if a != b)
            wrong = {"word": word, "position": at, "model": got[at], "right": right[at]}
            return Report(statement, "sampled", False, len(words), SEED, counterexample=wrong)
    return Report(statement, "sampled", True, len(words), SEED)


def size(at: Match3Parameters) -> tuple[SizeRow, ...]:
    """The sizes beside the paper's."""
    built = construct(at).size
    return (
        SizeRow("layers", built.attention_layers, 1),
        SizeRow("third-order heads", built.heads[0], 1),
        SizeRow("head dimension m", built.head_dimension, "O(1)", "3 for the cosine, 2 for the blank"),
        SizeRow("width of the stream", built.width, "O(1)"),
        SizeRow("scores per head", at.length * (at.length + 1) ** 2, "N^3", "pairwise heads have N^2"),
        SizeRow("scale of the scores", at.modulus**2 * math.log(6 * at.length**2) / 8, "O(M^2 log N)"),
        SizeRow(
            "pairwise, one layer: H m p",
            "see tri-id",
            "Omega(N / log log N)",
            "lower bound of the same paper, for M >= N + 1; several layers: open",
        ),
    )


def break_it(at: Match3Parameters) -> Report:
    """With a zero vector for the blank, 2N + 1 pairs tie with a match, and one match among many tokens is lost."""
    words = [[at.modulus, *[1] * (min(at.length, STREAMED) - 1)]]
    statement = "Match3 with the zero vector as the blank token: all pairs with a blank tie with the matches"
    return agreement(
        tensor(range(1, at.modulus + 1), at.modulus, at.length, paired=False).to(at.dtype),
        TASK,
        words,
        statement,
        chosen=True,
        modulus=at.modulus,
    )


THEOREM = theorem_in(
    __name__,
    Match3Parameters,
    assumptions=("one blank token before the word",),
    attention="third-order softmax",
    computes="task:match3?modulus={modulus}",
    precision="O(log M + log log N) bits; measured below",
    breaks="construction",
    task="match3",
    small=({"modulus": 4, "length": 100}, {"modulus": 1000, "dtype": "float32"}, {"modulus": 9001, "length": 2_000}),
    large=({"modulus": 9001, "length": 2_000, "by": "streaming"},),
)
