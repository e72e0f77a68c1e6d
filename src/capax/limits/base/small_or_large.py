"""Whether a transformer is small or large beside its prompt: d H p = n^e, small below a threshold for e.

Asymptotically d H p <= n^o(1) is small and d H p >= n^eps, for a constant eps, is large. Neither says anything about
one n. So e is computed, and compared with a threshold that the user chooses.
"""

from capax.limits.base.large_numbers import log2, precise
from capax.limits.base.limit import Quantity, quantity
from capax.tasks.base.parameter import Parameter

THRESHOLD = Parameter("threshold", 0.1, "d H p = n^e is called small for e below this", 0.0, 10.0)


def exponent(message: int, n: int) -> float:
    """The e of d H p = n^e, for n of at least 2."""
    with precise():
        return float(log2(message) / log2(n))


def size_word(message: int, n: int, threshold: float) -> str:
    """small or large."""
    return "small" if exponent(message, n) < threshold else "large"


def block_parameters(layers: int, heads: int, dim: int) -> int:
    """12 L (H d)^2: the parameters of L usual blocks, of width H d and with an MLP of 4 H d, without embeddings."""
    return 12 * layers * (heads * dim) ** 2


def size_rows(message: int, n: int, threshold: float) -> tuple[Quantity, ...]:
    """The lines of a calculator."""
    note = f"e below {threshold:g} is called small; n^o(1) and n^eps say nothing about a single n"
    return (
        quantity("e of H d p = n^e", exponent(message, n), "", "derived"),
        quantity("size", size_word(message, n, threshold), "", "derived", note),
    )
