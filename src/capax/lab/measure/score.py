"""How right a network is on batches of words."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from capax.lab.settings import Settings
from capax.lab.train.make import Net, answer_loss, tensors
from capax.tasks.base.training import IGNORE, TrainingBatch


@dataclass(frozen=True, slots=True)
class Score:
    """Sums over words: right tokens and scored ones, right words and all words, loss and divergence times tokens."""

    right: float
    scored: int
    whole: float
    words: int
    loss: float
    divergence: float = 0.0

    def __add__(self, other: "Score") -> "Score":
        return Score(
            self.right + other.right,
            self.scored + other.scored,
            self.whole + other.whole,
            self.words + other.words,
            self.loss + other.loss,
            self.divergence + other.divergence,
        )

    def to_json(self, kind: str) -> dict[str, float]:
        """The means. For vectors the error is the mean squared distance, and accuracy is one less the error."""
        scored, words = max(1, self.scored), max(1, self.words)
        means = {
            "token_accuracy": self.right / scored,
            "sequence_accuracy": self.whole / words,
            "loss": self.loss / scored,
        }
        if kind == "distribution":
            means["kl"] = self.divergence / scored
        if kind == "vectors":
            means["error"] = self.loss / scored
        return means


def score_batch(net: Net, settings: Settings, batch: TrainingBatch) -> Score:
    """How right a network is on one batch.

    For a distribution the right answer is the likeliest, and the divergence is KL(truth || network) in nats. For
    vectors each position counts one less its squared distance, never below 0, and a word its worst position.
    """
    kind = settings.training.kind
    with torch.no_grad():
        logits, _ = net(*tensors(batch))
    if kind == "vectors":
        return _vectors(logits, batch)
    answers = torch.from_numpy(batch.answers)
    scored = answers != IGNORE
    loss = float(answer_loss(logits, batch, kind)) * int(scored.sum()) if scored.any() else 0.0
    divergence = 0.0
    if kind == "distribution":
        assert batch.targets is not None
        truth = torch.from_numpy(batch.targets).double()
        answers = truth.argmax(dim=2)
        gap = torch.special.xlogy(truth, truth) - truth * logits.double().log_softmax(dim=2)
        divergence = float((gap.sum(dim=2) * scored).sum())
    right = (logits.argmax(dim=2) == answers) & scored
    whole = (right | ~scored).all(dim=1)
    return Score(float(right.sum()), int(scored.sum()), float(whole.sum()), len(answers), loss, divergence)


def _vectors(logits: Tensor, batch: TrainingBatch) -> Score:
    targets: Any = torch.from_numpy(batch.targets)
    distance = ((logits.double() - targets) ** 2).sum(dim=2)
    near = (1 - distance).clamp(min=0)
    return Score(
        float(near.sum()), distance.numel(), float(near.min(dim=1).values.sum()), len(distance), float(distance.sum())
    )


def score(net: Net, settings: Settings, batches: Iterable[TrainingBatch]) -> tuple[float, float, float]:
    """Token accuracy, sequence accuracy and loss over batches."""
    total = Score(0, 0, 0, 0, 0.0)
    for batch in batches:
        total += score_batch(net, settings, batch)
    means = total.to_json(settings.training.kind)
    return means["token_accuracy"], means["sequence_accuracy"], means["loss"]
