"""Where the tables of sequential composition stand in a prompt."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any, Final

from capax.errors import CapaxError

LONGEST: Final = 200_000
"""Longer prompts are not made."""


@dataclass(frozen=True, slots=True)
class SequentialLayout:
    """A prompt z_L ... z_1 i_0 w_1 ... w_(L-1): z_1 has N_0 = m entries, z_(l+1) has N_l = n_l N_(l-1).

    The entry of (w, i) in z_(l+1) stands at w N_(l-1) + i. Values of z_(l+1) are below N_l. The queries are a token
    each, or `joined` in one token (((w_1 n_2) + w_2) n_3 + w_3) ..., as the definition has them.
    """

    m: int
    queries: tuple[int, ...]
    """n_1 ... n_(L-1): how many values each query has."""
    joined: bool = False

    @staticmethod
    def of_length(length: int, queries: tuple[int, ...], *, joined: bool = False) -> "SequentialLayout":
        """The layout of a prompt of that length."""
        parts = sum(prod(queries[:level]) for level in range(len(queries) + 1))
        m, rest = divmod(length - (min(1, len(queries)) if joined else len(queries)) - 1, parts)
        if rest or m < 1:
            what = f"a prompt of {length} tokens does not fit queries of {queries} values"
            raise CapaxError("bad-input", what, hint="`capax task sequential-composition` prints prompts")
        return SequentialLayout(m, queries, joined)

    @staticmethod
    def uniform(m: int, steps: int, choices: int) -> "SequentialLayout":
        """The layout of L = `steps` tables whose queries have `choices` values each."""
        return SequentialLayout(m, (choices,) * (steps - 1))

    def value(self, word: list[int]) -> int:
        """The value i_L of a prompt: i_1 = z_1(i_0), then i_(l+1) = z_(l+1)(w_l, i_l)."""
        value = word[self.offset(1) + word[self.start]]
        for level, query in enumerate(self.asked(word), start=1):
            value = word[self.offset(level + 1) + query * self.size(level - 1) + value]
        return value

    def asked(self, word: list[int]) -> list[int]:
        """The queries w_1 ... w_(L-1) of a prompt."""
        if not self.joined:
            return word[self.start + 1 :]
        rest, digits = (word[-1] if self.queries else 0), []
        for size in reversed(self.queries):
            rest, digit = divmod(rest, size)
            digits.append(digit)
        return digits[::-1]

    @property
    def query_tokens(self) -> int:
        """How many tokens the queries are."""
        return min(1, len(self.queries)) if self.joined else len(self.queries)

    @property
    def steps(self) -> int:
        """The number L of tables."""
        return len(self.queries) + 1

    def size(self, level: int) -> int:
        """N_level: the number of entries of z_(level+1), and of its values."""
        return self.m * prod(self.queries[:level])

    def offset(self, step: int) -> int:
        """The position of the first entry of z_step."""
        return sum(self.size(later - 1) for later in range(step + 1, self.steps + 1))

    @property
    def start(self) -> int:
        """The position of i_0; the queries follow."""
        return self.offset(0)

    @property
    def length(self) -> int:
        """The length of the prompt."""
        return self.start + 1 + self.query_tokens

    def ranges(self) -> list[int]:
        """The number of values that each position of the prompt can have."""
        tables = [self.size(step - 1) for step in range(self.steps, 0, -1) for _ in range(self.size(step - 1))]
        return [*tables, self.m, *((prod(self.queries),) if self.joined and self.queries else self.queries)]

    def sample(self, random: Any, hint: str) -> list[int]:
        """A random prompt; one that is too long is an error, with a hint."""
        if self.length > LONGEST:
            what = f"a prompt of {self.length:,} tokens is longer than {LONGEST:,}"
            raise CapaxError("too-large", what, hint=hint)
        return [int(random.integers(0, high)) for high in self.ranges()]

    def every(self) -> Iterator[list[int]]:
        """All prompts."""
        return (list(word) for word in product(*map(range, self.ranges())))
