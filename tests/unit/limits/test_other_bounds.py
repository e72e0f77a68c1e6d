"""Sequential composition, sparse averaging, Match3, triangles: worked numbers and slow definitions."""

import math
from decimal import Decimal
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capax.limits import limit
from capax.limits.base.deep_sizes import DeepSizes, add, unproved_exponent
from capax.limits.base.numbers import Count, ceil_log2, exact, log2, shown, whole
from capax.limits.match3 import least_modulus
from capax.limits.sparse_averaging import log2_sets
from capax.tasks.match3 import TASK as MATCH3


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


def test_numbers_of_any_size_are_exact_in_json() -> None:
    """A whole number is an integer or a text of its digits; one that is known by its logarithm has that."""
    found = limit("sequential-composition").run(n=2**896, layers=2, heads=1, dim=4, bits=4)
    rows = {row["name"]: row for row in found.to_json()["quantities"]}
    assert found.to_json()["at"]["n"] == str(2**896)
    assert (rows["H d p"]["value"], rows["H d p"]["form"]) == (16, "integer")
    assert (rows["N_1"]["value"], rows["N_1"]["form"], rows["N_1"]["log2"]) == (str(2**896), "digits", 896.0)
    assert int(rows["n by Theorem 4.1"]["value"]) == 2**896 + 2**640 + 2
    delta = rows["log2 Delta_2"]
    assert (delta["value"], delta["form"], delta["log2"]) == (None, "log2", pytest.approx(773))
    assert rows["budget of epoch 2"]["form"] == "number"
    assert exact(10**4000 - 1) == "9" * 4000
    assert exact(10**4000) == "10^4000"
    assert exact(2**20000) == "2^20000"
    assert int(exact(3**20000), 16) == 3**20000


@given(st.integers(1, 5), st.integers(0, 6), st.integers(1, 3), st.randoms(use_true_random=False))
@settings(max_examples=50)
def test_too_few_bits_confuse_two_sets(q: int, more: int, bits: int, random: object) -> None:
    """Any map from sets to fewer codes than sets gives two sets one code, and signs whose means differ by 2/q."""
    n = 2 * q + 1 + more
    sets = list(combinations(range(n - 1), q))
    assert float(log2_sets(n, q)) == pytest.approx(math.log2(len(sets)))
    result = limit("sparse-averaging").run(n=n, q=q, dim=1, bits=bits)
    assert result.vacuous == (2**bits >= len(sets))
    if not result.vacuous:
        codes: dict[int, tuple[int, ...]] = {}
        for chosen in sets:
            code = random.randrange(2**bits)  # type: ignore[attr-defined]
            other = codes.setdefault(code, chosen)
            if other != chosen:
                signs = np.array([1.0 if j in chosen and j not in other else -1.0 for j in range(n)])
                means = signs[list(chosen)].mean(), signs[list(other)].mean()
                assert abs(means[0] - means[1]) >= 2 / q - 1e-12
                return
        pytest.fail("two sets share a code")


def test_sets_that_are_not_counted() -> None:
    """The short form is a lower bound, and never below q."""
    for n, q in ((10**6, 3000), (2**300, 5), (6001, 3000)):
        short = float(log2_sets(n, q))
        exact = math.log2(math.comb(n - 1, q))
        assert q <= short <= exact * (1 + 1e-9) + 1e-6


def test_recurrent_and_feedforward() -> None:
    """The paper's halves and the whole."""
    found = limit("sparse-averaging").run(n=101, dimension=3, q=2)
    assert found["recurrent: least state, paper"].value == 50
    assert found["recurrent: least state"].value == 100
    assert found["feedforward: least width, paper"].value == 151.5
    assert found["feedforward: least width"].value == 303
    one = limit("sparse-averaging")
    assert not one.run(network="recurrent", n=101, q=2, state=99).vacuous
    assert one.run(network="recurrent", n=101, q=2, state=100).vacuous
    assert not one.run(network="feedforward", n=101, q=2, width=100).vacuous
    assert one.run(network="feedforward", n=101, q=2, width=101).vacuous


@pytest.mark.parametrize("elements", [1, 2, 3, 4])
def test_match3_tells_sets_apart(elements: int) -> None:
    """The words behind the bound, all of them: the first token has a match exactly if the two sets meet."""
    length, modulus = 2 * elements + 1, least_modulus(2 * elements + 1)
    for bits in product((0, 1), repeat=2 * elements):
        a, b = bits[:elements], bits[elements:]
        first = [(2 * elements + i) * x for i, x in enumerate(a, 1)]
        second = [(modulus - 1 - 2 * elements - i) * x for i, x in enumerate(b, 1)]
        word = [1, *first, *second]
        assert len(word) == length
        assert MATCH3.reference(word, modulus=modulus)[0] == max(x * y for x, y in zip(a, b, strict=True))


def test_match3_sizes() -> None:
    """It speaks just below (N - 1)/2 bits."""
    one = limit("match3")
    assert not one.run(n=101, count="measured", messages=2**49).vacuous
    assert one.run(n=101, count="measured", messages=2**50).vacuous
    assert one.run(n=101, count="measured", messages=2, modulus=399).vacuous
    assert not one.run(n=101, count="measured", messages=2, modulus=400).vacuous
    assert one.run(n=101, heads=1, dim=1, bits=1)["N / log log N"].value == pytest.approx(
        101 / math.log2(math.log2(101))
    )


def test_triangles_are_never_called_impossible() -> None:
    """The constant is not known."""
    kinds = {limit("triangle-graph").run(n=n).verdict.kind for n in (3, 10, 10**4, 10**9, 2**1000)}
    assert kinds == {"no-statement", "up-to-a-constant"}
    found = limit("triangle-graph").run(n=1024, layers=1, heads=2, dim=4)
    assert found["N / log2 N"].value == pytest.approx(102.4)
    assert found["D H m log2 N / N"].value == pytest.approx(8 * 10 / 1024)


@given(st.integers(1, 10**400))
def test_precise_logarithms(value: int) -> None:
    """Against the logarithms of Python, and against bit lengths."""
    assert float(log2(value)) == pytest.approx(math.log2(value), rel=1e-12, abs=1e-12)
    assert 2 ** ceil_log2(value) >= value
    assert value == 1 or 2 ** (ceil_log2(value) - 1) < value
    assert whole(value) == pytest.approx(Decimal(value), rel=Decimal("1e-50"))


@given(st.lists(st.integers(0, 4000), min_size=1, max_size=5))
def test_logarithms_of_sums(exponents: list[int]) -> None:
    """Against whole numbers."""
    total = sum(2**exponent for exponent in exponents)
    assert float(add(*map(Decimal, exponents))) == pytest.approx(math.log2(total), abs=1e-9)


@pytest.mark.parametrize(
    ("text", "value"),
    [("12", 12), ("10_000", 10000), ("10,000", 10000), ("1e3", 1000), ("1.5e3", 1500), ("2^10", 1024), ("2**10", 1024)],
)
def test_counts_are_read(text: str, value: int) -> None:
    """Written out, in scientific notation, or as powers."""
    assert Count("n", 1, "a size", 1).read(text) == value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (12345, "12,345"),
        (10**15, "10^15"),
        (2**100, "2^100"),
        (3**1000, "about 2^1585"),
        (-(2**80), "-2^80"),
    ],
)
def test_counts_are_shown(value: int, text: str) -> None:
    """Written out while they are short."""
    assert shown(value) == text
