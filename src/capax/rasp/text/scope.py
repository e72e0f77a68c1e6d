"""Scopes: which name has which value where."""

from dataclasses import dataclass, field

from capax.errors import CapaxError, Notice, Span, nearest
from capax.rasp.ir import build
from capax.rasp.ir.ops import calls, operator_words
from capax.rasp.ir.triple_nodes import LIFT_SIDES
from capax.rasp.ir.types import is_atom
from capax.rasp.python.program import Program
from capax.rasp.text.text_values import Value

CONSTANTS: dict[str, Value] = {"True": True, "False": False, "indices": build.indices, **build.inputs}
"""The names that mean the same everywhere."""

WORDS = frozenset(["if", "else", *operator_words(), "out", "def", "return", "range", "for", "in", "zip", "len", "get"])
"""The words of the language that cannot be assigned."""

CALLED = (
    *("aggregate", "best", "constant", "len", "on_first", "on_keys", "on_second", "range", "select", "select3", "zip"),
    *(op.symbol for op in calls("builtin", "reserved")),
)
"""Functions of the language, which are in no scope; a name that is not known may be one of them, mistyped."""

SHADOWED = {
    "tokens": "the tokens of the input",
    "best": "the `best` of the language",
    "constant": "the s-op of a value",
    "select3": "the `select3` of the language",
    **{f"on_{side}": "a function of the language" for side in LIFT_SIDES},
}
"""Names of the language that may be assigned, with what they meant."""


@dataclass(slots=True, eq=False, repr=False)
class Scope:
    """Names with values; looked up here, then in the parent.

    A file's scope exports: each public name it sets is set in the loader's scope too. A top-level
    scope (the console's or a file's) may not set names of the library; functions and
    comprehensions may shadow them.
    """

    name: str
    parent: "Scope | None" = None
    export_to: "Scope | None" = None
    top_level: bool = False
    variables: dict[str, Value] = field(default_factory=dict)
    locked: frozenset[str] = frozenset()

    def root(self) -> "Scope":
        """The outermost scope: the standard library's."""
        return self if self.parent is None else self.parent.root()

    def nested(self) -> "Scope":
        """A scope inside this one."""
        return Scope(self.name + "'", self)

    def get(self, name: str, where: Span | None = None) -> Value:
        """The value of a name, or an error that suggests the nearest known one."""
        if name in CONSTANTS:
            return CONSTANTS[name]
        scope: Scope | None = self
        while scope is not None:
            if name in scope.variables:
                return scope.variables[name]
            scope = scope.parent
        if name == "out":
            raise CapaxError("undefined-name", "`out` is not defined yet", where, "evaluate something first", name=name)
        close = nearest(name, [*self.known(), *CALLED])
        unknown = "assign it first" + (f'; the letter is `"{name}"`' if len(name) == 1 else "")
        hint = f"did you mean `{close}`?" if close else unknown
        raise CapaxError("undefined-name", f"`{name}` is not defined", where, hint, name=name)

    def has(self, name: str) -> bool:
        """Whether the name has a value here."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.variables:
                return True
            scope = scope.parent
        return name in CONSTANTS

    def set(self, name: str, value: Value, where: Span | None = None) -> None:
        """Gives a name a value, here and, if it is public, where this scope exports to."""
        for scope in self._targets(name):
            scope._refuse_reserved(name, where)
        for scope in self._targets(name):
            scope.variables[name] = value

    def has_already(self, name: str, value: Value) -> bool:
        """Whether the name is reserved here and has just this value, so that assigning it would change nothing."""
        if not (
            name in CONSTANTS or any(scope.top_level and scope._library_owns(name) for scope in self._targets(name))
        ):
            return False
        own = self.get(name)
        if isinstance(own, Program):
            return isinstance(value, Program) and value.node is own.node
        return type(own) is type(value) and is_atom(value) and bool(own == value)

    def shadowed(self, name: str, value: Value, where: Span | None = None) -> Notice | None:
        """What to say if the name is one of the language that a program may take for something else."""
        if not self.top_level or name not in SHADOWED or any(value is reading for reading in build.inputs.values()):
            return None
        return Notice("shadowed-name", f"`{name}` no longer means {SHADOWED[name]}", where, "choose another name")

    def known(self) -> list[str]:
        """All names that can be seen from here."""
        names = dict.fromkeys(CONSTANTS)
        scope: Scope | None = self
        while scope is not None:
            names |= dict.fromkeys(scope.variables)
            scope = scope.parent
        return list(names)

    def _targets(self, name: str) -> "list[Scope]":
        """This scope and those that take over what it sets."""
        targets: list[Scope] = [self]
        while not name.startswith("_") and targets[-1].export_to is not None:
            targets.append(targets[-1].export_to)
        return targets

    def _refuse_reserved(self, name: str, where: Span | None) -> None:
        if name in WORDS or name in CONSTANTS:
            raise CapaxError(
                "reserved-name",
                f"`{name}` belongs to the language and cannot be assigned",
                where,
                "choose another name",
                name=name,
            )
        if self.top_level and self._library_owns(name):
            raise CapaxError(
                "reserved-name",
                f"`{name}` belongs to the standard library and cannot be assigned",
                where,
                "choose another name; inside a function it may be shadowed",
                name=name,
            )

    def _library_owns(self, name: str) -> bool:
        scope: Scope | None = self
        while scope is not None:
            if name in scope.locked:
                return True
            scope = scope.parent
        return False
