"""n-gram language models by one head in each of n - 2 layers."""

from typing import Any

from capax.model.model import Model
from capax.report import Report
from capax.theorems.base.theorem import Row, Theorem
from capax.theorems.ngram.parts.equivalence import weak_equivalence
from capax.theorems.ngram.parts.layers import by_layers
from capax.theorems.ngram.parts.parameters import CITATION, PARAMETERS, attentions, language
from capax.theorems.ngram.parts.predictor import predictor
from capax.theorems.ngram.parts.space import space_rows


def construct(missing: int = 0, **at: Any) -> Model:
    """The transformer: each layer copies, from the row before, what the layer below it holds."""
    lm = language(at["order"], at["symbols"], at["zeros"], at["seed"])
    looking = by_layers(lm, at["attention"], at["numbers"], missing)
    return predictor(lm, looking, numbers=at["numbers"], normaliser=at["normaliser"])


def verify(model: Model, **at: Any) -> Report:
    """Whether a model gives every word the probability that the n-gram model gives it."""
    lm = language(at["order"], at["symbols"], at["zeros"], at["seed"])
    return weak_equivalence(model, lm, length=at["length"], seed=at["seed"])


def size(**at: Any) -> tuple[Row, ...]:
    """The sizes beside those of the paper."""
    made, n = construct(**at), at["order"]
    return (
        Row("attention layers", made.depth, n - 1, "n - 1 in the paper; a row's own symbol needs no head"),
        Row("heads", max((len(b.heads) for b in made.blocks), default=0), 1, "in each layer"),
        *space_rows(made, "integer", n, at["symbols"], at["length"]),
    )


def break_it(**at: Any) -> Report:
    """One layer fewer: the oldest symbol of a history never arrives."""
    worse = {**at, "order": max(at["order"], 3)}
    found = verify(construct(missing=1, **worse), **worse)
    failed = next((part for part in found.parts if not part.holds), found)
    return Report(
        f"with {worse['order'] - 3} layers instead of {worse['order'] - 2} words keep their probability",
        failed.evidence,
        failed.holds,
        failed.count,
        failed.seed,
        failed.figures,
        failed.counterexample,
    )


THEOREM = Theorem(
    name="ngram-layers",
    title="An n-gram language model is a transformer with one head in each of n - 1 layers",
    statement=(
        "For every n >= 2 and every n-gram language model p over a finite alphabet there is a transformer with n - 1 "
        "layers of one head whose language model q has q(y) = p(y) for every word y. With residual connections n - 2 "
        "layers suffice."
    ),
    assumptions=(
        "n - 1 paddings (BOS) are put before each word",
        "the MLP of the last layer has a unit for each history, of which there are exponentially many in n",
    ),
    attention="hard, sparsemax or softmax; causal masks",
    precision=(
        "scores of 2 log2 T + 1 bits at length T; with softmax each layer's MLP makes the bits -1 and 1 again, so that "
        "it is exact at every length"
    ),
    citation=CITATION,
    parameters=PARAMETERS,
    construct=construct,
    verify=verify,
    size=size,
    break_it=break_it,
    limits=(
        "Exact to 67,108,864 rows in float64 and 2,896 in float32, and longer words are refused. Probabilities are "
        "those of the table rounded to the number system; zeros are exactly 0."
    ),
    task="next-token",
    small=(
        *attentions(2, 2),
        *attentions(3, 2, normaliser="softmax"),
        *attentions(4, 3, length=300),
        *attentions(5, 2, length=300, numbers="float32"),
    ),
    large=(*attentions(5, 3), *attentions(3, 20), *attentions(5, 4), *attentions(3, 3, length=20_000)),
)
