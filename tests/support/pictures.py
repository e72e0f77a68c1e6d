"""Programs and inputs that the tests of pictures share."""

import random

from capax.app.resolve import resolve
from capax.draw.view.flow import flow
from capax.draw.view.view import Flow

CASES = {
    "reverse": "hello",
    "hist_bos": "§banana",
    "hist2_bos": "§aabbcdd",
    "sort_bos": "§banana",
    "sort_by_most_freq": "§aabbbcc",
    "dyck2_ptf": "({})(}",
    "addition": "123+456",
    "hop2": "abcabab",
    "shuffle_dyck2": "([)]",
    "majority": "1010110",
    "tokens": "a",
    "select(tokens, tokens, ==)": "banana",
}


def drawn(program: str, word: object) -> Flow:
    """The flow of a program on a word."""
    return flow(resolve(program).program, word)  # type: ignore[arg-type]


def letters(n: int, alphabet: str = "abcdefghij") -> str:
    """A random word of a length."""
    return "".join(random.Random(n).choices(alphabet, k=n))
