"""What becomes of Tracr's own library programs, as its package has them, when capax compiles them?

`benchmarks/compiler.py` compiles programs that were written for capax. This file compiles the functions of
`tracr/compiler/lib.py` itself, unchanged: its import of Tracr's `rasp` is answered by `capax.compat.tracr`. The grid is
the same, 14 programs at 4, 16 and 64 tokens and lengths 5 to 100. *Right* means that the weights give the answers of
Tracr's own interpreter on 20 random words (where that has None, any answer will do); *refused* that capax gives an
error instead of a model, *late* that the limit of CPU seconds was over, *certified* that a right model has a
certificate for its whole length. The last row, `x + y - z` over tokens and indices, is what Tracr's own tests make of
`make_nary_sequencemap`, and is not among the 14. The second table has the sizes of both compilers for the same
function, beside those of the program that was written for capax.

    python benchmarks/tracr_library.py [--quick] [--tracr PYTHON] [--limit SECONDS] [--no-sizes] [--seed S]

It needs an interpreter that has Tracr (`pip install tracr-pypi`), this one unless `--tracr` names another; without one
nothing is measured.
"""

import argparse
import json
import signal
import subprocess
import sys
import types
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import compiler_peer
from compiler import PEER, PROGRAMS, QUICK, SMALL, ours, theirs, words_for
from table import Table

from capax import CapaxError
from capax.compat.tracr import compiling, rasp

SIZES = [
    ("sort", 4, 20),
    ("sort", 4, 100),
    ("sort by frequency", 4, 20),
    ("reverse", 4, 20),
    ("reverse", 4, 50),
    ("shuffle-dyck-2", 4, 20),
    ("histogram", 64, 100),
]
"""The cells whose sizes are compared."""
FURTHER = "x + y - z"
"""A program beyond those of `benchmarks/compiler.py`."""
OUTCOMES = ("right", "refused", "wrong", "late")
FIND = "from importlib.util import find_spec; spec = find_spec('tracr'); print(spec.submodule_search_locations[0])"


def library(python: str) -> Path | None:
    """The file of Tracr's library in an interpreter, or None."""
    done = subprocess.run([python, "-c", FIND], capture_output=True, text=True, check=False)
    path = Path(done.stdout.strip() or "nowhere") / "compiler" / "lib.py"
    return path if done.returncode == 0 and path.is_file() else None


@contextmanager
def answered(source: Path) -> Iterator[None]:
    """Imports of Tracr's `rasp` and `lib` give those of capax, and Tracr's own library over them."""
    fakes = {name: types.ModuleType(name) for name in ("tracr", "tracr.rasp", "tracr.compiler", "tracr.compiler.lib")}
    vars(fakes["tracr.rasp"])["rasp"] = rasp
    vars(fakes["tracr.compiler"])["lib"] = fakes["tracr.compiler.lib"]
    before = {name: sys.modules.get(name) for name in fakes}
    sys.modules.update(fakes)
    try:
        exec(compile(source.read_text(encoding="utf-8"), str(source), "exec"), vars(fakes["tracr.compiler.lib"]))
        yield
    finally:
        for name, module in before.items():
            if module is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raises a TimeoutError when the CPU seconds are over."""

    def over(*_: object) -> None:
        raise TimeoutError

    signal.signal(signal.SIGVTALRM, over)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def expected(python: str, cells: list[tuple[str, int, int]], seed: int) -> list[list[list[Any]]]:
    """The answers of Tracr's own interpreter to the words of each cell."""
    asked = [{"name": name, "longest": n, "words": words_for(name, tokens, n, 20, seed)} for name, tokens, n in cells]
    done = subprocess.run([python, str(PEER), "values"], input=json.dumps(asked), capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"Tracr's interpreter failed: {done.stderr[-400:]}")
    found: list[list[list[Any]]] = json.loads(done.stdout)
    return found


def compiled(name: str, tokens: int, n: int) -> Any:
    """Tracr's program as capax compiles it."""
    return compiling.compile_rasp_to_model(compiler_peer.build(name, n), range(1, tokens + 1), n, compiler_bos="BOS")


def outcome(cell: tuple[str, int, int], answers: list[list[Any]], limit: float, seed: int) -> tuple[str, bool, str]:
    """What became of a cell, whether the model is certified whole, and a remark."""
    name, tokens, n = cell
    try:
        with limited(limit):
            model = compiled(name, tokens, n)
    except CapaxError as error:
        return "refused", False, error.code
    except TimeoutError:
        return "late", False, f"> {limit:g} s"
    words = words_for(name, tokens, n, 20, seed)
    bad = [w for w, a in zip(words, answers, strict=True) if not compiler_peer.same(a, _decoded(model, w))]
    whole = model.compiled.certified_length >= n
    return ("wrong", False, str(bad[0])) if bad else ("right", whole, f"{model.model.size.parameters:,}")


def _decoded(model: Any, word: list[int]) -> list[Any]:
    return list(model.apply(["BOS", *word]).decoded[1:])


def counts(cells: list[tuple[str, int, int]], python: str, limit: float, seed: int) -> Table:
    """For each program how many of its cells had which outcome; what was not right is told on standard error."""
    cells = [*cells, *((FURTHER, *sizes) for name, *sizes in cells if name == "sort")]
    found = {name: Counter[str]() for name in (*PROGRAMS, FURTHER)}
    for cell, answers in zip(cells, expected(python, cells, seed), strict=True):
        what, whole, remark = outcome(cell, answers, limit, seed)
        found[cell[0]][what] += 1
        found[cell[0]]["certified"] += whole
        if what != "right" or not whole:
            print(*cell, what, remark, "" if whole or what != "right" else "not certified whole", file=sys.stderr)
    table = Table("program", "cells", *OUTCOMES, "certified")
    further = found.pop(FURTHER)
    for name, count in [*found.items(), ("all", sum(found.values(), Counter())), (FURTHER, further)]:
        cells_of = sum(count[what] for what in OUTCOMES)
        table.add_row(name, cells_of, *(count[what] for what in (*OUTCOMES, "certified")))
    return table


def sizes(python: str, limit: float) -> Table:
    """Layers and parameters of both compilers, and of the program that was written for capax."""
    table = Table("program", "tokens", "length", "Tracr", "capax, the same program", "capax, written for it")
    for cell in SIZES:
        peer = theirs(python, *cell, limit)
        shown = peer["failed"] if "failed" in peer else f"{peer['parameters']:,} ({peer['layers']} layers)"
        mine = compiled(*cell).model.size
        own = ours(*cell)
        same = f"{mine.parameters:,} ({mine.attention_layers} layers)"
        table.add_row(*cell, shown, same, f"{own['parameters']:,} ({own['layers']} layers)")
    return table


def main() -> None:
    """Prints the tables, or that Tracr is not there."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="only 4 tokens and lengths 5 and 20")
    parser.add_argument("--tracr", metavar="PYTHON", default=sys.executable, help="an interpreter that has Tracr")
    parser.add_argument("--limit", type=float, default=120, help="seconds for a cell")
    parser.add_argument("--no-sizes", action="store_true", help="only the counts")
    parser.add_argument("--seed", type=int, default=0, help="of the random words")
    asked = parser.parse_args()
    source = library(asked.tracr)
    if source is None:
        print("Not measured: Tracr is not installed; give --tracr PYTHON. Its figures: docs/explanation/compiler.md.")
        return
    with answered(source):
        print(counts(QUICK if asked.quick else SMALL, asked.tracr, asked.limit, asked.seed))
        if not asked.no_sizes:
            print(sizes(asked.tracr, asked.limit))


if __name__ == "__main__":
    main()
