"""How stages write names, values and lists, in text and in JSON."""

import math
from collections.abc import Iterable, Mapping
from typing import Any, Final

from capax.compiler.node_meanings.node_names import MOST
from capax.rasp.ir.describe import describe, describe_atom
from capax.rasp.ir.nodes import Node
from capax.rasp.ir.types import Atom

WIDTH: Final = 110
"""Lines are broken between items where they would be longer."""


def counted(number: int, what: str) -> str:
    """A number of things: `1 slot`, `2 slots`."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def name_of(titles: Mapping[Node, str], node: Node) -> str:
    """The name of a node, which is its expression where that is short."""
    return titles.get(node) or describe(node, titles, MOST)


def definition(titles: Mapping[Node, str], node: Node) -> str:
    """A node by its parts."""
    return describe(node, {other: name for other, name in titles.items() if other is not node}, MOST)


def defined(titles: Mapping[Node, str], node: Node) -> str:
    """A node's name with its definition, or the one where both are the same."""
    name, text = name_of(titles, node), definition(titles, node)
    return text if name == text else f"{name} = {text}"


def defined_json(titles: Mapping[Node, str], node: Node) -> dict[str, Any]:
    """A node's name and definition as plain data."""
    return {"name": name_of(titles, node), "definition": definition(titles, node)}


def quoted(name: str) -> str:
    """A name in a list or sum; one with spaces between backticks."""
    return f"`{name}`" if " " in name else name


def value_text(value: Atom) -> str:
    """A value as a program writes it; a float to six digits."""
    return f"{value:g}" if isinstance(value, float) else describe_atom(value)


def value_json(value: Atom) -> Any:
    """A value as plain data; numbers that JSON lacks as text."""
    return value if not isinstance(value, float) or math.isfinite(value) else str(value)


def wrapped(start: str, items: Iterable[str], separator: str = ", ") -> str:
    """The items after a start, in lines of at most `WIDTH` where an item fits; further lines are indented below."""
    lines = [start]
    indent = " " * min(len(start), 12)
    pending = list(items)
    for number, item in enumerate(pending):
        piece = item + (separator if number + 1 < len(pending) else "")
        if len(lines[-1]) + len(piece.rstrip()) > WIDTH and lines[-1].strip() and lines[-1] != start:
            lines.append(indent)
        lines[-1] += piece
    return "\n".join(line.rstrip() for line in lines)
