"""How much does a certificate leave out? The certified length beside the length at which answers really become wrong.

For each program and number system the length is doubled, and a model compiled for each length, until real errors
appear or the compiler refuses. Tried are words with ties, extremes and the greatest length, and random ones. Bisection
then gives the greatest length at which a model compiled for that length is certified, and the least at which an error
was seen. Their ratio is the part of the true range that the proof covers; an error that no tried word shows would only
make it larger. In bfloat16 the model that was compiled for float32 is rounded. `-`: not reached within the limit of
time; `>`: no error up to there, and no longer model. Then the cost: CPU seconds for compiling with its check, and for
the certificate in three number systems.

    python benchmarks/certificates.py [--quick] [--limit SECONDS]

The limit holds for each row, in CPU seconds.
"""

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from table import Table

import capax
from capax import CapaxError, aggregate, indicator, indices, length, select, selector_width, tokens_asis
from capax.certify import certify, verdict_at
from capax.certify.recheck.recheck import spec_of
from capax.compiler.check.agreement import agreement, compare, hard_words, meaning, random_words
from capax.compiler.compile_program import build
from capax.compiler.domain import Domain, domain
from capax.model.model import Model

X = tokens_asis
BACK = select(indices, indices, "<=")
ORDER = select(X, X, "<") | (select(X, X, "==") & select(indices, indices, "<"))

PROGRAMS: dict[str, tuple[Any, list[Any]]] = {
    "reverse": (aggregate(select(indices, length - 1 - indices, "=="), X), list("abcd")),
    "histogram": (selector_width(select(X, X, "==")), list("abcd")),
    "sort": (aggregate(select(selector_width(ORDER), indices, "=="), X), [0, 1, 2, 3]),
    "dyck2": (capax.library.dyck2_ptf, list("(){}")),
    "fraction of previous": (aggregate(BACK, indicator(X == "a")), list("abcd")),
}

CELLS = 4_000_000
"""The pairs of places of the words that are tried at one length."""


@dataclass
class Clock:
    """What is left of a row's time."""

    limit: float
    start: float

    def allows(self, seconds: float) -> bool:
        return time.process_time() - self.start + seconds < self.limit


def made_for(program: Any, alphabet: list[Any], longest: int, numbers: str) -> tuple[Model, Domain]:
    """The model for a length, without check and certificate."""
    found = domain(alphabet, longest)
    model = build(program.node, found, program.names()).model
    return (model if numbers == "float32" else model.to(numbers)), found


def is_certified(program: Any, alphabet: list[Any], longest: int, numbers: str) -> bool:
    """Whether the model for a length is certified at it."""
    model, _ = made_for(program, alphabet, longest, numbers)
    return verdict_at(model, spec_of(model, program.node, causal=False), numbers, longest).length == longest


def why_not(program: Any, alphabet: list[Any], longest: int, numbers: str) -> str:
    """What keeps the model for a length from being certified."""
    try:
        model, _ = made_for(program, alphabet, longest, numbers)
    except CapaxError as error:
        return error.what
    return verdict_at(model, spec_of(model, program.node, causal=False), numbers, longest).breaks or "-"


def is_right(program: Any, alphabet: list[Any], longest: int, numbers: str) -> bool:
    """Whether no error was seen on the words that were tried."""
    model, found = made_for(program, alphabet, longest, numbers)
    count = int(max(4, min(200, CELLS // longest**2)))
    words = [*hard_words(found, count), *random_words(found, count, 0)]
    with np.errstate(all="ignore"):
        return compare(model, meaning(program.node, found), words).wrong is None


def limit_of(holds: Callable[[int], bool], most: int, clock: Clock) -> tuple[int, int | None]:
    """The greatest length at which something holds, and the least at which it does not; None where none was reached."""
    good, bad, last = 0, None, 0.0
    longest = 1
    while longest <= most and bad is None:
        if not clock.allows(4 * last):
            return good, None
        started = time.process_time()
        try:
            fine = holds(longest)
        except CapaxError:  # the compiler refuses so long a model
            return good, None
        good, longest, bad = (longest, 2 * longest, None) if fine else (good, longest, longest)
        last = time.process_time() - started
    while bad is not None and bad - good > max(1, good // 50) and clock.allows(last):
        middle = (good + bad) // 2
        good, bad = (middle, bad) if holds(middle) else (good, middle)
    return good, bad


def cost(program: Any, alphabet: list[Any], longest: int) -> tuple[float, float]:
    """CPU seconds for compiling with its check, and for the certificate."""
    started = time.process_time()
    model, found = made_for(program, alphabet, longest, "float32")
    agreement(model, program.node, found, typed=False, words=150)
    compiled = time.process_time()
    certify(model, spec_of(model, program.node, causal=False))
    return compiled - started, time.process_time() - compiled


def row(name: str, numbers: str, most: int, seconds: float) -> list[str]:
    """A line of the table."""
    program, alphabet = PROGRAMS[name]
    half = seconds / 2
    proved, unproved = limit_of(
        lambda n: is_certified(program, alphabet, n, numbers), most, Clock(half, time.process_time())
    )
    good, wrong = limit_of(lambda n: is_right(program, alphabet, n, numbers), most, Clock(half, time.process_time()))
    rough = "" if wrong is None or wrong - good <= max(1, good // 50) else f"{good + 1:,} to "
    seen = f"{rough}{wrong:,}" if wrong is not None else (f"> {good:,}" if good else "-")
    ratio = f"{proved / max(wrong - 1, 1):.2f}" if wrong is not None else (f"< {proved / good:.2f}" if good else "-")
    why = why_not(program, alphabet, unproved, numbers) if unproved is not None else "-"
    return [name, numbers, f"{proved:,}" if proved else "-", seen, ratio, why]


def main() -> None:
    """Prints both tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="short lengths")
    parser.add_argument("--limit", type=float, default=60.0, help="CPU seconds for each row")
    given = parser.parse_args()
    most, seconds = (32, 8.0) if given.quick else (16_384, given.limit)
    table = Table(
        "program",
        "numbers",
        "certified",
        "first error",
        "ratio",
        "what breaks the proof",
        title="Certified and true lengths",
    )
    for name in PROGRAMS:
        for numbers in ("float32", "bfloat16"):
            table.add_row(*row(name, numbers, most, seconds))
    print(table)
    costs = Table("program", "length", "compile", "certify", title="CPU seconds")
    for name, (program, alphabet) in PROGRAMS.items():
        for longest in (8, 32) if given.quick else (16, 64, 128):
            compiling, certifying = cost(program, alphabet, longest)
            costs.add_row(name, str(longest), f"{compiling:.2f}", f"{certifying:.2f}")
    print(costs)


if __name__ == "__main__":
    main()
