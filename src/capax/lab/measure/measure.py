"""Everything that is measured on a trained network, as plain data."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import torch

from capax.lab.attention_targets import look_matrices, looks_of
from capax.lab.lessons.frame.lesson import Array, Batch, Look
from capax.lab.measure.probe import probes
from capax.lab.measure.quantise import quantised
from capax.lab.measure.score import Score, score_batch
from capax.lab.settings import Settings
from capax.lab.train.make import Net, tensors
from capax.lab.train.transformer import Transformer
from capax.lab.words import CHECK, TEST, Data

LOOK_WORDS, SHOWN_LENGTH = 64, 12
"""Words that heads are compared on, and the length of the one that is shown."""


def measure(net: Net, settings: Settings) -> dict[str, Any]:
    """Accuracies on new words, by length and on longer words, heads beside the program's, and parameters."""
    data, kind = Data(settings), settings.lesson.kind
    tested = {n: score_batch(net, settings, batch) for n, batch in data.tests()}
    longer = {n: score_batch(net, settings, batch) for n, batch in data.longer()}
    found: dict[str, Any] = _total(tested.values()).to_json(kind)
    found["by_length"] = {str(n): part.to_json(kind) for n, part in (tested | longer).items()}
    if longer:
        found |= {f"longer_{name}": value for name, value in _total(longer.values()).to_json(kind).items()}
    found["base_rate"] = base_rate(batch for _, batch in data.tests())
    found["parameters"] = sum(p.numel() for p in net.parameters())
    found["quantised"] = quantised(net, data)
    found["probes"] = probes(net, data)
    found["heads"] = heads(net, data)
    if found["heads"]:
        found["agreement"] = min(head["agreement"] for head in found["heads"])
        found["best_agreement"] = min(head["best_agreement"] for head in found["heads"])
    return found


def _total(parts: Iterable[Score]) -> Score:
    total = Score(0, 0, 0, 0, 0.0)
    for part in parts:
        total += part
    return total


def base_rate(batches: Iterable[Batch]) -> float | None:
    """The share of the commonest answer: what is right without reading; None where nothing is asked."""
    answers = np.concatenate([batch.answers[batch.answers >= 0] for batch in batches] or [np.zeros(0, dtype=np.int64)])
    return float(np.bincount(answers).max() / len(answers)) if len(answers) else None


def heads(net: Net, data: Data) -> list[dict[str, Any]]:
    """Each head of the program beside the network's: the agreement as a number, and both maps on one word.

    `agreement` is that of the head with the same number, `best_agreement` that of the nearest head of any layer, which
    `best` names: without supervision nothing says that heads have the program's numbers.
    """
    settings = data.settings
    if not isinstance(net, Transformer) or settings.attention == "triples":
        return []
    n = min(settings.max_length, max(settings.min_length, SHOWN_LENGTH))
    batch = data.batch(TEST, 2, LOOK_WORDS, n)
    looks: Sequence[Look] = looks_of(settings)
    if settings.lesson.pattern is not None:
        wanted = [(Look(1, 1, "", "named places"), settings.lesson.pattern(batch, settings.parameters))]
    else:
        wanted = [(look, look_matrices(data, batch, look)) for look in looks]
    if not wanted:
        return []
    with torch.no_grad():
        _, weights = net(*tensors(batch))
    learned = [part.double().numpy() for part in weights]
    return [_compared(look, matrix, learned, data, batch) for look, matrix in wanted]


def pattern_agreement(net: Net, data: Data) -> float | None:
    """How far the nearest head looks where the lesson says, or None where it says nothing, or there are no heads."""
    settings = data.settings
    if settings.lesson.pattern is None or not isinstance(net, Transformer) or settings.attention == "triples":
        return None
    batch = data.batch(CHECK, 1, LOOK_WORDS, settings.max_length)
    wanted = settings.lesson.pattern(batch, settings.parameters)
    with torch.no_grad():
        _, weights = net(*tensors(batch))
    learned = [part.double().numpy() for part in weights]
    return max((agreement(wanted, part[:, h]) for part in learned for h in range(part.shape[1])), default=None)


def _compared(look: Look, wanted: Array, learned: list[Array], data: Data, batch: Batch) -> dict[str, Any]:
    plain = len(data.words.inputs) - data.settings.first - data.settings.last
    asked = np.ones(wanted.shape[:2], dtype=bool) if data.words.features else batch.inputs < plain
    each = {
        (layer, head): agreement(wanted, part[:, head], asked)
        for layer, part in enumerate(learned, 1)
        for head in range(part.shape[1])
    }
    layer, head = max(each, key=lambda place: each[place])
    word = [str(t) for t in data.shown(batch, 0)] if not data.words.features else list(map(str, range(len(wanted[0]))))
    size = len(word)
    return {
        "layer": look.layer,
        "head": look.head,
        "name": look.name,
        "selector": look.selector,
        "agreement": each.get((look.layer, look.head - 1), 0.0),
        "best_agreement": each[layer, head],
        "best": [layer, head + 1],
        "word": word,
        "program_map": _rounded(wanted[0, :size, :size]),
        "learned_map": _rounded(learned[layer - 1][0, head, :size, :size]),
    }


def agreement(wanted: Array, learned: Array, asked: Array | None = None) -> float:
    """One less half the sum of absolute differences, the mean over queries that select something: 1 equal, 0 apart.

    `asked` (word, query) leaves out queries at marks, where nothing is answered.
    """
    asked = wanted.sum(axis=2) > 0 if asked is None else asked & (wanted.sum(axis=2) > 0)
    gap = np.abs(wanted - learned).sum(axis=2) / 2
    return float(1 - gap[asked].mean()) if asked.any() else 1.0


def _rounded(matrix: Array) -> list[list[float]]:
    return [[round(float(x), 4) for x in row] for row in matrix]
