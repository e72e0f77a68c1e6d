"""NOT, AND and OR of formulas of any logic, and the reading of them: `! & | ->`, or `not and or`."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from capax.notation.tokens import TokenReader

F_co = TypeVar("F_co", covariant=True)
F = TypeVar("F")


@dataclass(frozen=True, slots=True)
class Negated(Generic[F_co]):
    """The other does not hold."""

    one: F_co


@dataclass(frozen=True, slots=True)
class AllOf(Generic[F_co]):
    """All of several hold; of none, true."""

    parts: tuple[F_co, ...]


@dataclass(frozen=True, slots=True)
class AnyOf(Generic[F_co]):
    """One of several holds; of none, false."""

    parts: tuple[F_co, ...]


def read_connectives(words: TokenReader, unary: Callable[[], object]) -> object:
    """The formula that the next words stand for; `unary` reads what stands between connectives."""
    left = _read_or(words, unary)
    if words.taken("->") is None:
        return left
    words.deeper()
    right = read_connectives(words, unary)
    words.shallower()
    return AnyOf((Negated(left), right))


def _read_or(words: TokenReader, unary: Callable[[], object]) -> object:
    parts = [_read_and(words, unary)]
    while words.taken("|", "or") is not None:
        parts.append(_read_and(words, unary))
    return parts[0] if len(parts) == 1 else AnyOf(tuple(parts))


def _read_and(words: TokenReader, unary: Callable[[], object]) -> object:
    parts = [unary()]
    while words.taken("&", "and") is not None:
        parts.append(unary())
    return parts[0] if len(parts) == 1 else AllOf(tuple(parts))


def joined_text(parts: tuple[F, ...], sign: str, text: Callable[[F], str]) -> str:
    """Parts joined by a sign, in brackets unless they are single words; of none, what holds of none."""
    if not parts:
        return "true" if sign == "&" else "false"
    return f" {sign} ".join(text(part) for part in parts)


def quoted(symbol: str) -> str:
    """A symbol as a formula writes it: as it is if it is a name, and else in quotes."""
    plain = symbol.isascii() and symbol.isidentifier() and symbol not in ("true", "false", "not", "and", "or", "in")
    if plain:
        return symbol
    return f'"{symbol}"' if "'" in symbol else f"'{symbol}'"
