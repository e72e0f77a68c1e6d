"""Expressions of `proofs/Program.v`: integers over the states of a query and of a key, as text and as values."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

State: TypeAlias = Sequence[int]
"""Token, position, length, and the values of definitions."""

OPERATIONS: Final[dict[str, Callable[..., int]]] = {
    "Plus": lambda a, b: a + b,
    "Minus": lambda a, b: a - b,
    "Times": lambda a, b: a * b,
    "Equal": lambda a, b: int(a == b),
    "Less": lambda a, b: int(a < b),
    "Both": lambda a, b: int(a != 0 and b != 0),
    "Either": lambda a, b: int(a != 0 or b != 0),
    "Not": lambda a: int(a == 0),
    "Choose": lambda c, a, b: a if c != 0 else b,
}
"""The constructors that have operands; the others are `Num`, and `Here` and `There`, an entry of a state."""


@dataclass(frozen=True, slots=True)
class CoqExpr:
    """A constructor with its operands, or with its number."""

    name: str
    operands: tuple["CoqExpr", ...] = ()
    number: int = 0

    def text(self) -> str:
        """The expression as Coq text."""
        if not self.operands:
            number = f"({self.number})" if self.number < 0 else str(self.number)
            return f"{self.name} {number}"
        return " ".join([self.name, *(f"({part.text()})" for part in self.operands)])

    def value(self, query: State, key: State) -> int:
        """Its value at a query and a key."""
        match self.name:
            case "Num":
                return self.number
            case "Here":
                return query[self.number]
            case "There":
                return key[self.number]
        return OPERATIONS[self.name](*(part.value(query, key) for part in self.operands))

    def entries(self, side: str | None = None) -> frozenset[int]:
        """The entries of states that it reads, of one side or of both."""
        if self.name in ("Here", "There"):
            return frozenset([self.number] if side in (None, self.name) else [])
        return frozenset().union(*(part.entries(side) for part in self.operands))

    def at(self, side: str) -> "CoqExpr":
        """The expression with every entry read at one side."""
        if self.name in ("Here", "There"):
            return CoqExpr(side, (), self.number)
        return CoqExpr(self.name, tuple(part.at(side) for part in self.operands), self.number)


def num(value: int) -> CoqExpr:
    """A number."""
    return CoqExpr("Num", (), value)


def here(entry: int) -> CoqExpr:
    """An entry of the query's state."""
    return CoqExpr("Here", (), entry)


def there(entry: int) -> CoqExpr:
    """An entry of the key's state."""
    return CoqExpr("There", (), entry)


def apply(name: str, *operands: CoqExpr) -> CoqExpr:
    """A constructor with operands."""
    return CoqExpr(name, operands)
