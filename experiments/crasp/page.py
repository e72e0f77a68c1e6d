"""Writes docs/experiments/crasp.md from `predictions.toml` and `runs.jsonl`: `python experiments/crasp/page.py`.

The AUC is the chance that a language that is predicted to be learned has a higher accuracy on longer words than one
that is not, where ties count half; accuracies are means over the seeds that are done for all languages. Its interval is
from 2,000 bootstrap samples of whole triples, with a fixed seed.
"""

import json
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
TEMPLATE = HERE / "page.template.md"
PAGE = HERE.parents[1] / "docs" / "experiments" / "crasp.md"
STRATA = {"both": "in C-RASP, both readings", "last": "at the last letter only", "out": "outside"}
NETS = {"transformer": "transformer", "lstm": "LSTM"}
SAMPLES = 2_000
WHY = {True: "All that was planned.", False: "Three seeds were planned; the processor was shared."}
Scores = Mapping[tuple[int, str], float]
"""A figure for each language, by triple and stratum."""


def auc(good: Sequence[float], bad: Sequence[float]) -> float:
    """The chance that one of the first is above one of the second; ties count half."""
    one, other = np.array(good)[:, None], np.array(bad)[None, :]
    return float((one > other).mean() + (one == other).mean() / 2)


def split(scores: Scores, triples: Sequence[int], reading: str) -> tuple[list[float], list[float]]:
    """The accuracies of languages inside and outside, by a reading."""
    inside = ("both", "last") if reading == "last" else ("both",)
    parts = {True: list[float](), False: list[float]()}
    for triple in triples:
        for stratum in STRATA:
            parts[stratum in inside].append(scores[triple, stratum])
    return parts[True], parts[False]


def interval(scores: Scores, reading: str) -> tuple[float, float, float]:
    """The AUC of a reading's prediction, and its 95 % interval."""
    triples = sorted({triple for triple, _ in scores})
    random = np.random.default_rng(0)
    drawn = [auc(*split(scores, random.choice(triples, len(triples)).tolist(), reading)) for _ in range(SAMPLES)]
    low, high = np.quantile(drawn, [0.025, 0.975])
    return auc(*split(scores, triples, reading)), float(low), float(high)


def means(runs: Sequence[Mapping[str, Any]], net: str, marker: bool, key: str) -> dict[tuple[int, str], float]:
    """The mean of a figure for each language, over seeds."""
    values: dict[tuple[int, str], list[float]] = {}
    for run in runs:
        if (run["net"], run["marker"]) == (net, marker):
            values.setdefault((run["triple"], run["stratum"]), []).append(run[key])
    return {name: sum(some) / len(some) for name, some in values.items()}


def load() -> tuple[list[dict[str, Any]], list[dict[str, Any]], list[int], int]:
    """The languages, the runs of seeds that are done for all languages, these seeds, and how many runs are left out."""
    languages = tomllib.loads((HERE / "predictions.toml").read_text(encoding="utf-8"))["languages"]
    runs = [json.loads(line) for line in (HERE / "runs.jsonl").read_text(encoding="utf-8").splitlines()]
    whole = 2 * len(NETS) * len(languages)
    seeds = [seed for seed in sorted({run["seed"] for run in runs}) if sum(r["seed"] == seed for r in runs) == whole]
    done = [run for run in runs if run["seed"] in seeds]
    return languages, done, seeds, len(runs) - len(done)


def long_runs() -> list[dict[str, Any]]:
    """The longer runs, of the triples that are done for all strata, with and without a marker."""
    lines = (HERE / "runs_long.jsonl").read_text(encoding="utf-8").splitlines()
    runs = [json.loads(line) for line in lines]
    whole = 2 * len(STRATA)
    done = {triple for triple in {run["triple"] for run in runs} if sum(r["triple"] == triple for r in runs) == whole}
    return [run for run in runs if run["triple"] in done]


def longer(runs: Sequence[Mapping[str, Any]], first: Sequence[Mapping[str, Any]]) -> str:
    """The same languages and seed, trained briefly and longer: accuracies, and the AUCs of the reading that fits."""
    names = {(run["triple"], run["stratum"], run["seed"]) for run in runs}
    brief = [one for one in first if (one["triple"], one["stratum"], one["seed"]) in names]
    table = "| steps | end marker | words of up to 12 | words of 13 to 36 | AUC | AUC of what is kept |\n"
    table += "|---|---|---|---|---|---|\n"
    for marker in (False, True):
        for steps, some in (("600", brief), ("2,400", runs)):
            short, long = (means(some, "transformer", marker, key) for key in ("accuracy", "longer"))
            kept = {language: long[language] - short[language] for language in long}
            own = "end" if marker else "last"
            cells = ["{:.2f} ({:.2f} to {:.2f})".format(*interval(figure, own)) for figure in (long, kept)]
            near, far = (np.mean(list(some.values())) for some in (short, long))
            table += f"| {steps} | {'yes' if marker else 'no'} | {near:.3f} | {far:.3f} | {cells[0]} | {cells[1]} |\n"
    return table


def tables(runs: Sequence[Mapping[str, Any]]) -> tuple[str, str, str]:
    """The AUCs, those of controls, and the mean accuracies by stratum."""
    first = "| network | end marker | AUC, read at the last letter | AUC, read at an end marker |\n|---|---|---|---|\n"
    control = "| network | end marker | AUC of accuracy up to 12 letters | AUC of what is kept |\n|---|---|---|---|\n"
    second = "| network | end marker | languages | words of up to 12 | words of 13 to 36 | 0.99 or more there |\n"
    second += "|---|---|---|---|---|---|\n"
    for net, name in NETS.items():
        for marker in (False, True):
            short, long = (means(runs, net, marker, key) for key in ("accuracy", "longer"))
            cells = ["{:.2f} ({:.2f} to {:.2f})".format(*interval(long, reading)) for reading in ("last", "end")]
            cells[marker] = f"**{cells[marker]}**"
            with_marker = "yes" if marker else "no"
            first += f"| {name} | {with_marker} | {cells[0]} | {cells[1]} |\n"
            kept = {language: long[language] - short[language] for language in long}
            own = "end" if marker else "last"
            cells = ["{:.2f} ({:.2f} to {:.2f})".format(*interval(figure, own)) for figure in (short, kept)]
            control += f"| {name} | {with_marker} | {cells[0]} | {cells[1]} |\n"
            for stratum, what in STRATA.items():
                near, far = ([v for (_, s), v in some.items() if s == stratum] for some in (short, long))
                high = sum(v >= 0.99 for v in far)
                second += f"| {name} | {with_marker} | {what} | {np.mean(near):.3f} | {np.mean(far):.3f} "
                second += f"| {high} of {len(far)} |\n"
    return first, control, second


def page() -> str:
    """The page."""
    languages, runs, seeds, partial = load()
    first, control, second = tables(runs)
    extra = long_runs()
    columns = [(net, marker) for net in NETS for marker in (False, True)]
    scores = [means(runs, net, marker, "longer") for net, marker in columns]
    rows = ""
    for one in languages:
        regex = one["regex"].replace("|", "\\|")
        cells = [one["triple"], one["stratum"], f"`{regex}`", one["alphabet"], one["states"], one["density"]]
        cells += [f"{score[one['triple'], one['stratum']]:.2f}" for score in scores]
        rows += f"| {' | '.join(map(str, cells))} |\n"
    own = {(net, m): interval(s, "end" if m else "last") for (net, m), s in zip(columns, scores, strict=True)}
    inside = [one for one in languages if one["last"]]
    return TEMPLATE.read_text(encoding="utf-8").format(
        count=len(languages),
        triples=len({one["triple"] for one in languages}),
        seeds=", ".join(map(str, seeds)),
        runs=len(runs),
        partial=partial,
        minutes=sum(run["cpu"] for run in runs) / 60,
        why=WHY[len(seeds) == 3],
        first=first,
        control=control,
        second=second,
        verdict=verdict(own),
        longer=longer(extra, runs),
        long_triples=len({run["triple"] for run in extra}),
        long_minutes=sum(run["cpu"] for run in extra) / 60,
        long_verdict=long_verdict(extra),
        simple=sum(one["rounds"] <= 1 for one in inside),
        inside=len(inside),
        heads=" | ".join(f"{NETS[net]}{', marker' if m else ''}" for net, m in columns),
        rules="|".join(["---"] * len(columns)),
        rows=rows,
    )


def verdict(own: Mapping[tuple[str, bool], tuple[float, float, float]]) -> str:
    """What the figures say: an interval that lies above 0.5 is a prediction that holds."""
    lines = []
    for net, name in NETS.items():
        ways = ("without a marker", "with one")
        held = [way for way, marker in zip(ways, (False, True), strict=True) if own[net, marker][1] > 0.5]
        says = "better than chance " + " and ".join(held) if held else "no better than chance"
        lines.append(f"For the {name} the prediction of the reading that fits is {says}.")
    return " ".join(lines)


def long_verdict(runs: Sequence[Mapping[str, Any]]) -> str:
    """The same of the longer runs."""
    held = []
    for marker, way in ((False, "without a marker"), (True, "with one")):
        figures = interval(means(runs, "transformer", marker, "longer"), "end" if marker else "last")
        held += [way] if figures[1] > 0.5 else []
    return "better than chance " + " and ".join(held) if held else "no better than chance"


if __name__ == "__main__":
    PAGE.write_text(page().rstrip() + "\n", encoding="utf-8")
