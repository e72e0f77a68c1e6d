"""How far does an audit reach, and what does it cost? The trained models of experiments/audit, by length.

    python benchmarks/audit.py [--quick]

Bounds: all words of one length at once; `classes` is how many classes of words were looked at, `bound` what is proved
of the margin, `least margin` the least that was seen. Rounding: of single words, the most that float32 can change a
margin in any order of summation, beside what one order did change; the least and the greatest over the models.
Exhaustion runs every word, search looks for counterexamples: both are shown with a model of two layers that was trained
on words of up to 150 letters. Times are CPU seconds of one thread.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import sys
import time
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from table import Table

import capax
from capax.app.against_specs.audit import question_of
from capax.auditor.bounds.attention_errors import query_errors
from capax.auditor.bounds.class_bound import evaluate
from capax.auditor.bounds.cut import roots
from capax.auditor.bounds.oracle import WordClasses
from capax.auditor.bounds.prove import demands_of, prove_length
from capax.auditor.bounds.ranges import basis_of
from capax.auditor.bounds.rounding import class_rounding
from capax.auditor.bounds.splits import Splitter
from capax.auditor.bounds.table_errors import table_errors
from capax.auditor.bounds.tables import Tables
from capax.auditor.exhaust import exhaust
from capax.auditor.question import Question
from capax.auditor.search import search
from capax.model.parts import Array

QUICK = "--quick" in sys.argv
FOLDER = Path(__file__).parent.parent / "experiments" / "audit"
ENTRIES = {e["name"]: e for e in tomllib.loads((FOLDER / "models.toml").read_text("utf-8"))["models"]}
BOUNDED = ("majority-0", "first-equals-last-0", "ends-with-01-0", "last-letter-0", "majority-two-heads-0")
WIDE = ("majority-wide-0", "ends-with-01-wide-0")
TWO_LAYERS = "first-equals-last-two-layers-long-0"
LENGTHS = (10, 20) if QUICK else (10, 20, 30, 40)
LIMIT = 10.0 if QUICK else 120.0
"""CPU seconds for one length."""


def clock(seconds: float) -> Callable[[], float]:
    """The share of some CPU seconds that is used."""
    start = time.process_time()
    return lambda: (time.process_time() - start) / seconds


def asked(name: str) -> Question:
    """The question of a model."""
    entry = ENTRIES[name]
    return question_of(
        capax.load_model(FOLDER / entry["file"]), entry["against"], read="last", alphabet=entry["alphabet"]
    )


def bounds_table() -> Table:
    """What bounds cost, by model and length."""
    table = Table("model", "letters", "words", "verdict", "classes", "bound", "least margin", "CPU s", title="Bounds")
    for name in (*BOUNDED, *(() if QUICK else WIDE)):
        for n in LENGTHS:
            start = time.process_time()
            result = prove_length(asked(name), n, used=clock(LIMIT))
            spent = time.process_time() - start
            verdict = "proved" if result.proved else "wrong" if result.failing else "unknown"
            figures = (f"{float(result.words):.1e}", verdict, result.nodes, f"{result.bound:.3g}")
            table.add_row(name, n, *figures, f"{result.margin:.3g}", f"{spent:.1f}")
    return table


def word_rounding(question: Question, n: int, words: Array) -> float:
    """The greatest rounding bound of some words, each a class of its own."""
    tables, demands = Tables(question, n), demands_of(question)
    errors = table_errors(question, tables, 2.0**-24)
    assert question.spec.states is not None
    states, worst = question.spec.states(n), 0.0
    for word in words:
        query = tables.query(n - 1, int(word[-1]))
        node = next(x for x in roots(Splitter(query, states, n), np.ones(states.size, bool)) if _ends(x, states, word))
        letters = np.eye(len(question.spec.letters), dtype=bool)[word]
        wanted = demands.select(np.array([node.answer]))
        result = evaluate(query, WordClasses(node.paths, letters[None], node.goal[None]), wanted, basis_of(query))
        worst = max(worst, float(class_rounding(result, wanted, np.array([0]), query_errors(tables, errors, query))[0]))
    return worst


def _ends(node: Any, states: Any, word: Array) -> bool:
    return states.after(word.tolist()) in node.paths.state[node.goal].tolist()


def seen_rounding(question: Question, words: Array) -> float:
    """The most by which a difference of two logits differs between float32 and float64, on some words."""
    texts = [question.tokens(tuple(question.spec.letters[k] for k in word)) for word in words]
    runs = [np.array(question.model.to(x).run(texts, many=True).logits)[:, -1] for x in ("float32", "float64")]
    gap = runs[0].astype(np.float64) - runs[1]
    return float((gap.max(axis=1) - gap.min(axis=1)).max())


def rounding_table() -> Table:
    """Rounding of words, by group of models and length."""
    table = Table("width", "heads", "models", "letters", "bound", "seen", title="Rounding of one word in float32")
    groups: dict[tuple[int, int], list[str]] = {}
    for name, entry in ENTRIES.items():
        if entry["layers"] == 1:
            groups.setdefault((entry["width"], entry["heads"]), []).append(name)
    rng = np.random.default_rng(0)
    for (width, heads), names in groups.items():
        some = names[:: 6 if QUICK else 1]
        for n in (10, 50):
            bounds, seen = [], []
            for question in map(asked, some):
                words = rng.integers(0, len(question.spec.letters), (3 if QUICK else 20, n))
                bounds.append(word_rounding(question, n, words))
                seen.append(seen_rounding(question, words))
            spans = (f"{min(x):.1e} to {max(x):.1e}" for x in (bounds, seen))
            table.add_row(width, heads, len(some), n, *spans)
    return table


def two_layers() -> tuple[Table, Table]:
    """Exhaustion and search with two layers."""
    question = asked(TWO_LAYERS)
    runs = Table("letters", "words", "verdict", "CPU s", title="Exhaustion, two layers")
    for n in (12, 14) if QUICK else (12, 14, 16, 18, 20):
        start = time.process_time()
        result = next(iter(exhaust(question, [n], used=clock(600), most_words=1 << 24)))
        verdict = "wrong" if result.wrong is not None else "proved" if result.complete else "unknown"
        runs.add_row(n, f"{result.words:,}", verdict, f"{time.process_time() - start:.1f}")
    tried = Table("letters", "words tried", "least margin", "CPU s", title="Search, two layers")
    for n in (20, 50, 100, 150):
        start = time.process_time()
        result = search(question, n, seed=0, used=clock(3.0 if QUICK else 10.0))
        tried.add_row(n, f"{result.evaluations:,}", f"{result.margin:.3g}", f"{time.process_time() - start:.1f}")
    return runs, tried


def main() -> None:
    """Prints all tables."""
    print(bounds_table())
    print(rounding_table())
    for table in two_layers():
        print(table)


if __name__ == "__main__":
    main()
