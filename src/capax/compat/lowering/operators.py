"""Python's operators on the sequences of a dialect: each class says once what an operator between two sides is."""

from typing import Any, Generic, TypeVar

Sequence = TypeVar("Sequence")


class Operators(Generic[Sequence]):
    """Operators between sequences, and between a sequence and a value; all of them call `_operator`."""

    __hash__ = object.__hash__

    def _operator(self, op: str, left: Any, right: Any) -> Sequence:
        """The sequence of an operator between two sides; `NotImplemented` where the dialect does not have it."""
        raise NotImplementedError

    def __lt__(self, other: Any) -> Sequence:
        return self._operator("<", self, other)

    def __le__(self, other: Any) -> Sequence:
        return self._operator("<=", self, other)

    def __eq__(self, other: object) -> Sequence:  # type: ignore[override]
        return self._operator("==", self, other)

    def __ne__(self, other: object) -> Sequence:  # type: ignore[override]
        return self._operator("!=", self, other)

    def __gt__(self, other: Any) -> Sequence:
        return self._operator(">", self, other)

    def __ge__(self, other: Any) -> Sequence:
        return self._operator(">=", self, other)

    def __add__(self, other: Any) -> Sequence:
        return self._operator("+", self, other)

    def __radd__(self, other: Any) -> Sequence:
        return self._operator("+", other, self)

    def __sub__(self, other: Any) -> Sequence:
        return self._operator("-", self, other)

    def __rsub__(self, other: Any) -> Sequence:
        return self._operator("-", other, self)

    def __mul__(self, other: Any) -> Sequence:
        return self._operator("*", self, other)

    def __rmul__(self, other: Any) -> Sequence:
        return self._operator("*", other, self)

    def __truediv__(self, other: Any) -> Sequence:
        return self._operator("/", self, other)

    def __rtruediv__(self, other: Any) -> Sequence:
        return self._operator("/", other, self)

    def __mod__(self, other: Any) -> Sequence:
        return self._operator("%", self, other)

    def __rmod__(self, other: Any) -> Sequence:
        return self._operator("%", other, self)

    def __and__(self, other: Any) -> Sequence:
        return self._operator("and", self, other)

    def __rand__(self, other: Any) -> Sequence:
        return self._operator("and", other, self)

    def __or__(self, other: Any) -> Sequence:
        return self._operator("or", self, other)

    def __ror__(self, other: Any) -> Sequence:
        return self._operator("or", other, self)
