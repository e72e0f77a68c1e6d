"""How long does `capax search` take to find known programs?

24 functions, each searched for with nothing but words and answers: no hints, no limit on layers or heads, at most 60
CPU seconds. The search stops at the first program that agrees on all short words; *smallest* says whether all smaller
programs had been excluded by then. The second table is how the number of candidates, and of behaviours that are kept,
grows with the size.
"""

import argparse
import sys
import time

from search_targets import TARGETS, Target
from table import Table

from capax.auditor.specs.programs import of_function
from capax.synthesis.grammar import SearchLimits
from capax.synthesis.outcome import SearchOutcome, SearchProgress
from capax.synthesis.search import search

SECONDS = 60.0
SIZE = 20


def searched(target: Target, seconds: float) -> tuple[SearchOutcome, float]:
    """The search for a target, and its CPU seconds."""
    start = time.process_time()

    def used() -> float:
        return (time.process_time() - start) / seconds

    result = search(target.spec(), limits=SearchLimits(size=SIZE), first=True, name=target.name, used=used)
    return result, time.process_time() - start


def targets(seconds: float) -> tuple[Table, int]:
    """A row for each target, and how many were found."""
    table = Table("target", "size", "smallest", "layers", "heads", "CPU s", "candidates", "goals", title="Targets")
    count = 0
    for target in TARGETS:
        result, spent = searched(target, seconds)
        best = result.best
        if best is None:
            table.add_row(
                target.name, "-", "-", "-", "-", f"{spent:.1f}", f"{result.candidates:,}", f"{result.goals:,}"
            )
            continue
        count += 1
        proved = "yes" if result.is_smallest else f"> {result.exhausted}"
        costs = (best.size, proved, best.layers, sum(best.heads))
        table.add_row(target.name, *costs, f"{spent:.1f}", f"{result.candidates:,}", f"{result.goals:,}")
    return table, count


def growth(largest: int) -> Table:
    """Candidates, behaviours and CPU seconds up to each size, for a function that no program has."""
    table = Table("size", "candidates", "behaviours", "CPU s", title="Growth")
    spec = of_function("odd", ("a", "b", "c"), lambda word: [sum(map(ord, word)) ** 2 % 997] * len(word))
    start = time.process_time()

    def row(progress: SearchProgress) -> None:
        spent = time.process_time() - start
        table.add_row(progress.size, f"{progress.candidates:,}", f"{progress.kept:,}", f"{spent:.2f}")

    search(spec, limits=SearchLimits(size=largest + 1), goals=False, report=row, used=lambda: 0.0)
    return table


def main() -> None:
    """Prints both tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="20 seconds for each target, and smaller sizes")
    quick = parser.parse_args().quick
    table, count = targets(20.0 if quick else SECONDS)
    print(table)
    print(f"Found: {count} of {len(TARGETS)}.\n")
    print(growth(9 if quick else 11))


if __name__ == "__main__":
    sys.exit(main())
