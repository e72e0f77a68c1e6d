"""Logits as a distribution over outputs, by softmax or sparsemax as the model says, in float64."""

import numpy as np

from capax.errors import CapaxError
from capax.model.arithmetic.floats import FloatArithmetic
from capax.model.model import Model
from capax.model.parts import Array
from capax.model.vocabulary import Classes, Fractions, Numbers


def probabilities(model: Model, logits: Array, temperature: float = 1.0) -> Array:
    """The probabilities (..., outputs) of logits divided by a temperature."""
    if not isinstance(model.decoding, Classes):
        raise CapaxError(
            "not-generative",
            "the model answers with one number, not with a distribution over outputs",
            hint="probabilities need a model with one logit per answer",
        )
    x = np.asarray(logits, np.float64)
    # A tiny temperature would make infinities of the highest logits, were they not moved to 0 first.
    with np.errstate(over="ignore", invalid="ignore"):
        x = np.where(x == x.max(axis=-1, keepdims=True), 0.0, (x - x.max(axis=-1, keepdims=True)) / temperature)
    if model.output_weights == "sparsemax":
        return FloatArithmetic("float64").sparse(x)[0]
    with np.errstate(all="ignore"):
        w = np.exp(x)
    return np.asarray(w / w.sum(axis=-1, keepdims=True))


def log_probabilities(model: Model, logits: Array) -> Array:
    """The natural logarithms of the probabilities; those of a softmax are exact where a probability underflows."""
    if model.output_weights == "softmax" and isinstance(model.decoding, Classes):
        x = np.asarray(logits, np.float64)
        x = x - x.max(axis=-1, keepdims=True)
        return np.asarray(x - np.log(np.exp(x).sum(axis=-1, keepdims=True)))
    with np.errstate(divide="ignore"):
        return np.log(probabilities(model, logits))


def refuse_nan(model: Model, logits: Array, start: int = 0) -> None:
    """Raises an error when logits (n, outputs) of positions from `start` on are NaN: no answer is then the best.

    A decoding as `Numbers` shows them as they are; `Fractions` needs them finite.
    """
    if isinstance(model.decoding, Numbers):
        return
    odd = ~np.isfinite(logits) if isinstance(model.decoding, Fractions) else np.isnan(logits)
    if odd.any():
        raise CapaxError(
            "number-system",
            f"the logits at position {start + int(odd.any(axis=-1).argmax())} are {logits[odd][0]}: a number was too "
            f"large for {model.numbers:.60}, or had no value",
            hint="run(..., trace=True) shows where it began; a system with larger numbers may help",
        )
