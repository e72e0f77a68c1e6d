"""Binary digits as signs."""

from hypothesis import given
from hypothesis import strategies as st

from capax.theorems.weights.bits import digits, sign_names, signs


@given(st.integers(2, 500), st.data())
def test_signs_tell_numbers_apart(n: int, data: st.DataObject) -> None:
    """The product is the number of digits on equal numbers and at least 2 less on others."""
    names = sign_names("b", n)
    a, b = (data.draw(st.integers(0, n - 1)) for _ in range(2))
    product = sum(signs(a, names)[name] * signs(b, names)[name] for name in names)
    assert product == digits(n) if a == b else product <= digits(n) - 2
