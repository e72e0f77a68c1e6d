"""Makes the pictures of Match3: `python docs/pictures/match3/make.py` writes them beside this file, in a few minutes.

`pairwise.json` keeps the partitions that the search found; the tests compute their accuracies again.

How well can one pairwise layer that counts tokens in m buckets answer Match3 for one query token? Let a uniform head
have m coordinates, each counting the tokens of some residues, and let any function of the query token and the m counts
give the answer. `accuracy` is the share of words on which the best such function is right, exactly, over all words of a
length: words with the same counts get the same answer, so it takes the majority of each group. Words are gone through
as multisets with multinomial weights. M buckets of one residue each are always right (theorem tri-id).

This is a family of models, not all pairwise layers: a head of unlimited precision can pack all counts into one number,
and weights that depend on the query can do more than a partition. `search` climbs, and may miss the best partition.
"""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations_with_replacement
from pathlib import Path

import numpy as np

from capax.draw.ink.palette import LIGHT
from capax.model.parts import Array
from capax.tasks.match3 import TASK
from capax.theorems.matching.match3 import tensor

FOLDER = Path(__file__).parent
MODULUS, OTHERS, SEED = 19, 4, 0
WORD, PLACE, WORD_MODULUS = [3, 25, 8, 30, 9, 12, 21, 4], 0, 37


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """All words with one query token and some others, as multisets.

    `counts` (words, M) has how often each residue occurs, the query included; `weights` the number of words with these
    counts; `answers` whether the query has a match.
    """

    counts: Array
    weights: Array
    answers: Array

    @property
    def base(self) -> float:
        """The accuracy of the better constant answer."""
        yes = float(self.weights[self.answers].sum() / self.weights.sum())
        return max(yes, 1 - yes)


@lru_cache(maxsize=8)
def all_words(modulus: int, others: int, query: int = 1) -> Words:
    """All words of a query token and `others` tokens more."""
    rows, weights, answers = [], [], []
    for multiset in combinations_with_replacement(range(modulus), others):
        count = np.bincount([*multiset, query % modulus], minlength=modulus)
        weight = math.factorial(others)
        for times in np.bincount(multiset, minlength=modulus):
            weight //= math.factorial(int(times))
        there = np.flatnonzero(count)
        rows.append(count)
        weights.append(weight)
        answers.append(any(count[(-query - a) % modulus] for a in there))
    return Words(np.array(rows), np.array(weights, np.float64), np.array(answers))


def accuracy(partition: Sequence[int], words: Words) -> float:
    """The share of words that the best function of the bucket counts answers right; residue r is in partition[r]."""
    buckets = np.zeros((len(partition), max(partition) + 1), np.int64)
    buckets[np.arange(len(partition)), list(partition)] = 1
    most = int(words.counts.sum(axis=1).max()) + 1
    code = (words.counts @ buckets) @ (most ** np.arange(buckets.shape[1], dtype=np.int64))
    _, group = np.unique(code, return_inverse=True)
    yes = np.bincount(group, words.weights * words.answers)
    everything = np.bincount(group, words.weights)
    return float(np.maximum(yes, everything - yes).sum() / everything.sum())


def search(buckets: int, words: Words, seed: int, starts: int = 3) -> tuple[float, list[int]]:
    """The best partition into a number of buckets that climbing by single moves finds, with its accuracy."""
    random = np.random.default_rng(seed)
    modulus = words.counts.shape[1]
    best: tuple[float, list[int]] = (0.0, [0] * modulus)
    for _ in range(starts):
        now = [int(x) for x in random.permutation(np.arange(modulus) % buckets)]
        value, better = accuracy(now, words), True
        while better:
            better = False
            for r in random.permutation(modulus):
                tries = [[*now[:r], b, *now[r + 1 :]] for b in range(buckets) if b != now[r]]
                candidate = max(((accuracy(one, words), one) for one in tries), default=(0.0, now))
                if candidate[0] > value + 1e-12:
                    (value, now), better = candidate, True
        best = max(best, (value, now))
    return best


def measure() -> dict[str, object]:
    """The best partitions that the search finds, for each number of buckets."""
    words = all_words(MODULUS, OTHERS)
    found = [search(m, words, SEED + m, starts=8) for m in range(1, MODULUS + 1)]
    # More buckets are never worse: a partition into fewer is one into more, with empty ones.
    best = found[:1]
    for one in found[1:]:
        best.append(max(one, best[-1]))
    rows = [{"m": m, "accuracy": value, "partition": list(parts)} for m, (value, parts) in enumerate(best, 1)]
    return {"modulus": MODULUS, "others": OTHERS, "base": words.base, "rows": rows}


def text(x: float, y: float, what: str, anchor: str = "middle", colour: str = LIGHT.text, size: int = 12) -> str:
    """A text."""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="{colour}">{what}</text>'


def page(width: int, height: int, parts: list[str], title: str) -> str:
    """A picture."""
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" role="img"'
    head += f' font-family="system-ui, sans-serif"><title>{title}</title>'
    return "\n".join([head, f'<rect width="{width}" height="{height}" fill="{LIGHT.page}"/>', *parts, "</svg>", ""])


def curve(found: dict) -> str:  # type: ignore[type-arg]
    """Accuracy against the number of buckets, with the third-order head beside it."""
    left, top, wide, high = 60, 64, 520, 260
    most = found["modulus"]

    def x(m: float) -> float:
        return left + wide * (m - 1) / (most - 1)

    def y(a: float) -> float:
        return top + high * (1 - a) / 0.5

    parts = [text(left, 22, f"Match3 for one query, M = {most}, all words of {found['others'] + 1} tokens", "start")]
    for a in (0.5, 0.6, 0.7, 0.8, 0.9, 1.0):
        parts.append(f'<path d="M{left} {y(a):.1f}H{left + wide}" stroke="{LIGHT.line}"/>')
        parts.append(text(left - 8, y(a) + 4, f"{a:.1f}", "end", LIGHT.quiet))
    for m in range(1, most + 1, 2):
        parts.append(text(x(m), top + high + 18, str(m), colour=LIGHT.quiet))
    points = " ".join(f"{x(row['m']):.1f},{y(row['accuracy']):.1f}" for row in found["rows"])
    parts.append(f'<polyline points="{points}" fill="none" stroke="{LIGHT.full}" stroke-width="2"/>')
    for row in found["rows"]:
        parts.append(f'<circle cx="{x(row["m"]):.1f}" cy="{y(row["accuracy"]):.1f}" r="3" fill="{LIGHT.full}"/>')
    base = found["base"]
    parts.append(f'<path d="M{left} {y(base):.1f}H{left + wide}" stroke="{LIGHT.quiet}" stroke-dasharray="4 4"/>')
    parts.append(text(left + wide, y(base) - 6, "the better constant answer", "end", LIGHT.quiet))
    parts.append(f'<rect x="{x(5) - 5:.1f}" y="{y(1) - 5:.1f}" width="10" height="10" fill="{LIGHT.other}"/>')
    parts.append(text(x(5) + 10, y(1) - 8, "third-order head, m = 5: always right", "start", LIGHT.other))
    parts.append(text(x(12), y(0.8), "uniform head, m buckets,", "start", LIGHT.full))
    parts.append(text(x(12), y(0.8) + 16, "best function of the counts", "start", LIGHT.full))
    parts.append(text(left + wide / 2, top + high + 40, "dimension m of the values"))
    parts.append(
        text(left, top + high + 62, "accuracy over all words; partitions found by climbing", "start", LIGHT.quiet)
    )
    return page(620, 404, parts, "Accuracy of counting heads on Match3 against their dimension")


def pairs() -> str:
    """The weights of the third-order head on all pairs, for one query, as the runtime computes them."""
    model = tensor(range(1, WORD_MODULUS + 1), WORD_MODULUS, len(WORD))
    weights = np.asarray(model.run(WORD, trace=True)["blocks.0.attn.pairs.0"])[0, PLACE + 1]
    labels, cell, left, top = ["blank", *map(str, WORD)], 34, 70, 70
    matched = TASK.reference(WORD, modulus=WORD_MODULUS)[PLACE]
    parts = [
        text(20, 22, f"the token {WORD[PLACE]} among {WORD}, mod {WORD_MODULUS}", "start"),
        text(20, 42, f"weights of the pairs (j, k); the answer is {matched}", "start", LIGHT.quiet),
    ]
    for a, one in enumerate(labels):
        parts.append(text(left + cell * (a + 0.5), top - 8, one, colour=LIGHT.quiet))
        parts.append(text(left - 8, top + cell * (a + 0.5) + 4, one, "end", LIGHT.quiet))
        for b in range(len(labels)):
            share = round(float(weights[a, b]), 2)
            fill = LIGHT.shade(1 + round(7 * share)) if share >= 0.01 else LIGHT.panel
            at = f'x="{left + cell * b}" y="{top + cell * a}"'
            parts.append(f'<rect {at} width="{cell - 2}" height="{cell - 2}" fill="{fill}"/>')
            if share >= 0.01:
                middle = left + cell * (b + 0.5) - 1, top + cell * (a + 0.5) + 4
                parts.append(text(*middle, f"{share:.2f}", colour=LIGHT.page if share > 0.5 else LIGHT.text, size=10))
    return page(left + cell * len(labels) + 30, top + cell * len(labels) + 20, parts, "Weights of a third-order head")


def main() -> None:
    """Write the data and the pictures."""
    found = measure()
    (FOLDER / "pairwise.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    (FOLDER / "pairwise.svg").write_text(curve(found), encoding="utf-8")
    (FOLDER / "third_order.svg").write_text(pairs(), encoding="utf-8")


if __name__ == "__main__":
    main()
