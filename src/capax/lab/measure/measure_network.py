"""Everything that is measured on a trained network, as plain data."""

import copy
from collections.abc import Iterable
from typing import Any, TypedDict

import numpy as np
import torch

from capax.lab.attention_targets import target_weights, targets_of
from capax.lab.data import CHECK, TEST, Data
from capax.lab.measure.probe import probes
from capax.lab.measure.score import Score, score_batch
from capax.lab.settings import Settings
from capax.lab.train.make import Net, tensors
from capax.lab.train.transformer import TransformerNet
from capax.tasks.base.training import Array, AttentionTarget, TrainingBatch

COMPARED_WORDS, SHOWN_LENGTH = 64, 12
"""Words that heads are compared on, and the length of the one that is shown."""
LONGEST_WORDS = 16
"""Words of the greatest length that heads are compared on."""


class ComparedHead(TypedDict):
    """A head of the program beside the network's, as it is stored; `best` is the nearest head's layer and number."""

    layer: int
    head: int
    name: str
    selector: str
    agreement: float
    best_agreement: float
    best: list[int]
    word: list[str]
    program_map: list[list[float]]
    learned_map: list[list[float]]


class Quantised(TypedDict):
    """Token accuracy by bits per weight, as it is stored, and the bits that are enough."""

    accuracy: dict[str, float]
    float32: float
    enough: int | None
    bits: int | None


def measure_json(net: Net, settings: Settings) -> dict[str, Any]:
    """Accuracies on new words, by length and on longer words, heads beside the program's, and parameters."""
    data, kind = Data(settings), settings.training.kind
    tested = {n: score_batch(net, settings, batch) for n, batch in data.tests()}
    longer = {n: score_batch(net, settings, batch) for n, batch in data.longer()}
    figures: dict[str, Any] = _total(tested.values()).to_json(kind)
    figures["by_length"] = {str(n): part.to_json(kind) for n, part in (tested | longer).items()}
    if longer:
        figures |= {f"longer_{name}": value for name, value in _total(longer.values()).to_json(kind).items()}
    figures["base_rate"] = base_rate(batch for _, batch in data.tests())
    figures["parameters"] = sum(p.numel() for p in net.parameters())
    figures["quantised"] = quantised(net, data)
    figures["probes"] = probes(net, data)
    figures["heads"] = heads(net, data)
    if figures["heads"]:
        figures["agreement"] = min(head["agreement"] for head in figures["heads"])
        figures["best_agreement"] = min(head["best_agreement"] for head in figures["heads"])
    longest = longest_agreement(net, data)
    return figures if longest is None else figures | {"longest_agreement": longest}


def _total(parts: Iterable[Score]) -> Score:
    total = Score(0, 0, 0, 0, 0.0)
    for part in parts:
        total += part
    return total


def base_rate(batches: Iterable[TrainingBatch]) -> float | None:
    """The share of the commonest answer: what is right without reading; None where nothing is scored."""
    answers = np.concatenate([batch.answers[batch.answers >= 0] for batch in batches] or [np.zeros(0, dtype=np.int64)])
    return float(np.bincount(answers).max() / len(answers)) if len(answers) else None


def heads(net: Net, data: Data) -> list[ComparedHead]:
    """Each head of the program beside the network's: the agreement as a number, and both maps on one word.

    `agreement` is that of the head with the same number, `best_agreement` that of the nearest head of any layer, which
    `best` names: without supervision nothing says that heads have the program's numbers.
    """
    settings = data.settings
    if not isinstance(net, TransformerNet) or settings.attention == "triples":
        return []
    n = min(settings.max_length, max(settings.min_length, SHOWN_LENGTH))
    batch = data.batch(TEST, 2, COMPARED_WORDS, n)
    if settings.training.pattern is not None:
        targets = [
            (AttentionTarget(1, 1, "", "named positions"), settings.training.pattern(batch, settings.parameters))
        ]
    else:
        targets = [(target, target_weights(data, batch, target)) for target in targets_of(settings)]
    if not targets:
        return []
    with torch.no_grad():
        _, weights = net(*tensors(batch))
    learned = [part.double().numpy() for part in weights]
    return [_compared(target, matrix, learned, data, batch) for target, matrix in targets]


def longest_agreement(net: Net, data: Data) -> float | None:
    """The agreement of the nearest heads on words of the greatest length, the least over the program's heads.

    None where `heads` compares words of that length already, or nothing.
    """
    settings = data.settings
    there = isinstance(net, TransformerNet) and settings.attention == "pairs" and settings.training.pattern is None
    targets = targets_of(settings) if there else ()
    if not targets or settings.max_length <= SHOWN_LENGTH:
        return None
    batch = data.batch(TEST, 3, LONGEST_WORDS, settings.max_length)
    with torch.no_grad():
        _, weights = net(*tensors(batch))
    learned = [part.double().numpy() for part in weights]
    compared = [_compared(one, target_weights(data, batch, one), learned, data, batch) for one in targets]
    return min(head["best_agreement"] for head in compared)


def agreement_now(net: Net, data: Data) -> float | None:
    """What a check says of heads: how far the nearest one follows the task's pattern, for words of vectors.

    With `watch_heads` the least agreement of a nearest head over the program's heads; else None.
    """
    settings = data.settings
    if settings.watch_heads:
        return min((head["best_agreement"] for head in heads(net, data)), default=None)
    if settings.training.pattern is None or not isinstance(net, TransformerNet) or settings.attention == "triples":
        return None
    batch = data.batch(CHECK, 1, COMPARED_WORDS, settings.max_length)
    program = settings.training.pattern(batch, settings.parameters)
    with torch.no_grad():
        _, weights = net(*tensors(batch))
    learned = [part.double().numpy() for part in weights]
    return max((agreement(program, part[:, h]) for part in learned for h in range(part.shape[1])), default=None)


def _compared(
    target: AttentionTarget, program: Array, learned: list[Array], data: Data, batch: TrainingBatch
) -> ComparedHead:
    plain = len(data.vocabularies.inputs) - data.settings.has_bos - data.settings.has_eos
    scored = np.ones(program.shape[:2], dtype=bool) if data.vocabularies.features else batch.inputs < plain
    each = {
        (layer, head): agreement(program, part[:, head], scored)
        for layer, part in enumerate(learned, 1)
        for head in range(part.shape[1])
    }
    layer, head = max(each, key=lambda head: each[head])
    word = (
        [str(t) for t in data.tokens(batch, 0)]
        if not data.vocabularies.features
        else list(map(str, range(len(program[0]))))
    )
    size = len(word)
    return {
        "layer": target.layer,
        "head": target.head,
        "name": target.name,
        "selector": target.selector,
        "agreement": each.get((target.layer, target.head - 1), 0.0),
        "best_agreement": each[layer, head],
        "best": [layer, head + 1],
        "word": word,
        "program_map": _rounded(program[0, :size, :size]),
        "learned_map": _rounded(learned[layer - 1][0, head, :size, :size]),
    }


def agreement(program: Array, learned: Array, scored: Array | None = None) -> float:
    """One less half the sum of absolute differences, the mean over queries that select something: 1 equal, 0 apart.

    `scored` (word, query) leaves out queries at marks, which have no answer.
    """
    scored = program.sum(axis=2) > 0 if scored is None else scored & (program.sum(axis=2) > 0)
    gap = np.abs(program - learned).sum(axis=2) / 2
    return float(1 - gap[scored].mean()) if scored.any() else 1.0


def _rounded(matrix: Array) -> list[list[float]]:
    return [[round(float(x), 4) for x in row] for row in matrix]


BITS = (2, 3, 4, 5, 6, 8)
LOSS = 0.01
"""Quantised weights are good enough when they lose at most this much token accuracy."""


def quantised(net: Net, data: Data) -> Quantised:
    """The token accuracy on check words by bits per weight, and the bits of the smallest network that will do.

    The weights of each tensor are rounded to 2^p - 1 levels, evenly from minus to plus the largest; what the network
    computes between them stays in float32. `bits` is p times the number of parameters for the least p that loses at
    most 0.01 of accuracy, and None when none of these does.
    """
    batches, kind = list(data.checks()), data.settings.training.kind

    def accuracy(one: Net) -> float:
        total = _total(score_batch(one, data.settings, batch) for batch in batches)
        return total.to_json(kind)["token_accuracy"]

    whole = accuracy(net)
    accuracies = {str(bits): accuracy(rounded(net, bits)) for bits in BITS}
    enough = next((bits for bits in BITS if accuracies[str(bits)] >= whole - LOSS), None)
    count = sum(p.numel() for p in net.parameters())
    return {
        "accuracy": accuracies,
        "float32": whole,
        "enough": enough,
        "bits": None if enough is None else enough * count,
    }


def rounded(net: Net, bits: int) -> Net:
    """The network with every weight rounded to one of 2^bits - 1 levels of its tensor."""
    quantised_net = copy.deepcopy(net)
    most = 2 ** (bits - 1) - 1
    with torch.no_grad():
        for parameter in quantised_net.parameters():
            step = parameter.abs().max() / most if parameter.numel() else parameter.new_zeros(())
            if step > 0:
                parameter.copy_((parameter / step).round().clamp(-most, most) * step)
    return quantised_net
