"""One layer needs many steps of thought for iterated composition.

Statement: One layer of H heads whose values are d numbers of p bits needs Omega(sqrt(n / (H d p))) steps of thought for
K-fold composition of a function on n values, for K of that order: with the cited constants, K - 1 steps are too few
whenever (K - 1) 2 H (d + 1) p < n / (2000 K) - 2 K log2 n.
Idea: split the table between two parties. A step costs about 2 H (d + 1) p bits, since both send their sums; the token
that is written is known to both. Fewer than K steps would be a protocol of K - 1 rounds for chasing a pointer, which
needs at least n / (2000 K) - 2 K log2 n bits.
Cite: Peng, Narayanan and Papadimitriou (2024), On limitations of the transformer architecture, Theorem 2, with the
bound on chasing pointers of Yehudayoff (2020).
Unchecked: The constants 2000 and 2, and the cost of a step.
Escapes: K steps do it, one jump for each (theorem composition-cot). For layers of real sizes the bound is vacuous below
n of about 10^9; cot-hard-attention has an exact statement instead.
Scope: K has to be of the order of the bound; it is vacuous for a fixed K and a growing n beyond it. The bound on
chasing pointers is from Yehudayoff (2020), Pointer chasing via triangular discrimination.
"""

import math
from decimal import ROUND_FLOOR, Decimal

from capax.limits.base.large_numbers import Count, log2, precise, shown, whole
from capax.limits.base.limit import BoundVerdict, Chart, Finding, Line, limit_in, no_statement, quantity, spread
from capax.limits.base.one_layer import BITS, DIM, HEADS, nominal_bits

N = Count("n", 10**9, "the number n of values of the function", 2)
POINTER = 2000
"""The constant of the bound on chasing pointers, cited and not checked here."""


def step_bits(heads: int, dim: int, bits: int) -> int:
    """The bits of one step: both parties send their sums."""
    return 2 * nominal_bits(heads, dim, bits)


def pointer_bits(n: int, steps: int) -> Decimal:
    """n / (2000 K) - 2 K log2 n: what a protocol of K - 1 rounds must send; it may be negative."""
    with precise():
        return whole(n) / (POINTER * whole(steps)) - 2 * whole(steps) * log2(n)


def holds(n: int, steps: int, step: int) -> bool:
    """Whether K - 1 steps send too few bits for K jumps."""
    with precise():
        return whole((steps - 1) * step) < pointer_bits(n, steps)


def most_steps(n: int, step: int) -> int | Decimal:
    """The largest K for which K - 1 steps are too few, a real number where it is beyond 10^40; 0 for K < 2.

    (K - 1) s < n / (2000 K) - 2 K log2 n is a quadratic inequality in K.
    """
    with precise():
        b = POINTER * whole(step)
        a = b + 2 * POINTER * log2(n)
        root = (b + (b * b + 4 * a * whole(n)).sqrt()) / (2 * a)
        if root > Decimal(10) ** 40:
            return root
        steps = int(root.to_integral_value(ROUND_FLOOR)) + 1
    while steps >= 2 and not holds(n, steps, step):
        steps -= 1
    return steps if steps >= 2 else 0


def compute(n: int, heads: int, dim: int, bits: int) -> Finding:
    """The bits of a step, the largest K, and what they say."""
    step = step_bits(heads, dim, bits)
    most = most_steps(n, step)
    size = heads * dim * bits
    with precise():
        order = (whole(n) / whole(size)).sqrt()
    rows = [
        quantity("H d p", size, "", "derived"),
        quantity("a step", step, "bits", "derived", "2 H (d + 1) p: both parties send their sums"),
        quantity(
            "steps that are needed, K",
            most,
            "",
            "cited",
            "the largest K with (K - 1) step < n/(2000 K) - 2 K log2 n",
        ),
        quantity("sqrt(n / (H d p))", order, "", "stated", "the order of the bound, without its constant"),
    ]
    if most and isinstance(most, int):
        rows.append(quantity("bits that chasing K pointers needs", pointer_bits(n, most), "bits", "cited"))
    if not most:
        return tuple(rows), no_statement(
            f"with the cited constants the bound needs fewer than 2 steps at n = {shown(n)}"
        )
    count = shown(most) if isinstance(most, int) else f"2^{float(log2(most)):.1f}"
    text = f"K - 1 steps are too few for K-fold composition with K = {count}, if the cited constants are right"
    return tuple(rows), BoundVerdict("impossible", text)


def chart(n: int, heads: int, dim: int, bits: int) -> Chart:
    """K against n, for the layer and for ones of 1/64 and of 64 times the heads."""
    lines, start = [], None
    right = max(14.0, math.log10(n) + 1)
    for h in sorted({max(1, heads // 64), heads, heads * 64}):
        points = []
        for x in spread(3.0, right, 140):
            most = most_steps(10 ** int(x) * round(10**6 * 10 ** (x % 1)) // 10**6, step_bits(h, dim, bits))
            if most:
                points.append((x, float(log2(most)) * math.log10(2)))
        if points:
            lines.append(Line(f"H = {shown(h)}", tuple(points)))
            start = points[0][0] if h == heads else start
    return Chart(
        f"Steps of thought that one layer needs, d = {shown(dim)}, p = {shown(bits)} (cited constants)",
        "n, the number of values",
        "K, steps",
        tuple(lines),
        log_y=True,
        binds_from=start,
        binds=f"not vacuous for H = {shown(heads)}",
        here=math.log10(n),
        notes=("where a line is missing: no statement at this size",),
    )


LIMIT = limit_in(
    __name__,
    (N, HEADS, DIM, BITS),
    assumptions=(
        "one layer; each step writes one token that all later steps read",
        "the table of the function stands in the prompt, one token for each entry",
        "K is of the order of the bound, not fixed",
    ),
    task="composition",
    theorems=("composition-cot",),
    small=({"heads": 1, "dim": 4, "bits": 8}, {"n": 10**6}, {"n": 10**300}),
)
