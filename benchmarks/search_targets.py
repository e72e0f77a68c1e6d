"""What programs are searched for: functions on short words, with the words that they are about."""

import itertools
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from capax.auditor.spec import Spec
from capax.auditor.specs.programs import of_function

ABC = ("a", "b", "c")


@dataclass(frozen=True)
class Target:
    """A function: what it is, its letters, its values, and its words where these are not all."""

    name: str
    what: str
    values: Callable[[list[str]], list[Any]]
    letters: tuple[str, ...] = ABC
    every: Callable[[int], Iterator[tuple[str, ...]]] | None = None

    def spec(self) -> Spec:
        """The function as a specification."""
        return of_function(self.name, self.letters, self.values, every=self.every)


def _everywhere(function: Callable[[list[str]], Any]) -> Callable[[list[str]], list[Any]]:
    return lambda word: [function(word)] * len(word)


def _each(function: Callable[[list[str], int], Any]) -> Callable[[list[str]], list[Any]]:
    return lambda word: [function(word, i) for i in range(len(word))]


def _most_frequent(word: list[str]) -> str:
    counts = Counter(word)
    return word[max(range(len(word)), key=lambda i: (counts[word[i]], i))]


def _induction(word: list[str], i: int) -> str:
    return next((word[j + 1] for j in range(i - 1, -1, -1) if word[j] == word[i]), "")


def _run(word: list[str], i: int) -> int:
    return next((k for k in range(1, i + 1) if word[i - k] != word[i]), i + 1)


def _balanced(word: list[str], i: int) -> bool:
    depths = list(itertools.accumulate(1 if x == "(" else -1 for x in word[: i + 1]))
    return min(depths) >= 0 and depths[-1] == 0


def _before(word: list[str], i: int) -> int:
    return max((j for j in range(i) if word[j] == word[i]), default=-1)


BINARY, BRACKETS = ("0", "1"), ("(", ")")
TARGETS = (
    Target("histogram", "how often the token here occurs", _each(lambda w, i: w.count(w[i]))),
    Target("previous_token", 'the token before, `""` at the start (shift)', _each(lambda w, i: w[i - 1] if i else "")),
    Target("reverse", "the word backwards", lambda w: w[::-1]),
    Target("first_occurrence", "whether the token occurs for the first time", _each(lambda w, i: w[i] not in w[:i])),
    Target("last_occurrence", "whether it occurs for the last time", _each(lambda w, i: w[i] not in w[i + 1 :])),
    Target(
        "sort_distinct",
        "the word in order, no letter twice",
        sorted,
        tuple("abcdef"),
        lambda n: itertools.permutations("abcdef", n),
    ),
    Target("sorted_word", "the word in order", sorted),
    Target("most_frequent", "the most frequent token; of equals the one that occurs last", _everywhere(_most_frequent)),
    Target("induction", "the token after the last earlier occurrence of the one here", _each(_induction)),
    Target(
        "majority",
        "whether more than half of the tokens are 1",
        _everywhere(lambda w: 2 * w.count("1") > len(w)),
        BINARY,
    ),
    Target(
        "prefix_parity", "whether the 1s up to here are odd", _each(lambda w, i: w[: i + 1].count("1") % 2 == 1), BINARY
    ),
    Target("prefix_balanced", "whether the prefix is a balanced word", _each(_balanced), BRACKETS),
    Target("copy", "the word itself", lambda w: w),
    Target("minimum", "the smallest token", _everywhere(min)),
    Target("count_distinct", "how many different tokens there are", _everywhere(lambda w: len(set(w)))),
    Target("run_length", "the length of the run of equal tokens that ends here", _each(_run)),
    Target("mirrored", "whether the token is equal to its mirror image", _each(lambda w, i: w[i] == w[-1 - i])),
    Target("first_token", "the first token", _everywhere(lambda w: w[0])),
    Target("last_token", "the last token", _everywhere(lambda w: w[-1])),
    Target(
        "count_so_far", "how often the token here has occurred up to here", _each(lambda w, i: w[: i + 1].count(w[i]))
    ),
    Target("equals_previous", "whether the token before is the same", _each(lambda w, i: i > 0 and w[i - 1] == w[i])),
    Target(
        "largest_count", "how often the most frequent token occurs", _everywhere(lambda w: max(Counter(w).values()))
    ),
    Target("previous_occurrence", "where the token occurred before, -1 if nowhere", _each(_before)),
    Target(
        "distinct_so_far", "how many different tokens there are up to here", _each(lambda w, i: len(set(w[: i + 1])))
    ),
)
"""The 24 that `benchmarks/search.py` counts."""

MORE = (
    Target("maximum", "the largest token", _everywhere(max)),
    Target("next_token", 'the token after, `""` at the end', _each(lambda w, i: w[i + 1] if i + 1 < len(w) else "")),
    Target("sort_descending", "the word in falling order", lambda w: sorted(w, reverse=True)),
    Target("rank", "how many tokens are smaller", _each(lambda w, i: sum(x < w[i] for x in w))),
    Target("swap", "neighbours exchanged, two by two", _each(lambda w, i: w[i ^ 1] if i ^ 1 < len(w) else w[i])),
    Target("rotate", "the word moved by one, the last token first", lambda w: w[-1:] + w[:-1]),
    Target("palindrome", "whether the word is its own mirror image", _everywhere(lambda w: w == w[::-1])),
    Target(
        "second_token", 'the second token, `""` if there is none', _everywhere(lambda w: w[1] if len(w) > 1 else "")
    ),
    Target("has_repetition", "whether some token occurs twice", _everywhere(lambda w: len(set(w)) < len(w))),
    Target("all_equal", "whether all tokens are equal", _everywhere(lambda w: len(set(w)) == 1)),
    Target("same_as_first", "whether the token is equal to the first", _each(lambda w, i: w[i] == w[0])),
    Target("same_as_last", "whether the token is equal to the last", _each(lambda w, i: w[i] == w[-1])),
    Target("from_the_end", "how many positions follow", _each(lambda w, i: len(w) - 1 - i)),
    Target("first_position", "where the token here occurs first", _each(lambda w, i: w.index(w[i]))),
    Target("is_unique", "whether the token occurs once", _each(lambda w, i: w.count(w[i]) == 1)),
    Target(
        "own_majority",
        "whether more than half of the tokens are the one here",
        _each(lambda w, i: 2 * w.count(w[i]) > len(w)),
    ),
    Target(
        "run_starts",
        "how many runs of equal tokens begin up to here",
        _each(lambda w, i: 1 + sum(w[j] != w[j - 1] for j in range(1, i + 1))),
    ),
    Target(
        "equals_next", "whether the token after is the same", _each(lambda w, i: i + 1 < len(w) and w[i + 1] == w[i])
    ),
    Target(
        "is_frequent",
        "whether no token is more frequent",
        _each(lambda w, i: w.count(w[i]) == max(Counter(w).values())),
    ),
    Target("prefix_ones", "how many 1s there are up to here", _each(lambda w, i: w[: i + 1].count("1")), BINARY),
    Target(
        "prefix_majority",
        "whether more than half of the tokens up to here are 1",
        _each(lambda w, i: 2 * w[: i + 1].count("1") > i + 1),
        BINARY,
    ),
    Target("seen_one", "whether there is a 1 up to here", _each(lambda w, i: "1" in w[: i + 1]), BINARY),
    Target(
        "ends_in_01",
        "whether the prefix ends in 01",
        _each(lambda w, i: w[max(0, i - 1) : i + 1] == ["0", "1"]),
        BINARY,
    ),
    Target(
        "as_many_brackets",
        "whether the prefix has as many ( as )",
        _each(lambda w, i: w[: i + 1].count("(") == w[: i + 1].count(")")),
        BRACKETS,
    ),
)
"""What docs/reference/records.md has beside these and the library's programs."""
