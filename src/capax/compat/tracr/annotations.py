"""Annotations of expressions: a name, an encoding, and whatever users add."""

import copy
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Self, TypeVar

from capax.errors import CapaxError

DEFAULT_ANNOTATORS: dict[str, Callable[[Any], Any]] = {}
"""For each key the function that gives an expression's annotation when it has none; users may add some."""

_numbers = itertools.count(1)


class Annotations(Mapping[str, Any]):
    """The annotations that an expression was given; defaults are found when first asked for."""

    def __init__(self, expression: "RASPExpr", given: Mapping[str, Any]) -> None:
        self._expression = expression
        self._given = dict(given)

    def __getitem__(self, key: str) -> Any:
        if key not in self._given:
            if key not in DEFAULT_ANNOTATORS:
                raise KeyError(f"no annotation {key!r}; there are {sorted({*self._given, *DEFAULT_ANNOTATORS})}")
            self._given[key] = DEFAULT_ANNOTATORS[key](self._expression)
        return self._given[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._given)

    def __len__(self) -> int:
        return len(self._given)

    def __repr__(self) -> str:
        """The annotations that were given or asked for."""
        return repr(self._given)


class RASPExpr:
    """What s-ops and selectors have in common: annotations, a name, and the expressions they are made from."""

    kind = "expression"
    """The default name."""
    parts: tuple[str, ...] = ()
    """The attributes that hold the expressions it is made from."""

    def __init__(self) -> None:
        self._annotations = Annotations(self, {})
        self.unique_id = next(_numbers)

    def __call__(self, xs: Sequence[Any]) -> list[Any]:
        """The value on a word, a list of tokens: values of an s-op, rows of a selector."""
        from capax.compat.tracr.evaluation import evaluate  # it knows every class of expressions

        return evaluate(self, xs)

    def to_core(self) -> Any:
        """The expression in the words that the dialects have in common."""
        from capax.compat.tracr.evaluation import to_core

        return to_core(self)

    @property
    def annotations(self) -> Mapping[str, Any]:
        """The annotations of this expression."""
        return self._annotations

    @annotations.setter
    def annotations(self, given: Mapping[str, Any]) -> None:
        self._annotations = Annotations(self, given)

    @property
    def name(self) -> str:
        """The name it was given, else that of its kind."""
        name: str = self.annotations["name"]
        return name

    @property
    def label(self) -> str:
        """The name and a number that no other expression has."""
        return f"{self.name}_{self.unique_id}"

    @property
    def children(self) -> "list[RASPExpr]":
        """The expressions that it is made from."""
        return [getattr(self, name) for name in self.parts]

    def copy(self) -> Self:
        """The same expression as another object."""
        twin = copy.copy(self)
        twin.unique_id = next(_numbers)
        twin._annotations = Annotations(twin, self._annotations)
        return twin

    def named(self, name: str) -> Self:
        """The same under a name."""
        return annotate(self, name=name)

    def annotated(self, **annotations: Any) -> Self:
        """The same with annotations added."""
        return annotate(self, **annotations)

    def __bool__(self) -> bool:
        """Refused: Tracr takes every expression for true, so that `and`, `or` and `not` silently drop a part."""
        raise CapaxError(
            "truth-value",
            f"the expression {self.name} has no single truth value",
            hint="use `&`, `|` and `~` for and, or and not",
        )

    def __repr__(self) -> str:
        return self.label


E = TypeVar("E", bound=RASPExpr)


def annotate(expr: E, **annotations: Any) -> E:
    """The same expression with annotations added; the given one is not changed."""
    annotated = expr.copy()
    annotated.annotations = {**expr.annotations, **annotations}
    return annotated


def default_name(expr: RASPExpr) -> str:
    """The name of an expression that was given none."""
    return expr.kind


DEFAULT_ANNOTATORS["name"] = default_name
