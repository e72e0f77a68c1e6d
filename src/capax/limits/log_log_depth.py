"""The bound for sequential composition reaches about log log n layers.

Statement: Let B = H d p. Theorem 4.1 rules out decoders of L layers for all L >= 2 whose prompt, K^(O(8^L)) with K = (B
L)^8 8^(2 L^2), has at most n tokens: L up to the order of log log n. The assumption B <= n^(2^(-4L)) of Theorem 1.1
needs L <= (log2 log2 n) / 4 if B >= 2.
Idea: the prompt of Theorem 4.1 has about K^e tokens with e = 1 + (8^L - 1)/7 + 4 (8^(L-1) - 1)/7, below 8^L / 4 + 1. So
log2 of it is below (8^L / 4 + 1)(8 log2(B L) + 6 L^2) + 1, which for B of at least the value that is printed is below
16^L log2 B: then B <= n^(2^(-4L)) implies that the prompt fits, and Theorem 1.1 follows. With B >= 2 that assumption
needs 16^L <= log2 n; with B >= p >= log2 n it needs 16^L log2 log2 n <= log2 n, so that L is at most (log2 log2 n -
log2 log2 log2 n) / 4. Beyond, it holds for no such model.
Cite: Chen, Peng and Wu (2024), Theoretical limitations of multi-layer transformer, arXiv 2412.02975.
Unchecked: The sizes of the proof are those of lecture notes about the paper; how L is bounded is worked out here.
Escapes: More layers than these. At physical sizes all: L = 2 needs n = 2^448 at least, and there are 2^266 atoms.
Scope: sizes are compared exactly where prompts can be written out, and in logarithms of 60 digits elsewhere.
"""

from decimal import Decimal

from capax.limits.base.deep_sizes import DeepSizes
from capax.limits.base.large_numbers import Count, ceil_log2, log2, precise, shown
from capax.limits.base.limit import BoundVerdict, Finding, Quantity, Source, limit_in, no_statement, quantity
from capax.limits.base.one_layer import BITS, DIM, HEADS

N = Count("n", 2**3000, "the length n of the longest prompt", 4)
SHOWN_LAYERS = (2, 3, 4, 5, 6)


def largest_layers(n: int, message: int) -> int:
    """The largest L from 2 on whose prompt of Theorem 4.1 has at most n tokens; 1 if there is none."""
    layers = 1
    while fits(n, DeepSizes(layers + 1, message)):
        layers += 1
    return layers


def fits(n: int, sizes: DeepSizes) -> bool:
    """Whether the prompt of the proof has at most n tokens."""
    if sizes.tokens is not None:
        return sizes.tokens <= n
    return sizes.prompt <= log2(n)


def largest_stated(n: int, message: int) -> int:
    """The largest L >= 1 with B <= n^(2^(-4L)); 0 if there is none. For B = 1 it is that of B = 2."""
    layers = 0
    while DeepSizes(layers + 1, max(2, message)).is_stated(n):
        layers += 1
    return layers


def least_message(layers: int) -> int:
    """The least B for which B <= n^(2^(-4L)) implies that the prompt of Theorem 4.1 fits into n tokens."""

    def follows(message: int) -> bool:
        with precise():
            return DeepSizes(layers, message).prompt <= Decimal(16) ** layers * log2(message)

    return next(message for message in range(2, 1000) if follows(message))


def compute(n: int, heads: int, dim: int, bits: int) -> Finding:
    """The largest L by both theorems, beside log log n."""
    message = heads * dim * bits
    reach = largest_layers(n, message)
    with precise():
        twice = log2(log2(n))
    fitting = "its prompt of N_0 + ... + N_(L-1) + 2 tokens fits"
    rows = (
        quantity("H d p", message, "bits", "derived"),
        quantity("log2 log2 n", twice, "", "given"),
        _largest("Theorem 4.1", reach if reach > 1 else 0, "derived", fitting),
        _largest("Theorem 1.1", largest_stated(n, message), "stated", "H d p <= n^(2^(-4L))"),
        _largest("H d p = 2", largest_stated(n, 2), "derived", "at most (log2 log2 n) / 4"),
        _largest("H d p = log2 n", largest_stated(n, ceil_log2(n)), "derived", "p is often taken as log n"),
        *(_follows(layers) for layers in SHOWN_LAYERS),
    )
    if reach < 2:
        return rows, no_statement(f"prompts of n = {shown(n)} tokens are too short already for two layers")
    which = "for L = 2" if reach == 2 else f"for every L from 2 to {reach}"
    text = (
        f"{which}, no decoder of L layers with H d p = {shown(message)} computes L-step composition on all prompts of "
        f"up to n = {shown(n)} tokens (Theorem 4.1); for larger L the bound is vacuous"
    )
    return rows, BoundVerdict("impossible", text)


def _largest(which: str, layers: int, source: Source, note: str) -> Quantity:
    """A line for the largest L; without a number where there is no such L."""
    return quantity(f"largest L, {which}", layers or None, "", source, note if layers else f"there is none ({note})")


def _follows(layers: int) -> Quantity:
    note = "from here on Theorem 1.1 follows from Theorem 4.1"
    return quantity(f"least H d p, L = {layers}", least_message(layers), "", "derived", note)


LIMIT = limit_in(
    __name__,
    (N, HEADS, DIM, BITS),
    assumptions=("as for sequential-composition: decoders, one token for an entry, tables of the sizes of the proof",),
    task="sequential-composition",
    theorems=("iterated-composition",),
    small=(
        {"n": 10**6},
        {"n": 2**1_000_000, "heads": 1, "dim": 1, "bits": 2},
        {"n": 4, "heads": 1, "dim": 1, "bits": 1},
    ),
)
