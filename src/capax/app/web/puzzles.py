"""Puzzles with budgets, which are in `puzzles.toml`, and the answers that mark each."""

import tomllib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate, product
from pathlib import Path
from typing import Any, Final

from capax.app.options import count


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A task, the most layers and the most heads in a layer that a solution may have, a hint and a start."""

    name: str
    title: str
    task: str
    layers: int
    heads: int
    hint: str
    start: str

    @property
    def budget(self) -> str:
        """The budget in words."""
        if self.layers == 0:
            return "no attention at all"
        return f"{count(self.layers, 'layer')}, {count(self.heads, 'head')} in each"

    @property
    def words(self) -> tuple[str, ...]:
        """The words that a solution is tried on."""
        return BRACKETS if self.name == "brackets" else WORDS

    def answer(self, word: str) -> list[Any]:
        """The right answer for a word."""
        return ANSWERS[self.name](word)


def _all(letters: str, longest: int) -> tuple[str, ...]:
    return tuple("".join(word) for size in range(1, longest + 1) for word in product(letters, repeat=size))


WORDS: Final = ("hello", "banana", *_all("ab", 4), "abcabc", "mississippi", "zyxw")
BRACKETS: Final = ("(()())", "))((", *_all("()", 4))
ANSWERS: Final[dict[str, Callable[[str], list[Any]]]] = {
    "vowels": lambda word: [int(letter in "aeiou") for letter in word],
    "previous": lambda word: ["-", *word[:-1]],
    "reverse": lambda word: list(reversed(word)),
    "histogram": lambda word: [word.count(letter) for letter in word],
    "first": lambda word: [int(letter not in word[:at]) for at, letter in enumerate(word)],
    "brackets": lambda word: list(accumulate(1 if letter == "(" else -1 for letter in word)),
    "sort": sorted,
    "rare": lambda word: [sum(count == 1 for count in Counter(word).values())] * len(word),
}
PUZZLES: Final = tuple(
    Puzzle(**table) for table in tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))["puzzles"]
)
assert [puzzle.name for puzzle in PUZZLES] == list(ANSWERS), "every puzzle has an answer"
