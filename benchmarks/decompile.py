"""Which models come back as programs: compiled ones without names and with a rotated stream, and trained ones.

    python benchmarks/decompile.py [--quick] [--only NAME,...] [--seconds S]

The first table has every s-op of the library, compiled for words of up to 16 letters, stripped of names and provenance,
its stream turned by a random rotation. Its heads are read on words of up to 8 letters; `equal to 8` is the audit, by
exhaustion, `12` and `16` the agreement on 2,000 words of those lengths. The second table has the trained models of
experiments/audit, fitted on words of up to 12 letters; `agreement` is on 4,000 words of 13 to 24, `proved to` is the
audit against the program. Times, and those allowed with `--seconds`, are
processor seconds of one process with one thread.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import sys
import time
import tomllib
from pathlib import Path
from typing import Any

from table import Table

import capax
from capax.app.resolve import resolve
from capax.decompiler.black_box import varied_words
from capax.decompiler.naming import size
from capax.model.adapt.rotation import anonymous
from capax.model.model import Model
from capax.rasp.ir.nodes import SOpNode
from capax.rasp.library import entries

QUICK = "--quick" in sys.argv
TRAINED = Path(__file__).parent.parent / "experiments" / "audit"
LONGEST, FITTED = 16, 8
LETTERS: dict[str, list[Any]] = {
    "length": list("ab"),
    "parity": list("01"),
    "majority": list("01"),
    "addition": list("019+"),
    "dyck1_ptf": list("()"),
    "dyck2_ptf": list("(){}"),
    "dyck3_ptf": list("(){}[]"),
    "dyck2_best": list("(){}"),
    "shuffle_dyck2": list("()[]"),
    "match3": [0, 1, 2, 3],
    "in_triangle": [11, 12, 23, 31],
    "parity_in_rounds": list("01"),
    "rule_110": list("01"),
    "root_of": [0, 1, 2, 3],
    "iterated": [0, 1, 2, 3],
    "add_by_lookahead": list("012"),
    "match3_by_pads": list("012"),
    "reachable": ["01", "12", "23"],
}
WITH_INTEGERS = ("match3", "in_triangle", "root_of", "iterated")
SHORTER = {"match3_by_pads": 4, "reachable": 8}
"""Where the pause tokens are too many for words of 16 letters."""
BOS = [*"§abc"]
QUICK_NAMES = ("reverse", "hist_nobos", "sort_bos", "majority-0", "ab-star-0")


def option(name: str, default: str) -> str:
    """The value of an option of the command line."""
    return sys.argv[sys.argv.index(name) + 1] if name in sys.argv else default


ONLY = tuple(filter(None, option("--only", ",".join(QUICK_NAMES) if QUICK else "").split(",")))
SECONDS = float(option("--seconds", "60" if QUICK else "300"))


def programs() -> list[str]:
    """The s-ops of the library."""
    names = [name for name, entry in entries().items() if entry.params is None]
    return [name for name in names if isinstance(resolve(name).program.node, SOpNode)]


def library_row(name: str) -> list[str]:
    """A library program there and back."""
    program = resolve(name, split="ints" if name in WITH_INTEGERS else "chars").program
    bos = name.endswith("_bos") or name == "sort_by_most_freq"
    letters = LETTERS.get(name, BOS if bos else list("abc"))
    model = capax.compile(program, alphabet=letters, max_length=LONGEST, dtype="float64").model
    stripped = anonymous(model)
    start = time.process_time()
    result = capax.decompile(stripped, fit=FITTED, max_length=FITTED, seconds=SECONDS, clock=time.process_time)
    took = f"{time.process_time() - start:.0f}"
    heads = cost(model)
    before = [name, str(size(program.node)), heads]
    if result.program is None or result.audit is None:
        return [*before, "-", "-", "no", "-", "-", took]
    shares = [share(stripped, result.program, letters, n) for n in (12, 16)]
    equal = "yes" if result.proved else result.audit.summary()
    return [*before, str(result.nodes), ", ".join(map(str, result.heads_of_program or ())), equal, *shares, took]


def cost(model: Model) -> str:
    """The heads of each layer."""
    return ", ".join(str(len(block.heads)) for block in model.blocks if block.heads)


def share(model: Model, program: Any, letters: list[Any], length: int) -> str:
    """The share of words of a length on which a program and a model agree at every position."""
    words = varied_words(letters, range(length, length + 1), 2000, 9)
    same = sum(list(a) == b for a, b in zip(program.batch(words), model.batch(words), strict=True))
    return f"{same / len(words):.4f}"


def trained_row(entry: dict[str, Any]) -> list[str]:
    """A trained model and what it learned."""
    start = time.process_time()
    result = capax.decompile(TRAINED / entry["file"], max_length=20, seconds=min(SECONDS, 120), clock=time.process_time)
    took = f"{time.process_time() - start:.0f}"
    shape = f"{entry['layers']}, {entry['heads']}, {entry['width']}"
    states = "-" if result.states is None else str(result.states)
    tables = "-" if result.tables is None else f"{result.tables:.3f}"
    if result.program is None or result.audit is None or result.agreement is None:
        return [entry["name"], shape, "-", "-", "-", states, tables, took]
    open_ = [v.length for v in result.audit.lengths if v.outcome not in ("proved", "empty")]
    proved = "20" if not open_ else str(open_[0] - 1) + (" (wrong)" if result.audit.wrong is not None else "")
    row = [entry["name"], shape, str(result.nodes), f"{result.agreement.share:.4f}", proved]
    return [*row, states, tables, took]


def main() -> None:
    """Prints both tables, then how many rows reach the figures."""
    columns = ("program", "nodes", "heads", "nodes back", "heads back", "equal to 8", "12", "16", "CPU s")
    library = Table(*columns, title="Compiled, stripped and rotated")
    for name in programs():
        if not ONLY or name in ONLY:
            row = library_row(name)
            print(*row, sep="  ", file=sys.stderr, flush=True)
            library.add_row(*row)
    print(library, flush=True)
    columns = ("model", "layers, heads, width", "nodes", "agreement", "proved to", "automaton", "tables", "CPU s")
    trained = Table(*columns, title="Trained")
    for entry in tomllib.loads((TRAINED / "models.toml").read_text())["models"]:
        if not ONLY or entry["name"] in ONLY:
            row = trained_row(entry)
            print(*row, sep="  ", file=sys.stderr, flush=True)
            trained.add_row(*row)
    print(trained, flush=True)
    back = sum(row[5] == "yes" and int(row[3]) <= 2 * int(row[1]) for row in library.rows)
    print(f"{back} of {len(library.rows)} library programs are proved equal with at most twice the nodes")
    good = [row for row in trained.rows if row[2] != "-" and int(row[2]) <= 60 and float(row[3]) >= 0.999]
    proved = sum(row[4] == "20" for row in good)
    print(f"{len(good)} of {len(trained.rows)} trained models agree on 0.999 of longer words; {proved} proved to 20")


if __name__ == "__main__":
    main()
