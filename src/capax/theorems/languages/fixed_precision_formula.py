"""Fixed-precision transformers without masks as formulas of first-order logic with counting.

Statement: for every transformer in fixed point whose heads are softmax or average-hard without masks and whose
positions repeat there is, for each type of positions (a token and a remainder), a formula of FOC[MOD; +] that holds of
a word exactly if the model answers yes at the positions of this type. With an end marker, or where all types say the
same, it is one sentence.
Idea: positions of one type have the same vector after each layer. A head's weights depend on types, its sums are exact,
and the rounded quotient is some value exactly if two linear conditions hold on how many positions of each type there
are. So the counts fall into finitely many regions with fixed vectors, each of which linear conditions describe.
Cite: Chiang, Cholak and Pillay (2023), Tighter bounds on the expressivity of transformer encoders: fixed-precision
transformer encoders recognize only what FOC[MOD; +] defines. An own construction for the cited statement, for the
fixed-point arithmetic of capax, which rounds quotients of exact sums.
Scope: the formula is right for all lengths at which the model itself runs without overflow; it is checked on all short
words and on random ones. At most 6 types of positions and 3,000 regions; masks, third-order heads, tables of positions
and floating point are refused. Sines and cosines count as repeating where their angle is a fraction of a full turn.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final

import numpy as np

from capax.auditor.model_proof import ModelProof
from capax.formal.automata.dfa import words_up_to
from capax.model.model import Model
from capax.report import Report
from capax.tasks.base.task import Task
from capax.theorems.base.theorem import SizeRow, parameter, theorem_in
from capax.theorems.checks import LANGUAGES, agreement, checked
from capax.theorems.languages.parts.acceptance_head import recogniser
from capax.theorems.languages.parts.logic.model_formula import ModelFormula, model_formula
from capax.theorems.proofs import proved_task
from capax.theorems.weights.stream import Stream, family

NAME: Final = "fixed-precision-formula"
TRIALS: Final = replace(LANGUAGES, every=3_000, drawn="with other shares of the tokens")


@dataclass(frozen=True, slots=True)
class FixedPrecisionParameters:
    """The parameters of the theorem."""

    symbols: int = parameter(2, "the number of tokens", 1, 4)
    period: int = parameter(1, "after how many positions positions repeat", 1, 3)
    layers: int = parameter(1, "the number of layers", 1, 3)
    bits: int = parameter(6, "the bits P of a number", 3, 12)
    fraction: int = parameter(2, "the bits F of it after the point", 1, 6)
    length: int = parameter(40, "the greatest length that is tried", 1, 2_000)
    seed: int = parameter(3, "of the random weights", 0, 2**31)


def random_model(at: FixedPrecisionParameters, numbers: str) -> Model:
    """A small transformer with random weights: one head and two ReLU units in each layer."""
    random = np.random.default_rng(at.seed)
    names = (*family("x", 2), "remainder")
    stream = Stream(names)

    def terms(bias: bool = False) -> dict[str, float]:
        weights = random.integers(-3, 4, size=len(names) + 1) / 2
        return dict(zip((*names, ""), map(float, weights * [1, 1, 1, bias]), strict=True))

    blocks = []
    for _ in range(at.layers):
        head = stream.head(query=[terms(True)], key=[terms()], value=[terms()], into=["x 0"], name="a random head")
        units = {unit: terms(True) for unit in ("u", "v")}
        mlp = stream.mlp([units], {"x 1": {"u": 0.5, "v": -1.0}})
        blocks.append(stream.block(head, mlp=mlp))
    rows = {
        "abcd"[token]: {name: float(random.integers(-4, 5)) / 2 for name in names[:2]} for token in range(at.symbols)
    }
    model = recogniser(stream, rows, tuple(blocks), terms(True), positions={f"i%{at.period}": "remainder"})
    return model.to(numbers)


def construct(at: FixedPrecisionParameters) -> Model:
    """A random model in fixed point."""
    return random_model(at, f"fixed:{at.bits}.{min(at.fraction, at.bits - 1)}")


@lru_cache(maxsize=8)
def formula_of(model: Model) -> ModelFormula:
    """The formula of a model."""
    return model_formula(model)


def _task(formula: ModelFormula) -> Task:
    """The task of answering as a formula says, at each position."""
    alphabet = formula.alphabet

    def sample(random: np.random.Generator, n: int) -> list[str]:
        shares = random.dirichlet(np.full(len(alphabet), 0.6))
        return [alphabet[int(x)] for x in random.choice(len(alphabet), size=n, p=shares)]

    def every(n: int) -> Any:
        return map(list, words_up_to(alphabet, n, least=n))

    what = "whether a formula of FOC[MOD; +] holds at each position"
    return Task("formula", what, "words over an alphabet", formula.answers, sample, every)


def verify(model: Model, at: FixedPrecisionParameters) -> Report:
    """Whether a model answers at each position as the formula that is made of it says: all short words, random ones."""
    return agrees(model, at.length)


def prove(model: Model, at: FixedPrecisionParameters, least: int) -> ModelProof | None:
    """Whether a model answers as its formula says on all words of up to a length."""
    return proved_task(model, _task(formula_of(model)), at.length, least=least)


def agrees(model: Model, length: int) -> Report:
    """The same for words of up to a length."""
    claim = "the model answers at every position as the formula says that is made of its weights"
    return checked(model, _task(formula_of(model)), length, trials=TRIALS, claim=claim, decode=_truths)


def _truths(answers: list[Any]) -> list[bool]:
    return [bool(answer) for answer in answers]


def size(at: FixedPrecisionParameters) -> tuple[SizeRow, ...]:
    """The sizes of the formula."""
    formula = formula_of(construct(at))
    kinds = list(formula.says)
    conditions = {one for kind in kinds for one in formula.normal(kind).inequalities}
    return (
        SizeRow("types of positions", len(kinds), "", f"tokens, and remainders modulo {formula.modulus}"),
        SizeRow("regions of counts", formula.regions, "finite"),
        SizeRow("conditions", len(conditions)),
    )


def break_it(at: FixedPrecisionParameters) -> Report:
    """The same weights in float64, where quotients are not rounded to few bits."""
    formula = formula_of(construct(at))
    task = _task(formula)
    words = [list(word) for word in words_up_to(formula.alphabet, 8, least=1)]
    words += [*task.samples(200, at.length, 0)]
    statement = "the same weights in float64, by the formula of the fixed-point model"
    return agreement(random_model(at, "float64"), task, words, statement, seed=0, decode=_truths)


THEOREM = theorem_in(
    __name__,
    FixedPrecisionParameters,
    assumptions=("fixed point: exact sums, and quotients that are rounded once", "no masks", "positions repeat"),
    attention="softmax or average-hard; no mask",
    precision="O(1) bits",
    small=(
        {"period": 2, "seed": 0, "bits": 5},
        {"symbols": 3, "seed": 1, "bits": 5},
        {"layers": 2, "seed": 2, "length": 100},
        {"symbols": 1, "period": 3, "seed": 1},
    ),
    large=({"bits": 8, "fraction": 3, "period": 2, "seed": 7}, {"layers": 3, "seed": 8}),
)
