"""What each task asks for, written down a second time, with a check that a word is an input of the task."""

import math
from collections.abc import Callable, Mapping
from typing import Any


class NotAnInputError(Exception):
    """A word that is not an input of the task."""


def truth(task: str, sizes: Mapping[str, Any], word: list[Any], at: int) -> Any:
    """The right answer at a position; a word that is not an input of the task, or another position, is an error."""
    if task not in TRUTHS:
        raise NotAnInputError(f"there is no task {task:.60} here")
    try:
        return TRUTHS[task](word, at, **sizes)
    except (TypeError, KeyError, IndexError, ValueError, AttributeError) as problem:
        raise NotAnInputError(f"the word is not an input of {task}") from problem


def _need(holds: bool, what: str) -> None:
    if not holds:
        raise NotAnInputError(what)


def _numbers(word: list[Any], below: int) -> None:
    _need(all(type(v) is int and 0 <= v < below for v in word), f"tokens are numbers below {below}")


def _composition(word: list[Any], at: int, n: int) -> int:
    _need(len(word) == 2 * n + 1 and at == 2 * n, "a prompt is f, g and x, read at x")
    _numbers(word, n)
    f, g, x = word[:n], word[n : 2 * n], word[2 * n]
    return int(g[f[x]])


def _parity(word: list[Any], at: int, n: int) -> int:
    _need(len(word) == n and at == n - 1, "a word of n symbols, read at its last")
    _need(all(type(v) in (int, str) and v in (0, 1, "0", "1") for v in word), "symbols are 0 and 1")
    return sum(int(v) for v in word) % 2


def _match3(word: list[Any], at: int, n: int, modulus: int) -> int:
    _need(len(word) == 2 * n + 1 and at == 2 * n, "a word of 2n + 1 tokens, read at its last")
    _need(all(type(v) is int and 1 <= v <= modulus for v in word), "tokens are 1 ... M")
    # what is claimed is Match3 on the words of two sets alone: nothing else is held against a model
    _need(modulus >= 8 * n and word[at] == 1, "a modulus of 8n or more, and 1 last")
    for i in range(n):
        _need(word[i] in (modulus, 2 * n + i), "Alice's tokens say which elements she has")
        _need(word[n + i] in (modulus, modulus - 1 - 2 * n - i), "Bob's tokens say which elements he has")
    return int(any((word[at] + y + z) % modulus == 0 for y in word for z in word))


def _averaging(word: list[Any], at: int, q: int) -> float:
    _need(len(word) == 2 * q + 1 and at == 2 * q, "a word of 2q + 1 tokens, read at its last")
    signs = []
    for token in word:
        sign, _, positions = str(token).partition(" ")
        named = [int(position) for position in positions.split(",")]
        _need(sign in ("+e1", "-e1") and len(set(named)) == q == len(named), "a sign and q positions")
        _need(all(0 <= position < len(word) for position in named), "positions of the word")
        signs.append(1 if sign == "+e1" else -1)
    chosen = [int(position) for position in str(word[at]).partition(" ")[2].split(",")]
    return sum(signs[position] for position in chosen) / q


def _sequential(word: list[Any], at: int, n: int, queries: str) -> int:
    many = [int(part) for part in queries.replace("x", ",").split(",")] if queries.strip() else []
    sizes = [n]
    for count in many:
        sizes.append(sizes[-1] * count)
    tables: list[list[Any]] = []
    rest = list(word)
    for size in reversed(sizes):
        tables.insert(0, rest[:size])
        _numbers(rest[:size], size)
        rest = rest[size:]
    if "x" in queries and len(rest) == 2:
        # one token holds all queries, the last one in its lowest digit
        joined, digits = rest.pop(), []
        _numbers([joined], math.prod(many))
        for count in reversed(many):
            digits.append(joined % count)
            joined //= count
        rest += reversed(digits)
    _need(len(rest) == len(sizes) and at == len(word) - 1, "tables, a start and queries, read at the last position")
    _numbers(rest[:1], n)
    for w, count in zip(rest[1:], many, strict=True):
        _numbers([w], count)
    value = tables[0][rest[0]]
    for step in range(1, len(sizes)):
        value = tables[step][rest[step] * len(tables[step - 1]) + value]
    return int(value)


def _triangles(word: list[Any], at: int, n: int) -> int:
    _need(len(word) == n and all(isinstance(row, str) and len(row) == n for row in word), "n rows of n bits")
    _need(all(set(row) <= {"0", "1"} for row in word), "rows of bits")
    _need(all(word[i][j] == word[j][i] for i in range(n) for j in range(n)), "a symmetric matrix")
    _need(all(word[i][i] == "0" for i in range(n)), "no loops")
    near = [j for j in range(n) if word[at][j] == "1"]
    return int(any(word[j][k] == "1" for j in near for k in near))


TRUTHS: dict[str, Callable[..., Any]] = {
    "composition": _composition,
    "parity": _parity,
    "match3": _match3,
    "sparse-averaging": _averaging,
    "sequential-composition": _sequential,
    "triangle-graph": _triangles,
}
