"""Walks over syntax trees, without recursion."""

from collections.abc import Iterator
from typing import Any

from capax.rasp.text.syntax import Expr, Statement, Syntax


def children(item: Syntax) -> list[Syntax]:
    """The syntax directly inside, in the order it is written."""
    inside: list[Syntax] = []
    stack: list[Any] = [getattr(item, name) for name in reversed(_fields(type(item)))]
    while stack:
        part = stack.pop()
        if isinstance(part, Syntax):
            inside.append(part)
        elif isinstance(part, tuple):
            stack += reversed(part)
    return inside


def everything(root: Syntax) -> Iterator[Syntax]:
    """The root and all syntax inside it, outer before inner."""
    stack: list[Syntax] = [root]
    while stack:
        item = stack.pop()
        yield item
        stack += reversed(children(item))


def expressions(statement: Statement) -> Iterator[Expr]:
    """All expressions inside a statement, outer before inner."""
    return (item for item in everything(statement) if isinstance(item, Expr))


def _fields(kind: type[Syntax]) -> list[str]:
    own: dict[str, Any] = kind.__dataclass_fields__
    return [name for name in own if name not in ("at", "grouped")]
