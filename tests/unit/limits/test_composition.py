"""The bounds of one layer: worked numbers, and the slow definitions with exact integers."""

import math
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from capax.limits import limit
from capax.limits.base.one_layer import (
    entropy,
    exact_bits,
    fano_error,
    fano_reaches,
    least_n,
    nominal_bits,
    paper_error,
    paper_reaches,
    sphere_error,
)
from capax.limits.cot_composition import holds, most_steps, step_bits

TABLE = [
    ((1, 4, 8), 40, 12, (15, 32), (14, 18, 28, 152)),
    ((4, 16, 16), 1088, 151, (203, 488), (175, 218, 340, 1780)),
    ((12, 64, 16), 12480, 1218, (1666, 4154), (1397, 1722, 2662, 13774)),
    ((32, 128, 16), 66048, 5335, (7347, 18625), (6090, 7473, 11498, 59168)),
    ((64, 128, 16), 132096, 9947, (13730, 35004), (11337, 13891, 21339, 109605)),
    ((96, 128, 16), 198144, 14350, (19829, 50709), (16339, 20005, 30706, 157562)),
]


@pytest.mark.parametrize(("layer", "bits", "start", "paper", "fano"), TABLE)
def test_the_least_n(
    layer: tuple[int, int, int], bits: int, start: int, paper: tuple[int, ...], fano: tuple[int, ...]
) -> None:
    """The table of layers: where the bound speaks, and where it reaches errors."""
    assert nominal_bits(*layer) == bits
    assert least_n(lambda n: paper_reaches(n, bits, 0)) == start
    assert tuple(least_n(lambda n, e=e: paper_reaches(n, bits, e)) for e in (0.10, 0.25)) == paper
    assert tuple(least_n(lambda n, e=e: fano_reaches(n, bits, e)) for e in (0.10, 0.25, 0.50, 0.90)) == fano


@pytest.mark.parametrize(
    ("n", "paper", "fano"), [(6000, 0.041, 0.089), (8192, 0.127, 0.311), (16384, 0.237, 0.645), (65536, 0.312, 0.910)]
)
def test_errors_of_a_large_layer(n: int, paper: float, fano: float) -> None:
    """32 heads of dimension 128 with 16 bits; there Fano and spheres agree in three digits."""
    assert paper_error(n, 66048) == pytest.approx(paper, abs=6e-4)
    assert fano_error(n, 66048) == pytest.approx(fano, abs=6e-4)
    assert sphere_error(n, 66048) == pytest.approx(fano, abs=1e-3)


@pytest.mark.parametrize(
    ("sizes", "bits"),
    [
        ((4, 1, 2, 4, 4), 27),
        ((6, 1, 2, 4, 4), 30),
        ((6, 2, 4, 6, 6), 140),
        ((8, 1, 2, 5, 5), 35),
        ((12, 1, 3, 5, 5), 52),
        ((16, 2, 2, 4, 4), 66),
    ],
)
def test_exact_messages(sizes: tuple[int, int, int, int, int], bits: int) -> None:
    """The width of sums that are held exactly."""
    n, heads, dim, weight_bits, value_bits = sizes
    assert exact_bits(heads, dim, weight_bits, value_bits, n) == bits
    at = {"n": n, "heads": heads, "dim": dim, "weight_bits": weight_bits, "value_bits": value_bits}
    assert limit("composition").run(count="exact", **at)["message"].value == bits


def slow_spheres(n: int, bits: int) -> Fraction:
    """The least mean distance with exact integers: 2^C balls filled from distance 0 on."""
    rest, total = n**n, Fraction(0)
    for distance in range(n + 1):
        here = min(rest, 2**bits * math.comb(n, distance) * (n - 1) ** distance)
        total += Fraction(distance * here, n**n * n)
        rest -= here
    assert rest == 0
    return total


@given(st.integers(2, 40), st.integers(0, 220))
@example(2, 1)
@example(16, 64)
@example(16, 63)
def test_spheres_are_filled_as_defined(n: int, bits: int) -> None:
    """Against exact integers; nothing is said where a message could hold the table; the paper's bound is smaller."""
    found = sphere_error(n, bits)
    assert found is not None
    if n**n <= 2**bits:
        assert found == paper_error(n, bits) == fano_error(n, bits) == 0
        assert not paper_reaches(n, bits, 0)
    else:
        assert found == pytest.approx(float(slow_spheres(n, bits)), abs=1e-9)
        assert 0 < paper_error(n, bits) <= found + 1e-12
        assert fano_error(n, bits) <= 1 - 1 / n
        assert paper_reaches(n, bits, 0)


@pytest.mark.parametrize(("n", "bits"), [(2, 0), (2, 1), (3, 0), (3, 1)])
def test_no_code_beats_the_bounds(n: int, bits: int) -> None:
    """All codes at tiny sizes: 2^C guesses of the table, each f answered by the nearest."""
    words = list(product(range(n), repeat=n))

    def error(code: tuple[tuple[int, ...], ...]) -> float:
        wrong = sum(min(sum(a != b for a, b in zip(f, c, strict=True)) for c in code) for f in words)
        return wrong / (len(words) * n)

    best = min(error(code) for code in product(words, repeat=2**bits))
    for bound in (paper_error, fano_error, sphere_error):
        assert (bound(n, bits) or 0.0) <= best + 1e-12


@given(st.integers(2, 10**6), st.integers(1, 10**6))
def test_fano_solves_its_inequality(n: int, bits: int) -> None:
    """A little less than the answer is too little."""
    needed = math.log2(n) - bits / n
    error = fano_error(n, bits)
    if n * math.log2(n) <= bits:
        assert error == 0
    else:
        assert entropy(error) + error * math.log2(n - 1) == pytest.approx(needed, abs=1e-6)


@given(st.integers(1, 300), st.floats(0.001, 0.95))
@settings(max_examples=40)
def test_the_least_n_is_the_least(bits: int, error: float) -> None:
    """One fewer does not reach it, by the bound itself."""
    found = least_n(lambda n: fano_reaches(n, bits, error))
    assert found is not None
    if found < 10**9:
        assert fano_error(found, bits) >= error - 1e-9
        assert found == 2 or fano_error(found - 1, bits) <= error + 1e-9
    paper = least_n(lambda n: paper_reaches(n, bits, error)) if error < 0.33 else None
    if paper is not None and paper < 10**6:
        assert paper == next(n for n in range(2, paper + 1) if paper_error(n, bits) >= error)


@pytest.mark.parametrize("n", [5334, 5335, 14349, 14350])
def test_where_it_speaks_in_whole_numbers(n: int) -> None:
    """n^n against 2^C, with all digits."""
    bits = 66048 if n < 10_000 else 198144
    assert paper_reaches(n, bits, 0) == (n**n > 2**bits)


@given(st.integers(1, 3), st.integers(1, 3), st.integers(1, 4), st.integers(1, 4))
@settings(max_examples=25, deadline=None)
def test_the_least_n_of_exact_messages(heads: int, dim: int, weight_bits: int, value_bits: int) -> None:
    """By trying: messages grow where n passes a power of two, so that the bound can fall there."""

    def bits(n: int) -> int:
        return exact_bits(heads, dim, weight_bits, value_bits, n)

    assert least_n(lambda n: paper_reaches(n, bits(n), 0)) == next(n for n in range(2, 10**4) if n**n > 2 ** bits(n))
    slow = next(n for n in range(2, 10**4) if fano_error(n, bits(n)) >= 0.3)
    assert least_n(lambda n: fano_reaches(n, bits(n), 0.3)) == slow


def test_what_is_silent_says_so() -> None:
    """At the last n before the bound speaks, and for an error that the paper's bound never reaches."""
    found = limit("composition").run(n=5334)
    assert found.vacuous
    assert found["error, Fano"].value is None
    assert not limit("composition").run(n=5335).vacuous
    assert limit("composition").run(error=0.4)["least n, paper >= 0.4"].value is None
    assert found.limit.run(count="measured", messages=2**40, n=12)["message"].value == 40
    assert found.limit.run()["prompt"].value == 20_001


def test_a_width_that_rounds_up_is_not_shown() -> None:
    """Percentages are rounded down: an error that is not certain is never shown as 100 %."""
    assert "100 %" not in limit("composition").run(n=10**300).verdict.text


STEPS = [
    ((1, 4, 8), (2, 19, 60, 185, 1769)),
    ((4, 16, 16), (0, 5, 15, 47, 471)),
    ((32, 128, 16), (0, 0, 2, 6, 62)),
    ((96, 128, 16), (0, 0, 0, 4, 36)),
]


@pytest.mark.parametrize(("layer", "found"), STEPS)
def test_steps_of_thought(layer: tuple[int, int, int], found: tuple[int, ...]) -> None:
    """The table for n = 10^6, 10^8, 10^9, 10^10 and 10^12."""
    ns = (10**6, 10**8, 10**9, 10**10, 10**12)
    assert tuple(most_steps(n, step_bits(*layer)) for n in ns) == found


@given(st.integers(2, 10**10), st.integers(1, 2000))
def test_most_steps_by_trying(n: int, step: int) -> None:
    """The closed form against the inequality, one K after the other."""
    found = most_steps(n, step)
    assert isinstance(found, int)
    assert found == 0 or (found >= 2 and holds(n, found, step))
    assert not holds(n, max(2, found + 1), step)
    for steps in range(2, min(found, 50)):
        assert (steps - 1) * step < n / (2000 * steps) - 2 * steps * math.log2(n)


def test_hard_attention() -> None:
    """Exactly as many steps as functions."""
    one = limit("cot-hard-attention")
    assert one.run(functions=7, steps=6).verdict.kind == "exact"
    assert one.run(functions=7, steps=7).vacuous
