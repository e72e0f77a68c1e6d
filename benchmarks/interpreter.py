"""How fast are RASP programs evaluated, and how does the cost grow with the length of the input?

Each cell runs in a process of its own on one core. `best ms` is the best plain way that we know to the same list, by
numpy or a loop in Python, from the string (or list) to the list of values; `times best` is our time over that, in the
same run. `n x n ms` is a plain numpy evaluation with n x n matrices. `dyck2` on a random word is decided after a few
brackets, `dyck2 balanced` at the last. `sort of strings` has tokens of one to three letters, about a thousand different
ones. The peers' figures were measured elsewhere (CPU seconds on a loaded two-core machine); use them as orders of
magnitude. What is worked out of a program at its first word is kept for the next one: the second table has both.

    python benchmarks/interpreter.py [--quick]
"""

import multiprocessing
import os
import random
import resource
import sys
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from table import Table

import capax
from capax import tokens, tokens_asis
from capax.rasp.ir.graph import evaluation_order
from capax.rasp.meaning.fast import evaluate, evaluate_batch
from capax.rasp.meaning.vector.steps import evaluation_steps

PROGRAMS: dict[str, Any] = {
    "reverse": capax.library.reverse,
    "histogram": capax.library.hist_nobos,
    "sort": capax.library.sort(tokens, tokens),
    "sort of numbers": capax.library.sort(tokens_asis, tokens_asis),
    "sort of strings": capax.library.sort(tokens, tokens),
    "dyck2": capax.library.dyck2_ptf,
    "dyck2 balanced": capax.library.dyck2_ptf,
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


def word(name: str, n: int) -> str | list[int] | list[str]:
    """A random input of a length; the strings are of one to three letters."""
    source = random.Random(n)
    match name:
        case "sort of numbers":
            return source.sample(range(10 * n), n)
        case "sort of strings":
            return ["".join(source.choices("abcdefghij", k=source.randint(1, 3))) for _ in range(n)]
        case "dyck2 balanced":
            return _balanced(source, n)
        case _:
            return "".join(source.choices("(){}" if name == "dyck2" else "abcdefghij", k=n))


def _balanced(source: random.Random, n: int) -> str:
    """A balanced word of an even length."""
    waiting: list[str] = []
    pieces: list[str] = []
    for left in range(n - n % 2, 0, -1):
        if waiting and (len(waiting) == left or source.random() < 0.5):
            pieces.append(waiting.pop())
        else:
            opening, closing = source.choice(("()", "{}"))
            pieces.append(opening)
            waiting.append(closing)
    return "".join(pieces)


def _best_reverse(text: str) -> list[str]:
    return list(text[::-1])


def _best_histogram(text: str) -> list[int]:
    codes = np.frombuffer(text.encode("latin-1"), np.uint8)
    counts = np.bincount(codes, minlength=256).astype(object)  # so that equal counts are one object
    return counts[codes].tolist()


def _best_sort(text: str) -> list[str]:
    codes = np.sort(np.frombuffer(text.encode("latin-1"), np.uint8), kind="stable")
    return list(codes.tobytes().decode("latin-1"))


def _best_sort_of_numbers(numbers: list[int]) -> list[int]:
    return np.sort(np.fromiter(numbers, np.int64, len(numbers))).tolist()


def _best_sort_of_strings(strings: list[str]) -> list[str]:
    counts = Counter(strings)
    if len(counts) > len(strings) // 4:
        return sorted(strings)
    return [string for string in sorted(counts) for string in [string] * counts[string]]


def _best_dyck2(text: str) -> list[str]:
    waiting: list[str] = []
    values: list[str] = []
    for letter in text:
        if letter in "({":
            waiting.append(")" if letter == "(" else "}")
        elif not waiting or waiting.pop() != letter:
            return values + ["F"] * (len(text) - len(values))
        values.append("P" if waiting else "T")
    return values


BEST: dict[str, Callable[[Any], list[Any]]] = {
    "reverse": _best_reverse,
    "histogram": _best_histogram,
    "sort": _best_sort,
    "sort of numbers": _best_sort_of_numbers,
    "sort of strings": _best_sort_of_strings,
    "dyck2": _best_dyck2,
    "dyck2 balanced": _best_dyck2,
}


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
    """Time, growth, ratios and memory of each program at each size."""
    columns = ("program", "n", "ms", "growth", "best ms", "times best", "n x n ms", "peak MiB", "peers s")
    table = Table(*columns, title="one word")
    for name, program in PROGRAMS.items():
        last: float | None = None
        for n in sizes:
            text = word(name, n)
            assert list(evaluate(program.node, text)) == BEST[name](text), name
            seconds, memory = measured(partial(evaluate, program.node, text))
            best = measured(partial(BEST[name], text))[0]
            plain = measured(partial(MATRICES[name], text))[0] if name in MATRICES and n <= 10_000 else None
            table.add_row(
                name,
                f"{n:,}",
                f"{seconds * 1e3:.2f}",
                "" if last is None else f"x{seconds / last:.1f}",
                f"{best * 1e3:.4g}",
                f"{seconds / best:.1f}",
                "" if plain is None else f"{plain * 1e3:.2f}",
                f"{memory:.0f}",
                PEERS.get((name, n), ""),
            )
            last = seconds
    return table


SHORT: dict[str, Any] = {
    **{name: PROGRAMS[name] for name in ("reverse", "histogram", "sort", "dyck2")},
    "most frequent": capax.library.sort_by_most_freq,
}


def short_words() -> Table:
    """Microseconds on short words, and on the first one, for which the steps of the program are worked out."""
    lengths = (5, 20, 100)
    table = Table("program", *(f"n = {n}" for n in lengths), "first n = 5", title="one short word, microseconds")
    for name, program in SHORT.items():
        words = {
            n: "".join(random.Random(n).choices("(){}" if name == "dyck2" else "abcdefghij", k=n)) for n in lengths
        }
        if name == "most frequent":
            words = {n: "§" + word[1:] for n, word in words.items()}

        def again(text: str, node: Any = program.node) -> None:
            for _ in range(100):
                evaluate(node, text)

        def first(text: str, node: Any = program.node) -> None:
            for _ in range(10):
                evaluation_steps.cache_clear()
                evaluation_order.cache_clear()
                evaluate(node, text)

        warm = (measured(partial(again, words[n]))[0] * 1e4 for n in lengths)
        table.add_row(name, *(f"{each:.0f}" for each in warm), f"{measured(partial(first, words[5]))[0] * 1e5:.0f}")
    return table


def batches(count: int) -> Table:
    """Tokens a second on many short words."""
    table = Table("program", "words", "length", "tokens/s", "peak MiB", title="a batch")
    for name in ("histogram", "reverse", "sort", "dyck2"):
        letters = "(){}" if name == "dyck2" else "abcdefghij"
        words = ["".join(random.Random(i).choices(letters, k=100)) for i in range(count)]
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
        try:
            evaluate(program.node, text)
        except capax.CapaxError:
            continue  # it reads other tokens than letters
        seconds, memory = measured(partial(evaluate, program.node, text))
        table.add_row(name, f"{n:,}", f"{seconds * 1e3:.1f}", f"{memory:.0f}")
    return table


def main() -> None:
    """Prints the tables."""
    quick = "--quick" in sys.argv
    print(growth([100, 1000, 10_000] if quick else [100, 1000, 10_000, 100_000, 1_000_000]))
    print(short_words())
    print(batches(1000 if quick else 10_000))
    print(whole_library(2000 if quick else 20_000))


if __name__ == "__main__":
    main()
