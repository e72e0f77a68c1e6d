"""Recognition: is a word in a language, which is given by its name?"""

from collections.abc import Iterator
from itertools import product
from typing import Any

from capax.formal.languages.catalogue import language
from capax.tasks.base.parameter import Parameter
from capax.tasks.base.task import Task


def reference(word: Any, *, name: str) -> bool:
    """Whether a word is in the language of a name."""
    return language(name).accepts(word)


def sample(random: Any, n: int, *, name: str) -> list[str]:
    """A random word of about n symbols: inside, with a symbol changed, or any."""
    return list(language(name).sample(random, n))


def every(n: int, *, name: str) -> Iterator[list[str]]:
    """All words of n symbols."""
    return map(list, product(language(name).alphabet, repeat=n))


TASK = Task(
    "language",
    "whether a word is in the language: one answer, at the last place",
    "words over the alphabet of the language",
    reference,
    sample,
    every,
    (Parameter("name", "dyck-2", "a language by name, such as parity, majority, dyck-2 or word-problem-s5"),),
)
