"""Languages with an end marker, and before their last symbol: what changes with where an answer is read."""

from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

from capax.formal.automata.dfa import Dfa, is_partially_ordered

Read: TypeAlias = Literal["last", "end"]
READS: Final[dict[Read, str]] = {"last": "at the last symbol", "end": "at an end marker after the word"}
"""Where a model's answer may be read; a further way is a row here and a value of the atlas's field `read`."""


def end_marker(alphabet: Sequence[str]) -> str:
    """A symbol outside an alphabet, to stand after a word: `$`, or several of them."""
    marker = "$"
    while marker in alphabet:
        marker += "$"
    return marker


def marked(dfa: Dfa) -> Dfa:
    """The minimal automaton of the words of a language with an end marker after them.

    >>> even = Dfa(("a",), ((1,), (0,)), 0, frozenset({0}))
    >>> marked(even).accepts("aa$"), marked(even).accepts("a$"), marked(even).accepts("aa")
    (True, False, False)
    """
    done, failed = dfa.size, dfa.size + 1
    rows = [(*row, done if q in dfa.accepting else failed) for q, row in enumerate(dfa.delta)]
    rows += [(failed,) * (len(dfa.alphabet) + 1)] * 2
    alphabet = (*dfa.alphabet, end_marker(dfa.alphabet))
    return Dfa(alphabet, tuple(rows), dfa.start, frozenset({done})).minimal()


def before_last(dfa: Dfa, symbol: str) -> Dfa:
    """The minimal automaton of the words that are in the language with a given symbol after them."""
    number = dfa.number(symbol)
    accepting = frozenset(q for q, row in enumerate(dfa.delta) if row[number] in dfa.accepting)
    return Dfa(dfa.alphabet, dfa.delta, dfa.start, accepting).minimal()


def unordered_last_symbol(dfa: Dfa) -> str | None:
    """A last symbol before which the language is not partially ordered (R-trivial); None if there is none."""
    return next((s for s in dfa.alphabet if not is_partially_ordered(before_last(dfa, s))), None)
