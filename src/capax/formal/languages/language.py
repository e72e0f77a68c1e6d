"""A named language: who is in it, and random words inside and outside."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from capax.errors import CapaxError
from capax.formal.automata.dfa import Dfa, Word, unknown_symbol

Random: TypeAlias = np.random.Generator


@dataclass(frozen=True, slots=True, eq=False)
class Language:
    """A language with a name.

    `family` and `parameters` say what it is (`dyck`, k = 2), `contains` is the definition on words over the alphabet,
    `inside(random, length)` is a random word of the language of about that length, or None where there is none.
    `automaton` is the minimal one, and None for a language that is not regular.
    """

    family: str
    parameters: Mapping[str, int | str]
    alphabet: tuple[str, ...]
    what: str
    contains: Callable[[Word], bool]
    inside: Callable[[Random, int], tuple[str, ...] | None]
    automaton: Dfa | None = None

    @property
    def name(self) -> str:
        """The name with the parameters, as `language` reads it."""
        return "-".join([self.family, *map(str, self.parameters.values())])

    def accepts(self, word: Word) -> bool:
        """Whether a word is in the language; a symbol outside the alphabet is an error."""
        for position, symbol in enumerate(word):
            if symbol not in self.alphabet:
                raise unknown_symbol(symbol, position, self.alphabet)
        return self.contains(word)

    def sample(self, random: Random, length: int) -> tuple[str, ...]:
        """A random word: one of the language, one with a symbol changed, or any, each as often."""
        kind = int(random.integers(3))
        word = None if kind == 2 else self.inside(random, length)
        if word is None:
            return tuple(self.alphabet[int(x)] for x in random.integers(len(self.alphabet), size=length))
        if kind == 1 and word:
            position = int(random.integers(len(word)))
            return (*word[:position], self.alphabet[int(random.integers(len(self.alphabet)))], *word[position + 1 :])
        return word


def letters_of(text: str) -> tuple[str, ...]:
    """The letters of an alphabet that is given as a text, each once.

    >>> letters_of("abca")
    ('a', 'b', 'c')
    """
    if not text:
        raise CapaxError("bad-option", "the alphabet is empty", hint="give letters, such as ab")
    return tuple(dict.fromkeys(text))
