"""A library entry, how it is applied, and what it must give: plain Python beside the program."""

import itertools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from capax.app.session import Session
from capax.errors import Source
from capax.rasp import library
from capax.rasp.python.program import Program
from capax.rasp.text.parser import parse_expression

Oracle = Callable[[str], list[Any]]


@dataclass(frozen=True)
class Case:
    """`expression` applied to `begin + w` gives `oracle(w)`, for the words w over the alphabet.

    All words up to `longest` are tried, then random ones.
    """

    entry: str
    expression: str
    oracle: Oracle
    alphabet: str = "ab"
    longest: int = 5
    begin: str = ""

    @property
    def program(self) -> Program:
        """The program that the expression stands for."""
        return value(self.expression)

    def words(self) -> Iterator[str]:
        """All words of the case, shortest first; the empty one where there is a BOS token."""
        shortest = 0 if self.begin else 1
        for n in range(shortest, self.longest + 1):
            yield from map("".join, itertools.product(self.alphabet, repeat=n))


@cache
def _session(module: str | None) -> Session:
    session = Session()
    if module not in (None, library.STANDARD):
        session.open(module)
    return session


@cache
def value(expression: str, module: str | None = None) -> Any:
    """The value of an expression where the file that has its names is loaded."""
    used = [library.entries().get(name) for name in re.findall(r"\w+", expression)]
    loaded = {entry.module for entry in used if entry is not None} - {library.STANDARD}
    session = _session(module or next(iter(loaded), None))
    source = Source("test", expression)
    return session.interpreter.evaluate(parse_expression(source), session.console, source)


def rows(word: str, selects: Callable[[int, int], bool]) -> list[list[bool]]:
    """The matrix of a selector: one row per query position, one cell per key position."""
    return [[selects(query, key) for key in range(len(word))] for query in range(len(word))]


def everywhere(compute: Callable[[str], Any]) -> Oracle:
    """The oracle that has one value at all positions."""
    return lambda word: [compute(word)] * len(word)


def at_each(compute: Callable[[str, int], Any]) -> Oracle:
    """The oracle that computes each position from the word and the position."""
    return lambda word: [compute(word, i) for i in range(len(word))]
