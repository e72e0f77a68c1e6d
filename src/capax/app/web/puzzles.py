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
    """A task, the most layers and heads in a layer that a solution may have, a hint, a start, and a solution."""

    name: str
    tier: str
    title: str
    task: str
    layers: int
    heads: int
    hint: str
    start: str
    solution: str

    @property
    def budget(self) -> str:
        """The budget in words."""
        if self.layers == 0:
            return "no attention at all"
        return f"{count(self.layers, 'layer')}, {count(self.heads, 'head')} in each"

    @property
    def words(self) -> tuple[str, ...]:
        """The words that a solution is tried on."""
        return BRACKETS if self.name in ("brackets", "balanced") else WORDS

    def answer(self, word: str) -> list[Any]:
        """The right answer for a word."""
        return ANSWERS[self.name](word)


def _all(letters: str, longest: int) -> tuple[str, ...]:
    return tuple("".join(word) for size in range(1, longest + 1) for word in product(letters, repeat=size))


WORDS: Final = ("hello", "banana", *_all("ab", 4), "abcabc", "mississippi", "zyxw")
BRACKETS: Final = ("(()())", "))((", *_all("()", 4))
ANSWERS: Final[dict[str, Callable[[str], list[Any]]]] = {
    "vowels": lambda word: [int(letter in "aeiou") for letter in word],
    "even": lambda word: [1 - at % 2 for at in range(len(word))],
    "previous": lambda word: ["-", *word[:-1]],
    "next": lambda word: [*word[1:], "-"],
    "opening": lambda word: [word[0]] * len(word),
    "histogram": lambda word: [word.count(letter) for letter in word],
    "first": lambda word: [int(letter not in word[:at]) for at, letter in enumerate(word)],
    "so_far": lambda word: [word[: at + 1].count(letter) for at, letter in enumerate(word)],
    "last_time": lambda word: [int(letter not in word[at + 1 :]) for at, letter in enumerate(word)],
    "doubles": lambda word: [int(at > 0 and word[at - 1] == letter) for at, letter in enumerate(word)],
    "count_a": lambda word: [word.count("a")] * len(word),
    "odd": lambda word: [word.count("a") % 2] * len(word),
    "majority": lambda word: [int(2 * word.count("a") > len(word))] * len(word),
    "brackets": lambda word: _depths(word),
    "reverse": lambda word: list(reversed(word)),
    "ending": lambda word: [word[-1]] * len(word),
    "rotate": lambda word: [word[-1], *word[:-1]],
    "mirror": lambda word: [int(a == b) for a, b in zip(word, reversed(word), strict=True)],
    "distinct": lambda word: [len(set(word))] * len(word),
    "rare": lambda word: [sum(count == 1 for count in Counter(word).values())] * len(word),
    "sort": sorted,
    "induction": lambda word: [_followed(word, at) for at in range(len(word))],
    "most": lambda word: [max(Counter(word).values())] * len(word),
    "palindrome": lambda word: [int(word == word[::-1])] * len(word),
    "balanced": lambda word: [int(min(_depths(word)) >= 0 and _depths(word)[-1] == 0)] * len(word),
}


def _depths(word: str) -> list[int]:
    """How many more brackets are open than closed, at each position."""
    return list(accumulate(1 if letter == "(" else -1 for letter in word))


def _followed(word: str, at: int) -> str:
    """What followed the last earlier occurrence of the token at a position."""
    last = word.rfind(word[at], 0, at)
    return "-" if last < 0 else word[last + 1]


PUZZLES: Final = tuple(
    Puzzle(**table) for table in tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))["puzzles"]
)
assert [puzzle.name for puzzle in PUZZLES] == list(ANSWERS), "every puzzle has an answer"
