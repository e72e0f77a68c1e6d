"""Weights as number systems hold them."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from capax.certify.not_certified import NotCertified
from capax.certify.pipeline import ProofCache
from capax.certify.systems import LARGEST, LEAST, LEAST_EXPONENT, ROUNDOFF, SYSTEMS, cast, check_plain, rounded_model
from tests.support.perturbed import compiled


@given(st.floats(-(2.0**99), 2.0**99, width=32).filter(lambda x: abs(x) > 1e-30))
def test_bfloat16_is_the_nearest_of_eight_bits(x: float) -> None:
    """Of two that are equally near, the even one."""
    found = float(cast(np.array([x]), "bfloat16")[0])
    unit = Fraction(2) ** (int(np.floor(np.log2(abs(x)))) - 7)
    while abs(Fraction(x)) / unit >= 256:
        unit *= 2
    while abs(Fraction(x)) / unit < 128:
        unit /= 2
    assert Fraction(found) == round(Fraction(x) / unit) * unit


def test_other_systems_are_those_of_numpy() -> None:
    values = np.array([0.1, 1.0, 2.0**-30 + 1])
    assert cast(np.zeros(1), "bfloat16").tolist() == [0.0]
    assert np.array_equal(cast(values, "float64"), values)
    assert np.array_equal(cast(values, "float32"), values.astype(np.float32))


@pytest.mark.parametrize("numbers", SYSTEMS)
def test_the_limits_of_a_system_are_those_of_its_numbers(numbers: str) -> None:
    """As numpy has them; bfloat16 has the exponents of float32, and so its range, with eight digits."""
    info = np.finfo("float32" if numbers == "bfloat16" else numbers)
    assert LEAST[numbers] == float(info.smallest_normal)
    assert ROUNDOFF[numbers] == (2.0**-8 if numbers == "bfloat16" else float(info.eps) / 2)
    assert 2.0**-32 < LARGEST[numbers] / float(info.max) < 2.0**-7  # room for a hundred times as much
    smallest = float(info.smallest_subnormal)
    assert LEAST_EXPONENT[numbers] < np.log(smallest) - np.log(2)  # so much is rounded to zero
    assert LEAST_EXPONENT[numbers] > np.log(smallest) - 2


@pytest.mark.parametrize("numbers", ["float64", "float32", "bfloat16"])
def test_plain_numbers(numbers: str) -> None:
    """Zeros of both signs and normal numbers of the system; nothing infinite, finer or denormal."""
    least = LEAST[numbers]
    check_plain(np.array([0.0, -0.0, 1.0, -1.5, least, -least]), "w", numbers, least)
    for wrong in (np.inf, -np.inf, np.nan):
        with pytest.raises(NotCertified, match="not finite"):
            check_plain(np.array([1.0, wrong]), "w", numbers, least)
    for tiny in (least / 2, -least / 2):
        with pytest.raises(NotCertified, match="denormal"):
            check_plain(np.array([1.0, tiny]), "w", numbers, least)
    if numbers != "float64":
        with pytest.raises(NotCertified, match="cannot represent"):
            check_plain(np.array([1.0, 1 + 2.0**-40]), "w", numbers, least)


def test_a_model_is_looked_at_once_where_it_stays_as_it_is() -> None:
    """In its own system and in finer ones; in coarser ones it is another model each time."""
    model = compiled("reverse").model
    cache = ProofCache()
    assert rounded_model(model, "float32", cache.plain) is model
    assert rounded_model(model, "float64", cache.plain) is model
    assert cache.plain == {"float32", "float64"}
    rounded = rounded_model(model, "bfloat16", cache.plain)
    assert rounded is not model
    assert rounded.numbers == "bfloat16"
    assert "bfloat16" not in cache.plain
    broken = replace(model, embedding=np.full_like(model.embedding, 2.0**-140))
    with pytest.raises(NotCertified, match="denormal"):
        rounded_model(broken, "float32", set())
    with pytest.raises(NotCertified) as caught:
        rounded_model(replace(model.to("float64"), embedding=np.full(model.embedding.shape, 1e39)), "float32", set())
    assert "float32" in caught.value.why
