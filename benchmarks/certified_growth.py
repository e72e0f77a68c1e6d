"""Is a certificate ever shorter because longer words were asked for? Ordinary programs and random ones.

Each program is compiled for one greatest length after the other. A row is a program: the lengths that it was compiled
for, those at which the certificate is shorter than the compiled length, and those at which it is shorter than for a
smaller length, of which there should be none. A length that is refused is left out, and so are lengths that take too
long after the last one. *drops*: at how many lengths it is shorter than before; the benchmark fails if there is any.
Random programs are those of `random_programs.py`, compiled at other lengths.

    python benchmarks/certified_growth.py [--quick] [--only NAME] [--random N] [--seed S] [--seconds S]

`--seconds` is what one compilation may take, guessed from the one before.
"""

import argparse
import os
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy is loaded

from random_programs import cases
from table import Table

import capax
from capax import CapaxError, aggregate, best, indicator, indices, length, select, selector_width, tokens, tokens_asis

LENGTHS = (5, 10, 12, 20, 30, 50, 64, 100, 128, 196, 200, 256, 300, 512, 1000)
FEW = (5, 12, 20, 50, 100, 200)
OF_RANDOM = (4, 8, 16, 32)
SO_FAR = select(indices, indices, "<=")
EVERY = select(0, 0, "==")
X = tokens_asis
ORDER = select(X, X, "<") | (select(X, X, "==") & select(indices, indices, "<"))
COUNT = selector_width(select(tokens, tokens, "=="))
PLUS = aggregate(select(tokens, "+", "=="), indices)
LEFT = aggregate(select(indices, PLUS - (length - indices), "=="), tokens, "0")

PROGRAMS: dict[str, tuple[Any, str | list[Any], dict[str, Any]]] = {
    "reverse": (aggregate(select(indices, length - 1 - indices, "=="), tokens), "abcd", {}),
    "histogram": (COUNT, "abcd", {}),
    "prefix count": (selector_width(select(tokens, "a", "==") & SO_FAR), "ab", {}),
    "dyck1": (capax.library.dyck1_ptf, "()", {}),
    "dyck2": (capax.library.dyck2_ptf, "(){}", {}),
    "fraction of previous": (aggregate(SO_FAR, indicator(tokens == "a")), "abcd", {}),
    "share of a token": (aggregate(EVERY, indicator(tokens == "a")), "abcd", {}),
    "induction": (capax.library.induction, "abcd", {}),
    "addition": (capax.library.addition, "0123456789+", {}),
    "addition by lookahead": (capax.library.add_by_lookahead, "0123456789+", {}),
    "the digit above, by a promise": (LEFT, "0123456789+", {"assume": selector_width(select(tokens, "+", "==")) == 1}),
    "equal or earlier": (
        selector_width(select(tokens, tokens, "==") | select(indices, indices, "<")),
        "abcd",
        {},
    ),
    "sort": (aggregate(select(selector_width(ORDER), indices, "=="), X), [0, 1, 2, 3], {}),
    "sort_by_most_freq": (capax.library.sort_by_most_freq, "abcd", {}),
    "most frequent": (aggregate(best(EVERY, COUNT), tokens), "abcd", {}),
    "balance": (aggregate(SO_FAR, indicator(tokens == "(") - indicator(tokens == ")")), "()", {}),
    "depth": (
        selector_width(select(tokens, "(", "==") & SO_FAR) - selector_width(select(tokens, ")", "==") & SO_FAR),
        "()",
        {},
    ),
    "mean of digits so far": (aggregate(SO_FAR, X), list(range(10)), {}),
    "parity": (selector_width(select(tokens, "a", "==")) % 2, "ab", {}),
    "mean of means": (aggregate(SO_FAR, aggregate(SO_FAR, X)), [0, 1], {}),
}


@dataclass(frozen=True)
class Certified:
    """A greatest length, up to which length the model for it is certified, its parameters and the CPU seconds."""

    longest: int
    certified: int
    parameters: int
    seconds: float


def certified_lengths(
    program: Any, lengths: Sequence[int], seconds: float, **settings: Any
) -> Iterator[Certified | CapaxError]:
    """What is certified at each length, or why it is refused; it ends where the next length would take too long."""
    before: Certified | None = None
    for longest in lengths:
        if before is not None and before.seconds * (longest / before.longest) ** 1.5 > seconds:
            return
        start = time.process_time()
        try:
            compiled = capax.compile(program, max_length=longest, **settings)
        except CapaxError as error:
            if error.code == "compiled-wrong":
                raise
            yield error
            continue
        spent = time.process_time() - start
        before = Certified(longest, compiled.certified_length, compiled.size.parameters, spent)
        yield before


def drops(found: Sequence[Certified]) -> list[Certified]:
    """Those that are certified at a smaller length than one before them."""
    return [one for k, one in enumerate(found) if one.certified < max((o.certified for o in found[:k]), default=0)]


def row(name: str, program: Any, lengths: Sequence[int], seconds: float, **settings: Any) -> tuple[list[Any], int]:
    """A line of the table, and the number of drops."""
    outcomes = list(certified_lengths(program, lengths, seconds, **settings))
    found = [o for o in outcomes if isinstance(o, Certified)]
    refused = len(outcomes) - len(found)
    shorter = [f"{o.certified} of {o.longest}" for o in found if o.certified < o.longest]
    falls = drops(found)
    upto = f"{found[0].longest} to {found[-1].longest}" if found else "-"
    text = ", ".join(f"{o.certified} of {o.longest}" for o in falls)
    spent = f"{sum(o.seconds for o in found):.1f}"
    return [name, upto, len(found), refused, ", ".join(shorter), text, spent], len(falls)


def main() -> int:
    """Prints the table; 1 if a certificate is shorter for a greater length."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--quick", action="store_true", help="six lengths up to 200, and 20 random programs")
    parser.add_argument("--only", metavar="NAME", help="one ordinary program")
    parser.add_argument("--random", type=int, default=200, metavar="N", help="the number of random programs")
    parser.add_argument("--seed", type=int, default=1, help="another seed draws other programs")
    parser.add_argument("--seconds", type=float, default=20, help="the CPU seconds that a compilation may take")
    given = parser.parse_args()
    columns = ("program", "compiled for", "lengths", "refused", "not whole", "shorter than before", "CPU s")
    table = Table(*columns, title="Certified lengths as the greatest length grows")
    fallen = 0
    seconds = 5.0 if given.quick else given.seconds
    for name, (program, alphabet, more) in PROGRAMS.items():
        if given.only in (None, name):
            tried = FEW if given.quick else LENGTHS
            cells, falls = row(name, program, tried, seconds, alphabet=list(alphabet), **more)
            table.add_row(*cells)
            fallen += falls
    count = 0 if given.only else min(20, given.random) if given.quick else given.random
    lengths = refused = parts = 0
    for number, case in cases(count, given.seed):
        settings = {k: v for k, v in case.settings.items() if k != "max_length"}
        cells, falls = row(f"random {number}", case.program, OF_RANDOM, seconds, **settings)
        lengths, refused, parts = lengths + cells[2], refused + cells[3], parts + bool(cells[4])
        if falls:
            table.add_row(*cells)
            print(f"{number} {settings}\n    {case.program.to_text().rstrip()}", flush=True)
        fallen += falls
    if count:
        table.add_row(f"{count} random programs", "4 to 32", lengths, refused, f"{parts} programs", "")
    print(table)
    return 1 if fallen else 0


if __name__ == "__main__":
    sys.exit(main())
