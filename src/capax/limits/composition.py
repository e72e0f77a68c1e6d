"""One layer composes functions wrongly once they are large.

Statement: For all H, d, p and n with R = n log2 n - H (d + 1) p > 0, every layer of H heads whose values are d numbers
of p bits answers g(f(x)) wrongly with probability at least R / (3 n log2 n), over uniform functions f, g on n values
and uniform x.
Idea: fix x. What the tokens of g add to the last token is, for each head, a sum of weighted values and a sum of
weights: H (d + 1) numbers. They do not depend on y = f(x), which is uniform. So a message about the table g must answer
g(y) for a random y, and a table has n log2 n bits.
Cite: Peng, Narayanan and Papadimitriou (2024), On limitations of the transformer architecture, Theorem 1; the bounds by
Fano and by spheres are derived here.
Unchecked: The constant 3; the bounds by Fano and by spheres do not use it.
Escapes: Two layers compose (theorem composition), and so do steps of thought (theorem composition-cot). Where R <= 0
the bound is vacuous; it never says that a layer can.
Scope: f and g stand in the prompt as 2n tokens, one for each entry, and a last token asks for g(f(x)). Arithmetic has
finitely many bits.
"""

import math
from dataclasses import replace
from decimal import Decimal
from typing import Any

from capax.limits.base.large_numbers import Count, n_log_n, shown
from capax.limits.base.limit import (
    BoundVerdict,
    Chart,
    Finding,
    Line,
    Quantity,
    Source,
    limit_in,
    no_statement,
    quantity,
    spread,
)
from capax.limits.base.one_layer import (
    MESSAGE,
    MOST_SPHERES,
    LayerMessage,
    deficit,
    fano_error,
    fano_reaches,
    least_n,
    paper_error,
    paper_reaches,
    sphere_error,
)
from capax.tasks.base.parameter import Parameter

N = Count("n", 10_000, "the number n of values of the functions; the prompt has 2n + 1 tokens", 2)
TARGET = Parameter("error", 0.25, "an error for which the least n is looked for", 0.0001, 0.9999)
MOST_BITS_SEARCHED = 200
"""For messages of more than 2 to this many bits the least n is not looked for."""


def compute(n: int, error: float, **sizes: Any) -> Finding:
    """The bits, the three bounds and the least n for an error, and what they say."""
    message = LayerMessage(**sizes)
    bits = message.bits_of(n)
    left = deficit(n, bits)
    lacking = left if left > 0 else None
    rows = (
        message.line(bits),
        quantity("a function's table", n_log_n(n), "bits", "derived", "n log2 n"),
        quantity("missing bits R", lacking, "bits", "derived", "table - message" if left > 0 else "not positive"),
        *errors(n, bits),
        *inverses(error, message),
        quantity("prompt", 2 * n + 1, "tokens", "derived", "2n + 1"),
    )
    if left <= 0:
        why = (
            f"a message of {_bits(bits)} could hold a table of n = {shown(n)} values, which does not mean that it does"
        )
        return rows, no_statement(why)
    best = max(fano_error(n, bits), sphere_error(n, bits) or 0.0)
    text = (
        f"every such layer is wrong on at least {_share(best)} of all f, g and x (the paper's constant: "
        f"{_share(paper_error(n, bits))})"
    )
    return rows, BoundVerdict("impossible", text)


def errors(n: int, bits: int | Decimal) -> tuple[Quantity, ...]:
    """The three lower bounds on the error, none of them where the message could hold the table."""
    positive = deficit(n, bits) > 0
    sphere = sphere_error(n, bits)
    best = "the best of the three" if sphere is not None else f"not counted above n = {MOST_SPHERES:,}"
    guess = 1 - 1 / n if n < 2**53 else 1.0

    def bound(name: str, value: float | None, source: Source, note: str) -> Quantity:
        return quantity(name, value if positive else None, "", source, note if positive else "R is not positive")

    return (
        bound("error, paper", paper_error(n, bits), "cited", "R / (3 n log2 n)"),
        bound("error, Fano", fano_error(n, bits), "derived", "h(e) + e log2(n - 1) >= R / n"),
        bound("error, spheres", sphere, "derived", best),
        quantity("error of guessing", guess, "", "derived", "1 - 1/n: no bound can be above"),
    )


def inverses(error: float, message: LayerMessage) -> tuple[Quantity, ...]:
    """The least n at which the bounds are not vacuous, and at which they reach an error."""

    names = ("least n, any error", f"least n, paper >= {error:g}", f"least n, Fano >= {error:g}")
    bits = message.bits_of
    if bits(2) >= 2**MOST_BITS_SEARCHED:
        note = f"not looked for where a message has more than 2^{MOST_BITS_SEARCHED} bits"
        return tuple(Quantity(name, None, "", "derived", note) for name in names)
    least = vacuous_below(message)
    paper = least_n(lambda n: paper_reaches(n, bits(n), error)) if error < 1 / 3 else None
    fano = least_n(lambda n: fano_reaches(n, bits(n), error))
    far = "beyond 2^1024"
    none = "the paper's bound stays below 1/3" if error >= 1 / 3 else far
    return (
        quantity(names[0], least, "", "derived", "where R > 0" if least else far),
        quantity(names[1], paper, "", "cited", "" if paper else none),
        quantity(names[2], fano, "", "derived", "" if fano else far),
    )


def vacuous_below(message: LayerMessage) -> int | None:
    """The least n at which the bounds are not vacuous, or None beyond 2^1024."""
    return least_n(lambda n: paper_reaches(n, message.bits_of(n), 0))


def chart(n: int, error: float, **sizes: Any) -> Chart:
    """The error against n for the layer and for ones with a quarter and four times the heads."""
    message = LayerMessage(**sizes)
    heads = sorted({max(1, message.heads // 4), message.heads, message.heads * 4})
    starts = {h: vacuous_below(replace(message, heads=h)) for h in heads}
    start = starts[message.heads]
    known = [math.log10(s) for s in starts.values() if s is not None]
    right = max([*(x + 1.5 for x in known), _log10(n) + 0.3, 1.0])
    lines = []
    for h in heads:
        first = starts[h]
        if first is None:
            continue
        bits = replace(message, heads=h).bits_of
        xs = [x for x in spread(math.log10(2), right, 160) if x > math.log10(first)]
        at = [(x, _power(x)) for x in (math.log10(first), *xs)]
        lines.append(Line(f"Fano, H = {shown(h)}", tuple((x, fano_error(n, bits(n))) for x, n in at)))
        if h == message.heads:
            paper = tuple((x, paper_error(n, bits(n))) for x, n in at)
            lines.append(Line(f"paper, H = {shown(h)}", paper, dashed=True))
    return Chart(
        f"One layer, d = {shown(message.dim)}, p = {shown(message.bits)}: error at composition",
        "n, the number of values",
        "least error",
        tuple(lines),
        binds_from=None if start is None else math.log10(start),
        binds=f"not vacuous for H = {shown(message.heads)}",
        here=_log10(n),
        notes=("where a line is missing: no statement at this size",),
    )


def _power(x: float) -> int:
    """A whole number near 10^x, at least 2, for any x."""
    whole = int(x)
    return max(2, round(10 ** (x - whole) * 10**12) * int(10**whole) // 10**12)


def _log10(n: int) -> float:
    return math.log10(n)


def _bits(bits: int | Decimal) -> str:
    return f"{shown(bits)} bits" if isinstance(bits, int) else f"{bits:.1f} bits"


def _share(error: float) -> str:
    """An error in percent, never rounded up."""
    digits = 1 if error >= 0.01 else 4
    return f"{math.floor(100 * error * 10**digits) / 10**digits:g} %" if error < 0.999 else "99.9 %"


LIMIT = limit_in(
    __name__,
    (N, *MESSAGE, TARGET),
    assumptions=(
        "one layer, and no steps of thought",
        "one token for each entry of f and g, embedded by itself; the answer is read at the token of x",
        "deterministic arithmetic; what a head passes on about g is d + 1 numbers of p bits",
        "d is the dimension of one head: with the width H d of a model instead, the bound is weaker by a factor H",
    ),
    task="composition",
    theorems=("composition", "composition-cot"),
    small=(
        {"heads": 1, "dim": 4, "bits": 8, "n": 32},
        {"n": 5334},
        {"n": 10**300, "heads": 10**200},
        {"count": "exact", "n": 6, "heads": 1, "dim": 2, "bits": 4},
        {"count": "measured", "messages": 256, "n": 16},
    ),
)
