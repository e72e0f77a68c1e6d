"""Audits the models of `models.toml` and keeps the verdicts in `verdicts.toml`: `python experiments/audit/verdicts.py`.

Models that have verdicts already are left alone; names of models audit these only, again. An audit of one model takes
at most its group's CPU seconds, on one core. The page docs/experiments/audit.md is written from both tables by a test.
"""

import argparse
import json
import os
import time
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
MODELS = HERE / "models.toml"
RECIPE = HERE / "recipe.toml"
TABLE = HERE / "verdicts.toml"
HEADER = """# Written by verdicts.py: what capax audit says of each model, length by length, in CPU seconds of one core.
# A row is a length n, its verdict and the method; then, where there are any, the bound on the margin and the rounding
# of float32, both in the class of words where the bound exceeds the rounding least (their difference bounds the margin
# of every word), the least margin seen and its word: the counterexample, where it is wrong.
"""


@dataclass(frozen=True, slots=True)
class AuditGroup:
    """How far and how long the models of a group are audited."""

    longest: int
    seconds: float


def group_of(entry: Mapping[str, Any]) -> AuditGroup:
    """The lengths and the CPU seconds of a model: what it is asked to be decided in."""
    if "-long-" in entry["name"]:
        return AuditGroup(150, 60.0)
    if entry["layers"] > 1:
        return AuditGroup(63, 60.0)
    if entry["against"] == "language:majority" and entry["heads"] == 1 and entry["width"] <= 64:
        return AuditGroup(60, 60.0)
    return AuditGroup(50, 120.0)


def question_of_entry(entry: Mapping[str, Any]) -> Any:
    """The question of a model: is it right, at the last letter, on all words over its alphabet?"""
    import capax
    from capax.app.against_specs.audit import question_of

    tasks = tomllib.loads(RECIPE.read_text(encoding="utf-8"))["tasks"]
    parameters = next(t["parameters"] for t in tasks.values() if t["against"] == entry["against"])
    return question_of(
        capax.load_model(HERE / entry["file"]),
        entry["against"],
        max_length=group_of(entry).longest,
        read=entry["read"],
        alphabet=entry["alphabet"],
        parameters={key: str(value) for key, value in parameters.items()},
    )


def audit_entry(entry: Mapping[str, Any]) -> dict[str, Any]:
    """The verdicts of one model as plain data."""
    from capax.auditor.audit_lengths import audit_lengths
    from capax.auditor.verdict import word_text

    group, question = group_of(entry), question_of_entry(entry)
    start = time.process_time()

    def used() -> float:
        return (time.process_time() - start) / group.seconds

    result = audit_lengths(question, range(1, group.longest + 1), used=used, seconds=group.seconds)
    rows = []
    for verdict in result.lengths:
        row: dict[str, Any] = {"n": verdict.length, "verdict": verdict.outcome, "by": verdict.method}
        before = None if verdict.bound is None else verdict.bound + (verdict.rounding or 0.0)
        row |= {"bound": before, "rounding": verdict.rounding, "margin": verdict.margin}
        row["word"] = word_text(verdict.word) if verdict.word and verdict.outcome != "proved" else None
        rows.append({key: value for key, value in row.items() if value not in (None, float("-inf"), float("inf"))})
    return {"name": entry["name"], "cpu_seconds": round(used() * group.seconds, 1), "lengths": rows}


def _value(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else json.dumps(value)


def write(results: Mapping[str, Mapping[str, Any]], order: list[str]) -> None:
    """Writes the verdicts, in the order of the table of models."""
    lines = [HEADER]
    for name in (name for name in order if name in results):
        result = results[name]
        lines += ["[[models]]", f"name = {json.dumps(name)}", f"cpu_seconds = {result['cpu_seconds']}", "lengths = ["]
        lines += ["  {" + ", ".join(f"{k} = {_value(v)}" for k, v in row.items()) + "}," for row in result["lengths"]]
        lines += ["]", ""]
    TABLE.write_text("\n".join(lines), encoding="utf-8")


def kept() -> dict[str, Mapping[str, Any]]:
    """The verdicts in the table, by model; read again before each is added, since others may have written."""
    table = tomllib.loads(TABLE.read_text(encoding="utf-8")) if TABLE.exists() else {}
    return {result["name"]: result for result in table.get("models", [])}


def main() -> None:
    """Audits what is asked for, or what is missing; the last tasks of the recipe come last."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="models to audit again, in this order")
    options = parser.parse_args()
    os.nice(5)
    os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"  # before numpy is imported
    entries = tomllib.loads(MODELS.read_text(encoding="utf-8"))["models"]
    chosen = options.names or [entry["name"] for entry in entries if entry["name"] not in kept()]
    for entry in sorted((e for e in entries if e["name"] in chosen), key=lambda e: chosen.index(e["name"])):
        result = audit_entry(entry)
        write(kept() | {entry["name"]: result}, [one["name"] for one in entries])
        counts = {v: sum(r["verdict"] == v for r in result["lengths"]) for v in ("proved", "wrong", "unknown", "empty")}
        print(f"{entry['name']:<32} {result['cpu_seconds']:6.1f} CPU s {counts}", flush=True)


if __name__ == "__main__":
    main()
