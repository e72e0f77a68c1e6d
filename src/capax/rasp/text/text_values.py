"""The values that only the text language has: functions, and the results of statements."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from capax.errors import Source, Span
from capax.rasp.meaning.sequence import ProgramValue
from capax.rasp.python.program import SOp
from capax.rasp.text.syntax import Def

if TYPE_CHECKING:
    from capax.rasp.text.scope import Scope

Value: TypeAlias = Any
"""A value of the text language: an atom, list, dict, function, s-op, selector, or what one of
the last two gave on a word."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Function:
    """A function defined with `def`, closed over the scope it was defined in."""

    definition: Def
    scope: "Scope"
    source: Source

    @property
    def name(self) -> str:
        """The name it was defined under."""
        return self.definition.name

    @property
    def params(self) -> tuple[str, ...]:
        """The parameter names."""
        return self.definition.params

    def __repr__(self) -> str:
        return f"<{self}>"

    def __str__(self) -> str:
        return f"{self.scope.name} function: {self.name}({', '.join(self.params)})"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Builtin:
    """A function of the language itself."""

    name: str
    params: tuple[str, ...]
    run: Callable[[tuple[Value, ...], Span], Value]
    doc: str
    optional: int = 0

    def __repr__(self) -> str:
        return f"<{self}>"

    def __str__(self) -> str:
        return f"built-in function: {self.name}({', '.join(self.params)})"


@dataclass(frozen=True, slots=True)
class Named:
    """The result of an assignment, a definition, or an expression (named `out`, or as it is called)."""

    name: str
    value: Value
    bound: bool = True


@dataclass(frozen=True, slots=True)
class Applied:
    """The result of applying an s-op or selector to a word."""

    value: ProgramValue
    word: Any


@dataclass(frozen=True, slots=True)
class Drawn:
    """A request to draw; the session that runs the statement carries it out."""

    program: SOp
    word: Any | None


Outcome: TypeAlias = Named | Applied | Drawn
"""What a statement leaves to be shown."""
