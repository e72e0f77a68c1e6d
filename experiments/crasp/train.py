"""Trains networks on the languages of `predictions.toml`: `python experiments/crasp/train.py`.

Every run takes the same steps on words of up to 12 letters and is tested on words of 13 to 36. A line of `runs.jsonl`
is a run; runs that have a line are not done again. `--minutes 30` stops when so many CPU minutes are used. The seeds
are done one after the other, so that what is done at any time is a fair share of the whole. `--long` trains
transformers four times as long, with one seed, and writes `runs_long.jsonl`: did the networks learn too little?
"""

import argparse
import json
import time
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PREDICTIONS, RUNS, LONG = HERE / "predictions.toml", HERE / "runs.jsonl", HERE / "runs_long.jsonl"
SEEDS = (0, 1, 2)
LONG_STEPS = 2_400
NETS: Mapping[str, Mapping[str, Any]] = {
    "transformer": {"net": "transformer", "layers": 2, "heads": 2, "positions": "none"},
    "lstm": {"net": "lstm", "layers": 1, "both_ways": False},
}
SHARED: Mapping[str, Any] = {
    "task": "regex",
    "marks": "bos",
    "mask": "causal",
    "max_length": 12,
    "long_length": 36,
    "width": 32,
    "steps": 600,
    "batch": 32,
    "rate": 3e-3,
    "warmup": 50,
    "check_every": 200,
    "check_words": 240,
    "test_words": 480,
    "stop_at": 2.0,
}


def jobs(long: bool) -> Iterator[tuple[int, str, bool, Mapping[str, Any]]]:
    """A seed, a kind of network, whether there is an end marker, and a language: all of them, seed by seed."""
    languages = tomllib.loads(PREDICTIONS.read_text(encoding="utf-8"))["languages"]
    for seed in SEEDS[:1] if long else SEEDS:
        for language in languages:
            for net in ("transformer",) if long else NETS:
                for marker in (False, True):
                    yield seed, net, marker, language


def run(seed: int, net: str, marker: bool, language: Mapping[str, Any], steps: int) -> dict[str, Any]:
    """One run: its accuracies on words of the lengths of training, and on longer ones."""
    from capax.lab.data import Data
    from capax.lab.measure.score import score_batch
    from capax.lab.settings import Settings
    from capax.lab.train.train import train

    parameters = {"regex": language["regex"], "alphabet": language["alphabet"], "marker": marker}
    settings = Settings(**{**SHARED, **NETS[net], "parameters": parameters, "seed": seed, "steps": steps})
    begin = time.process_time()
    trained, _ = train(settings)
    parts = {
        n: score_batch(trained, settings, batch) for n, batch in [*Data(settings).tests(), *Data(settings).longer()]
    }
    split = [[part for n, part in parts.items() if (n > 12) == longer] for longer in (False, True)]
    short, long = (sum(part.right for part in some) / sum(part.scored for part in some) for some in split)
    return {
        "triple": language["triple"],
        "stratum": language["stratum"],
        "net": net,
        "marker": marker,
        "seed": seed,
        "accuracy": round(short, 4),
        "longer": round(long, 4),
        "cpu": round(time.process_time() - begin, 2),
    }


def name(one: Mapping[str, Any]) -> tuple[Any, ...]:
    """What tells runs apart."""
    return tuple(one[key] for key in ("triple", "stratum", "net", "marker", "seed"))


def finished(file: Path) -> list[dict[str, Any]]:
    """The runs that are done."""
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] if file.exists() else []


def main() -> None:
    """Does the runs that are missing."""
    import torch

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--long", action="store_true")
    asked = parser.parse_args()
    file, steps = (LONG, LONG_STEPS) if asked.long else (RUNS, SHARED["steps"])
    torch.set_num_threads(1)
    done = {name(one) for one in finished(file)}
    for seed, net, marker, language in jobs(asked.long):
        if time.process_time() > 60 * asked.minutes:
            break
        if (language["triple"], language["stratum"], net, marker, seed) not in done:
            line = json.dumps(run(seed, net, marker, language, steps))
            with file.open("a", encoding="utf-8") as lines:
                lines.write(line + "\n")


if __name__ == "__main__":
    main()
