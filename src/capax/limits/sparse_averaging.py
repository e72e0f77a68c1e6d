"""Sparse averages need embeddings of q bits, states of N bits, or layers of N units.

Statement: For all N >= 2q + 1, the mean of the vectors at q named positions is not given within less than 1/q by
attention on embeddings of m numbers of p bits with m p < q, nor by a recurrent network with a state of fewer than (N -
1)/2 bits, nor, within less than 1/(2q sqrt(d')), after a fully connected layer of fewer than N d'/2 units.
Idea: 2^q sets that name one position of each of q pairs need 2^q embeddings; two that share one have means that differ
by 2/q for some signs, and the model answers both alike. A state must tell all signs of the first N - 1 positions apart.
A narrow layer does not see some direction of the vectors.
Cite: Sanford, Hsu and Telgarsky (2023), Representational strengths and limitations of transformers, Theorems 2, 10 and
11 (numbers of theorems not checked here).
Unchecked: The paper's constant c in m p <= c q is not known here and not used: with deterministic embeddings c = 1. N -
1 bits, N d' units and the count of all sets are derived.
Escapes: Attention of dimension O(q log N) does it (theorems q-sparse-moment, q-sparse-random). A size above the bound
need not be enough.
Scope: in the paper m p <= c q for large q and within 1/(2q); with deterministic embeddings every q will do, as the idea
shows. Counting all sets instead of 2^q gives log2 binom(N - 1, q); N - 1 bits and N d' units follow by the same
arguments (theorem q-sparse-separation runs them). The whole embedding of the asking token counts, not its query alone:
its key and value pass on the set as well.
"""

import math
from decimal import Decimal
from typing import Final

from capax.limits.base.large_numbers import Count, log2, precise, shown, whole
from capax.limits.base.limit import BoundVerdict, Chart, Finding, Line, limit_in, no_statement, quantity, spread
from capax.tasks.base.parameter import Parameter

COUNTED: Final = 2_000
"""Up to this q the sets are counted exactly (if N has at most `PLAIN` bits)."""
PLAIN: Final = 200

N = Count("n", 1000, "the number N of positions", 3)
Q = Count("q", 20, "how many positions each of them names", 1)
DIM = Count("dim", 2, "the numbers m of a token's embedding, for attention", 1)
BITS = Count("bits", 8, "the precision p: bits of a number", 1)
VECTOR = Count("dimension", 1, "the dimension d' of the vectors", 1)
STATE = Count("state", 256, "the bits of a recurrent network's state", 0)
WIDTH = Count("width", 256, "the units of a fully connected first layer", 0)
NETWORK = Parameter(
    "network", "attention", "the network that the verdict is about", choices=("attention", "recurrent", "feedforward")
)


def log2_sets(n: int, q: int) -> Decimal:
    """log2 binom(N - 1, q), or q log2((N - 1) / q), which is at most that, where it is too long to count."""
    with precise():
        if q <= COUNTED and n.bit_length() <= PLAIN:
            return log2(math.comb(n - 1, q))
        return whole(q) * (log2(n - 1) - log2(q))


def compute(n: int, q: int, dim: int, bits: int, dimension: int, state: int, width: int, network: str) -> Finding:
    """The least sizes of the three networks beside the given ones, and what they say of one of them."""
    fits = n >= 2 * q + 1
    sets = log2_sets(n, q) if fits else None
    counted = "log2 binom(N - 1, q): counting all sets" if q <= COUNTED else "at least q log2((N - 1) / q)"
    notes = ("q; the paper: c q for large q", counted) if fits else ("N is below 2q + 1",) * 2
    rows = (
        quantity("attention: m p", dim * bits, "bits", "given"),
        quantity("attention: least m p", q if fits else None, "bits", "derived", notes[0]),
        quantity("attention: least m p, all sets", sets, "bits", "derived", notes[1]),
        quantity("recurrent: state", state, "bits", "given"),
        quantity("recurrent: least state, paper", _half(n - 1), "bits", "stated", "(N - 1) / 2"),
        quantity("recurrent: least state", n - 1, "bits", "derived", "N - 1"),
        quantity("feedforward: width", width, "units", "given"),
        quantity("feedforward: least width, paper", _half(n * dimension), "units", "stated", "N d' / 2"),
        quantity("feedforward: least width", n * dimension, "units", "derived", "N d'"),
    )
    if sets is None:
        return rows, no_statement(f"the bounds are for N >= 2q + 1 = {shown(2 * q + 1)} positions")
    given, what = {
        "attention": (dim * bits, "m p"),
        "recurrent": (state, "the state"),
        "feedforward": (width, "the width"),
    }[network]
    least = _least(network, n, q, dimension)
    if (given if isinstance(least, int) else whole(given)) >= least:
        return rows, no_statement(f"{what} is not below the bound, which does not mean that the network can do it")
    error = "1/q" if network != "feedforward" else "1/(2q sqrt(d'))"
    text = f"no such {network} network is within less than {error} of the means for q = {shown(q)}"
    return rows, BoundVerdict("impossible", text)


def chart(n: int, q: int, dim: int, bits: int, dimension: int, state: int, width: int, network: str) -> Chart:
    """The least sizes against N, and the size_given one."""
    right = max(math.log10(n) + 1, math.log10(2 * q + 1) + 2, 4.0)
    xs = spread(math.log10(2 * q + 1) + 0.01, right, 100)
    at = [max(2 * q + 1, 10 ** int(x) * round(10**6 * 10 ** (x % 1)) // 10**6) for x in xs]

    def line(name: str, least: list[Decimal], *, dashed: bool = False) -> Line:
        return Line(name, tuple((x, float(log2(y)) * math.log10(2)) for x, y in zip(xs, least, strict=True)), dashed)

    lines = [
        line("attention: bits m p", [log2_sets(size, q) for size in at]),
        line("recurrent: bits of state", [whole(size - 1) for size in at]),
        line("feedforward: units", [whole(size * dimension) for size in at], dashed=True),
    ]
    size_given = {"attention": dim * bits, "recurrent": state, "feedforward": width}[network]
    if size_given:
        lines.append(
            Line(
                f"given: {shown(size_given)}", tuple((x, math.log10(size_given)) for x in (xs[0], xs[-1])), dashed=True
            )
        )
    nonvacuous = [x for x, size in zip(xs, at, strict=True) if _least(network, size, q, dimension) > whole(size_given)]
    return Chart(
        f"q-sparse averaging, q = {shown(q)}: least sizes",
        "N, the number of positions",
        "least size",
        tuple(lines),
        log_y=True,
        binds_from=min(nonvacuous, default=None),
        binds=f"not vacuous for this {network}",
        here=math.log10(n),
        notes=("where the size_given size is not below a line: no statement at this size",),
    )


def _least(network: str, n: int, q: int, dimension: int) -> int | Decimal:
    match network:
        case "attention":
            return log2_sets(n, q)
        case "recurrent":
            return n - 1
        case _:
            return n * dimension


def _half(value: int) -> Decimal:
    with precise():
        return whole(value) / 2


LIMIT = limit_in(
    __name__,
    (N, Q, DIM, BITS, VECTOR, STATE, WIDTH, NETWORK),
    assumptions=(
        "a token is embedded by itself, deterministically, in m numbers of p bits; then any layers and heads",
        "the recurrent network reads the positions in order, and answers for the last one",
        "the fully connected layer reads all vectors at once, for q of each position",
    ),
    task="q-sparse-averaging",
    theorems=("q-sparse-separation", "q-sparse-random"),
    small=(
        {"q": 600},
        {"network": "recurrent"},
        {"network": "feedforward", "width": 2000},
        {"n": 2**1000, "q": 2**500, "dim": 2**400},
    ),
)
