"""How large are compiled models, how long does compiling take, and are they right? Next to Tracr.

Fourteen programs, those of Tracr's library, at 4, 16 and 64 tokens and lengths 5 to 100; then a few longer ones. Sizes
count every number of every array: embedding, positions, heads, MLPs and unembedding (Tracr's unembedding is no
parameter and is not counted). Times are CPU seconds of one compilation, check and certificate included, in a process
that has compiled before. `right` is the number of random words, out of those tried, on which the weights give the
interpreter's answers; a word on which the program has no value is left out.

    python benchmarks/compiler.py [--quick] [--tracr PYTHON] [--limit SECONDS]

A second table splits the time: building the weights, checking them on words, certifying them; each is a difference of
two compilations, the best of several.

`--tracr PYTHON` adds Tracr's columns, each cell in a process of that interpreter, which must have Tracr, with a limit
of time for each.
"""

import argparse
import json
import random
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from table import Table

import capax
from capax import CapaxError, aggregate, full_s, indicator, indices, length, select, selector_width, tokens_asis
from capax.compiler.check.agreement import same

X = tokens_asis
BACK = select(indices, indices, "<=")
HIST = selector_width(select(X, X, "=="))
PEER = Path(__file__).with_name("compiler_peer.py")


def _previous(steps: int, default: int) -> Any:
    return aggregate(select(indices, indices - steps, "=="), X, default)


def _ranked(before: Any, ties: Any) -> Any:
    order = before | (ties & select(indices, indices, "<"))
    return aggregate(select(selector_width(order), indices, "=="), X)


def _balance(opening: int, closing: int) -> Any:
    return aggregate(BACK, indicator(opening == X) - indicator(closing == X))


def _shuffle_dyck() -> Any:
    balances = [_balance(1, 2), _balance(3, 4)]
    negative = (balances[0] < 0) | (balances[1] < 0)
    last = [aggregate(select(indices, length - 1, "=="), balance) for balance in balances]
    return ~((aggregate(full_s, indicator(negative)) > 0) | (last[0] != 0) | (last[1] != 0))


PROGRAMS: dict[str, Callable[[], Any]] = {
    "length": lambda: length,
    "count": lambda: selector_width(select(X, 1, "==")),
    "histogram": lambda: HIST,
    "fraction of previous": lambda: aggregate(BACK, indicator(X == 1)),
    "shift by 2": lambda: _previous(2, 0),
    "detect pattern": lambda: (X == 3) & (_previous(1, 0) == 2) & (_previous(2, 0) == 1),
    "pair balance": lambda: _balance(1, 2),
    "sort unique": lambda: aggregate(select(selector_width(select(X, X, "<")), indices, "=="), X),
    "sort": lambda: _ranked(select(X, X, "<"), select(X, X, "==")),
    "sort by frequency": lambda: _ranked(select(HIST, HIST, ">"), select(HIST, HIST, "==")),
    "count less frequent": lambda: selector_width(select(HIST, 2, "<=")),
    "reverse": lambda: aggregate(select(indices, length - 1 - indices, "=="), X),
    "shuffle-dyck-2": _shuffle_dyck,
    "sum of three": lambda: X + _previous(1, 0) + _previous(2, 0),
}

SMALL = [(name, tokens, n) for name in PROGRAMS for tokens in (4, 16, 64) for n in (5, 20, 50, 100)]
LONG = [("reverse", 4, 1000), ("histogram", 4, 1000), ("sort", 4, 1000), ("histogram", 1000, 100)]
QUICK = [(name, 4, n) for name in PROGRAMS for n in (5, 20)]

TARGETS = {
    ("histogram", 64, 100): 10,
    ("sort", 4, 100): 50,
    ("reverse", 4, 20): 100,
    ("reverse", 4, 50): 500,
    ("shuffle-dyck-2", 4, 20): 100,
}
"""How many times fewer parameters than Tracr's a model is to have."""

TRACR = [(name, 4, n) for name in PROGRAMS for n in (5, 20)] + [cell for cell in TARGETS if cell[2] > 20]
"""The cells for which Tracr is asked."""


def words_for(name: str, tokens: int, n: int, count: int, seed: int = 0) -> list[list[int]]:
    """Random words of all lengths up to n; without repetitions for the program that needs that."""
    source = random.Random(seed)
    alphabet = range(1, tokens + 1)
    found = []
    for _ in range(count):
        size = source.choice((n, source.randint(1, n)))
        unique = name == "sort unique"
        found.append(source.sample(alphabet, min(size, tokens)) if unique else source.choices(alphabet, k=size))
    return found


def ours(name: str, tokens: int, n: int) -> dict[str, Any]:
    """One cell with capax."""
    program = PROGRAMS[name]()
    start = time.process_time()
    compiled = capax.compile(program, alphabet=range(1, tokens + 1), max_length=n)
    seconds = time.process_time() - start
    words = words_for(name, tokens, n, 200 if n <= 100 else 20)
    expected = program.batch(words, errors="keep")
    pairs = [(e, a) for e, a in zip(expected, compiled.batch(words), strict=True) if not isinstance(e, CapaxError)]
    return {
        "layers": compiled.size.attention_layers,
        "parameters": compiled.size.parameters,
        "seconds": seconds,
        "right": sum(all(map(same, e, a)) for e, a in pairs),
        "words": len(pairs),
        "label": compiled.label,
    }


def split(name: str, tokens: int, n: int, runs: int) -> list[str]:
    """The seconds of building, checking and certifying, and of all."""
    program = PROGRAMS[name]()

    def best(**settings: Any) -> float:
        times = []
        for _ in range(runs):
            start = time.process_time()
            capax.compile(program, alphabet=range(1, tokens + 1), max_length=n, **settings)
            times.append(time.process_time() - start)
        return min(times)

    build, checked, whole = best(certify=False, words=0), best(certify=False), best()
    return [f"{seconds:.3f}" for seconds in (build, checked - build, whole - checked, whole)]


def theirs(python: str, name: str, tokens: int, n: int, limit: float) -> dict[str, Any]:
    """One cell with Tracr, in a process of its own; what went wrong if it did not come to an end."""
    asked = {"name": name, "tokens": tokens, "longest": n, "words": words_for(name, tokens, n, 20)}
    try:
        done = subprocess.run(
            [python, str(PEER)], input=json.dumps(asked), capture_output=True, text=True, timeout=limit, check=False
        )
    except subprocess.TimeoutExpired:
        return {"failed": f"> {limit:g} s"}
    if done.returncode:
        return {"failed": (done.stderr.strip().splitlines() or ["failed"])[-1][:40]}
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def rows(cells: list[tuple[str, int, int]], python: str | None, limit: float) -> Iterator[list[str]]:
    """A row of the table for each cell."""
    for cell in cells:
        try:
            mine = ours(*cell)
        except CapaxError as error:
            yield [*map(str, cell), error.code, *[""] * 8]
            continue
        row = [*map(str, cell), f"{mine['right']}/{mine['words']}", str(mine["layers"]), f"{mine['parameters']:,}"]
        row += [f"{mine['seconds']:.2f}", mine["label"]]
        peer = theirs(python, *cell, limit) if python and cell in TRACR else {"failed": "-"}
        if "failed" in peer:
            yield [*row, peer["failed"], "", "", "", ""]
            continue
        ratio = peer["parameters"] / mine["parameters"]
        row += [f"{peer['right']}/{peer['words']}", str(peer["layers"]), f"{peer['parameters']:,}"]
        yield [*row, f"{peer['seconds']:.1f}", f"1/{ratio:.0f}" if ratio >= 1 else f"{1 / ratio:.1f}"]


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="only 4 tokens and lengths 5 and 20")
    parser.add_argument("--tracr", metavar="PYTHON", help="an interpreter that has Tracr")
    parser.add_argument("--limit", type=float, default=120, help="seconds for a cell of Tracr")
    asked = parser.parse_args()
    columns = ["program", "tokens", "length", "right", "layers", "parameters", "seconds", "known"]
    if asked.tracr:
        columns += ["Tracr right", "layers", "parameters", "seconds", "ours/Tracr's"]
    ours("length", 2, 2)  # what is read once is read before the first time is taken
    table = Table(*columns)
    for row in rows(QUICK if asked.quick else SMALL + LONG, asked.tracr, asked.limit):
        table.add_row(*row[: len(columns)])
    print(table)
    parts = Table(
        "program", "tokens", "length", "build s", "check s", "certify s", "all s", title="where the time goes"
    )
    for name in ("reverse", "sort", "histogram"):
        for n in (20, 100) if asked.quick else (20, 100, 300):
            parts.add_row(name, 4, n, *split(name, 4, n, runs=5))
    print(parts)
    if asked.tracr:
        aims = ", ".join(f"{n} ({v} tokens, length {k}) 1/{aim}" for (n, v, k), aim in TARGETS.items())
        print(f"aims: {aims}")


if __name__ == "__main__":
    main()
