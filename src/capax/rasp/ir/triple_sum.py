"""The sum of a query and two keys, as it stands in the test of `select3`."""

from dataclasses import dataclass
from typing import Any

from capax.errors import CapaxError
from capax.rasp.ir.nodes import MIRRORED, Comparison
from capax.rasp.ir.triple_nodes import sum_text


@dataclass(frozen=True, slots=True)
class SumTest:
    """A test of the sum: `sum % modulus op constant`; modulus 0 is none."""

    modulus: int
    op: Comparison
    constant: int

    def __str__(self) -> str:
        return sum_text(self.modulus, self.op, self.constant)

    def __bool__(self) -> bool:
        raise CapaxError(
            "bad-sum-test",
            f"`{self}` has no truth value",
            hint="one comparison is a test; join several selectors with `and`, `or` and `not`",
        )


@dataclass(frozen=True, slots=True, eq=False)
class TripleSum:
    """The sum of the values at a query and at two keys, of which `select3` tests one comparison.

    >>> TripleSum() % 7 == 0
    SumTest(modulus=7, op='==', constant=0)
    """

    modulus: int = 0

    __hash__ = object.__hash__

    def __str__(self) -> str:
        return f"sum % {self.modulus}" if self.modulus else "sum"

    def __bool__(self) -> bool:
        raise wrong_test(f"`{self}`")

    def __mod__(self, modulus: int) -> "TripleSum":
        if self.modulus or type(modulus) is not int or modulus < 1:
            raise CapaxError(
                "bad-sum-test",
                f"the modulus of a sum is one positive integer, not {modulus!r:.40}",
                hint="write for instance `sum % 7 == 0`",
            )
        return TripleSum(modulus)

    def __eq__(self, other: object) -> Any:
        return self._test("==", other)

    def __ne__(self, other: object) -> Any:
        return self._test("!=", other)

    def __lt__(self, other: int) -> SumTest:
        return self._test("<", other)

    def __gt__(self, other: int) -> SumTest:
        return self._test(">", other)

    def __le__(self, other: int) -> SumTest:
        return self._test("<=", other)

    def __ge__(self, other: int) -> SumTest:
        return self._test(">=", other)

    def _test(self, op: Comparison, other: object) -> SumTest:
        if type(other) is not int:
            raise CapaxError(
                "bad-sum-test",
                f"a sum is compared with an integer, not {other!s:.40}",
                hint="what varies belongs to the keys and the query: select3(x, y, -z, sum == 0)",
            )
        return SumTest(self.modulus, op, other)


def sum_operator(op: str, left: object, right: object) -> TripleSum | SumTest:
    """`left op right`, where one of the two is the sum: `%` by a number, or a comparison with one."""
    if op == "%" and isinstance(left, TripleSum):
        return left % right  # type: ignore[operator]
    if op in MIRRORED and isinstance(left, TripleSum):
        return left._test(op, right)  # type: ignore[arg-type]
    if op in MIRRORED and isinstance(right, TripleSum):
        return right._test(MIRRORED[op], left)
    raise wrong_test(f"`{left} {op} {right}`" if not isinstance(left, SumTest) else f"`{left}`, joined with `{op}`,")


def wrong_test(what: str) -> CapaxError:
    """The error for what is not a test of a sum."""
    return CapaxError(
        "bad-sum-test",
        f"{what} is not a test of a sum",
        hint="write `sum % 7 == 0` or `sum <= 3`; join several selectors with `and`, `or` and `not`",
    )
