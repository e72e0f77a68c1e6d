"""n-gram language models by n - 1 heads in one layer."""

from typing import Any

from capax.model.model import Model
from capax.report import Report
from capax.tasks.base.parameter import Parameter
from capax.theorems.base.theorem import Row, Theorem
from capax.theorems.ngram.parts.equivalence import weak_equivalence
from capax.theorems.ngram.parts.heads import by_heads
from capax.theorems.ngram.parts.parameters import CITATION, PARAMETERS, attentions, language
from capax.theorems.ngram.parts.predictor import predictor
from capax.theorems.ngram.parts.space import first_wrong, space_rows


def construct(**at: Any) -> Model:
    """The transformer: head h copies the symbol at distance h, and a unit of the MLP stands for each history."""
    lm = language(at["order"], at["symbols"], at["zeros"], at["seed"])
    looking = by_heads(lm, at["attention"], at["numbers"], at["encoding"], at["length"] + at["order"])
    return predictor(lm, looking, numbers=at["numbers"], normaliser=at["normaliser"])


def verify(model: Model, **at: Any) -> Report:
    """Whether a model gives every word the probability that the n-gram model gives it."""
    lm = language(at["order"], at["symbols"], at["zeros"], at["seed"])
    return weak_equivalence(model, lm, length=at["length"], seed=at["seed"])


def size(**at: Any) -> tuple[Row, ...]:
    """The sizes beside those of the paper, and where its positions first fail."""
    made, n = construct(**at), at["order"]
    wrong = {numbers: first_wrong("sqrt", numbers, 120_000) for numbers in ("float32", "float64")}
    return (
        Row("attention layers", made.depth, 1),
        Row("heads", len(made.blocks[0].heads), n - 1, "n - 1"),
        *space_rows(made, at["encoding"], n, at["symbols"], at["length"]),
        *(
            Row(f"first wrong row, sqrt in {name}", row or "none", "", "measured up to 120,000")
            for name, row in wrong.items()
        ),
    )


def break_it(**at: Any) -> Report:
    """The paper's positions in float32: at row 200 their scores are nearer to each other than the numbers resolve."""
    worse = {**at, "encoding": "sqrt", "numbers": "float32", "length": max(at["length"], 200), "attention": "hard"}
    found = verify(construct(**worse), **worse)
    failed = next((part for part in found.parts if not part.holds), found)
    return Report(
        f"with positions sqrt(1/t) in float32 words of {worse['length']:,} symbols keep their probability",
        failed.evidence,
        failed.holds,
        failed.count,
        failed.seed,
        failed.figures,
        failed.counterexample,
    )


THEOREM = Theorem(
    name="ngram-heads",
    title="An n-gram language model is a transformer with n - 1 heads in one layer",
    statement=(
        "For every n >= 2 and every n-gram language model p over a finite alphabet there is a transformer with one "
        "layer of n - 1 heads whose language model q has q(y) = p(y) for every word y."
    ),
    assumptions=(
        "n - 1 paddings (BOS) are put before each word: without them the first rows look at rows that do not exist",
        "the MLP has a unit for each history, of which there are exponentially many in n",
    ),
    attention="hard, sparsemax or softmax; causal masks",
    precision=(
        "scores of 2 log2 T + 1 bits at length T (integer positions), or 3 log2 T + 3 (the paper's, sqrt); with "
        "softmax the MLP removes what attention leaves over, so that it is exact at every length"
    ),
    citation=CITATION,
    parameters=(
        *PARAMETERS,
        Parameter("encoding", "integer", "positions: i and i^2, or the paper's", choices=("integer", "sqrt")),
    ),
    construct=construct,
    verify=verify,
    size=size,
    break_it=break_it,
    limits=(
        "Integer positions are exact to 67,108,864 rows in float64 and 2,896 in float32, and longer words are refused. "
        "Probabilities are those of the table rounded to the number system; zeros are exactly 0."
    ),
    task="next-token",
    small=(
        *attentions(2, 2),
        *attentions(3, 2, normaliser="softmax"),
        *attentions(4, 3, length=300),
        *attentions(5, 2, length=300, numbers="float32"),
        {"encoding": "sqrt", "length": 500},
        {"encoding": "sqrt", "length": 60, "numbers": "float32", "order": 4},
        {"encoding": "sqrt", "length": 60, "attention": "softmax"},
    ),
    large=(*attentions(5, 3), *attentions(3, 20), *attentions(5, 4), *attentions(3, 3, length=20_000)),
)
