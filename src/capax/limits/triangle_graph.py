"""Triangles in graphs need depth times width of the order of N / log N.

Statement: Transformers of D layers with H pairwise heads of dimension m that say which of the N vertices of a graph lie
in triangles have D H m = Omega(N / log N).
Idea: a layer is a few rounds of the CONGEST model of distributed computing, in which each vertex sends O(log N) bits
along each edge in a round; a bound on the rounds there is a bound on D H m here.
Cite: the poster of Sanford, Hsu and Telgarsky (2023), Representational strengths and limitations of transformers, by
simulation in the CONGEST model.
Unchecked: All of it is cited from the poster; the constant is not known here.
Escapes: One pairwise head of dimension 2N + 1 does it, and so does one third-order head (theorem tri-id-graph). The
calculator never says that something is impossible.
Scope: the exact form of the input is not checked here either. So the calculator compares sizes, and says how small the
constant must be for the bound to be vacuous.
"""

import math

from capax.limits.base.large_numbers import Count, log2, precise, shown, whole
from capax.limits.base.limit import BoundVerdict, Chart, Finding, Line, limit_in, no_statement, quantity, spread

N = Count("n", 10_000, "the number N of vertices", 3)
LAYERS = Count("layers", 4, "the number D of layers", 1)
HEADS = Count("heads", 8, "the number H of heads of a layer", 1)
DIM = Count("dim", 16, "the dimension m of a head", 1)


def compute(n: int, layers: int, heads: int, dim: int) -> Finding:
    """D H m beside N / log2 N."""
    product = layers * heads * dim
    with precise():
        order = whole(n) / log2(n)
        ratio = whole(product) / order
    rows = (
        quantity("D H m", product, "", "given"),
        quantity("N / log2 N", order, "", "cited", "the order of the bound, without its constant"),
        quantity("D H m log2 N / N", ratio, "", "cited", "the bound is vacuous unless its constant is above this"),
    )
    if ratio >= 1:
        return rows, no_statement("D H m is not below N / log2 N")
    text = (
        f"these sizes are too small if the constant of the bound, which is not known here, is above {float(ratio):.3g}"
    )
    return rows, BoundVerdict("up-to-a-constant", text)


def chart(n: int, layers: int, heads: int, dim: int) -> Chart:
    """N / log2 N and D H m, for some depths, against N."""
    product = layers * heads * dim
    right = max(math.log10(n) + 1, math.log10(product) + 2)
    points = []
    for x in spread(math.log10(4), right, 100):
        size = 10 ** int(x) * round(10**6 * 10 ** (x % 1)) // 10**6
        points.append((x, x - math.log10(float(log2(size)))))
    lines = [Line("N / log2 N", tuple(points))]
    for depth in sorted({1, layers, 4 * layers}):
        y = math.log10(depth * heads * dim)
        lines.append(Line(f"D H m, D = {shown(depth)}", ((points[0][0], y), (right, y)), dashed=True))
    start = min((x for x, y in points if y > math.log10(product)), default=None)
    return Chart(
        f"Triangles in graphs, H = {shown(heads)}, m = {shown(dim)} (cited, without the constant)",
        "N, the number of vertices",
        "D H m",
        tuple(lines),
        log_y=True,
        binds_from=start,
        binds="not vacuous, up to a constant",
        here=math.log10(n),
        notes=("to the left: no statement at this size",),
    )


LIMIT = limit_in(
    __name__,
    (N, LAYERS, HEADS, DIM),
    assumptions=("each token is a vertex with its edges", "numbers of O(log N) bits"),
    task="tri-id-graph",
    theorems=("tri-id-graph",),
    small=({"n": 100}, {"n": 2**1000}),
)
