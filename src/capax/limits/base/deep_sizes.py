"""The sizes in the proof about sequential composition, as logarithms to base 2.

For L layers with B = H d p: K = (B L)^8 8^(2 L^2). x_(L-1) = K and x_(l-1) = x_l^8 are how many inputs are powers of
player l; n_l = x_l^4 is how many values the query w_l has; m = K x_0 ... x_(L-1) is how many values i_0 has; and
N_l = m n_1 ... n_l is the size of the table z_(l+1).
"""

from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from capax.limits.base.large_numbers import log2, precise

MOST_EXACT: Final = 1_100_000
"""Prompts of up to 2 to this power tokens are counted exactly: more than any n that is given has."""


@dataclass(frozen=True, slots=True)
class DeepSizes:
    """The sizes for a number of layers and B = H d p."""

    layers: int
    message: int

    @property
    def k(self) -> Decimal:
        """log2 K."""
        with precise():
            return 8 * log2(self.message * self.layers) + 6 * self.layers * self.layers

    @property
    def whole_k(self) -> int:
        """K itself."""
        return int((self.message * self.layers) ** 8 * 8 ** (2 * self.layers**2))

    def x(self, level: int) -> Decimal:
        """log2 x_l, for l = 0 ... L-1."""
        assert 0 <= level < self.layers
        with precise():
            return self.k * Decimal(8) ** (self.layers - 1 - level)

    def n(self, level: int) -> Decimal:
        """log2 n_l, for l = 1 ... L-1."""
        with precise():
            return 4 * self.x(level)

    @property
    def m(self) -> Decimal:
        """log2 m = log2 (K x_0 ... x_(L-1))."""
        with precise():
            return self.k + sum((self.x(level) for level in range(self.layers)), Decimal(0))

    def table(self, level: int) -> Decimal:
        """log2 N_l, for l = 0 ... L-1; N_(-1), the tokens of the player who holds i_0, is 1."""
        if level < 0:
            return Decimal(0)
        with precise():
            return self.m + sum((self.n(at) for at in range(1, level + 1)), Decimal(0))

    @property
    def exponent(self) -> int:
        """The e of N_(L-1) = K^e."""
        powers = [int(8**level) for level in range(self.layers)]
        return 1 + sum(powers) + 4 * sum(powers[:-1])

    @property
    def prompt(self) -> Decimal:
        """log2 of the length of the prompt: all tables, then i_0 and w, a token each."""
        return add(*(self.table(level) for level in range(self.layers)), Decimal(1))

    @property
    def tokens(self) -> int | None:
        """The length of the prompt, exactly; None where it has more than `MOST_EXACT` bits."""
        if self.prompt > MOST_EXACT:
            return None
        k = self.whole_k
        powers = [8 ** (self.layers - 1 - level) for level in range(self.layers)]
        total, exponent = 2, 1 + sum(powers)
        for level in range(self.layers):
            exponent += 4 * powers[level] if level else 0
            total += k**exponent
        return total

    def is_stated(self, n: int) -> bool:
        """Whether B <= n^(2^(-4L)), in whole numbers: B^(16^L) <= n."""
        times = 16**self.layers
        if (self.message.bit_length() - 1) * times >= n.bit_length():
            return False
        return bool(self.message**times <= n)

    def cover(self, level: int) -> Decimal:
        """log2 Theta_l = log2 (x_0 ... x_l n_1 ... n_(l-1)): the values of i_l if all powers inputs lead to others."""
        with precise():
            powers = sum((self.x(at) for at in range(level + 1)), Decimal(0))
            return powers + sum((self.n(at) for at in range(1, level)), Decimal(0))

    def shrink(self, level: int) -> Decimal:
        """log2 log2 Delta_l: the bits that fixing the transcripts of l epochs costs, by the recursion of the budget.

        cost(0) = 0 and cost(l+1) = x_l cost(l) + 2 B (L - l) [(l+1) x_l N_(l-1) + sum over i < l of x_i ... x_(l-1) m_i
        + x_0 ... x_(l-1) n_1 ... n_(L-1)], where player i has m_i tokens: 1 for i = 0, else N_(i-1).
        """
        assert level > 0
        cost: Decimal | None = None
        with precise():
            queries = sum((self.n(at) for at in range(1, self.layers)), Decimal(0))
            for at in range(level):
                costs = [log2(at + 1) + self.x(at) + self.table(at - 1)]
                for i in range(at):
                    between = sum((self.x(t) for t in range(i, at)), Decimal(0))
                    costs.append(between + self.table(i - 1))
                costs.append(sum((self.x(t) for t in range(at)), Decimal(0)) + queries)
                sent = log2(2 * self.message * (self.layers - at)) + add(*costs)
                cost = sent if cost is None else add(self.x(at) + cost, sent)
        assert cost is not None
        return cost

    def slack(self, level: int) -> Decimal:
        """log2 of the cost of epoch l + 1 divided by x_0 n_0 ... x_l n_l, with n_0 = 1: negative where it closes."""
        with precise():
            return self.shrink(level + 1) - self.cover(level) - self.n(level)


def add(*logs: Decimal) -> Decimal:
    """The logarithm of a sum from the logarithms of its terms."""
    with precise():
        top = max(logs)
        total = sum((Decimal(2) ** (one - top) for one in logs if top - one < 250), Decimal(0))
        return top + log2(total)


def unproved_exponent(layers: int) -> int:
    """The e of n = B^e with the smallest exponents that the budget would allow: 6, 19, 53, ... (a sketch)."""
    x: list[int] = []
    n: list[int] = []
    for level in range(layers - 1, -1, -1):
        x.append(1 + sum(n))
        if level:
            n.append(1 + sum(x))
    return sum(x) + sum(n)
