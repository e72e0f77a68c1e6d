"""Python's operators on programs: a class says once what an operator between two sides is, for all of them."""

from typing import Any, Generic, TypeVar

Result = TypeVar("Result")
Operand = TypeVar("Operand")


class Comparisons(Generic[Result, Operand]):
    """The six comparisons; all of them call `_operator`."""

    __slots__ = ()
    __hash__ = object.__hash__

    def _operator(self, op: str, left: Any, right: Any) -> Result:
        """What an operator between two sides gives; `NotImplemented` where there is no such operator."""
        raise NotImplementedError

    def __lt__(self, other: Operand) -> Result:
        return self._operator("<", self, other)

    def __le__(self, other: Operand) -> Result:
        return self._operator("<=", self, other)

    def __eq__(self, other: object) -> Result:  # type: ignore[override]
        return self._operator("==", self, other)

    def __ne__(self, other: object) -> Result:  # type: ignore[override]
        return self._operator("!=", self, other)

    def __gt__(self, other: Operand) -> Result:
        return self._operator(">", self, other)

    def __ge__(self, other: Operand) -> Result:
        return self._operator(">=", self, other)


class Operators(Comparisons[Result, Operand]):
    """Comparisons, arithmetic and logic between programs, and between a program and a value."""

    __slots__ = ()

    def __add__(self, other: Operand) -> Result:
        return self._operator("+", self, other)

    def __radd__(self, other: Any) -> Result:
        return self._operator("+", other, self)

    def __sub__(self, other: Operand) -> Result:
        return self._operator("-", self, other)

    def __rsub__(self, other: Any) -> Result:
        return self._operator("-", other, self)

    def __mul__(self, other: Operand) -> Result:
        return self._operator("*", self, other)

    def __rmul__(self, other: Any) -> Result:
        return self._operator("*", other, self)

    def __truediv__(self, other: Operand) -> Result:
        return self._operator("/", self, other)

    def __rtruediv__(self, other: Any) -> Result:
        return self._operator("/", other, self)

    def __mod__(self, other: Operand) -> Result:
        return self._operator("%", self, other)

    def __rmod__(self, other: Any) -> Result:
        return self._operator("%", other, self)

    def __and__(self, other: Operand) -> Result:
        return self._operator("and", self, other)

    def __rand__(self, other: Any) -> Result:
        return self._operator("and", other, self)

    def __or__(self, other: Operand) -> Result:
        return self._operator("or", self, other)

    def __ror__(self, other: Any) -> Result:
        return self._operator("or", other, self)
