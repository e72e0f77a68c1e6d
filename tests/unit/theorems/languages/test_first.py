"""The scale that FIRST needs by softmax."""

import math

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from capax.theorems.languages.first import weighted


@given(st.integers(2, 60), st.floats(0.1, 6))
@settings(max_examples=60)
def test_when_a_scale_is_enough_for_first(length: int, scale: float) -> None:
    """Softmax recognises FIRST up to N exactly if e^s > N - 1: the worst word has all others against the first."""
    assume(abs(math.exp(scale) - (length - 1)) >= 1e-9)
    model = weighted(scale, length)
    right = model("1" + "0" * (length - 1))[-1] is True and model("0" + "1" * (length - 1))[-1] is False
    assert right == (math.exp(scale) > length - 1)
