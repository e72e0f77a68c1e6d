"""The intermediate form of a program: small, immutable, interned nodes.

Two nodes built from equal parts are the same object, so equality is identity and a graph
shares what it can by itself. Names and locations in a text are kept elsewhere
(`capax.rasp.ir.construction`), never in a node.
"""

import struct
import threading
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, Self, TypeAlias
from weakref import WeakValueDictionary

from capax.rasp.ir.types import Atom

Comparison: TypeAlias = Literal["==", "!=", "<", ">", "<=", ">="]
COMPARISONS: Final[tuple[Comparison, ...]] = ("==", "!=", "<", ">", "<=", ">=")
MIRRORED: Final[dict[str, Comparison]] = {"==": "==", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}
"""The comparison with its sides exchanged."""

InputKind: TypeAlias = Literal["asis", "str", "int", "float", "bool"]
INPUT_KINDS: Final[tuple[InputKind, ...]] = ("asis", "str", "int", "float", "bool")

TableKind: TypeAlias = Literal["list", "string", "dict", "members", "map", "positions"]

_lock = threading.Lock()
_interned: WeakValueDictionary[tuple[Hashable, ...], "Node"] = WeakValueDictionary()


def _key_of(part: Any) -> Hashable:
    """A key that tells 1, 1.0 and True apart, and 0.0 from -0.0."""
    if isinstance(part, Node):
        return ("node", id(part))
    if isinstance(part, tuple):
        return tuple(_key_of(p) for p in part)
    if isinstance(part, float):
        return ("float", struct.pack("<d", part))
    return (type(part).__name__, part)


class Node:
    """The root of all nodes; `parts` are the fields in order, `operands` the nodes among them.

    `list_length` is the length of a list that stands for an s-op in it (of the first, should they differ), if one does.
    """

    __slots__ = ("__weakref__", "list_length", "operands", "parts")
    fields: ClassVar[tuple[str, ...]] = ()
    parts: tuple[Any, ...]
    operands: tuple["Node", ...]
    list_length: int | None

    def __new__(cls, *parts: Any) -> Self:
        assert len(parts) == len(cls.fields), (cls.__name__, parts)
        key = (cls.__name__, *map(_key_of, parts))
        with _lock:
            node = _interned.get(key)
            if node is None:
                node = object.__new__(cls)
                object.__setattr__(node, "parts", parts)
                object.__setattr__(node, "operands", node._operands())
                object.__setattr__(node, "list_length", node._list_length())
                _interned[key] = node
        assert isinstance(node, cls)
        return node

    def __init_subclass__(cls) -> None:
        """Gives a class a property for each of its fields."""
        for number, name in enumerate(cls.fields):
            setattr(cls, name, property(_part(number)))

    def _operands(self) -> tuple["Node", ...]:
        return tuple(_nodes_in(self.parts))

    def _list_length(self) -> int | None:
        return next((o.list_length for o in self.operands if o.list_length is not None), None)

    def over(self, operands: tuple["Node", ...]) -> "Node":
        """The same node over other operands, in the order of its own."""
        new = iter(operands)

        def replaced(part: Any) -> Any:
            if isinstance(part, Node):
                return next(new)
            return tuple(map(replaced, part)) if isinstance(part, tuple) else part

        return type(self)(*map(replaced, self.parts))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is immutable")

    if TYPE_CHECKING:  # fields of nodes whose class only the program knows

        def __getattr__(self, name: str) -> Any: ...

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("nodes are not pickled; send a program as text or JSON")

    def __repr__(self) -> str:
        parts = (type(p).__name__ if isinstance(p, Node) else repr(p) for p in self.parts)
        return f"{type(self).__name__}({', '.join(parts)})"


def _part(number: int) -> Callable[["Node"], Any]:
    return lambda node: node.parts[number]


def _nodes_in(parts: tuple[Any, ...]) -> list[Node]:
    nodes: list[Node] = []
    for part in parts:
        if isinstance(part, Node):
            nodes.append(part)
        elif isinstance(part, tuple):
            nodes += [p for p in part if isinstance(p, Node)]
    return nodes


def list_lengths(node: Node) -> list[int]:
    """The different lengths of the lists that stand for s-ops in the operands; no word has two lengths."""
    return list(dict.fromkeys(o.list_length for o in node.operands if o.list_length is not None))


class SOpNode(Node):
    """A node whose value is one atom per position."""

    __slots__ = ()


class SelectorNode(Node):
    """A node whose value is one boolean per (query, key) pair of positions."""

    __slots__ = ()


class Input(SOpNode):
    """The tokens of the word, read as strings, integers, floats, booleans, or as they are."""

    __slots__ = ()
    fields = ("kind",)
    kind: InputKind


class Indices(SOpNode):
    """The positions 0, 1, 2, ..."""

    __slots__ = ()


class Const(SOpNode):
    """The same atom at every position."""

    __slots__ = ()
    fields = ("value",)
    value: Atom


class Map(SOpNode):
    """An operation of the op table applied position by position."""

    __slots__ = ()
    fields = ("op", "args")
    op: str
    args: tuple[SOpNode, ...]


class Table(SOpNode):
    """A finite map applied position by position.

    `kind` says how a value is looked up and what a miss means: `list` and `string` take
    integers (from the end when negative), `dict` takes keys, and a miss is an error; `members`
    gives whether the value is among the keys; `map` is a Python function tabulated. `positions` is a
    list that stands for an s-op: `arg` is `Indices()`, and a word of another length is an error.
    """

    __slots__ = ()
    fields = ("kind", "entries", "arg")
    kind: TableKind
    entries: tuple[tuple[Atom, Atom], ...]
    arg: SOpNode

    def _list_length(self) -> int | None:
        return len(self.entries) if self.kind == "positions" else super()._list_length()


class Aggregate(SOpNode):
    """For each query: the default, the one selected value, or the mean of the selected values."""

    __slots__ = ()
    fields = ("selector", "value", "default")
    selector: SelectorNode
    value: SOpNode
    default: Atom


class Padded(SOpNode):
    """An s-op on the word followed by `factor * length ** power` pause tokens, whose own answers are hidden.

    It is the last node of a program: nothing reads it.
    """

    __slots__ = ()
    fields = ("value", "factor", "power", "token")
    value: SOpNode
    factor: int
    power: int
    token: Atom


class Width(SOpNode):
    """For each query: how many keys are selected."""

    __slots__ = ()
    fields = ("selector",)
    selector: SelectorNode


class Select(SelectorNode):
    """Query i selects key j when `key[j] op query[i]`."""

    __slots__ = ()
    fields = ("key", "query", "op")
    key: SOpNode
    query: SOpNode
    op: Comparison


class And(SelectorNode):
    """The pairs that both selectors select."""

    __slots__ = ()
    fields = ("left", "right")
    left: SelectorNode
    right: SelectorNode


class Or(SelectorNode):
    """The pairs that either selector selects."""

    __slots__ = ()
    fields = ("left", "right")
    left: SelectorNode
    right: SelectorNode


class Not(SelectorNode):
    """The pairs that the selector does not select."""

    __slots__ = ()
    fields = ("inner",)
    inner: SelectorNode


class Best(SelectorNode):
    """For each query: among the selected keys the one with the highest score, ties to the right."""

    __slots__ = ()
    fields = ("selector", "score")
    selector: SelectorNode
    score: SOpNode
