"""The page "Accuracy 1.0 and what is true" and its picture, computed from the kept models and their verdicts."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from capax.auditor.verdict import ranges
from capax.draw.shapes.sketch import Sketch

GROUPS = (
    ("One layer, one head, width 16", lambda e: e["layers"] == 1 and e["heads"] == 1 and e["width"] == 16),
    ("One layer, two heads", lambda e: e["heads"] == 2),
    ("One layer, width 256", lambda e: e["width"] == 256),
    ("Two layers", lambda e: e["layers"] == 2),
)
COLOURS = {"proved": 1, "wrong": 5, "unknown": 2}
COLUMNS = "| model | accuracy | right on all | shortest wrong word | unknown | up to | CPU s |"
CELL, TALL, SMALL = 8.0, 12.0, 10.0
TOP = """# Accuracy 1.0 and what is true

`experiments/audit` keeps {models} small GPT-2-like networks that the [lab](../how-to/train.md) trained, on words of
up to 40 letters, with a table of 64 positions (that whose name has
`long` on up to 150, with 161). `train.py` trains them again; `models.toml` has their settings and their measured
accuracy. `capax audit` was then asked on which lengths each is right on *every* word. `verdicts.py` asks
again; `verdicts.toml` has each answer, with the word where a model is wrong.

{finding}

![For each model a row, for each length a mark: proved, wrong or unknown](audit.svg)

Accuracy is the share of right answers on 20,000 random words of 1 to 40 letters, drawn as in training. *Right on all*
are the lengths at which every word is proved right, *shortest wrong word* is the shortest counterexample, and *unknown*
are the lengths at which there is neither. Times are CPU seconds of one core, with one thread, for all lengths.
"""


def verdict_lengths(result: Mapping[str, Any], verdict: str) -> list[int]:
    """The lengths of a model that have a verdict."""
    return [row["n"] for row in result["lengths"] if row["verdict"] == verdict]


def page(entries: Sequence[Mapping[str, Any]], results: Mapping[str, Mapping[str, Any]]) -> str:
    """The whole page."""
    parts = [TOP.format(models=len(entries), finding=_finding(entries, results))]
    for title, belongs in GROUPS:
        rows = [COLUMNS, "|---|---|---|---|---|---|---|"]
        group = [entry for entry in entries if belongs(entry)]
        rows += [_row(entry, results.get(entry["name"])) for entry in group]
        parts.append(f"## {title}\n\n{_decided(group, results)}\n\n" + "\n".join(rows) + "\n")
    return "\n".join(parts)


def _finding(entries: Sequence[Mapping[str, Any]], results: Mapping[str, Mapping[str, Any]]) -> str:
    """What the verdicts say of the models whose accuracy is 1.0."""
    perfect = [e["name"] for e in entries if e["token_accuracy"] == 1.0 and e["name"] in results]
    wrong = [name for name in perfect if any(n <= 40 for n in verdict_lengths(results[name], "wrong"))]
    right = [name for name in perfect if set(range(1, 41)) <= set(verdict_lengths(results[name], "proved"))]
    named = f" ({', '.join(wrong)})" if wrong else ""
    return (
        f"**{len(perfect)} of the {len(results)} audited models have a measured accuracy of 1.0. "
        f"{len(right)} of these are proved right on every word of 1 to 40 letters, the lengths of training; "
        f"{len(wrong)} {'is' if len(wrong) == 1 else 'are'} wrong on a word of such a length{named}.** "
        "Beyond the lengths of training positions were not trained, and most models fail at once."
    )


def _decided(group: Sequence[Mapping[str, Any]], results: Mapping[str, Mapping[str, Any]]) -> str:
    done = [results[e["name"]] for e in group if e["name"] in results]
    whole = [r for r in done if not verdict_lengths(r, "unknown")]
    missing = len(group) - len(done)
    left = f" {missing} {'was' if missing == 1 else 'were'} not audited." if missing else ""
    return f"{len(whole)} of {len(done)} are decided at every length that was asked.{left}"


def _row(entry: Mapping[str, Any], result: Mapping[str, Any] | None) -> str:
    accuracy = f"{entry['token_accuracy']:.5f}".rstrip("0").ljust(3, "0")
    if result is None:
        return f"| {entry['name']} | {accuracy} | not audited | | | | |"
    wrong = [row for row in result["lengths"] if row["verdict"] == "wrong"]
    word = f"`{wrong[0]['word']}` ({wrong[0]['n']})" if wrong else "none"
    cells = [
        entry["name"],
        accuracy,
        ranges(verdict_lengths(result, "proved")) or "none",
        word,
        ranges(verdict_lengths(result, "unknown")) or "none",
        str(result["lengths"][-1]["n"]),
        f"{result['cpu_seconds']:.0f}" if result["cpu_seconds"] >= 10 else f"{result['cpu_seconds']:.1f}",
    ]
    return "| " + " | ".join(cells) + " |"


def picture(entries: Sequence[Mapping[str, Any]], results: Mapping[str, Mapping[str, Any]]) -> str:
    """A row for each model, in groups, and a mark for each length."""
    sketch, y = Sketch("Verdicts by length"), 0.0
    for title, belongs in GROUPS:
        rows = sorted((e for e in entries if belongs(e) and e["name"] in results), key=lambda e: e["name"])
        if not rows:
            continue
        sketch.text(0, y, title, 12, "title", "start")
        y += 8
        for entry in rows:
            sketch.text(-8, y + TALL - 3, entry["name"], SMALL, "name", "end")
            for verdict, run in groupby(results[entry["name"]]["lengths"], key=lambda row: row["verdict"]):
                lengths = [row["n"] for row in run]
                tip = f"{entry['name']}, {ranges(lengths)}: {verdict}"
                x, wide = (lengths[0] - 1) * CELL, len(lengths) * CELL - 1
                sketch.box(x, y, wide, TALL - 2, f"bar layer{COLOURS.get(verdict, 0)}", title=tip)
            y += TALL
        y += 24
    for n in (1, 10, 20, 30, 40, 50, 60):
        sketch.text((n - 0.5) * CELL, y - 8, str(n), SMALL, "quiet")
    sketch.text(20 * CELL, y + 10, "length of the word; models were trained up to 40", SMALL + 1, "name")
    for k, (verdict, colour) in enumerate(COLOURS.items()):
        sketch.box(70 * CELL, 8 + 18 * k, CELL, TALL - 2, f"bar layer{colour}")
        sketch.text(72 * CELL, 17 + 18 * k, verdict, SMALL + 1, "name", "start")
    return sketch.svg()
