"""Which evaluator a word gets: the definition for short words, arrays for long ones.

The two agree to the last bit (`tests/agree`), so this is a matter of speed alone: short words do not
pay for the import of numpy, and where it has been imported arrays are faster from some ten tokens on.
"""

import sys
from collections.abc import Iterable
from functools import cache
from importlib.util import find_spec
from typing import Any, Protocol

from capax.rasp.ir.nodes import Node
from capax.rasp.ir.types import Atom
from capax.rasp.meaning.reference import ReferenceEvaluation, read_word
from capax.rasp.meaning.sequence import ProgramValue

SHORT = 80
"""Words up to this length are evaluated by the definition where numpy has not been imported."""
SHORTEST = 8
"""Words up to this length are evaluated by the definition everywhere."""


class Evaluation(Protocol):
    """The values of nodes on one word."""

    tokens: list[Atom]

    def value(self, root: Node) -> ProgramValue:
        """The value of a node on the word."""


@cache
def has_arrays() -> bool:
    """Whether there is numpy; in a browser there is not, and the definition evaluates all words."""
    try:
        return find_spec("numpy") is not None
    except ModuleNotFoundError:
        return False


def evaluation_on(word: Iterable[Any]) -> Evaluation:
    """The evaluation of a word by whichever evaluator is quicker for it."""
    tokens = read_word(word)
    if len(tokens) <= (SHORTEST if "numpy" in sys.modules else SHORT) or not has_arrays():
        return ReferenceEvaluation(tokens)
    from capax.rasp.meaning.fast import FastEvaluation

    return FastEvaluation(word if isinstance(word, str) else tokens)


def fitting(word: Any, root: Node) -> Any:
    """The word, unless lists stand for s-ops in the program: then its tokens, cut or repeated to their length."""
    size = root.list_length
    if size is None or len(word) == size or not word:
        return word
    tokens = word if isinstance(word, str) else list(word)
    return (tokens * (size // len(tokens) + 1))[:size]
