"""L-step sequential composition by L layers of a decoder: a bound without conjectures, far beyond physical sizes.

Statement: L-step sequential composition has tables z_1 ... z_L, a start i_0 and queries w_1 ... w_(L-1); the answer is
i_L with i_1 = z_1(i_0) and i_(l+1) = z_(l+1)(w_l, i_l). Here i_0 has m values, w_l has n_l, and z_l maps N_(l-1) values
to as many, where N_0 = m and N_l = n_l N_(l-1). No decoder of L layers with H heads of dimension d and p bits computes
it on prompts of n tokens, if H d p <= n^(2^(-4L)), for L up to about log log n.
Idea: L + 2 players hold the tables, i_0 and w. In each epoch (layer) a player hears from those before it in the prompt
2 H d p bits for each of its tokens. By pigeonhole, inputs are kept for which all those transcripts are equal; for each
fixed input of the later players they look alike, and enough remain that two of them have different answers.
Cite: Chen, Peng and Wu (2024), Theoretical limitations of multi-layer transformer, arXiv 2412.02975, Theorem 1.1 and
Definition 2.1 (L - 1 queries).
Scope: the parameters K, m, n_l, N_l, x_l are the paper's as reproduced in lecture notes. Delta_l and Theta_l are worked
out here from the budget that the induction needs (Theta_l without what the lemma on covers may lose, which is not
proved here). The inequality is checked in logarithms: a check of arithmetic, not of the proof. The bound is taken to
speak from the sizes of the proof on; L = 1 is left to `composition`.
"""

import math
from decimal import Decimal

from capax.limits.deep.sizes import Sizes, unproved_exponent
from capax.limits.frame.chart import Chart, Line, spread
from capax.limits.frame.count import Count, shown
from capax.limits.frame.limit import Finding, Limit, Quantity, Source, Verdict, no_statement, quantity
from capax.limits.frame.precise import log2, precise
from capax.limits.one_layer.message import BITS, DIM, HEADS

N = Count("n", 10**6, "the length n of the prompt", 2)
LAYERS = Count("layers", 2, "the number L of layers and of steps", 1, 16)
ATOMS = 266
"""log2 of the number of atoms in the visible universe, about 10^80."""


def compute(n: int, layers: int, heads: int, dim: int, bits: int) -> Finding:
    """The sizes of the proof, the check of its budget, the least n, and what the bound says."""
    message = heads * dim * bits
    sizes = Sizes(layers, message)
    rows = [
        quantity("H d p", message, "bits", "derived", "the message for one token"),
        *tables(sizes),
        *budget(sizes),
        power("n by the sizes of the proof", sizes.prompt, "stated", f"about N_{layers - 1} = K^{sizes.exponent}"),
        power("n by the theorem as stated", log2(message) * 16**layers, "stated", "(H d p)^(16^L)"),
        power("n that was given", log2(n), "given"),
    ]
    if layers > 1:
        sketch = unproved_exponent(layers)
        note = f"(H d p)^{sketch}: the smallest exponents that the budget allows; a sketch, no statement"
        rows.append(power("n, unproved", log2(message) * sketch, "unproved", note))
    return tuple(rows), verdict(n, layers, sizes.prompt)


def tables(sizes: Sizes) -> list[Quantity]:
    """K, m and the sizes of what is kept, of the queries and of the tables."""
    steps = range(sizes.layers)
    return [
        power("K", sizes.k, "stated", "(H d p L)^8 8^(2 L^2)"),
        power("m", sizes.m, "stated", "K x_0 ... x_(L-1): values of i_0"),
        *(power(f"x_{at}", sizes.x(at), "stated", f"inputs of player {at} that are kept") for at in steps),
        *(power(f"n_{at}", sizes.n(at), "stated", f"x_{at}^4: values of w_{at}") for at in steps[1:]),
        *(power(f"N_{at}", sizes.table(at), "stated", f"entries of z_{at + 1}") for at in steps),
    ]


def budget(sizes: Sizes) -> list[Quantity]:
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


def verdict(n: int, layers: int, least: Decimal) -> Verdict:
    """What the bound says of prompts of n tokens, when it needs the logarithm `least`."""
    if layers == 1:
        return no_statement("the induction starts at two layers; for one layer see composition")
    beyond = (
        f"; that is vacuous at every physical size, as there are about 2^{ATOMS} atoms in the visible universe"
        if least > ATOMS
        else ""
    )
    if log2(n) < least:
        needed = f"2^{float(least):,.0f}"
        return no_statement(
            f"prompts of n = {shown(n)} tokens are too short, the bound needs n of about {needed}{beyond}"
        )
    text = f"no decoder of {layers} layers of this size does it on prompts of n = {shown(n)} tokens{beyond}"
    return Verdict("impossible", text)


def pigeonhole(sizes: Sizes) -> tuple[Quantity, ...]:
    """The inequality of the main lemma: the bits spent are fewer than those of the entries that are asked for."""
    last = sizes.layers - 1
    if last < 1:
        return ()
    with precise():
        asked = sizes.n(last) + sizes.cover(last) + log2(sizes.table(last))
        gap = sizes.shrink(sizes.layers) - asked
    what = "log2 of the bits spent / the bits asked; below 0 two tables that differ there look alike"
    return (
        power(f"bits of z_{sizes.layers} that are asked", asked, "derived", f"n_{last} Theta_{last} log2 N_{last}"),
        quantity("pigeonhole", float(gap), "", "derived", what),
    )


def power(name: str, log: Decimal, source: Source, note: str = "") -> Quantity:
    """A line for a number that is given by its logarithm to base 2."""
    return Quantity(name, None, "", source, note, float(log))


def chart(n: int, layers: int, heads: int, dim: int, bits: int) -> Chart:
    """The least n against H d p for two to five layers, both as powers."""
    here = math.log10(heads * dim * bits)
    right = max(8.0, here + 1)
    lines = []
    for count in range(2, 6):
        points = []
        for x in spread(0.0, right, 60):
            size = max(1, 10 ** int(x) * round(10**6 * 10 ** (x % 1)) // 10**6)
            points.append((x, math.log10(float(Sizes(count, size).prompt))))
        lines.append(Line(f"L = {count}", tuple(points)))
    flat = tuple((x, math.log10(ATOMS)) for x in (0.0, right))
    return Chart(
        "Sequential composition: log2 of the prompt at which L layers fail",
        "H d p",
        "log2 n",
        (*lines, Line("atoms in the universe", flat, dashed=True)),
        log_y=True,
        here=here,
        notes=("above its line the bound speaks; below: no statement at this size",),
    )


LIMIT = Limit(
    name="sequential-composition",
    title="L layers of a decoder fail at L-step composition, for prompts beyond all physical sizes",
    statement=(
        "For L up to about log log n, no decoder of L layers with H heads of dimension d and p bits computes L-step "
        "sequential composition, i_1 = z_1(i_0) and i_(l+1) = z_(l+1)(w_l, i_l), on prompts of n tokens, if "
        "H d p <= n^(2^(-4L)). No conjecture is assumed."
    ),
    assumptions=(
        "a decoder: a token attends to itself and to earlier ones (whether to itself makes no difference)",
        "the tables come first, z_L before ... before z_1, then i_0, then w_1 ... w_(L-1)",
        "the tables have the sizes of the proof: N_l = m n_1 ... n_l",
        "a token's message from one earlier player is H d p bits, twice: numerators and denominators",
    ),
    citation="Chen, Peng and Wu (2024), Theoretical limitations of multi-layer transformer, arXiv 2412.02975",
    recalled=(
        "Theorem and parameters are compared with lecture notes about the paper, whose misprints are corrected; Delta "
        "and Theta are worked out here. How log log n bounds L is not given."
    ),
    escapes=(
        "L + 1 layers do it with few bits (theorem iterated-composition), and so do steps of thought. At every "
        "physical size the bound is silent."
    ),
    parameters=(N, LAYERS, HEADS, DIM, BITS),
    compute=compute,
    chart=chart,
    task="sequential-composition",
    theorems=("iterated-composition",),
    small=({"layers": 1}, {"layers": 3, "heads": 1, "dim": 4, "bits": 4}, {"n": 2**2400}, {"layers": 16, "n": 10**300}),
)
