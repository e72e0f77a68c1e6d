"""The truths of the second look, on inputs by hand: what is right, and what is no input and why."""

from typing import Any

import pytest

from capax.limits.witnesses.check.truths import NotAnInputError, truth

RIGHT: list[tuple[str, dict[str, Any], list[Any], int, Any]] = [
    ("composition", {"n": 3}, [1, 2, 0, 2, 0, 1, 0], 6, 0),
    ("composition", {"n": 3}, [1, 2, 0, 2, 0, 1, 1], 6, 1),
    ("composition", {"n": 3}, [1, 2, 0, 2, 0, 1, 2], 6, 2),
    ("composition", {"n": 1}, [0, 0, 0], 2, 0),
    ("parity", {"n": 3}, [1, 1, 0], 2, 0),
    ("parity", {"n": 3}, ["1", "1", "1"], 2, 1),
    ("parity", {"n": 1}, [0], 0, 0),
    ("parity", {"n": 3}, ["0", "1", "0"], 2, 1),
    ("match3", {"n": 2, "modulus": 16}, [4, 16, 11, 16, 1], 4, 1),
    ("match3", {"n": 2, "modulus": 16}, [16, 5, 16, 10, 1], 4, 1),
    ("match3", {"n": 2, "modulus": 16}, [4, 16, 16, 10, 1], 4, 0),
    ("match3", {"n": 2, "modulus": 16}, [16, 16, 16, 16, 1], 4, 0),
    ("match3", {"n": 1, "modulus": 9}, [2, 6, 1], 2, 1),
    ("sparse-averaging", {"q": 1}, ["+e1 0", "-e1 0", "-e1 0"], 2, 1.0),
    ("sparse-averaging", {"q": 1}, ["+e1 0", "-e1 0", "-e1 1"], 2, -1.0),
    ("sparse-averaging", {"q": 1}, ["+e1 0", "-e1 0", "+e1 2"], 2, 1.0),
    ("sparse-averaging", {"q": 2}, ["+e1 0,1", "-e1 0,4", "+e1 0,1", "-e1 0,1", "-e1 0,1"], 4, 0.0),
    ("sequential-composition", {"n": 2, "queries": ""}, [1, 0, 0], 2, 1),
    ("sequential-composition", {"n": 2, "queries": "2"}, [3, 2, 1, 0, 1, 0, 0, 1], 7, 0),
    ("sequential-composition", {"n": 2, "queries": "2"}, [3, 2, 1, 0, 1, 0, 1, 1], 7, 1),
    ("sequential-composition", {"n": 2, "queries": "2"}, [3, 2, 1, 0, 1, 0, 1, 0], 7, 3),
    ("sequential-composition", {"n": 1, "queries": "2,2"}, [2, 0, 1, 3, 1, 0, 0, 0, 1, 0], 9, 2),
    ("sequential-composition", {"n": 1, "queries": "2,2"}, [2, 0, 1, 3, 1, 0, 0, 0, 0, 1], 9, 3),
    ("triangle-graph", {"n": 3}, ["011", "101", "110"], 0, 1),
    ("triangle-graph", {"n": 4}, ["0110", "1010", "1100", "0000"], 3, 0),
    ("triangle-graph", {"n": 4}, ["0110", "1000", "1001", "0010"], 0, 0),
    ("triangle-graph", {"n": 4}, ["0111", "1000", "1001", "1010"], 1, 0),
    ("triangle-graph", {"n": 4}, ["0111", "1000", "1001", "1010"], 3, 1),
]
PROMPT, LAST = "a prompt is f, g and x, read at x", "a word of 2n + 1 tokens, read at its last"
BELOW, BITS = "tokens are numbers below 3", "symbols are 0 and 1"
HERS, HIS = "Alice's tokens say which elements she has", "Bob's tokens say which elements he has"
MODULUS, RESIDUES = "a modulus of 8n or more, and 1 last", "tokens are 1 ... M"
LAYOUT = "tables, a start and queries, read at the last position"
NONE: list[tuple[str, dict[str, Any], list[Any], int, str]] = [
    ("sorting", {"n": 3}, [1], 0, "there is no task sorting here"),
    ("composition", {"n": 3, "m": 3}, [1, 2, 0, 2, 0, 1, 0], 6, "the word is not an input of composition"),
    ("composition", {}, [1, 2, 0, 2, 0, 1, 0], 6, "the word is not an input of composition"),
    ("composition", {"n": 3}, [1, 2, 0, 2, 0, 1, 0], 5, PROMPT),
    ("composition", {"n": 3}, [1, 2, 0, 2, 0, 1], 5, PROMPT),
    ("composition", {"n": 3}, [1, 2, 0, 2, 0, 1, 0, 0], 6, PROMPT),
    ("composition", {"n": 3}, [1, 2, 0, 2, 0, 3, 0], 6, BELOW),
    ("composition", {"n": 3}, [1, 2, 0, 2, 0, -1, 0], 6, BELOW),
    ("composition", {"n": 3}, [1, 2, 0, 2, 0, True, 0], 6, BELOW),
    ("composition", {"n": 3}, [1, 2, 0, 2, 0, 1.0, 0], 6, BELOW),
    ("parity", {"n": 3}, [1, 1], 1, "a word of n symbols, read at its last"),
    ("parity", {"n": 3}, [1, 1, 0], 1, "a word of n symbols, read at its last"),
    ("parity", {"n": 3}, [1, 2, 0], 2, BITS),
    ("parity", {"n": 3}, [1, "a", 0], 2, BITS),
    ("parity", {"n": 3}, [1, True, 0], 2, BITS),
    ("parity", {"n": 3}, [1, 1.0, 0], 2, BITS),
    ("match3", {"n": 2, "modulus": 16}, [4, 16, 11, 16, 1], 3, LAST),
    ("match3", {"n": 2, "modulus": 16}, [4, 16, 11, 1], 4, LAST),
    ("match3", {"n": 2, "modulus": 16}, [4, 16, 11, 16, 2], 4, MODULUS),
    ("match3", {"n": 2, "modulus": 15}, [4, 15, 10, 15, 1], 4, MODULUS),
    ("match3", {"n": 2, "modulus": 16}, [4, 17, 11, 16, 1], 4, RESIDUES),
    ("match3", {"n": 2, "modulus": 16}, [4, 0, 11, 16, 1], 4, RESIDUES),
    ("match3", {"n": 2, "modulus": 16}, [4, "16", 11, 16, 1], 4, RESIDUES),
    ("match3", {"n": 2, "modulus": 16}, [4, 16, 11, 16, True], 4, RESIDUES),
    ("match3", {"n": 2, "modulus": 16}, [5, 16, 11, 16, 1], 4, HERS),
    ("match3", {"n": 2, "modulus": 16}, [4, 4, 11, 16, 1], 4, HERS),
    ("match3", {"n": 2, "modulus": 16}, [4, 16, 10, 16, 1], 4, HIS),
    ("match3", {"n": 2, "modulus": 16}, [4, 16, 11, 11, 1], 4, HIS),
    ("sparse-averaging", {"q": 1}, ["+e1 0", "-e1 0", "-e1 0"], 1, "a word of 2q + 1 tokens, read at its last"),
    ("sparse-averaging", {"q": 1}, ["+e1 0", "-e1 0"], 1, "a word of 2q + 1 tokens, read at its last"),
    ("sparse-averaging", {"q": 1}, ["+e1 0", "-e1 0,1", "-e1 0"], 2, "a sign and q positions"),
    (
        "sparse-averaging",
        {"q": 2},
        ["+e1 0,1", "-e1 0,1", "-e1 0,1", "+e1 1,1", "-e1 0,1"],
        4,
        "a sign and q positions",
    ),
    ("sparse-averaging", {"q": 1}, ["+e2 0", "-e1 0", "-e1 0"], 2, "a sign and q positions"),
    ("sparse-averaging", {"q": 1}, ["+e1 3", "-e1 0", "-e1 0"], 2, "positions of the word"),
    ("sparse-averaging", {"q": 1}, ["+e1 -1", "-e1 0", "-e1 0"], 2, "positions of the word"),
    ("sparse-averaging", {"q": 1}, ["+e1", "-e1 0", "-e1 0"], 2, "the word is not an input of sparse-averaging"),
    ("sequential-composition", {"n": 2, "queries": "2"}, [3, 2, 1, 0, 1, 0, 0, 1], 6, LAYOUT),
    ("sequential-composition", {"n": 2, "queries": "2"}, [3, 2, 1, 0, 1, 0, 0], 6, LAYOUT),
    ("sequential-composition", {"n": 2, "queries": "2"}, [3, 2, 1, 0, 1, 0, 0, 1, 1], 8, LAYOUT),
    ("sequential-composition", {"n": 2, "queries": "2"}, [4, 2, 1, 0, 1, 0, 0, 1], 7, "tokens are numbers below 4"),
    ("sequential-composition", {"n": 2, "queries": "2"}, [3, 2, 1, 0, 2, 0, 0, 1], 7, "tokens are numbers below 2"),
    ("sequential-composition", {"n": 2, "queries": "2"}, [3, 2, 1, 0, 1, 0, 2, 1], 7, "tokens are numbers below 2"),
    ("sequential-composition", {"n": 2, "queries": "3"}, [0] * 6 + [1, 0, 0, 3], 9, "tokens are numbers below 3"),
    ("sequential-composition", {"n": 2, "queries": "a"}, [0], 0, "the word is not an input of sequential-composition"),
    ("triangle-graph", {"n": 3}, ["011", "101"], 0, "n rows of n bits"),
    ("triangle-graph", {"n": 3}, ["011", "101", "11"], 0, "n rows of n bits"),
    ("triangle-graph", {"n": 3}, ["011", "101", 110], 0, "n rows of n bits"),
    ("triangle-graph", {"n": 3}, ["012", "101", "210"], 0, "rows of bits"),
    ("triangle-graph", {"n": 3}, ["011", "101", "010"], 0, "a symmetric matrix"),
    ("triangle-graph", {"n": 3}, ["111", "101", "110"], 0, "no loops"),
    ("triangle-graph", {"n": 3}, ["011", "101", "110"], 3, "the word is not an input of triangle-graph"),
]


@pytest.mark.parametrize(("task", "sizes", "word", "at", "right"), RIGHT)
def test_what_is_right(task: str, sizes: dict[str, Any], word: list[Any], at: int, right: Any) -> None:
    found = truth(task, sizes, word, at)
    assert found == right
    assert type(found) is type(right)


@pytest.mark.parametrize(("task", "sizes", "word", "at", "why"), NONE)
def test_what_is_no_input(task: str, sizes: dict[str, Any], word: list[Any], at: int, why: str) -> None:
    with pytest.raises(NotAnInputError) as caught:
        truth(task, sizes, word, at)
    assert str(caught.value) == why
