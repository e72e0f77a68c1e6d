"""Is a model certified at its whole length, is it small, and how do size and time grow? Ordinary programs.

Parameters count every number, zeros and the unembedding, too; beside them is the most that was asked for, which is
about twice what one would make by hand. Seconds are CPU seconds of one compilation with check and certificate, in a
process that has compiled before. *growth* is the exponent of the seconds since the row above, in the length or, where
that is the same, in the number of tokens; below a tenth of a second it says little. Matrix products take one thread, as
in the commands of capax: threads that wait for each other take several times the CPU time of small products. Asked for
is a certificate of the compiled length, up to 1,000 (dyck2 up to 300), and growth of at most 1.3 in the length and 1.1
in the tokens. Each model is certified in its own precision, float32; mean of means at length 12 is one that float32 has
no room for, in float64.

    python benchmarks/certified_lengths.py [--quick] [--only NAME] [--longest N] [--why]

`--why` adds what breaks the proof of the next length, where the certificate is shorter.
"""

import argparse
import math
import os
import time
from collections.abc import Iterator
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy is loaded

from table import Table

import capax
from capax import (
    CapaxError,
    aggregate,
    indicator,
    indices,
    length,
    select,
    selector_width,
    tokens,
    tokens_asis,
    tokens_int,
)

LETTERS = "abcdefghijklmnopqrstuvwxyz"
SO_FAR = select(indices, indices, "<=")
DIGITS = "0123456789+"
X = tokens_asis
ORDER = select(X, X, "<") | (select(X, X, "==") & select(indices, indices, "<"))
SORT = aggregate(select(selector_width(ORDER), indices, "=="), X)
REVERSE = aggregate(select(indices, length - 1 - indices, "=="), tokens)
EVERY = (100, 300, 1000)
MEAN = aggregate(select(0, 0, "=="), X)
AS_NUMBER = length * aggregate(select(0, 0, "=="), tokens_int * 10 ** (length - indices - 1))

MOST_PARAMETERS = {
    ("reverse", 4, 100): 1_500,
    ("reverse", 26, 5000): 300_000,
    ("histogram", 4, 100): 400,
    ("induction", 300, 50): 20_000,
    ("induction", 1000, 50): 60_000,
    ("induction", 10_000, 50): 300_000,
    ("sort", 1000, 100): 500_000,
    ("sort", 26, 128): 15_000,
    ("sort_by_most_freq", 8, 64): 30_000,
    ("dyck2", 4, 128): 30_000,
    ("dyck2", 4, 1000): 1_000_000,
    ("addition", 11, 16): 20_000,
    ("addition", 11, 32): 80_000,
}
"""What was asked for, by program, tokens and length."""

ROWS: dict[str, tuple[Any, list[tuple[Any, tuple[int, ...]]]]] = {
    "reverse": (REVERSE, [("abcd", EVERY), (LETTERS, (1000, 5000))]),
    "histogram": (selector_width(select(tokens, tokens, "==")), [("abcd", EVERY)]),
    "prefix count": (selector_width(select(tokens, "a", "==") & SO_FAR), [("ab", EVERY)]),
    "sort": (SORT, [((0, 1, 2, 3), EVERY), (range(26), (128,)), (range(1000), (100,))]),
    "sort_by_most_freq": (capax.library.sort_by_most_freq, [("abcdefgh", (64,))]),
    "dyck1": (capax.library.dyck1_ptf, [("()", EVERY)]),
    "dyck2": (capax.library.dyck2_ptf, [("(){}", (100, 128, 300, 1000))]),
    "induction": (
        capax.library.induction,
        [("abcd", EVERY), *((range(v), (50,)) for v in (300, 1000, 3000, 10_000))],
    ),
    "addition": (capax.library.addition, [(DIGITS, (16, 32, 100))]),
    "counts of a disjunction": (
        selector_width(select(tokens, tokens, "==") | select(indices, indices, "<")),
        [("abcd", EVERY)],
    ),
    "fraction of previous": (aggregate(SO_FAR, indicator(tokens == "a")), [("abcd", EVERY)]),
    "share of a token": (aggregate(select(0, 0, "=="), indicator(tokens == "a")), [("abcd", EVERY)]),
    "mean of digits so far": (aggregate(SO_FAR, X), [(range(10), (20, 50, 100))]),
    "balance of brackets": (aggregate(SO_FAR, indicator(tokens == "(") - indicator(tokens == ")")), [("()", EVERY)]),
    "digits to a number": (AS_NUMBER, [("0123456789", (4, 5, 6))]),
    "mean of means": (aggregate(SO_FAR, aggregate(SO_FAR, X)), [(range(2), (4, 8, 12))]),
    "variance": (aggregate(select(0, 0, "=="), (X - MEAN) * (X - MEAN)), [(range(10), (4, 8))]),
}
IN_FLOAT64 = {("mean of means", 12)}
"""Programs and lengths that float32 has no room for: two words have values that it cannot tell apart."""


def cells(only: str | None, longest: int) -> Iterator[tuple[str, Any, Any, int]]:
    """The programs with their alphabets and lengths."""
    for name, (program, sizes) in ROWS.items():
        if only is None or only == name:
            yield from ((name, program, alphabet, n) for alphabet, lengths in sizes for n in lengths if n <= longest)


def row(name: str, program: Any, alphabet: Any, n: int, *, why: bool) -> tuple[list[str], float | None]:
    """A line of the table, and the seconds; there are none where the program is refused."""
    alphabet = list(map(str, alphabet)) if name == "induction" else list(alphabet)
    dtype = "float64" if (name, n) in IN_FLOAT64 else "float32"
    asked = MOST_PARAMETERS.get((name, len(alphabet), n))
    head = [name, f"{len(alphabet):,}", f"{n:,}"]
    start = time.process_time()
    try:
        compiled = capax.compile(program, alphabet=alphabet, max_length=n, dtype=dtype)
    except CapaxError as error:
        return [*head, "-", f"{asked or '-'}", f"refused: {error.code}", "-", "-", *([error.what] if why else [])], None
    seconds = time.process_time() - start
    own = compiled.certificate.verdicts[0]
    whole = "whole" if own.whole else f"{own.length:,}"
    most = "-" if asked is None else f"{asked:,}"
    cells = [*head, f"{compiled.size.parameters:,}", most, whole, f"{seconds:.2f}"]
    return [*cells, "", *([own.breaks or ""] if why else [])], seconds


def growth(before: tuple[str, int, int, float] | None, now: tuple[str, int, int, float]) -> str:
    """The exponent of the seconds between two rows that differ in the length alone, or in the tokens alone."""
    if before is None or before[0] != now[0]:
        return "-"
    changed = [i for i in (1, 2) if before[i] != now[i]]
    if len(changed) != 1:
        return "-"
    return f"{math.log(now[3] / before[3]) / math.log(now[changed[0]] / before[changed[0]]):.2f}"


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="lengths up to 100")
    parser.add_argument("--only", metavar="NAME", help="one program")
    parser.add_argument("--longest", type=int, default=1000, metavar="N", help="lengths up to this one")
    parser.add_argument("--why", action="store_true", help="what breaks the proof where it is shorter")
    options = parser.parse_args()
    reason = ["what breaks the proof"] if options.why else []
    table = Table(
        *("program", "tokens", "length", "parameters", "asked", "certified", "seconds", "growth", *reason),
        title="Certified lengths",
    )
    before: tuple[str, int, int, float] | None = None
    capax.compile(REVERSE, alphabet="ab", max_length=4)
    for cell in cells(options.only, min(options.longest, 100) if options.quick else options.longest):
        cells_of_row, seconds = row(*cell, why=options.why)
        if seconds is not None:
            now = (cell[0], len(cell[2]), cell[3], seconds)
            cells_of_row[7], before = growth(before, now), now
        table.add_row(*cells_of_row)
    print(table)


if __name__ == "__main__":
    main()
