"""What a run tells while it is under way, and what it gives in the end: plain data."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a run stands: its step, its last loss, and the accuracy of the last check (None before it)."""

    step: int
    steps: int
    loss: float
    accuracy: float | None


@dataclass(frozen=True, slots=True)
class Check:
    """A look at a run under way: token and sequence accuracy (for vectors, one less the error) and loss.

    `agreement` is how far the nearest head follows the pattern, for tasks that define one for every word.
    """

    step: int
    token_accuracy: float
    sequence_accuracy: float
    loss: float
    agreement: float | None = None


@dataclass(frozen=True, slots=True)
class Trained:
    """What training gave: the checks, from the one before the first step on, the step of the best one, and its weights.

    `reason` is why it ended; the weights are bytes.
    """

    checks: tuple[Check, ...]
    best_step: int
    steps: int
    reason: str
    weights: bytes = field(repr=False)

    def to_json(self) -> dict[str, Any]:
        """Everything but the weights."""
        return {
            "steps": self.steps,
            "best_step": self.best_step,
            "reason": self.reason,
            "last_token_accuracy": self.checks[-1].token_accuracy,
            "history": [asdict(check) for check in self.checks],
        }


Watch: TypeAlias = Callable[[Progress], None]
Keep: TypeAlias = Callable[[bytes], None]
