"""An n-gram language model is a transformer with one head in one layer.

Statement: for every n >= 2 and every n-gram language model p over a finite alphabet there is a transformer with one
layer of one head whose language model q has q(y) = p(y) for every word y; with softmax attention too, with the same
weights at every length.
Idea: one head sees the last n - 1 rows and their order: by scores that tie on them alone (hard), by weights that end
after them (sparsemax), or by weights whose sum is read digit by digit (softmax).
Cite: Svete and Cotterell (2024), Transformers can represent n-gram language models, NAACL.
Scope: hard: exact while (2 T)^(n-1) is below 2^53 (float64) or 2^24 (float32), so to 47 million rows for n = 3 and
4,870 for n = 5 in float64; longer words are refused. Sparsemax and softmax: to 10^15 rows in float64 and 5 million in
float32. Softmax has 2^n units for each bit of a symbol's code.
"""

from dataclasses import replace

from capax.model.model import Model
from capax.report import Report
from capax.theorems.base.theorem import SizeRow, theorem_in
from capax.theorems.ngram.parts.one_head import by_one_head
from capax.theorems.ngram.parts.parameters import (
    NGramParameters,
    attentions,
    first_failure,
    language,
    prove,
    transformer,
    verify,
)
from capax.theorems.ngram.parts.space import space_rows


def construct(at: NGramParameters, slope: float | None = None) -> Model:
    """The transformer: one head that sees the last n - 1 rows, in order."""
    return transformer(at, by_one_head(language(at), at.attention, at.dtype, slope))


def size(at: NGramParameters) -> tuple[SizeRow, ...]:
    """The sizes beside those of the paper."""
    model, hard = construct(at), at.attention == "hard"
    keys = model.blocks[0].heads[0].query.outputs
    return (
        SizeRow("attention layers", model.depth, 1),
        SizeRow("heads", len(model.blocks[0].heads), 1),
        SizeRow("key dimension", keys, f"{at.order}" if hard else "1", "n for the product of n - 1 differences"),
        *space_rows(model, "product" if hard else at.attention, at.order, at.symbols, at.length),
    )


def break_it(at: NGramParameters) -> Report:
    """The head beyond what makes it right: the product beyond its integers, or scores with another slope."""
    if at.attention == "hard":
        worse = replace(at, order=max(at.order, 4), dtype="float32", length=1000)
        model = replace(construct(worse), max_length=None)
        statement = f"the product of {worse.order - 1} differences singles out the last rows at length 1,000 in float32"
    else:
        worse = replace(at, order=max(at.order, 3))
        model = construct(worse, slope=0.01)
        statement = f"with the score j/100 {at.attention} attention still tells the last {worse.order - 1} rows"
    return first_failure(model, worse, statement)


THEOREM = theorem_in(
    __name__,
    NGramParameters,
    verify=verify,
    prove=prove,
    assumptions=(
        "n - 1 paddings (BOS) are put before each word",
        "the MLP has a unit for each history, of which there are exponentially many in n",
        "hard and sparsemax attention: an MLP before the layer, and positions mod n - 1",
    ),
    attention="hard (a tie of the last n - 1 rows), sparsemax or softmax; causal mask",
    precision=(
        "hard: scores of (n - 1)(log2 T + 1) bits at length T; sparsemax: log2 T and a few; softmax: log2 T and 2, and "
        "values to r^(n-1), r = exp(-3/2), whatever the length"
    ),
    task="next-token",
    small=(
        *attentions(2, 2),
        *attentions(3, 2, normaliser="softmax"),
        *attentions(4, 3, length=300),
        *attentions(5, 2, length=300, dtype="float32"),
        {"attention": "softmax", "dtype": "float32", "order": 5},
    ),
    large=(
        *attentions(5, 3),
        *attentions(3, 20),
        *attentions(5, 4),
        *attentions(7, 2),
        *attentions(3, 3, length=20_000),
        {"attention": "softmax", "dtype": "float32", "order": 8, "symbols": 2},
    ),
)
