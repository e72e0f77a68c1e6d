"""One layer of pairwise heads finds matches of three only with a width that grows with the length.

Statement: For all N and M >= 8n with n = (N - 1)/2, no layer of H pairwise heads whose message from half of the tokens
has fewer than (N - 1)/2 bits says for every word of N tokens whether some j and k have x_1 + x_j + x_k = 0 mod M. The
message has H (m + 1) p bits, if sums fit into p bits.
Idea: two parties hold sets A and B of 1 ... n, n = (N - 1)/2. Let x_1 = 1. The first writes 2n + i for each i in A and
0 elsewhere, the second M - 1 - 2n - i for each i in B. For M >= 8n a match of x_1 is an element of both. So the first
party's sums tell every A from every other, and there are 2^n.
Cite: Sanford, Hsu and Telgarsky (2023), Representational strengths and limitations of transformers: m p H of the order
of N / log log N for M >= N + 1; the exact form is derived here.
Unchecked: The paper's N / log log N has a constant that is not known here; the verdict does not use it.
Escapes: One third-order head does it (theorem match3). For several layers of pairwise heads nothing is known: the paper
conjectures that they do not help.
Scope: x_1 = 0 would match itself (0 + 0 + 0), so 3 x_1 must not be 0.
"""

import math
from dataclasses import replace
from decimal import Decimal
from typing import Any

from capax.limits.base.large_numbers import Count, log2, precise, shown, whole
from capax.limits.base.limit import (
    BoundVerdict,
    Chart,
    Finding,
    Line,
    Quantity,
    limit_in,
    no_statement,
    quantity,
    spread,
)
from capax.limits.base.one_layer import MESSAGE, LayerMessage

N = Count("n", 10_000, "the number N of tokens", 3)
MODULUS = Count("modulus", 0, "the modulus M; 0: large enough", 0)


def least_modulus(n: int) -> int:
    """8n for n = (N - 1)/2 elements: the modulus of the sets that are used here."""
    return 8 * ((n - 1) // 2)


def compute(n: int, modulus: int, **sizes: Any) -> Finding:
    """The bits of the message beside those of a set, and what they say."""
    elements, message = (n - 1) // 2, LayerMessage(**sizes)
    bits = message.bits_of(elements)
    numbers = message.heads * message.dim * message.bits
    rows = (
        message.line(bits),
        quantity("a set", elements, "bits", "derived", "(N - 1) / 2"),
        quantity("least modulus, here", least_modulus(n), "", "derived", "8n for n = (N - 1)/2 elements"),
        quantity("least modulus, paper", n + 1, "", "stated", "N + 1, for large N"),
        quantity("m p H", numbers, "", "given"),
        paper(n),
    )
    if modulus and modulus < least_modulus(n):
        return rows, no_statement(f"the modulus {shown(modulus)} is too small for the sets that are used here")
    if bits >= (elements if isinstance(bits, int) else whole(elements)):
        what = f"the message has (N - 1)/2 = {shown(elements)} bits or more"
        return rows, no_statement(f"{what}, which does not mean that such a layer can do it")
    text = (
        f"no such layer finds matches of three on words of N = {shown(n)} tokens, with M >= {shown(least_modulus(n))}"
    )
    return rows, BoundVerdict("impossible", text)


def paper(n: int) -> Quantity:
    """N / log2 log2 N, the paper's order, which has a constant that is not known here."""
    if n < 5:
        return Quantity("N / log log N", None, "", "cited", "for N > 4")
    with precise():
        order = whole(n) / log2(log2(n))
    return quantity("N / log log N", order, "", "cited", "the paper: m p H at least a constant times this")


def chart(n: int, modulus: int, **sizes: Any) -> Chart:
    """The bits of a set and of messages against N."""
    message = LayerMessage(**sizes)
    right = max(math.log10(n) + 1, math.log10(float(min(2**900, message.heads * message.dim * message.bits))) + 1)
    xs = spread(math.log10(3), right, 100)
    at = [max(3, 10 ** int(x) * round(10**6 * 10 ** (x % 1)) // 10**6) for x in xs]
    lines = [Line("needed: (N - 1)/2", tuple((x, _log10((size - 1) // 2)) for x, size in zip(xs, at, strict=True)))]
    start = None
    for heads in sorted({max(1, message.heads // 8), message.heads, message.heads * 8}):
        bits = replace(message, heads=heads).bits_of
        sent = [bits((size - 1) // 2) for size in at]
        lines.append(Line(f"H = {shown(heads)}", tuple((x, _log10(y)) for x, y in zip(xs, sent, strict=True)), True))
        if heads == message.heads:
            short = [x for x, size, y in zip(xs, at, sent, strict=True) if y < (size - 1) // 2]
            start = min(short, default=None)
    return Chart(
        "Match3 by one layer: bits needed and bits sent",
        "N, the number of tokens",
        "bits",
        tuple(lines),
        log_y=True,
        binds_from=start,
        binds=f"not vacuous for H = {shown(message.heads)}",
        here=math.log10(n),
        notes=("where a message is not below the needed bits: no statement at this size",),
    )


def _log10(value: int | Decimal) -> float:
    return float(log2(value)) * math.log10(2) if value > 0 else 0.0


LIMIT = limit_in(
    __name__,
    (N, *MESSAGE, MODULUS),
    assumptions=(
        "one layer of heads over pairs of tokens, then any function of the token",
        "each token is embedded by itself; deterministic arithmetic",
    ),
    task="match3",
    theorems=("match3", "tri-id"),
    small=(
        {"heads": 1, "dim": 8, "bits": 8},
        {"n": 9, "modulus": 10},
        {"n": 10**300},
        {"heads": 1, "dim": 2, "bits": 4, "count": "exact", "n": 100},
        {"count": "measured", "messages": 1000, "n": 33},
    ),
)
