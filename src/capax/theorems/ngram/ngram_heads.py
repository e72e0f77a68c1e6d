"""An n-gram language model is a transformer with n - 1 heads in one layer.

Statement: for every n >= 2 and every n-gram language model p over a finite alphabet there is a transformer with one
layer of n - 1 heads whose language model q has q(y) = p(y) for every word y.
Idea: head h copies the symbol at distance h. A unit of the MLP recognises each history, and writes the logits of what
follows it.
Cite: Svete and Cotterell (2024), Transformers can represent n-gram language models, NAACL.
Scope: integer positions are exact to 67,108,864 rows in float64 and 2,896 in float32, and longer words are refused.
Probabilities are those of the table rounded to the number system; zeros are exactly 0.
"""

from dataclasses import dataclass, replace

from capax.model.model import Model
from capax.report import Report
from capax.theorems.base.theorem import SizeRow, parameter, theorem_in
from capax.theorems.ngram.parts.distance_heads import by_heads
from capax.theorems.ngram.parts.parameters import (
    NGramParameters,
    attentions,
    first_failure,
    language,
    prove,
    transformer,
    verify,
)
from capax.theorems.ngram.parts.space import first_wrong, space_rows


@dataclass(frozen=True, slots=True)
class NGramHeadsParameters(NGramParameters):
    """The parameters of the theorem."""

    encoding: str = parameter("integer", "positions: i and i^2, or the paper's", choices=("integer", "sqrt"))


def construct(at: NGramHeadsParameters) -> Model:
    """The transformer: head h copies the symbol at distance h, and a unit of the MLP stands for each history."""
    return transformer(at, by_heads(language(at), at.attention, at.dtype, at.encoding, at.length + at.order))


def size(at: NGramHeadsParameters) -> tuple[SizeRow, ...]:
    """The sizes beside those of the paper, and where its positions first fail."""
    model = construct(at)
    wrong = {numbers: first_wrong("sqrt", numbers, 120_000) for numbers in ("float32", "float64")}
    return (
        SizeRow("attention layers", model.depth, 1),
        SizeRow("heads", len(model.blocks[0].heads), at.order - 1, "n - 1"),
        *space_rows(model, at.encoding, at.order, at.symbols, at.length),
        *(
            SizeRow(f"first wrong row, sqrt in {name}", row or "none", "", "measured up to 120,000")
            for name, row in wrong.items()
        ),
    )


def break_it(at: NGramHeadsParameters) -> Report:
    """The paper's positions in float32: at row 200 their scores are nearer to each other than the numbers resolve."""
    worse = replace(at, encoding="sqrt", dtype="float32", length=max(at.length, 200), attention="hard")
    statement = f"with positions sqrt(1/t) in float32 words of {worse.length:,} symbols keep their probability"
    return first_failure(construct(worse), worse, statement)


THEOREM = theorem_in(
    __name__,
    NGramHeadsParameters,
    verify=verify,
    prove=prove,
    assumptions=(
        "n - 1 paddings (BOS) are put before each word: without them the first rows look at rows that do not exist",
        "the MLP has a unit for each history, of which there are exponentially many in n",
    ),
    attention="hard, sparsemax or softmax; causal masks",
    precision=(
        "scores of 2 log2 T + 1 bits at length T (integer positions), or 3 log2 T + 3 (the paper's, sqrt); with "
        "softmax the MLP removes what attention leaves over, so that it is exact at every length"
    ),
    task="next-token",
    small=(
        *attentions(2, 2),
        *attentions(3, 2, normaliser="softmax"),
        *attentions(4, 3, length=300),
        *attentions(5, 2, length=300, dtype="float32"),
        {"encoding": "sqrt", "length": 500},
        {"encoding": "sqrt", "length": 60, "dtype": "float32", "order": 4},
        {"encoding": "sqrt", "length": 60, "attention": "softmax"},
    ),
    large=(*attentions(5, 3), *attentions(3, 20), *attentions(5, 4), *attentions(3, 3, length=20_000)),
)
