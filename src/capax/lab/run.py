"""One run: from settings to results. PyTorch is imported here, and nowhere before."""

from dataclasses import dataclass, field
from typing import Any

from capax.errors import CapaxError
from capax.lab.progress import Keep, Watch
from capax.lab.settings import Settings
from capax.model.export.registry import need
from capax.model.model import Model


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run gave: the results as plain data, the weights as bytes, and the model where it can be one."""

    result: dict[str, Any]
    weights: bytes = field(repr=False)
    model: Model | None = None


def run(
    settings: Settings,
    *,
    watch: Watch = lambda progress: None,
    keep: Keep = lambda state: None,
    resume: bytes | None = None,
    threads: int = 1,
) -> Outcome:
    """What training and measuring with the settings gives; `resume` goes on from a state that `keep` got.

    With one thread the result is the same on every run; small networks are no faster with more.
    """
    need("torch", ("torch",))
    import capax.lab.train.threads as pool
    from capax.lab.measure.measure import measure
    from capax.lab.measure.to_model import refused, to_model
    from capax.lab.train.train import train

    try:
        with pool.threads(threads):
            net, trained = train(settings, watch=watch, keep=keep, resume=resume)
            result = measure(net, settings) | trained.to_json()
            plain = {name: result[name] for name in ("token_accuracy", "sequence_accuracy")}
            model = None if refused(settings) else to_model(net, settings, plain)
        return Outcome(result, trained.weights, model)
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
    """Raises an error when what is trained with the settings cannot be kept as a model."""
    need("torch", ("torch",))
    from capax.lab.measure.to_model import check_holds

    check_holds(settings)
