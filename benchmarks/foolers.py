"""How long it takes to fool a model, and to run one as a protocol.

    python benchmarks/foolers.py [--quick]

Each row of the first table is a one-layer model of composition: random weights, or trained with
benchmarks/one_layer_training.py. `width` is the number of bits of the message about f, `bound` a bound of the
logarithm of the number of messages of this very model, `f` the logarithm of the number of functions: a witness has to
exist where one of the first two is smaller. Times are processor seconds of one process with one thread; every witness
is checked again by the independent code.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import json
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from table import Table

from capax.limits.protocols.autoregressive import split_run
from capax.limits.witnesses.check.fooling_check import check_witness
from capax.limits.witnesses.check.read_witness import read_witness
from capax.limits.witnesses.models import composition, match3, sparse_averaging
from capax.limits.witnesses.models.random_layers import ToyShape, random_model
from capax.limits.witnesses.search.fool import fool
from capax.limits.witnesses.search.fool_nets import null_vector
from capax.limits.witnesses.search.one_query import OneQuery
from capax.limits.witnesses.search.recurrent import batch_prefix_collision, prefix_collision
from capax.model.model import Model

QUICK = "--quick" in sys.argv
SEEDS = range(1 if QUICK else 3)
SIZES = (
    # n, heads, dim, numbers
    (12, 1, 2, "integer:8,4,4"),
    (16, 1, 2, "integer:8,4,4"),
    (32, 1, 2, "integer:8,5,5"),
    (32, 1, 3, "integer:8,5,5"),
    (64, 2, 2, "integer:8,4,4"),
    (64, 2, 3, "integer:8,4,4"),
)


def within(seconds: float) -> Callable[[], float]:
    """The share of some seconds that is used up since now."""
    start = time.perf_counter()
    return lambda: (time.perf_counter() - start) / seconds


def fooled(model: Model, task: str, seconds: float, seed: int) -> tuple[Any, float, float]:
    """What the search gave, its time, and the time of the second look (which has to agree)."""
    start = time.process_time()
    found = fool(model, task, {}, seed=seed, used=within(seconds))
    took, start = time.process_time() - start, time.process_time()
    if found.witness is not None:
        report = check_witness(read_witness(json.dumps(found.witness), "the witness"), model)
        assert report.holds, str(report)
    return found, took, time.process_time() - start


def row(name: str, model: Model, seed: int, accuracy: str = "") -> list[str]:
    """A line of the first table."""
    n = model.provenance.layout["n"]
    query = OneQuery(model, tuple(range(n, 2 * n)), (tuple(range(n)),) * n, 0, 2 * n, 2 * n + 1)
    found, took, again = fooled(model, "composition", 30 if QUICK else 120, seed)
    additive = query.additive()
    kind, method = ("none", "") if found.witness is None else (found.witness["kind"], found.witness["method"])
    bits = [str(query.width), f"{additive.message_bits:.1f}", f"{additive.input_bits:.1f}"]
    must = "yes" if found.guaranteed else "no"
    return [name, str(seed), *bits, must, kind, method, f"{took:.1f}", f"{again:.1f}", accuracy]


def compositions() -> None:
    """The first table."""
    columns = ("layer", "seed", "width", "bound", "f", "must", "found", "method", "s", "check s", "accuracy")
    table = Table(*columns, title="One layer, composition")
    for n, heads, dim, numbers in SIZES:
        for seed in SEEDS:
            shape = ToyShape(heads=heads, dim=dim, numbers=numbers)
            table.add_row(*row(f"random n{n} H{heads} d{dim}", composition.random_layers(n, shape, seed), seed))
    try:
        from one_layer_training import Setting, trained
    except ImportError:
        table.add_row("trained: not run, it needs the extra torch")
        print(table)
        return
    for n, heads, dim in ((6, 1, 2), (8, 1, 2), (16, 1, 2), (24, 2, 1), (64, 2, 3))[: 2 if QUICK else 5]:
        model, accuracy = trained(Setting(n=n, heads=heads, dim=dim, steps=100 if QUICK else 600))
        table.add_row(*row(f"trained n{n} H{heads} d{dim}", model, 0, f"{accuracy:.2f}, chance {1 / n:.2f}"))
    print(table)


def others() -> None:
    """The other tasks."""
    table = Table("model", "must", "found", "method", "s", title="Other tasks")
    cases: list[tuple[str, Model, str]] = [
        ("match3 n16, random H1 d2", match3.random_layers(16, 128, ToyShape(), 0), "match3"),
        ("match3 n40, random H2 d2", match3.random_layers(40, 320, ToyShape(heads=2), 0), "match3"),
        ("match3 n80, random H1 d2", match3.random_layers(80, 640, ToyShape(), 0), "match3"),
        ("sparse averaging q6, 2 random keys", sparse_averaging.random_keys(6, 2, 2, 0), "sparse-averaging"),
        ("parity n30, random H1 d2", random_model(ToyShape(), (0, 1), (0, 1), 30, 0, _layout("parity", 30)), "parity"),
    ]
    for name, model, task in cases:
        found, took, _ = fooled(model, task, 30, 0)
        witness = found.witness or {"kind": "none", "method": ""}
        must = "yes" if found.guaranteed else "no"
        table.add_row(name, must, witness["kind"], witness["method"], f"{took:.1f}")
    print(table)


def _layout(task: str, n: int) -> dict[str, Any]:
    return {"task": task, "n": n}


def timed(name: str, work: Callable[[], str]) -> tuple[str, str, str]:
    """A piece of work, its time, and what it gave."""
    start = time.process_time()
    text = work()
    return name, f"{time.process_time() - start:.2f}", text


def machines() -> None:
    """Recurrent prefixes, null vectors, and the autoregressive protocol."""
    table = Table("work", "s", "gave", title="Other machines, and a protocol")
    mask, odd = (1 << 60) - 1, 0x9E3779B97F4A7C15

    def plain(state: int, bit: int) -> int:
        return ((state ^ (bit + 1)) * odd + (state >> 29)) & mask

    def batch(states: Any, bit: int) -> Any:
        mixed = (states ^ np.uint64(bit + 1)) * np.uint64(odd)
        return (mixed + (states >> np.uint64(29))) & np.uint64(mask)

    def told(found: Any) -> str:
        return f"{found.prefixes:,} prefixes, {'equal states' if found.one else 'all states differ'}"

    table.add_row(*timed("recurrent, 2^20 prefixes, a Python function", lambda: told(prefix_collision(plain, 1, 20))))
    start = np.array([1], np.uint64)
    table.add_row(*timed("recurrent, 2^20 prefixes, on arrays", lambda: told(batch_prefix_collision(batch, start, 20))))
    weight = np.random.default_rng(0).integers(-8, 9, (63, 64)).tolist()
    null = timed(
        "fully connected, 63 units for 64 inputs, exact", lambda: f"{len(null_vector(weight) or [])} coordinates"
    )
    table.add_row(*null)
    shape = ToyShape(4, 4, 16, 16, 16, "integer:8,12,8", "causal")
    counts = (400, 200, 60, 15, 4, 1)
    model = random_model(shape, range(9), range(3), sum(counts), 0, {})
    word = np.random.default_rng(1).integers(0, 9, sum(counts)).tolist()

    def protocol() -> str:
        messages, _, compared = split_run(model, word, counts, [str(i) for i in range(len(counts))])
        bits = sum(m.bits for m in messages if not m.free)
        return f"{bits:,} bits, {compared:,} integers identical"

    table.add_row(*timed("autoregressive protocol, 4 layers, 680 tokens", protocol))
    print(table)


if __name__ == "__main__":
    compositions()
    others()
    machines()
