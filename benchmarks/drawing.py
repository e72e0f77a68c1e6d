"""How long a picture takes, how large it is and how much memory it needs, by length of the input.

    python benchmarks/drawing.py [--quick]

Time is processor time, so that other work on the machine counts little: the best of nine in one process, from the
program to the SVG text, without the start of Python and the first use of numpy. The peak is that of Python's own
allocations, numpy's arrays among them.
"""

import random
import sys
import time
import tracemalloc
from collections.abc import Callable

from table import Table

from capax import aggregate, indices, select, selector_width, tokens
from capax.app.resolve import resolve
from capax.draw.ink.svg import svg
from capax.draw.view.flow import flow
from capax.rasp.python.program import Program


def seven_heads() -> Program:
    """A program with six heads in its first layer and one in its second."""
    heads = [selector_width(select(indices, indices + k, "<") & select(tokens, tokens, "==")) for k in range(6)]
    total = sum(heads[1:], heads[0])
    return aggregate(select(total, heads[0], "=="), heads[-1])


PROGRAMS: dict[str, str | Callable[[], Program]] = {
    "reverse": "reverse",
    "histogram": "hist_nobos",
    "sort": "sort(tokens, tokens)",
    "dyck2": "dyck2_ptf",
    "most frequent": "sort_by_most_freq",
    "addition": "addition",
    "seven heads": seven_heads,
}
LENGTHS = (10, 50, 100, 300, 1000, 5000)
ALPHABETS = {"dyck2": "(){}", "addition": "0123456789"}


def word(name: str, n: int) -> str:
    """A random input of a length."""
    letters = random.Random(n).choices(ALPHABETS.get(name, "abcdefghij"), k=n)
    if name == "addition":
        letters[n // 2] = "+"
    return "".join(letters)


def measured(task: Callable[[], str], runs: int = 9) -> tuple[float, float, float]:
    """Milliseconds, kilobytes and peak MiB of a task that gives a text."""
    task()
    times = []
    for _ in range(runs):
        start = time.process_time()
        text = task()
        times.append(time.process_time() - start)
    tracemalloc.start()
    task()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return 1000 * min(times), len(text.encode()) / 1000, peak / 2**20


def picture(program: Program, text: str) -> Callable[[], str]:
    """A task that draws a program on a word."""
    return lambda: svg(flow(program, text))


def main() -> None:
    """Prints the table."""
    lengths = LENGTHS[:4] if "--quick" in sys.argv else LENGTHS
    table = Table("program", "n", "ms", "KB", "peak MiB")
    for name, spec in PROGRAMS.items():
        program = resolve(spec).program if isinstance(spec, str) else spec()
        for n in lengths:
            ms, kb, mib = measured(picture(program, word(name, n)))
            table.add_row(name, f"{n:,}", f"{ms:.1f}", f"{kb:.0f}", f"{mib:.1f}")
    print(table)


if __name__ == "__main__":
    main()
