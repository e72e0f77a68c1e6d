"""The losses of training: wrong answers, the distance of vectors, and heads that look elsewhere than the program."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

from capax.tasks.base.training import IGNORE, TrainingBatch


def answer_loss(logits: Tensor, batch: TrainingBatch, kind: str) -> Tensor:
    """The mean cross entropy of the answers, or the mean squared distance of vectors (a sum over coordinates)."""
    if kind == "vectors":
        assert batch.targets is not None
        targets = torch.from_numpy(batch.targets).to(logits)
        return ((logits - targets) ** 2).sum(dim=2).mean()
    answers = torch.from_numpy(batch.answers)
    return nn.functional.cross_entropy(logits.flatten(0, 1), answers.flatten(), ignore_index=IGNORE)


def attention_loss(weights: Sequence[Tensor], targets: Sequence[tuple[int, int, Any]]) -> Tensor:
    """The mean squared error between heads and what they should be, summed over heads.

    `targets` has (layer, head, weights (batch, query, key)), numbers from 0. A query that selects no key is left out:
    softmax has no such row.
    """
    total = torch.zeros(())
    for layer, head, matrix in targets:
        target = torch.from_numpy(matrix).to(weights[layer])
        selects = target.sum(dim=2, keepdim=True) > 0
        error = ((weights[layer][:, head] - target) ** 2) * selects
        total = total + error.sum() / (selects.sum() * target.shape[2]).clamp(min=1)
    return total
