"""The test of a `select3` in Python: what is none is refused with a hint."""

from typing import Any

import pytest

from capax import select3, selector_width, tokens_int
from capax.errors import CapaxError


@pytest.mark.parametrize(
    ("test", "message"),
    [
        ("sum==0", 'a function of the sum, not the string "sum==0"'),
        (None, "a function of the sum, not None"),
        (tokens_int, "a function of the sum, not the s-op `tokens_int`"),
        (lambda total: total + 1 == 0, "fails on a sum: unsupported operand"),
        (lambda one, two: one == two, "fails on a sum: .* missing 1 required"),
        (lambda total: 1, "the number 1 is not a test of a sum"),
    ],
)
def test_what_is_no_test_is_refused(test: Any, message: str) -> None:
    """Strings, s-ops, arithmetic on sums, and functions of something else."""
    with pytest.raises(CapaxError, match=message) as refused:
        select3(tokens_int, tokens_int, tokens_int, test)
    assert refused.value.code == "bad-sum-test"
    assert refused.value.hint


def test_a_comparison_is_a_test() -> None:
    """With the sum on either side."""
    for test in (lambda total: total == 0, lambda total: 0 == total):  # noqa: SIM300
        assert selector_width(select3(tokens_int, tokens_int, -tokens_int, test))([1, 2]) == [0, 1]
