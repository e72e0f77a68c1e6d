"""Sequential composition: worked numbers, and the budget of the proof."""

import math
from decimal import Decimal
from itertools import product

import pytest

from capax.limits import limit
from capax.limits.base.deep_sizes import DeepSizes, unproved_exponent


@pytest.mark.parametrize(
    ("message", "logs"), [(16, (896, 10855, 126432)), (1024, (1568, 16135, 168576)), (65536, (2240, 21415, 210720))]
)
def test_sizes_of_sequential_composition(message: int, logs: tuple[int, ...]) -> None:
    """log2 of the largest table for two, three and four layers."""
    assert tuple(round(DeepSizes(layers, message).table(layers - 1)) for layers in (2, 3, 4)) == logs


def test_exponents() -> None:
    """N_(L-1) = K^e, and the sketch's smaller exponents."""
    assert [DeepSizes(layers, 16).exponent for layers in (1, 2, 3, 4)] == [2, 14, 110, 878]
    assert [unproved_exponent(layers) for layers in (2, 3, 4)] == [6, 19, 53]
    for layers in (1, 2, 3, 4, 9):
        sizes = DeepSizes(layers, 1024)
        assert float(sizes.table(layers - 1) / sizes.k) == pytest.approx(sizes.exponent)


class OtherM(DeepSizes):
    """The sizes with m = (x_0 ... x_(L-1))^8, a misreading of the paper."""

    __slots__ = ()

    @property
    def m(self) -> Decimal:
        """log2 m."""
        return 8 * sum((self.x(level) for level in range(self.layers)), Decimal(0))


def test_the_budget_closes() -> None:
    """With the right m by a factor 2^59 at two layers and H d p = 16, and with the wrong one it misses by 2^3846."""
    assert DeepSizes(2, 16).slack(1) == pytest.approx(Decimal(-59), abs=Decimal("1e-6"))
    assert OtherM(2, 16).slack(1) == pytest.approx(Decimal(3846), abs=Decimal("1e-6"))
    for layers, message in product((2, 3, 4, 6), (1, 2, 16, 65536)):
        sizes = DeepSizes(layers, message)
        assert all(sizes.slack(level) < 0 for level in range(1, layers))
        assert limit("sequential-composition").run(layers=layers, heads=1, dim=1, bits=message)["pigeonhole"].value < 0


def test_the_budget_in_whole_numbers() -> None:
    """The recursion with exact integers, for two and three layers."""
    for layers, message in ((2, 1), (2, 16), (3, 3)):
        sizes = DeepSizes(layers, message)
        k = (message * layers) ** 8 * 8 ** (2 * layers**2)
        x = [k**8 ** (layers - 1 - level) for level in range(layers)]
        n = [1, *(x[level] ** 4 for level in range(1, layers))]
        table = [k * math.prod(x) * math.prod(n[: level + 1]) for level in range(layers)]
        tokens = [1, *table]
        cost = 0
        for at in range(layers):
            asked = (at + 1) * x[at] * tokens[at]
            asked += sum(math.prod(x[i:at]) * tokens[i] for i in range(at)) + math.prod(x[:at]) * math.prod(n)
            cost = x[at] * cost + 2 * message * (layers - at) * asked
            assert float(sizes.shrink(at + 1)) == pytest.approx(math.log2(cost), rel=1e-12)
        assert float(sizes.prompt) == pytest.approx(math.log2(sum(table) + layers), rel=1e-12)
        cover = math.prod(x) * math.prod(n[:-1])
        assert float(sizes.cover(layers - 1)) == pytest.approx(math.log2(cover), rel=1e-12)


def test_sequential_composition_is_vacuous() -> None:
    """At every physical size it says so, and one layer is left to another limit."""
    one = limit("sequential-composition")
    for layers in (2, 3, 8):
        found = one.run(layers=layers, n=10**15)
        assert found.vacuous
        assert "vacuous at every physical size" in found.verdict.text
    assert "composition" in one.run(layers=1, n=2**1000).verdict.text
    assert not one.run(n=2**2241).vacuous
    assert one.run(n=2**2240).vacuous


def tokens_of_the_proof(message: int, layers: int) -> int:
    """The tokens of the prompt, by the definitions of the paper: K, m, n_l and N_l, then i_0 and w."""
    k = (message * layers) ** 8 * 8 ** (2 * layers**2)
    m = k ** (1 + sum(8**level for level in range(layers)))
    queries = [k ** (4 * 8 ** (layers - level - 1)) for level in range(1, layers)]
    return sum(m * math.prod(queries[:level]) for level in range(layers)) + 2


@pytest.mark.parametrize(("message", "layers"), [(16, 2), (1, 2), (3, 2), (65536, 2), (2, 3), (5, 3), (1, 4)])
def test_the_verdict_begins_with_the_prompt_of_the_proof(message: int, layers: int) -> None:
    """With the first n that holds all tables, i_0 and w, to the token; and the theorem that gives it is named."""
    one, least = limit("sequential-composition"), tokens_of_the_proof(message, layers)
    assert DeepSizes(layers, message).tokens == least
    at = {"layers": layers, "heads": 1, "dim": 1, "bits": message}
    silent, speaking = one.run(n=least - 1, **at), one.run(n=least, **at)
    assert silent.vacuous
    assert "too short by 1," in silent.verdict.text
    assert speaking.verdict.kind == "impossible"
    assert speaking.verdict.text.startswith("by Theorem 4.1, no decoder")
    assert speaking["n by Theorem 4.1"].value == least
    assert "Theorem 4.1" in one.statement
    assert "N_0 + ... + N_(L-1) + 2 tokens" in one.statement


def test_theorem_1_1_is_named_where_its_inequality_holds() -> None:
    """H d p <= n^(2^(-4L)) begins with n = (H d p)^(16^L), and alone it gives no verdict."""
    one, at = limit("sequential-composition"), {"layers": 2, "heads": 1, "dim": 4, "bits": 4}
    assert one.run(n=2**896, **at).vacuous
    assert "Theorem 1.1 does not hold here" in one.run(n=2**1024 - 1, **at).verdict.text
    assert "Theorem 1.1 says so too" in one.run(n=2**1024, **at).verdict.text
    small = at | {"dim": 2, "bits": 1}
    for n, holds in ((2**256 - 1, False), (2**256, True), (2**560, True)):
        found = one.run(n=n, **small)
        assert found.vacuous
        assert ("The inequality of Theorem 1.1 holds" in found.verdict.text) == holds
    assert DeepSizes(2, 1).is_stated(2)
    assert not DeepSizes(16, 2).is_stated(2**1_000_000)
    assert DeepSizes(16, 16).tokens is None
