"""Puzzles with budgets, each with the answers that mark it."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate, product
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
    words: tuple[str, ...]
    answer: Callable[[str], list[Any]]

    @property
    def budget(self) -> str:
        """The budget in words."""
        if self.layers == 0:
            return "no attention at all"
        return f"{count(self.layers, 'layer')}, {count(self.heads, 'head')} in each"


def _all(letters: str, longest: int) -> tuple[str, ...]:
    return tuple("".join(word) for size in range(1, longest + 1) for word in product(letters, repeat=size))


def _balance(word: str) -> list[int]:
    return list(accumulate(1 if letter == "(" else -1 for letter in word))


WORDS: Final = ("hello", "banana", *_all("ab", 4), "abcabc", "mississippi", "zyxw")

PUZZLES: Final = (
    Puzzle(
        "vowels",
        "Where are the vowels?",
        "1 where the token is one of a, e, i, o, u, and 0 elsewhere.",
        0,
        0,
        "`tokens in [...]` is true or false at every position, and `indicator` makes 1 and 0 of it.",
        "# Nothing has to look at another position.\nanswer = indicator(indices == 0);\n",
        WORDS,
        lambda word: [int(letter in "aeiou") for letter in word],
    ),
    Puzzle(
        "previous",
        "Look to the left",
        'The token one place to the left, and "-" at the first position.',
        1,
        1,
        "Which position should query i look at? `aggregate(selector, tokens, default)` takes the default where "
        "nothing is selected.",
        "# The third argument of aggregate is for positions that select nothing.\n"
        "left = select(indices, indices, ==);\n"
        'answer = aggregate(left, tokens, "-");\n',
        WORDS,
        lambda word: ["-", *word[:-1]],
    ),
    Puzzle(
        "reverse",
        "Backwards",
        "The input backwards.",
        2,
        1,
        "`length` costs a layer: every position looks at all of them. The second layer fetches from the other end.",
        "flip = select(indices, indices, ==);\nanswer = aggregate(flip, tokens);\n",
        WORDS,
        lambda word: list(reversed(word)),
    ),
    Puzzle(
        "histogram",
        "How often?",
        "At every position, how often its token occurs in the input.",
        1,
        1,
        "Who looks at whom? Tokens at their equals. `selector_width` counts.",
        "answer = indices;\n",
        WORDS,
        lambda word: [word.count(letter) for letter in word],
    ),
    Puzzle(
        "first",
        "Seen before?",
        "1 where the token occurs for the first time, 0 where it has occurred before.",
        1,
        1,
        "Selectors can be joined: the same token `and` an earlier position.",
        "answer = indicator(indices == 0);\n",
        WORDS,
        lambda word: [int(letter not in word[:place]) for place, letter in enumerate(word)],
    ),
    Puzzle(
        "brackets",
        "How deep?",
        "For a word of ( and ): how many more ( than ) there are up to and with each position.",
        1,
        1,
        "The mean over the positions up to here, of 1 and -1, is the balance divided by how many they are.",
        '# Try the input (()())\nopen = indicator(tokens == "(");\nanswer = open;\n',
        ("(()())", "))((", *_all("()", 4)),
        _balance,
    ),
    Puzzle(
        "sort",
        "In order",
        "The letters in ascending order.",
        2,
        1,
        "The place of a token is how many go before it: the smaller ones, and equal ones that stand further left. "
        "One layer counts, the next fetches.",
        "answer = tokens;\n",
        WORDS,
        sorted,
    ),
    Puzzle(
        "rare",
        "One of a kind",
        "At every position, how many tokens of the input occur exactly once.",
        2,
        1,
        "First count how often each token occurs; then let everybody look at those with count 1.",
        "answer = indices;\n",
        WORDS,
        lambda word: [sum(count == 1 for count in Counter(word).values())] * len(word),
    ),
)
