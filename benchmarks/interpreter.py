"""How fast are RASP programs evaluated, and how does the cost grow with the length of the input?

Each cell runs in a process of its own on one core. `ratio` is the time of a plain numpy evaluation with
n x n matrices in the same run, over ours. The peers' figures were measured elsewhere (CPU seconds on a
loaded two-core machine); use them as orders of magnitude.

    python benchmarks/interpreter.py [--quick]
"""

import multiprocessing
import os
import random
import resource
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from table import Table

import capax
from capax import tokens
from capax.rasp.meaning.fast import evaluate, evaluate_batch

PROGRAMS: dict[str, Any] = {
    "reverse": capax.library.reverse,
    "histogram": capax.library.hist_nobos,
    "sort": capax.library.sort(tokens, tokens),
    "dyck2": capax.library.dyck2_ptf,
}
PEERS = {
    ("reverse", 100): "0.16 / 0.0025 / 0.008",
    ("reverse", 1000): "15.0 / - / 1.48",
    ("histogram", 100): "0.20 / 0.0011 / 0.0043",
    ("histogram", 1000): "19.9 / - / 0.77",
    ("sort", 100): "0.35 / 0.0053 / 0.017",
    ("sort", 1000): "31.8 / - / 2.35",
    ("dyck2", 100): "0.31 / - / -",
    ("dyck2", 1000): "42.2 / - / -",
}
"""Seconds of the reference implementation, raspy and ml-np-rasp."""


def word(name: str, n: int) -> str:
    """A random input of a length."""
    return "".join(random.Random(n).choices("(){}" if name == "dyck2" else "abcdefghij", k=n))


def _matrix_reverse(text: str) -> object:
    codes, places = np.frombuffer(text.encode(), np.uint8), np.arange(len(text))
    return codes[(places[None, :] == (len(text) - 1 - places)[:, None]).argmax(axis=1)]


def _matrix_histogram(text: str) -> object:
    codes = np.frombuffer(text.encode(), np.uint8)
    return (codes[None, :] == codes[:, None]).sum(axis=1)


def _matrix_sort(text: str) -> object:
    codes, places = np.frombuffer(text.encode(), np.uint8), np.arange(len(text))
    key, query = codes[None, :], codes[:, None]
    before = (key < query) | ((key == query) & (places[None, :] < places[:, None]))
    return codes[(before.sum(axis=1)[None, :] == places[:, None]).argmax(axis=1)]


MATRICES: dict[str, Callable[[str], object]] = {
    "reverse": _matrix_reverse,
    "histogram": _matrix_histogram,
    "sort": _matrix_sort,
}


def measured(task: Callable[[], object]) -> tuple[float, float]:
    """The CPU seconds of a task (the best of some runs) and its peak memory in MiB, in a fresh process."""
    receive, send = multiprocessing.Pipe(duplex=False)

    def child() -> None:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        best, spent = float("inf"), 0.0
        while spent < 0.3 or best == float("inf"):
            start = time.process_time()
            task()
            took = time.process_time() - start
            best, spent = min(best, took), spent + took
        send.send((best, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024))

    process = multiprocessing.get_context("fork").Process(target=child)
    process.start()
    result: tuple[float, float] = receive.recv()
    process.join()
    return result


def growth(sizes: list[int]) -> Table:
    """Time, growth, ratio and memory of each program at each size."""
    table = Table("program", "n", "ms", "growth", "numpy n x n ms", "ratio", "peak MiB", "peers s", title="one word")
    for name, program in PROGRAMS.items():
        last: float | None = None
        for n in sizes:
            text = word(name, n)
            seconds, memory = measured(partial(evaluate, program.node, text))
            plain = measured(partial(MATRICES[name], text))[0] if name in MATRICES and n <= 10_000 else None
            table.add_row(
                name,
                f"{n:,}",
                f"{seconds * 1e3:.2f}",
                "" if last is None else f"x{seconds / last:.1f}",
                "" if plain is None else f"{plain * 1e3:.2f}",
                "" if plain is None else f"{plain / seconds:.1f}",
                f"{memory:.0f}",
                PEERS.get((name, n), ""),
            )
            last = seconds
    return table


def batches(count: int) -> Table:
    """Tokens a second on many short words."""
    table = Table("program", "words", "length", "tokens/s", "peak MiB", title="a batch")
    for name in ("histogram", "reverse", "sort"):
        words = ["".join(random.Random(i).choices("abcdefghij", k=100)) for i in range(count)]
        seconds, memory = measured(partial(evaluate_batch, PROGRAMS[name].node, words))
        table.add_row(name, f"{count:,}", "100", f"{count * 100 / seconds:,.0f}", f"{memory:.0f}")
    return table


def whole_library(n: int) -> Table:
    """Every library program at one size."""
    table = Table("program", "n", "ms", "peak MiB", title="the library")
    for name in dir(capax.library):
        program = getattr(capax.library, name)
        if not isinstance(program, capax.SOp):
            continue
        letters = {"addition": "0123456789"}.get(name, "(){}[]" if "dyck" in name else "01abc")
        text = "".join(random.Random(n).choices(letters, k=n))
        text = "§" + text[1:] if "bos" in name or "freq" in name else text
        text = text[: n // 2] + "+" + text[n // 2 + 1 :] if name == "addition" else text
        seconds, memory = measured(partial(evaluate, program.node, text))
        table.add_row(name, f"{n:,}", f"{seconds * 1e3:.1f}", f"{memory:.0f}")
    return table


def main() -> None:
    """Prints the tables."""
    quick = "--quick" in sys.argv
    print(growth([100, 1000, 10_000] if quick else [100, 1000, 10_000, 100_000, 1_000_000]))
    print(batches(1000 if quick else 10_000))
    print(whole_library(2000 if quick else 20_000))


if __name__ == "__main__":
    main()
