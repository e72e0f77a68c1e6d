"""L layers of a decoder fail at L-step composition, for prompts beyond all physical sizes.

Statement: L-step sequential composition is i_1 = z_1(i_0), i_(l+1) = z_(l+1)(w_l, i_l). Theorem 4.1: for L >= 2, no
decoder of L layers with H heads of dimension d and p bits computes it for tables of the sizes below, whose prompt has
N_0 + ... + N_(L-1) + 2 tokens. Theorem 1.1, in terms of the length n of the prompt: none does if H d p <= n^(2^(-4L)),
for L up to about log log n. No conjecture is assumed.
Idea: L + 2 players hold the tables, i_0 and w. In each epoch (layer) a player hears from those before it in the prompt
2 H d p bits for each of its tokens. By pigeonhole, inputs are kept for which all those transcripts are equal; for each
fixed input of the later players they look alike, and enough remain that two of them have different answers.
Cite: Chen, Peng and Wu (2024), Theoretical limitations of multi-layer transformer, arXiv 2412.02975.
Unchecked: Theorem and parameters are compared with lecture notes about the paper, whose misprints are corrected; Delta
and Theta are worked out here, as is how log log n bounds L (limit log-log-depth). No verdict rests on Theorem 1.1.
Escapes: L + 1 layers do it with few bits (theorem iterated-composition), and so do steps of thought. At every physical
size the bound is vacuous.
Scope: i_0 has m values, w_l has n_l, and z_l maps N_(l-1) values to as many, where N_0 = m and N_l = n_l N_(l-1)
(Definition 2.1, with L - 1 queries); `deep_sizes` has the sizes of the proof (Theorem 4.1 with Lemma 3.1). The
parameters K, m, n_l, N_l, x_l are the paper's as reproduced in lecture notes. Delta_l and Theta_l are worked out here
from the budget that the induction needs (Theta_l without what the lemma on covers may lose, which is not proved here).
The inequality is checked in logarithms: a check of arithmetic, not of the proof. A verdict rests on Theorem 4.1: it is
given where the prompt of the proof has at most n tokens, counted exactly. Theorem 1.1 is named beside it where its
inequality holds, and decides nothing, as its bound on L has a constant that is not known here. L = 1 is left to
`composition`.
"""

import math
from decimal import Decimal

from capax.limits.base.deep_sizes import DeepSizes, unproved_exponent
from capax.limits.base.large_numbers import Count, log2, precise, shown
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
from capax.limits.base.one_layer import BITS, DIM, HEADS
from capax.limits.base.small_or_large import THRESHOLD, block_parameters, size_rows

N = Count("n", 10**6, "the length n of the longest prompt", 2)
LAYERS = Count("layers", 2, "the number L of layers and of steps", 1, 16)
WRITTEN = 13_000
"""Powers of up to this many bits are given exactly; longer ones have more digits than are written out."""
ATOMS = 266
"""log2 of the number of atoms in the visible universe, about 10^80."""


def compute(n: int, layers: int, heads: int, dim: int, bits: int, threshold: float) -> Finding:
    """The sizes of the proof, the check of its budget, the least n, and what the bound says."""
    message = heads * dim * bits
    sizes = DeepSizes(layers, message)
    rows = [
        quantity("H d p", message, "bits", "derived", "the message for one token"),
        *tables(sizes),
        *budget(sizes),
        needed(sizes),
        raised("n by Theorem 1.1", message, 16**layers, "stated", "(H d p)^(16^L), for L up to about log log n"),
        quantity("n that was given", n, "tokens", "given"),
        quantity(
            "parameters of usual blocks",
            block_parameters(layers, heads, dim),
            "",
            "derived",
            "12 L (H d)^2: width H d, an MLP of 4 H d, no embeddings; L poly(d H p)",
        ),
        *size_rows(message, n, threshold),
    ]
    if layers > 1:
        sketch = unproved_exponent(layers)
        note = f"(H d p)^{sketch}: the smallest exponents that the budget allows; a sketch, no statement"
        rows.append(raised("n, unproved", message, sketch, "unproved", note))
    return tuple(rows), verdict(n, sizes)


def needed(sizes: DeepSizes) -> Quantity:
    """The length of the prompt of the proof: exactly where it can be written down, else its logarithm."""
    last = sizes.layers - 1
    note = f"{length(sizes)}, a little more than N_{last} = K^{sizes.exponent}"
    if sizes.tokens is None:
        return power("n by Theorem 4.1", sizes.prompt, "stated", note)
    return quantity("n by Theorem 4.1", sizes.tokens, "tokens", "stated", note)


def length(sizes: DeepSizes) -> str:
    """The length of the prompt of the proof, as a formula."""
    levels = [f"N_{level}" for level in range(sizes.layers)]
    return " + ".join([*(levels if len(levels) < 3 else (levels[0], "...", levels[-1])), "2"])


def tables(sizes: DeepSizes) -> list[Quantity]:
    """K, m and the sizes of what is kept, of the queries and of the tables."""
    steps = range(sizes.layers)

    def of_k(name: str, log: Decimal, note: str) -> Quantity:
        with precise():
            exponent = int((log / sizes.k).to_integral_value())
        return raised(name, sizes.whole_k, exponent, "stated", note)

    return [
        of_k("K", sizes.k, "(H d p L)^8 8^(2 L^2)"),
        of_k("m", sizes.m, "K x_0 ... x_(L-1): values of i_0"),
        *(of_k(f"x_{at}", sizes.x(at), f"inputs of player {at} that are kept") for at in steps),
        *(of_k(f"n_{at}", sizes.n(at), f"x_{at}^4: values of w_{at}") for at in steps[1:]),
        *(of_k(f"N_{at}", sizes.table(at), f"entries of z_{at + 1}") for at in steps),
    ]


def budget(sizes: DeepSizes) -> list[Quantity]:
    """Theta and Delta, and whether the bits that are spent stay below those that there are."""
    levels = range(1, sizes.layers)
    spent = "bits spent on equal transcripts"
    closes = "log2 of spent / (x_0 n_0 ... x_l n_l), n_0 = 1; closes below 0"
    return [
        *(power(f"Theta_{at}", sizes.cover(at), "derived", f"values of i_{at} that are reached") for at in levels),
        *(power(f"log2 Delta_{at + 1}", sizes.shrink(at + 1), "derived", spent) for at in levels),
        *(quantity(f"budget of epoch {at + 1}", float(sizes.slack(at)), "", "derived", closes) for at in levels),
        *pigeonhole(sizes),
    ]


def verdict(n: int, sizes: DeepSizes) -> BoundVerdict:
    """What the bound says of prompts of n tokens, and by which theorem."""
    layers, least = sizes.layers, sizes.tokens
    if layers == 1:
        return no_statement("the induction starts at two layers; for one layer see composition")
    beyond = (
        f"; that is vacuous at every physical size, as there are about 2^{ATOMS} atoms in the visible universe"
        if sizes.prompt > ATOMS
        else ""
    )
    if least is None or n < least:
        short = "" if least is None or 2 * n < least else f" by {shown(least - n)}"
        also = (
            ". The inequality of Theorem 1.1 holds, but how large n has to be beside L is not given"
            if sizes.is_stated(n)
            else ""
        )
        return no_statement(
            f"prompts of n = {shown(n)} tokens are too short{short}, the bound (Theorem 4.1) needs {length(sizes)} "
            f"tokens, about 2^{float(sizes.prompt):.0f}{beyond}{also}"
        )
    also = "; Theorem 1.1 says so too" if sizes.is_stated(n) else "; the inequality of Theorem 1.1 does not hold here"
    text = (
        f"by Theorem 4.1, no decoder of {layers} layers of this size is right on all prompts of up to n = {shown(n)} "
        f"tokens, as the {length(sizes)} tokens of the proof are among them{also}{beyond}"
    )
    return BoundVerdict("impossible", text)


def pigeonhole(sizes: DeepSizes) -> tuple[Quantity, ...]:
    """The inequality of the main lemma: the bits spent are fewer than those of the entries that are needed for."""
    last = sizes.layers - 1
    if last < 1:
        return ()
    with precise():
        needed = sizes.n(last) + sizes.cover(last) + log2(sizes.table(last))
        gap = sizes.shrink(sizes.layers) - needed
    what = "log2 of the bits spent / the bits needed; below 0 two tables that differ there look alike"
    return (
        power(f"bits of z_{sizes.layers} that are asked", needed, "derived", f"n_{last} Theta_{last} log2 N_{last}"),
        quantity("pigeonhole", float(gap), "", "derived", what),
    )


def raised(name: str, base: int, exponent: int, source: Source, note: str) -> Quantity:
    """A line for a power: exactly where it is written out, else by its logarithm to base 2."""
    if base.bit_length() * exponent <= WRITTEN:
        return quantity(name, base**exponent, "", source, note)
    with precise():
        return power(name, log2(base) * exponent, source, note)


def power(name: str, log: Decimal, source: Source, note: str = "") -> Quantity:
    """A line for a number that is given by its logarithm to base 2."""
    return Quantity(name, None, "", source, note, float(log))


def chart(n: int, layers: int, heads: int, dim: int, bits: int, threshold: float) -> Chart:
    """The least n against H d p for two to five layers, both as powers."""
    here = math.log10(heads * dim * bits)
    right = max(8.0, here + 1)
    lines = []
    for count in range(2, 6):
        points = []
        for x in spread(0.0, right, 60):
            size = max(1, 10 ** int(x) * round(10**6 * 10 ** (x % 1)) // 10**6)
            points.append((x, math.log10(float(DeepSizes(count, size).prompt))))
        lines.append(Line(f"L = {count}", tuple(points)))
    flat = tuple((x, math.log10(ATOMS)) for x in (0.0, right))
    return Chart(
        "Sequential composition: log2 of the prompt at which L layers fail",
        "H d p",
        "log2 n",
        (*lines, Line("atoms in the universe", flat, dashed=True)),
        log_y=True,
        here=here,
        notes=("above its line the bound holds; below: no statement at this size",),
    )


LIMIT = limit_in(
    __name__,
    (N, LAYERS, HEADS, DIM, BITS, THRESHOLD),
    assumptions=(
        "a decoder: a token attends to itself and to earlier ones (whether to itself makes no difference)",
        "the tables come first, z_L before ... before z_1, an entry a token; then i_0; then w = (w_1, ..., w_(L-1)) as "
        "one token (the task of that name has a token for each w_l, which is the same for L = 2)",
        "the tables have the sizes of the proof: N_l = m n_1 ... n_l; a longer prompt can hold a shorter one",
        "a token's message from one earlier player is H d p bits, twice: numerators and denominators",
    ),
    task="sequential-composition",
    theorems=("iterated-composition",),
    small=(
        {"layers": 1},
        {"layers": 3, "heads": 1, "dim": 4, "bits": 4},
        {"n": 2**2400},
        {"n": 2**896, "heads": 1, "dim": 4, "bits": 4},
        {"layers": 16, "n": 10**300},
    ),
)
