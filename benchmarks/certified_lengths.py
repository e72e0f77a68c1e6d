"""Is a model certified at its whole length? Ordinary programs, short and long, each in the precision of its model.

Parameters count every number, zeros and the unembedding, too. Seconds are CPU seconds of one compilation with check and
certificate, in a process that has compiled before. Asked for is the compiled length, up to 1,000 (dyck2 up to 300).

    python benchmarks/certified_lengths.py [--quick] [--only NAME] [--longest N] [--why]

`--why` adds what breaks the proof of the next length, where the certificate is shorter.
"""

import argparse
import time
from collections.abc import Iterator
from typing import Any

from table import Table

import capax
from capax import CapaxError, aggregate, indicator, indices, length, select, selector_width, tokens, tokens_asis

LETTERS = "abcdefghijklmnopqrstuvwxyz"
SO_FAR = select(indices, indices, "<=")
DIGITS = "0123456789+"
X = tokens_asis
ORDER = select(X, X, "<") | (select(X, X, "==") & select(indices, indices, "<"))
SORT = aggregate(select(selector_width(ORDER), indices, "=="), X)
REVERSE = aggregate(select(indices, length - 1 - indices, "=="), tokens)
EVERY = (100, 300, 1000)

ROWS: dict[str, tuple[Any, list[tuple[Any, tuple[int, ...]]]]] = {
    "reverse": (REVERSE, [("abcd", EVERY), (LETTERS, (1000,))]),
    "histogram": (selector_width(select(tokens, tokens, "==")), [("abcd", EVERY)]),
    "prefix count": (selector_width(select(tokens, "a", "==") & SO_FAR), [("ab", EVERY)]),
    "sort": (SORT, [((0, 1, 2, 3), EVERY), (range(26), (128,)), (range(1000), (100,))]),
    "sort_by_most_freq": (capax.library.sort_by_most_freq, [("abcdefgh", (64,))]),
    "dyck1": (capax.library.dyck1_ptf, [("()", EVERY)]),
    "dyck2": (capax.library.dyck2_ptf, [("(){}", (100, 128, 300, 1000))]),
    "induction": (
        capax.library.induction,
        [("abcd", EVERY), (range(300), (50,)), (range(1000), (50,)), (range(10_000), (50,))],
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
}


def cells(only: str | None, longest: int) -> Iterator[tuple[str, Any, Any, int]]:
    """The programs with their alphabets and lengths."""
    for name, (program, sizes) in ROWS.items():
        if only is None or only == name:
            yield from ((name, program, alphabet, n) for alphabet, lengths in sizes for n in lengths if n <= longest)


def row(name: str, program: Any, alphabet: Any, n: int, *, why: bool) -> list[str]:
    """A line of the table."""
    alphabet = list(map(str, alphabet)) if name == "induction" else list(alphabet)
    start = time.process_time()
    try:
        compiled = capax.compile(program, alphabet=alphabet, max_length=n)
    except CapaxError as error:
        return [
            name,
            f"{len(alphabet):,}",
            f"{n:,}",
            "-",
            f"refused: {error.code}",
            "-",
            *([error.what] if why else []),
        ]
    seconds = time.process_time() - start
    own = compiled.certificate.verdicts[0]
    whole = "whole" if own.whole else f"{own.length:,}"
    reason = [own.breaks or ""] if why else []
    return [name, f"{len(alphabet):,}", f"{n:,}", f"{compiled.size.parameters:,}", whole, f"{seconds:.2f}", *reason]


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
        "program", "tokens", "length", "parameters", "certified", "seconds", *reason, title="Certified lengths"
    )
    capax.compile(REVERSE, alphabet="ab", max_length=4)
    for cell in cells(options.only, min(options.longest, 100) if options.quick else options.longest):
        table.add_row(*row(*cell, why=options.why))
    print(table)


if __name__ == "__main__":
    main()
