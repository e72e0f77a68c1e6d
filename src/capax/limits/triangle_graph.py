"""Triangles in directed graphs need depth times width of the order of N / log N.

Statement: Let k = floor(N / 3). If (2D - 1) 2 H m p < k, no transformer of D layers with H heads of dimension m in
numbers of p bits says for every matrix of N x N bits which vertices i have some j and l with x_ij x_jl x_li = 1. So
D H m > k / (4 p), which is Omega(N / log N) for p of the order of log N.
Idea: Alice and Bob have sets of k^2 bits and write them as edges u_i to v_j and v_j to w_i, with w_i to u_i always
there; a directed triangle is an element of both. Alice runs the model on the tokens u and w, Bob on v and w. In a
layer each of them needs the keys and values of the other's k tokens: k H 2 m p bits each way. In the last layer Alice
alone needs them, as all triangles have a vertex u. That is k (2D - 1) 2 H m p bits, and one more for the answer.
Two pairs (S, complement of S) with the same transcript would mix to a pair that meets, or whose swapped pair does, so
the 2^(k^2) such pairs have as many transcripts that end with no, and there is one that ends with yes: the bits are at
least k^2 + 1, and those of the layers at least k^2.
Cite: the poster of Sanford, Hsu and Telgarsky (2023), Representational strengths and limitations of transformers, which
has D H m = Omega(N / log N) by simulation in a network and set disjointness; the gadget, the count of bits and the
constant are derived here.
Unchecked: Nothing: the bound is derived here. The poster's own gadget and constant are not known here, and it is not
said there whether its graphs are directed.
Escapes: For symmetric matrices the argument is vacuous: two vertices of a triangle are on one side, whose party sees
all three edges. There one pairwise head of dimension 2N + 1 does it, and so does one third-order head (theorem
tri-id-graph).
Scope: any embedding of a row, any MLPs, masks and kinds of attention; third-order heads with both of their keys
counted. The gadget is checked for all sets at N = 3 and N = 6 in every run.
"""

import math

from capax.limits.base.large_numbers import Count, log2, precise, shown, whole
from capax.limits.base.limit import BoundVerdict, Chart, Finding, Line, limit_in, no_statement, quantity, spread
from capax.limits.base.triangle_gadget import checked, side

N = Count("n", 100_000, "the number N of vertices", 3)
LAYERS = Count("layers", 4, "the number D of layers", 1)
HEADS = Count("heads", 8, "the number H of heads of a layer", 1)
DIM = Count("dim", 16, "the dimension m of a head's keys, and of its values", 1)
BITS = Count("bits", 16, "the precision p: bits of a coordinate of a key or value", 1)


def sent(layers: int, heads: int, dim: int, bits: int) -> int:
    """(2D - 1) 2 H m p: the bits of the layers over k."""
    return (2 * layers - 1) * 2 * heads * dim * bits


def compute(n: int, layers: int, heads: int, dim: int, bits: int) -> Finding:
    """The bits that the layers send beside those of a set, and the least D H m."""
    k, each, product = side(n), sent(layers, heads, dim, bits), layers * heads * dim
    with precise():
        order = whole(n) / log2(n)
        least = whole(k) / (4 * whole(bits))
    rows = (
        quantity("a set", k * k, "bits", "derived", "k^2 for k = floor(N / 3): edges between two classes"),
        quantity("the layers send", k * each, "bits", "derived", "k (2D - 1) 2 H m p: keys and values of k tokens"),
        quantity("D H m", product, "", "given"),
        quantity(
            "(2D - 1) 2 H m p", each, "bits", "derived", f"the verdict: impossible where this is below k = {shown(k)}"
        ),
        quantity("D H m needed", least, "", "derived", "above k / (4 p), about N / (12 p): follows, and is weaker"),
        quantity("N / log2 N", order, "", "stated", "the poster's order, the same for p = O(log N)"),
        quantity("gadget", f"{checked(3) + checked(6)} pairs of sets tried", "", "measured", "all at N = 3 and N = 6"),
    )
    if each >= k:
        what = f"(2D - 1) 2 H m p = {shown(each)} is not below floor(N / 3) = {shown(k)}"
        return rows, no_statement(f"{what}, which does not mean that such a transformer can do it")
    text = (
        f"no transformer of {_several(layers, 'layer')} with {_several(heads, 'head')} of dimension {shown(dim)} in "
        f"numbers of {_several(bits, 'bit')} finds the directed triangles of all graphs on N = {shown(n)} vertices, as "
        f"(2D - 1) 2 H m p = {shown(each)} is below floor(N / 3) = {shown(k)}"
    )
    return rows, BoundVerdict("impossible", text)


def _several(number: int, noun: str) -> str:
    return f"{shown(number)} {noun}{'' if number == 1 else 's'}"


def chart(n: int, layers: int, heads: int, dim: int, bits: int) -> Chart:
    """k / (4 p) and D H m, for some depths, against N."""
    product = layers * heads * dim
    right = max(math.log10(n) + 1, math.log10(product * bits) + 2)
    points = []
    for x in spread(math.log10(4), right, 100):
        size = 10 ** int(x) * round(10**6 * 10 ** (x % 1)) // 10**6
        points.append((x, float(log2(max(1, side(size)))) * math.log10(2) - math.log10(4 * bits)))
    lines = [Line("N / (12 p)", tuple(points))]
    for depth in sorted({1, layers, 4 * layers}):
        y = math.log10(depth * heads * dim)
        lines.append(Line(f"D H m, D = {shown(depth)}", ((points[0][0], y), (right, y)), dashed=True))
    return Chart(
        f"Directed triangles, H = {shown(heads)}, m = {shown(dim)}, p = {shown(bits)}",
        "N, the number of vertices",
        "D H m",
        tuple(lines),
        log_y=True,
        binds_from=math.log10(3 * (sent(layers, heads, dim, bits) + 1)),
        binds=f"impossible for D = {shown(layers)}",
        here=math.log10(n),
        notes=("to the left: no statement at this size",),
    )


LIMIT = limit_in(
    __name__,
    (N, LAYERS, HEADS, DIM, BITS),
    assumptions=(
        "token i is row i of the matrix, embedded by itself; the graph is directed",
        "a key and a value have m coordinates of p bits each; a layer needs nothing else of other tokens",
        "deterministic arithmetic, no chain of thought",
    ),
    task="tri-id-digraph",
    theorems=("tri-id-graph",),
    small=(
        {"n": 100},
        {"n": 2**1000},
        {"n": 48, "layers": 1, "heads": 1, "dim": 1, "bits": 8},
        {"n": 51, "layers": 1, "heads": 1, "dim": 1, "bits": 8},
    ),
)
