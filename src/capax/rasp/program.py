"""Programs: s-ops and selectors as values that can be applied to a word."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from capax.errors import CapaxError
from capax.rasp.describe import describe
from capax.rasp.nodes import Node
from capax.rasp.reference import Evaluation
from capax.rasp.sequence import Matrix, Sequence
from capax.rasp.written import Written, named, span_of


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Program:
    """A node together with how it was written."""

    node: Node
    written: Written

    def names(self) -> dict[Node, str]:
        """The names that were given to nodes of the program."""
        return dict(named(self.written))

    def on(self, evaluation: Evaluation) -> Sequence | Matrix:
        """The value on the word of an evaluation, whose memory is used and extended."""
        try:
            return evaluation.value(self.node)
        except CapaxError as error:
            failed = error.data.get("node")
            raise error.at(span_of(failed, self.written) if isinstance(failed, Node) else None) from None

    def __call__(self, word: Iterable[Any]) -> Sequence | Matrix:
        """The value on a word: a string, or a list of tokens."""
        return self.on(Evaluation(word))

    def __str__(self) -> str:
        return describe(self.node)


class SOp(Program):
    """A program that gives one value per position."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<s-op {self}>"


class Selector(Program):
    """A program that gives one boolean per pair of a query and a key position."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<selector {self}>"
