"""The example programs of the playground, with an input to try each on."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class GalleryProgram:
    """A program to start from: what it is called, its text, an input, and what it is compiled for."""

    name: str
    title: str
    text: str
    word: str
    alphabet: str
    longest: int = 12
    """The longest word that it is first compiled for."""


REVERSE: Final = GalleryProgram(
    "reverse",
    "Reverse",
    "# Each position fetches the token at the mirrored place.\n"
    "# `length` costs the first layer, the fetch the second.\n"
    "flip = select(indices, length - 1 - indices, ==);\n"
    "reverse = aggregate(flip, tokens);\n",
    "hello",
    "ehlo",
)

GALLERY: Final = (
    REVERSE,
    GalleryProgram(
        "histogram",
        "Histogram",
        "# Tokens look at their equals, and count them.\n"
        "same = select(tokens, tokens, ==);\n"
        "histogram = selector_width(same);\n",
        "banana",
        "abn",
    ),
    GalleryProgram(
        "begin-token",
        "Counting with a BOS token",
        "# Attention averages. With a BOS token § the average tells the count:\n"
        "# the BOS token's share is 1 / (count + 1).\n"
        "same = select(tokens, tokens, ==);\n"
        "begin = select(indices, 0, ==);\n"
        "share = aggregate(same or begin, indicator(indices == 0));\n"
        "histogram = round(1 / share) - 1;\n",
        "§banana",
        "§abn",
    ),
    GalleryProgram(
        "sort",
        "Sort",
        "# A token's place is how many tokens go before it.\n"
        "smaller = select(tokens, tokens, <);\n"
        "same_and_left = select(tokens, tokens, ==) and select(indices, indices, <);\n"
        "place = selector_width(smaller or same_and_left);\n"
        "sorted = aggregate(select(place, indices, ==), tokens);\n",
        "banana",
        "abn",
    ),
    GalleryProgram(
        "induction",
        "Induction head",
        "# The token after the last time that the token here occurred: what many language models learn.\n"
        'before = shift(tokens, 1, "");\n'
        "match = select(before, tokens, ==) and select(indices, indices, <=);\n"
        "latest = best(match, indices);\n"
        'next_token = aggregate(latest, tokens, "?");\n',
        "abcabca",
        "abc",
    ),
    GalleryProgram(
        "dyck",
        "Balanced brackets",
        "# For each prefix: T balanced, P can still be balanced, F cannot any more.\n"
        "up_to_here = select(indices, indices, <=);\n"
        'opened = aggregate(up_to_here, indicator(tokens == "("));\n'
        'closed = aggregate(up_to_here, indicator(tokens == ")"));\n'
        "went_below = aggregate(up_to_here, indicator(closed > opened)) > 0;\n"
        'dyck = "F" if went_below else ("T" if opened == closed else "P");\n',
        "(()())",
        "()",
    ),
    GalleryProgram(
        "frequent",
        "Most frequent first",
        "# Three layers: count, rank, fetch. Input that begins with §.\n"
        'load "paper_examples";\n'
        "answer = sort_by_most_freq;\n",
        "§aabbbcc",
        "§abc",
        8,
    ),
    GalleryProgram(
        "parity",
        "Parity",
        "# Whether the number of 1s is odd: easy to write, famously hard to learn.\n"
        "everyone = select(1, 1, ==);\n"
        'ones = round(aggregate(everyone, indicator(tokens == "1")) * length);\n'
        "parity = ones % 2;\n",
        "10110",
        "01",
    ),
    GalleryProgram(
        "hop",
        "Two hops",
        '# Twice the induction step: the pointer is followed, and followed again.\nload "lookup";\nanswer = hop2;\n',
        "abcbacab",
        "abc",
    ),
)
