"""Number systems: their names, their rounding, and what they refuse."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from capax.errors import CapaxError
from capax.model.adapt.conversion import convert
from capax.model.arithmetic import exact
from capax.model.arithmetic.fixed import FixedArithmetic
from capax.model.arithmetic.floats import to_bfloat16, to_float16
from capax.model.arithmetic.scalars import FloatScalars
from capax.model.arithmetic.select import arithmetic, check
from capax.model.numbers import Fixed, Float, Integer, parse
from capax.model.run.run import logits
from tests.support.models import Draw, Shape, with_heads

INT = st.integers(-(2**60), 2**60)


@pytest.mark.parametrize(
    "text", ["float64", "bfloat16", "fixed:16.8", "fixed:2.0", "integer:8,10,8", "integer:4,2,3;-1:1,2,4"]
)
def test_a_system_has_its_name_back(text: str) -> None:
    assert parse(text).name == text


def test_names_of_number_systems_are_parsed() -> None:
    assert parse("float32") == Float("float32", 2.0**-24)
    assert parse("fixed:16.8") == Fixed(16, 8)
    assert parse("integer:8,3,6") == Integer(8, 3, 6, 0, (1, 2, 4, 8))
    assert parse("integer:8,3,6;0:1,2,4,8").name == "integer:8,3,6"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("float8", "unknown number system"),
        ("fixed:16", "unknown number system"),
        ("fixed:64.8", "asks for 64 bits"),
        ("fixed:1.0", "asks for 1 bits"),
        ("fixed:8.8", "one bit is the sign"),
        ("integer:8,10", "unknown number system"),
        ("integer:40,10,8", "does not fit"),
        ("integer:8,10,9", "does not fit"),
        ("integer:8,2,8;0:1,5", "outside 1 ... 4"),
        ("integer:8,2,8;0:0,1", "outside 1 ... 4"),
    ],
)
def test_what_is_no_system_is_refused(text: str, what: str) -> None:
    with pytest.raises(CapaxError, match=what) as caught:
        parse(text)
    assert caught.value.code == "number-system"


@given(INT, st.integers(1, 2**60))
@example(5, 2)
@example(-5, 2)
@example(7, 2)
def test_quotients_round_to_even(numerator: int, denominator: int) -> None:
    assert exact.divide(np.array([numerator]), np.array([denominator]))[0] == round(Fraction(numerator, denominator))


@given(INT, st.integers(0, 40))
def test_shifts_round_to_even(x: int, bits: int) -> None:
    assert exact.shift(np.array([x]), bits)[0] == round(Fraction(x, 1 << bits))


@given(st.integers(0, 2**61))
@example(2**52 - 1)
def test_roots_round_to_nearest(x: int) -> None:
    low = math.isqrt(x)
    nearest = low if x - low * low <= low else low + 1
    assert exact.root(np.array([x]))[0] == nearest


@given(st.integers(0, 29), st.data())
def test_exponentials_round_to_nearest(bits: int, data: st.DataObject) -> None:
    xs = data.draw(st.lists(st.integers(-(bits + 4) << bits, 0), min_size=1, max_size=20))
    found = exact.exponential(np.array(xs), bits)
    assert found.tolist() == [exact.nearest_exponential(x, bits) for x in xs]
    for x, near in zip(xs, found, strict=True):
        assert abs(near - math.exp(x / 2**bits) * 2**bits) <= 0.5 + 1e-6


def test_doubtful_exponentials_are_settled_by_decimals() -> None:
    # Of all exponentials in units of 2^-16 some are close to half a unit.
    xs = np.arange(-(18 << 16), 1)
    found = exact.exponential(xs, 16)
    y = np.exp(xs / 2.0**16) * 2.0**16
    close = np.flatnonzero(np.abs(y - np.floor(y) - 0.5) < 2.0**-14)
    assert len(close) > 10
    assert [int(f) for f in found[close]] == [exact.nearest_exponential(int(x), 16) for x in xs[close]]


@given(st.lists(st.integers(-(2**31), 2**31), min_size=4, max_size=4), st.lists(INT, min_size=2, max_size=2))
def test_products_are_exact(xs: list[int], ys: list[int]) -> None:
    ys = [y >> 30 for y in ys]
    found = exact.matmul(np.array(xs).reshape(2, 2), np.array(ys).reshape(2, 1))
    assert found[:, 0].tolist() == [xs[0] * ys[0] + xs[1] * ys[1], xs[2] * ys[0] + xs[3] * ys[1]]


@given(st.floats(width=32))
@example(3.3961775292304957e38)
@example(1e-40)
def test_short_floats_round_to_even(x: float) -> None:
    for name, rounding in (("bfloat16", to_bfloat16), ("float16", to_float16)):
        with np.errstate(over="ignore"):
            found = float(rounding(np.array([x], np.float32))[0])
        wanted = FloatScalars(name).fit(x)
        assert found == wanted or (math.isnan(found) and math.isnan(wanted))


@given(st.floats())
@example(1 + 2.0**-8 + 2.0**-40)  # halfway in bfloat16, once it is a float32
@example(1 + 2.0**-11 + 2.0**-40)  # halfway in float16, once it is a float32
@example(1 + 2.0**-8 - 2.0**-40)
@example(1e-46)
@example(3.3961775292304957e38)
@example(1e300)
def test_numbers_from_outside_are_rounded_once(x: float) -> None:
    for name in ("float32", "bfloat16", "float16"):
        with np.errstate(over="ignore"):
            found = [arithmetic(name).outside(np.array(x)), arithmetic(name).weights(np.array([x]), "a weight")[0]]
        wanted = FloatScalars(name).fit(x)
        assert all(float(f) == wanted or (math.isnan(f) and math.isnan(wanted)) for f in found)


def test_weights_that_a_float_system_does_not_hold_are_refused() -> None:
    model = Draw(Shape(), 1).model()
    large = replace(model, embedding=model.embedding + 70000.0)
    assert np.isfinite(large.to("bfloat16").embedding).all()
    with pytest.raises(CapaxError, match=r"a weight is \d+.*, which is too large for float16"):
        large.to("float16")


def test_a_model_is_converted_to_the_type_of_its_own_system() -> None:
    model = Draw(Shape(), 1).model()
    mixed = replace(model, embedding=np.ones(model.embedding.shape, int))
    with pytest.raises(CapaxError, match="holds int64 numbers"):
        mixed("ab")
    assert mixed.to("float64").embedding.dtype == np.float64
    assert model.to("float64") is model


def test_fixed_point_saturates() -> None:
    a = arithmetic("fixed:8.4")
    assert isinstance(a, FixedArithmetic)
    assert a.real(a.outside(np.array([100.0, -100.0, 0.03125, 0.09375, np.nan]))).tolist() == [7.9375, -8, 0, 0.125, 0]
    assert a.add(np.array([127]), np.array([1])).tolist() == [127]


@pytest.mark.parametrize("numbers", ["float32", "bfloat16", "fixed:16.8", "integer:8,10,8"])
def test_conversion_keeps_what_fits_and_stops_there(numbers: str) -> None:
    model = Draw(Shape(norms=False, grain=1, scales=(1.0,)), 3).model()
    there = model.to(numbers)
    assert there.numbers == numbers
    assert there.to(numbers) is there
    assert convert(there, "float64") == model
    assert (logits(there, ["abca"])[0].shape) == (4, 2)


def test_a_fractional_scale_goes_into_the_queries() -> None:
    model = with_heads(Shape(norms=False, pairs=False, grain=1, reach=8, scales=(0.5,)))
    heads = [head for block in model.to("integer:8,10,8").blocks for head in block.heads]
    old = [head for block in model.blocks for head in block.heads]
    assert (heads[0].query.weight == np.rint(old[0].query.weight / 2)).all()
    assert all(head.scale == 1 for head in heads)


def _refused(shape: Shape, numbers: str, what: str) -> None:
    model = with_heads(shape, 2)
    with pytest.raises(CapaxError, match=what) as caught:
        model.to(numbers)
    assert caught.value.code == "number-system"


def test_what_exact_integers_refuse() -> None:
    _refused(Shape(pairs=False), "integer:8,10,8", "has a norm")
    _refused(Shape(norms=False, activations=("gelu",)), "integer:8,10,8", "has a GELU")


def test_sums_that_may_overflow_are_refused() -> None:
    _refused(Shape(norms=False, pair_share=1), "fixed:24.10", "score of a third-order head may need")
    model = with_heads(Shape(kinds=("softmax",), norms=False, pairs=False)).to("fixed:28.27")
    with pytest.raises(CapaxError, match="softmax head over 10000 positions may need 69 bits"):
        check(model, 10000)


def test_arrays_of_another_system_are_refused() -> None:
    model = Draw(Shape(), 3).model()
    for numbers in ("fixed:16.8", "integer:8,10,8"):
        with pytest.raises(CapaxError, match="holds float64 numbers"):
            logits(replace(Draw(Shape(norms=False), 3).model(), numbers=numbers), ["ab"])
    with pytest.raises(CapaxError, match="holds int64 numbers"):
        logits(replace(model.to("fixed:16.8"), numbers="float32"), ["ab"])


def test_fractional_places_are_refused_in_exact_integers() -> None:
    model = Draw(Shape(norms=False, functions=("1/(i+1)",) * 8), 3).model().to("integer:8,10,8")
    with pytest.raises(CapaxError, match="function of the position is not an integer"):
        logits(model, ["abc"])
