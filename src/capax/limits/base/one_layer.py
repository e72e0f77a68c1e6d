"""One layer: the bits of a message about some tokens, and how often answers from it must be wrong.

A party that knows a uniform function f on n values sends C bits; then a uniform argument y is drawn and f(y) is asked.
Let R = n log2 n - C. All bounds are vacuous where R <= 0.

- The paper's: R / (3 n log2 n). It never exceeds 1/3.
- Fano: h(e) + e log2(n - 1) >= R / n, since f has R bits left on average over the n arguments.
- Spheres: each of 2^C messages stands for one guess of the whole table, and at most binom(n, j) (n - 1)^j tables differ
  from a guess at j positions. Filling the n^n tables in from distance 0 on gives the least mean distance, divided by n.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from capax.errors import CapaxError
from capax.limits.base.large_numbers import Count, ceil_log2, log2, n_log_n, precise, whole
from capax.limits.base.limit import Quantity, Source, quantity
from capax.tasks.base.parameter import Parameter

HEADS = Count("heads", 32, "the number H of heads of a layer", 1)
DIM = Count("dim", 128, "the dimension d of one head's values (not the width of the model, which is H d)", 1)
BITS = Count("bits", 16, "the precision p: bits of a number", 1)
COUNTED = Parameter(
    "count",
    "nominal",
    "how the message is counted: H (d + 1) p; in exact integers; or from the number of messages",
    choices=("nominal", "exact", "measured"),
)
WEIGHT_BITS = Count("weight_bits", 0, "bits of an attention weight, for --count exact; 0: as --bits", 0)
VALUE_BITS = Count("value_bits", 0, "bits of a value, for --count exact; 0: as --bits", 0)
MESSAGES = Count("messages", 0, "how many different messages there are in all, for --count measured", 0)
MESSAGE = (HEADS, DIM, BITS, COUNTED, WEIGHT_BITS, VALUE_BITS, MESSAGES)
"""The parameters of a message."""


def nominal_bits(heads: int, dim: int, bits: int) -> int:
    """The papers' count H (d + 1) p: for each head d numbers and one denominator, all of p bits.

    It assumes that partial sums fit into p bits as well.
    """
    return heads * (dim + 1) * bits


def exact_bits(heads: int, dim: int, weight_bits: int, value_bits: int, tokens: int) -> int:
    """The bits of the exact partial sums over that many tokens, with weights up to 2^weight_bits and signed values."""
    carry = ceil_log2(tokens)
    return heads * (dim * (weight_bits + value_bits + carry) + weight_bits + 1 + carry)


FORMULAS: Final = {
    "nominal": "H (d + 1) p; assumes that sums fit into p bits",
    "exact": "H (d (pw + pv + ceil log N) + pw + 1 + ceil log N), sums held exactly",
    "measured": "log2 of the number of messages; holds if there are no others",
}
"""The ways to count a message."""


@dataclass(frozen=True, slots=True)
class LayerMessage:
    """The message that one party of a layer sends: a value for each parameter of `MESSAGE`."""

    heads: int
    dim: int
    bits: int
    count: str
    weight_bits: int
    value_bits: int
    messages: int

    def bits_of(self, tokens: int) -> int | Decimal:
        """The bits of the message about that many tokens, counted as `count` says."""
        match self.count:
            case "nominal":
                return nominal_bits(self.heads, self.dim, self.bits)
            case "exact":
                bits = self.weight_bits or self.bits, self.value_bits or self.bits
                return exact_bits(self.heads, self.dim, *bits, tokens)
            case _:
                if self.messages < 1:
                    hint = "--messages N, the number of all messages that can be sent (a sample may have too few)"
                    raise CapaxError("bad-option", "a measured message needs the number of messages", hint=hint)
                return log2(self.messages)

    def line(self, bits: int | Decimal) -> Quantity:
        """The line of a calculator for the bits."""
        source: Source = "measured" if self.count == "measured" else "derived"
        return quantity("message", bits, "bits", source, FORMULAS[self.count])


MOST_SPHERES: Final = 1_000_000
"""Up to this n the spheres are counted; it takes time and memory of order n."""
MOST_SEARCHED: Final = 1024
"""The least n that reaches an error is looked for up to 2 to this power."""


def deficit(n: int, bits: int | Decimal) -> Decimal:
    """R = n log2 n - C, the bits that the message lacks."""
    with precise():
        return n_log_n(n) - (whole(bits) if isinstance(bits, int) else bits)


def paper_error(n: int, bits: int | Decimal) -> float:
    """R / (3 n log2 n), or 0 where R is not positive."""
    with precise():
        return max(0.0, float(deficit(n, bits) / (3 * n_log_n(n))))


def entropy(error: float) -> float:
    """h(e) = -e log2 e - (1 - e) log2(1 - e)."""
    return 0.0 if error in (0.0, 1.0) else -error * math.log2(error) - (1 - error) * math.log2(1 - error)


def fano_error(n: int, bits: int | Decimal) -> float:
    """The least e with h(e) + e log2(n - 1) >= R / n, or 0 where R is not positive; at most 1 - 1/n."""
    with precise():
        left = deficit(n, bits)
        if left <= 0:
            return 0.0
        needed, others = float(left / whole(n)), float(log2(n - 1))
    low, high = 0.0, 1.0 - _inverse(n)
    for _ in range(200):  # halves until the two are neighbours
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if entropy(middle) + middle * others < needed else (low, middle)
    return low


def sphere_error(n: int, bits: int | Decimal) -> float | None:
    """The least mean distance of the tables from 2^C guesses, divided by n; None above `MOST_SPHERES`."""
    if n > MOST_SPHERES:
        return None
    left = deficit(n, bits)
    if left <= 0:
        return 0.0
    size, distance, filled, share = 0.0, 0.0, 0.0, 0.0  # log2 of a sphere's size, and what the balls so far hold
    bits_left = float(left)
    for radius in range(n + 1):
        if radius:
            size += math.log2((n - radius + 1) / radius) + math.log2(n - 1)
        share += 2.0 ** min(size - bits_left, 0.0)
        now = min(share, 1.0)
        distance += (now - filled) * radius
        filled = now
        if filled >= 1.0:
            break
    return min(distance / n, 1 - 1 / n)


def least_n(reaches: Callable[[int], bool]) -> int | None:
    """The least n >= 2 that reaches an error, where more does too within each stretch (2^k, 2^(k+1)].

    The message of a layer in exact integers is as long all through such a stretch. None above 2^`MOST_SEARCHED`.
    """
    for k in range(MOST_SEARCHED):
        low, high = 1 << k, 2 << k
        if not reaches(high):
            continue
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if reaches(middle) else (middle, high)
        return high
    return None


def paper_reaches(n: int, bits: int | Decimal, error: float) -> bool:
    """Whether the paper's bound at n is at least an error above 0; for 0, whether it is above 0."""
    with precise():
        left = deficit(n, bits)
        return left > 0 if error <= 0 else left >= 3 * Decimal(error) * n_log_n(n)


def fano_reaches(n: int, bits: int | Decimal, error: float) -> bool:
    """Whether Fano's bound at n is at least an error between 0 and 1."""
    with precise():
        left = deficit(n, bits)
        e = Decimal(error)
        if left <= 0 or e > 1 - 1 / whole(n):
            return False
        h = -e * log2(e) - (1 - e) * log2(1 - e)
        return h + e * log2(n - 1) <= left / whole(n)


def _inverse(n: int) -> float:
    """1 / n, which is 0 for an n beyond all floats."""
    return 0.0 if n.bit_length() > 1000 else 1 / n
