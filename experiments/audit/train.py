"""Trains the models of `recipe.toml` and lists them in `models.toml`: `python experiments/audit/train.py`.

Models whose file is there already are left alone; names of models train these only, again. `--workers 2` trains two at
a time. One model of width 16 takes about 40 CPU s.
"""

import argparse
import json
import time
import tomllib
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
TABLE = HERE / "models.toml"
RECIPE = HERE / "recipe.toml"
MEASURES = ("token_accuracy", "longer_token_accuracy", "loss", "parameters", "steps", "best_step")
SHOWN = ("layers", "heads", "width", "hidden", "batch", "rate")
HEADER = """# Written by train.py from recipe.toml. `against` is what a model is to compute.
# `token_accuracy` is measured on 20,000 new words of the training sampler, of 25 lengths from 1 to the longest of
# training (40, or 150); `longer_token_accuracy` on longer ones, whose positions were not trained. A word has one
# answer: sequence accuracy is the same.
"""


@dataclass(frozen=True, slots=True)
class Recipe:
    """One model: its name, its settings as plain data, and what it is to compute."""

    name: str
    settings: Mapping[str, Any]
    against: str
    alphabet: str


def recipes() -> Iterator[Recipe]:
    """Every model of the recipe, the first seeds of all groups first."""
    table = tomllib.loads(RECIPE.read_text(encoding="utf-8"))
    rows = [(seed, group, task) for group in table["groups"] for task in group["tasks"] for seed in group["seeds"]]
    for seed, group, name in sorted(rows, key=lambda row: row[0]):
        task = table["tasks"][name]
        own = {"task": task["task"], "parameters": task["parameters"], "seed": seed}
        settings = table["settings"] | group.get("settings", {}) | own
        full = "-".join(part for part in (name, group["name"], str(seed)) if part)
        yield Recipe(full, settings, task["against"], task["alphabet"])


def train(recipe: Recipe) -> dict[str, Any]:
    """Trains one model, writes its file, and gives its entry of the table."""
    from capax.lab.settings import settings_of
    from capax.lab.training_run import run, warm_up

    settings = settings_of(recipe.settings)
    warm_up()
    began = time.process_time()
    outcome = run(settings, threads=1)
    seconds = time.process_time() - began
    assert outcome.model is not None
    file = f"{recipe.name}.safetensors"
    outcome.model.save(HERE / file)
    shown = {name: getattr(settings, name) for name in SHOWN}
    measured = {name: outcome.result[name] for name in MEASURES}
    entry = {"name": recipe.name, "file": file, "against": recipe.against, "alphabet": recipe.alphabet, "read": "last"}
    return entry | {"seed": settings.seed} | shown | measured | {"cpu_seconds": round(seconds, 1)}


def write(entries: Mapping[str, Mapping[str, Any]]) -> None:
    """Writes the table, in the order of the recipe."""
    lines = [HEADER]
    for recipe in recipes():
        if recipe.name in entries:
            lines.append("[[models]]")
            lines += [f"{key} = {json.dumps(value)}" for key, value in entries[recipe.name].items()]
            lines.append("")
    TABLE.write_text("\n".join(lines), encoding="utf-8")


def main() -> None:
    """Trains what is asked for, or what is missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="models to train again")
    parser.add_argument("--workers", type=int, default=1)
    options = parser.parse_args()
    table = tomllib.loads(TABLE.read_text(encoding="utf-8")) if TABLE.exists() else {"models": []}
    entries = {entry["name"]: entry for entry in table.get("models", [])}
    todo = [one for one in recipes() if (one.name in options.names if options.names else one.name not in entries)]
    with ProcessPoolExecutor(options.workers) as pool:
        for done in as_completed([pool.submit(train, recipe) for recipe in todo]):
            entry = done.result()
            entries[entry["name"]] = entry
            write(entries)
            print(f"{entry['name']:<30} {entry['token_accuracy']:.5f} {entry['cpu_seconds']:.0f} CPU s", flush=True)


if __name__ == "__main__":
    main()
