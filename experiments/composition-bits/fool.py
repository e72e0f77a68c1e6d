"""Fools the trained layers of `composition-bits.toml`, and keeps what was found in `fooled.toml`.

Run: python experiments/composition-bits/fool.py [N]
Each layer in integers is trained again by its settings, which give the same layer; that its accuracy is the kept one is
checked. Then two inputs are searched for that send the same message about g and have different answers, and what is
found is checked by code that shares nothing with the search. Layers that have an entry are left alone; at most N are
done now. With --page the table of the page is printed instead.
"""

import argparse
import json
import os
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

HERE = Path(__file__).parent
TABLE = HERE / "fooled.toml"
KEPT = HERE.parents[1] / "docs" / "experiments" / "quick.sqlite"
NAME, SECONDS = "composition-bits", 120.0
HEADER = """# Written by fool.py: what `capax fool` found for each trained layer in integers, CPU seconds included.
# bits: of the message about g, as written; table: n log2 n; ceiling: the accuracy that Fano's inequality allows;
# checked: whether the witness holds for code that shares nothing with the search.
"""


def entries() -> list[dict[str, Any]]:
    """What was found so far."""
    return tomllib.loads(TABLE.read_text(encoding="utf-8"))["layers"] if TABLE.exists() else []


def layers() -> Iterator[Any]:
    """The finished runs of layers in integers, seed by seed."""
    from capax.app.sweeps.results_store import Store

    for run in sorted(Store(KEPT, only_read=True).runs(NAME, "quick"), key=lambda run: int(run.settings["seed"])):
        if run.settings["net"] == "integer-layer" and run.result is not None:
            yield run


def fooled(run: Any) -> dict[str, Any]:
    """The entry of a run: the layer trained again, and the search."""
    from capax.app.commands.fool import fool_model
    from capax.lab.settings import settings_of
    from capax.lab.training_run import run as train
    from capax.limits.base.one_layer import exact_bits, fano_error, n_log_n
    from capax.limits.witnesses.check.fooling_check import check_witness
    from capax.limits.witnesses.check.read_witness import read_witness

    start = time.process_time()
    at = settings_of(run.settings)
    outcome = train(at)
    assert outcome.model is not None
    n, dim = at.max_length, at.head_dim
    search = fool_model(outcome.model, "trained again", "composition", {}, seconds=SECONDS, seed=0)
    witness = search.search.witness
    checked = witness is not None and check_witness(read_witness(json.dumps(witness), "it"), outcome.model).holds
    count = exact_bits(at.heads, dim, at.weight_bits, at.value_bits, n)
    return {
        "n": n,
        "numbers": dim,
        "seed": at.seed,
        "key": run.key,
        "accuracy": outcome.result["token_accuracy"],
        "same_layer": outcome.result["token_accuracy"] == run.result["token_accuracy"],
        "bits": count,
        "table": round(float(n_log_n(n)), 1),
        "ceiling": round(1 - fano_error(n, count), 4),
        "had_to_exist": search.search.guaranteed,
        "found": "" if witness is None else witness["kind"],
        "by": "" if witness is None else witness["method"],
        "checked": checked,
        "cpu_seconds": round(time.process_time() - start, 1),
    }


def write(rows: list[dict[str, Any]]) -> None:
    """All entries as a table."""
    rows = sorted(rows, key=lambda row: (row["numbers"], row["n"], row["seed"]))
    parts = ["\n[[layers]]\n" + "".join(f"{k} = {json.dumps(v)}\n" for k, v in row.items()) for row in rows]
    TABLE.write_text(HEADER + "".join(parts), encoding="utf-8")


def page() -> str:
    """The table of the page: a row for each shape and n."""
    head = ["values", "n", "layers", "bits of the message", "bits of g", "ceiling", "best accuracy", "fooled, checked"]
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    rows = entries()
    for numbers, n in sorted({(row["numbers"], row["n"]) for row in rows}):
        group = [row for row in rows if (row["numbers"], row["n"]) == (numbers, n)]
        first, best = group[0], max(row["accuracy"] for row in group)
        pairs = sum(row["checked"] and row["found"] == "equal-transcripts" for row in group)
        others = sum(row["checked"] and row["found"] not in ("", "equal-transcripts") for row in group)
        told = f"{pairs}" + (f", and {others} by a wrong answer" if others else "")
        ceiling = f"{first['ceiling']:.3f}" if first["ceiling"] < 1 else "none"
        cells = [numbers, n, len(group), first["bits"], first["table"], ceiling, f"{best:.3f}", told]
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Does the layers that have no entry, and writes after each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("limit", nargs="?", type=int, default=1000)
    parser.add_argument("--page", action="store_true")
    chosen = parser.parse_args()
    if chosen.page:
        print(page(), end="")
        return
    rows = entries()
    there = {row["key"] for row in rows}
    for run in [run for run in layers() if run.key not in there][: chosen.limit]:
        rows.append(fooled(run))
        write(rows)
        print(rows[-1])


if __name__ == "__main__":
    main()
