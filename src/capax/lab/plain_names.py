"""What measures and settings are called in plots, tables and verdicts."""

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Any

MEASURES: Mapping[str, str] = MappingProxyType(
    {
        "token_accuracy": "token accuracy",
        "sequence_accuracy": "accuracy on whole words",
        "longer_token_accuracy": "token accuracy on longer words",
        "last_token_accuracy": "token accuracy when training ends",
        "kl": "KL divergence to the true model",
        "error": "mean squared error",
        "loss": "loss (cross entropy)",
        "base_rate": "share of the commonest answer",
        "agreement": "agreement with the program's head",
        "best_agreement": "agreement of the nearest head",
        "certified": "certified length",
        "certified_until": "steps that the first certificate survives",
        "right_up_to": "all words right up to length",
        "longest_agreement": "agreement of the nearest head on the longest words",
        "quantised.enough": "bits that suffice",
        "step_seconds": "seconds per step",
        "step_cpu_seconds": "CPU seconds per step",
        "gradients.start.ratio": "gradient, first over last position, at random weights",
        "gradients.end.ratio": "gradient, first over last position, after training",
        "gradients.start.norm": "norm of the gradient by all weights, at random weights",
    }
)
SHARES = ("accuracy", "agreement", "rate")
"""Measures whose names end so are between 0 and 1."""
SETTINGS: Mapping[str, str] = MappingProxyType(
    {
        "max_length": "longest word",
        "min_length": "shortest word",
        "long_length": "longest test word",
        "parameters.name": "language",
        "parameters.order": "order n",
        "parameters.rank": "rank of the logits",
        "parameters.symbols": "number of symbols",
        "net": "network",
        "rate": "learning rate",
        "batch": "words per step",
        "wave_base": "base of the sinusoids",
        "lengths": "lengths per step",
        "start_noise": "noise at the start",
    }
)
NETWORKS: Mapping[str, str] = MappingProxyType(
    {
        "lstm": "LSTM",
        "gru": "GRU",
        "rnn": "plain recurrent",
        "mlp": "fully connected",
        "integer-layer": "layer in integers",
    }
)
BY_TASK: Mapping[tuple[str, str], str] = MappingProxyType(
    {("composition", "max_length"): "n", ("q-sparse-averaging", "max_length"): "N"}
)
"""Settings that have another name in one task."""


def measure_name(name: str) -> str:
    """A measure as axes and tables call it; one without a name of its own has blanks instead of underscores."""
    return MEASURES.get(name, name.replace("_", " "))


def is_share(name: str) -> bool:
    """Whether a measure lies between 0 and 1."""
    return name.endswith(SHARES)


def setting_name(name: str, tasks: Collection[str] = ()) -> str:
    """A setting as axes and tables call it, in runs of these tasks."""
    if len(tasks) == 1 and (own := BY_TASK.get((next(iter(tasks)), name))):
        return own
    return SETTINGS.get(name, name.removeprefix("parameters.").replace("_", " "))


def choice_name(name: str, value: Any, tasks: Collection[str] = ()) -> str:
    """A setting with its value, or with the values that it may have; arms, networks and tasks go by names alone."""
    several = value if isinstance(value, list) else [value]
    values = " or ".join(NETWORKS.get(str(one), str(one)) if name == "net" else str(one) for one in several)
    return values if name in ("arm", "net", "task") else f"{setting_name(name, tasks)} = {values}"
