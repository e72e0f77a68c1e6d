"""Learns the programs of `recipe.toml` and lists them in `runs.toml`: `python experiments/discrete/train.py`.

Runs that are listed already are left alone; names of runs do these only, again. `--seed 1` takes another seed, whose
programs are not kept. `--page` only writes docs/experiments/discrete.md from the table and the programs.
"""

import argparse
import json
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
TABLE, RECIPE = HERE / "runs.toml", HERE / "recipe.toml"
PAGE = HERE.parents[1] / "docs" / "experiments" / "discrete.md"
MINUTES = 15.0
HEADER = """# Written by train.py from recipe.toml. Accuracies are on words held out; `trained_accuracy` is the best of
# the likeliest choices on words learned from, before the readout is solved for and before refinement.
"""
BEFORE = """# Programs from examples

Written by `experiments/discrete/train.py` from what `capax train TASK --discrete` gave: a network whose heads and
tables are discrete choices is trained on words of up to {length} tokens, written as a RASP program, compiled and
certified. [How it works](../how-to/train.md#train-a-program).

A run is *learned* if the network answers every word held out right. The network and its program are compared on all
short words, on random ones and on those held out: they gave the same answers in {equal} of {runs} runs. *before* is the
best accuracy, on words learned from, of the likeliest choices during training, before the readout is solved for and
choices are refined. *certified* is the length up to which the compiled model is proved equal to the program, in
float32. Each run may take {minutes:.0f} CPU minutes, in one thread.

"""
NOTE = """
## The programs

Tables are written for words of up to {length} tokens; a program without tables goes on to any length. The answer of
majority is scored at the last position only, where `indices` tells the length. Most frequent, with three layers, was
not learned: 400 steps of training reached 0.56 on words learned from; its refinement was not run to the end.
With seed 3, which was not chosen, copy, histogram, reverse, induction, sort and majority are learned; dyck1 is right on
all words learned from and on 0.9986 of the answers held out.

"""


def runs(path: Path, key: str) -> list[dict[str, Any]]:
    """The entries of a table."""
    return list(tomllib.loads(path.read_text(encoding="utf-8")).get(key, [])) if path.exists() else []


def learn(run: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """Does one run, writes its program if the seed is 0, and gives its entry of the table."""
    from capax.app.commands._discrete import train_discrete

    options = dict(run.get("options", {}))
    file = f"{run['name']}.rasp"
    output = str(HERE / file) if seed == 0 else None
    result = train_discrete(run["task"], options | {"seed": str(seed)}, output, None, MINUTES)
    plain = result.to_json()
    words = "".join(f" --{name} {value}" for name, value in options.items())
    size = plain["size"] or {"attention_layers": 0, "heads": []}
    return {
        "name": run["name"],
        "seed": seed,
        "command": f"capax train {run['task']} --discrete{words} --seed {seed}",
        "file": file if seed == 0 else "",
        "learned": result.learned.accuracy == 1.0,
        "network_accuracy": plain["network_accuracy"],
        "program_accuracy": plain["program_accuracy"],
        "trained_accuracy": plain["trained_accuracy"],
        "held_out_words": plain["held_out_words"],
        "equal": plain["equal"],
        "compared_words": plain["compared_words"],
        "rounds": plain["rounds"],
        "steps": plain["steps"],
        "cpu_seconds": round(plain["cpu_seconds"], 1),
        "nodes": plain["nodes"],
        "layers": size["attention_layers"],
        "heads": sum(size["heads"]),
        "max_length": plain["settings"]["max_length"],
        "certified_length": plain["certified_length"],
    }


def write(entries: Iterable[Mapping[str, Any]]) -> None:
    """Writes the table, in the order of seeds and of the recipe."""
    order = [run["name"] for run in runs(RECIPE, "runs")]
    lines = [HEADER]
    for entry in sorted(entries, key=lambda entry: (entry["seed"], order.index(entry["name"]))):
        lines += ["[[runs]]", *(f"{key} = {json.dumps(value)}" for key, value in entry.items()), ""]
    TABLE.write_text("\n".join(lines), encoding="utf-8")


def page(entries: list[dict[str, Any]]) -> str:
    """The page of all runs, and the programs of seed 0."""
    longest = max(entry["max_length"] for entry in entries)
    equal = sum(entry["equal"] for entry in entries)
    text = BEFORE.format(length=longest, equal=equal, runs=len(entries), minutes=MINUTES)
    text += "| task | seed | accuracy | before | steps | CPU s | nodes | layers | heads | certified |\n"
    text += "|---|---|---|---|---|---|---|---|---|---|\n"
    for entry in entries:
        accuracy = "1 (learned)" if entry["learned"] else f"{entry['network_accuracy']:.3f}"
        cells = [entry["name"], entry["seed"], accuracy, f"{entry['trained_accuracy']:.3f}", entry["steps"]]
        cells += [f"{entry['cpu_seconds']:.0f}", entry["nodes"], entry["layers"], entry["heads"]]
        text += f"| {' | '.join(map(str, [*cells, entry['certified_length']]))} |\n"
    text += NOTE.format(length=longest)
    for entry in (entry for entry in entries if entry["file"] and entry["learned"]):
        source = (HERE / entry["file"]).read_text(encoding="utf-8").rstrip()
        text += f"### {entry['name']}\n```rasp\n{source}\n```\n\n"
    return text.rstrip() + "\n"


def main() -> None:
    """Does what is asked for, or what is missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="runs to do again")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--page", action="store_true")
    options = parser.parse_args()
    for run in () if options.page else runs(RECIPE, "runs"):
        entries = {(entry["name"], entry["seed"]): entry for entry in runs(TABLE, "runs")}
        key = run["name"], options.seed
        if run["name"] in options.names if options.names else key not in entries:
            entries[key] = learn(run, options.seed)
            write(entries.values())
            print(*entries[key].values(), flush=True)
    PAGE.write_text(page(runs(TABLE, "runs")), encoding="utf-8")


if __name__ == "__main__":
    main()
