"""The syntax tree: what was typed, without parentheses, white space and comments.

`at` is the stretch of the source, as offsets, and `grouped` whether an expression stood in
parentheses; neither takes part in comparisons.
"""

from collections.abc import Iterator
from dataclasses import Field, dataclass, field
from typing import Any, TypeAlias

from capax.rasp.ir.nodes import Comparison

Offsets: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Syntax:
    """The root of all syntax."""

    at: Offsets = field(default=(0, 0), compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Expr(Syntax):
    """The root of expressions."""

    grouped: bool = field(default=False, compare=False, repr=False, kw_only=True)


class Statement(Syntax):
    """The root of statements and commands."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Literal(Expr):
    """A number or a string."""

    value: int | float | str

    def __eq__(self, other: object) -> bool:
        """Whether the other is the same literal; 1 and 1.0 are not."""
        return isinstance(other, Literal) and (type(self.value), self.value) == (
            type(other.value),
            other.value,
        )

    def __hash__(self) -> int:
        return hash((type(self.value), self.value))


@dataclass(frozen=True, slots=True)
class Name(Expr):
    """A variable."""

    id: str


@dataclass(frozen=True, slots=True)
class Unary(Expr):
    """`not`, `-` or `+` before an expression."""

    op: str
    operand: Expr


@dataclass(frozen=True, slots=True)
class Binary(Expr):
    """Two expressions joined by an operator, `in` among them."""

    op: str
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Ternary(Expr):
    """`then if condition else otherwise`."""

    then: Expr
    condition: Expr
    otherwise: Expr


@dataclass(frozen=True, slots=True)
class ListOf(Expr):
    """A list display."""

    items: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class DictOf(Expr):
    """A dictionary display."""

    pairs: tuple[tuple[Expr, Expr], ...]


@dataclass(frozen=True, slots=True)
class Comprehension(Expr):
    """A list comprehension, or with a key a dictionary comprehension."""

    key: Expr | None
    value: Expr
    names: tuple[str, ...]
    iterable: Expr


@dataclass(frozen=True, slots=True)
class Call(Expr):
    """A function, s-op or selector applied to arguments."""

    function: Expr
    args: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Index(Expr):
    """`target[index]`."""

    target: Expr
    index: Expr


@dataclass(frozen=True, slots=True)
class SelectOf(Expr):
    """`select(key, query, op)`."""

    key: Expr
    query: Expr
    op: Comparison


@dataclass(frozen=True, slots=True)
class Primitive(Expr):
    """One of aggregate, round, indicator, range, zip and len applied to arguments."""

    name: str
    args: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Evaluate(Statement):
    """An expression whose value is wanted."""

    expr: Expr


@dataclass(frozen=True, slots=True)
class Assign(Statement):
    """Names set to values."""

    names: tuple[str, ...]
    values: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Draw(Statement):
    """A request to draw an s-op, on a given word or on the running example."""

    target: Expr
    word: Expr | None


@dataclass(frozen=True, slots=True)
class Load(Statement):
    """A file to run; its public names are taken over."""

    path: str


@dataclass(frozen=True, slots=True)
class Def(Statement):
    """A function definition."""

    name: str
    params: tuple[str, ...]
    body: tuple[Statement, ...]
    returns: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class For(Statement):
    """A loop over the elements of a list or the keys of a dictionary."""

    names: tuple[str, ...]
    iterable: Expr
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class StateOf(Statement):
    """A state of a loop, with its value before the first round."""

    name: str
    start: Expr


@dataclass(frozen=True, slots=True)
class RepeatOf(Statement):
    """A loop whose body reads states and sets them anew, as often as the length asks."""

    rounds: Expr
    states: tuple[StateOf, ...]
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class SetExample(Statement):
    """The command that changes the running example; `which` is `s-op`, `selector` or None for both."""

    which: str | None
    example: Expr


@dataclass(frozen=True, slots=True)
class ShowExample(Statement):
    """The command that shows the running example."""

    which: str | None


@dataclass(frozen=True, slots=True)
class SwitchExamples(Statement):
    """The command that turns examples on or off."""

    which: str | None
    on: bool


@dataclass(frozen=True, slots=True)
class SwitchFull(Statement):
    """The command that turns the full display of sequences on or off."""

    on: bool


@dataclass(frozen=True, slots=True)
class Exit(Statement):
    """The command that leaves."""


COMMANDS = (SetExample, ShowExample, SwitchExamples, SwitchFull, Exit)
"""The statements that only a prompt, or the top level of a file, takes."""


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
    own: dict[str, Field[Any]] = kind.__dataclass_fields__
    return [name for name in own if name not in ("at", "grouped")]
