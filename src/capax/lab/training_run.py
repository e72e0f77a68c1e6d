"""One run: from settings to results, and what it tells while it is under way. PyTorch is imported here, not before."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from itertools import takewhile
from typing import Any, TypeAlias

from capax.errors import CapaxError
from capax.lab.settings import Settings
from capax.model.export.target import need
from capax.model.model import Model


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

    `agreement` is how far the nearest head follows the pattern, for tasks that define one for every word, or the
    program's heads, where the settings say that they are watched. `certified`
    is the length up to which the certifier proves that the weights compute the program, and `right_up_to` that up to
    which all words were run and are right, where the settings ask for it.
    """

    step: int
    token_accuracy: float
    sequence_accuracy: float
    loss: float
    agreement: float | None = None
    certified: int | None = None
    right_up_to: int | None = None

    def to_json(self) -> dict[str, float]:
        """What was measured, by name."""
        return {name: value for name, value in asdict(self).items() if value is not None}


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
            **self._proved(),
            "history": [check.to_json() for check in self.checks],
        }

    def _proved(self) -> dict[str, float]:
        """What the last check proved, and up to which step the first certificate held (0: there was none)."""
        first, last = self.checks[0], self.checks[-1]
        if first.certified is None or last.certified is None or last.right_up_to is None:
            return {}
        held = takewhile(lambda check: check.certified == first.certified, self.checks)
        until = max(check.step for check in held) if first.certified else 0
        return {"certified": last.certified, "right_up_to": last.right_up_to, "certified_until": until}


Watch: TypeAlias = Callable[[Progress], None]
Keep: TypeAlias = Callable[[bytes], None]


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """What a run gave: the results as plain data, the weights as bytes, and the model where it can be one."""

    result: Mapping[str, Any]
    weights: bytes = field(repr=False)
    model: Model | None = None


def run(
    settings: Settings,
    *,
    watch: Watch = lambda progress: None,
    keep: Keep = lambda state: None,
    resume: bytes | None = None,
    threads: int = 1,
) -> RunOutcome:
    """What training and measuring with the settings gives; `resume` continues from a state that `keep` got.

    With one thread the result is the same on every run; small networks are no faster with more.
    """
    need("torch", ("torch",))
    from capax.lab.measure.gradients import gradients_json
    from capax.lab.measure.measure_network import measure_json
    from capax.lab.measure.to_model import refused, to_model
    from capax.lab.train.train import torch_threads, train

    try:
        with torch_threads(threads):
            net, trained = train(settings, watch=watch, keep=keep, resume=resume)
            result = measure_json(net, settings) | {"gradients": gradients_json(net, settings)} | trained.to_json()
            plain = {name: result[name] for name in ("token_accuracy", "sequence_accuracy")}
            model = None if refused(settings) else to_model(net, settings, plain)
        return RunOutcome(result, trained.weights, model)
    except (MemoryError, RuntimeError) as error:
        if isinstance(error, RuntimeError) and "memory" not in str(error):
            raise
        hint = "make width, batch, test_words or max_length smaller; attention = pairs"
        raise CapaxError("too-large", "the run needs more memory than there is", hint=hint) from None


def warm_up() -> None:
    """Imports PyTorch, so that it is there when the clock starts; it is an error when it is not installed."""
    need("torch", ("torch",))
    import capax.lab.train.train  # noqa: F401


def check_model(settings: Settings) -> None:
    """Raises an error when what is trained with the settings cannot be saved as a model."""
    need("torch", ("torch",))
    from capax.lab.measure.to_model import check_holds

    check_holds(settings)
