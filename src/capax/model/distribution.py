"""Logits as a distribution over outputs, by softmax or sparsemax as the model says, in float64."""

import numpy as np

from capax.errors import CapaxError
from capax.model.arithmetic.floats import FloatArithmetic
from capax.model.model import Model
from capax.model.parts import Array
from capax.model.vocabulary import Classes


def probabilities(model: Model, logits: Array, temperature: float = 1.0) -> Array:
    """The probabilities (..., outputs) of logits divided by a temperature."""
    if not isinstance(model.decoding, Classes):
        raise CapaxError(
            "not-generative",
            "the model answers with one number, not with a distribution over outputs",
            hint="probabilities need a model with one logit per answer",
        )
    x = np.asarray(logits, np.float64) / temperature
    if model.output_weights == "sparsemax":
        return FloatArithmetic("float64").sparse(x)[0]
    with np.errstate(all="ignore"):
        w = np.exp(x - x.max(axis=-1, keepdims=True))
    return np.asarray(w / w.sum(axis=-1, keepdims=True))


def log_probabilities(model: Model, logits: Array) -> Array:
    """The natural logarithms of the probabilities; those of a softmax are exact where a probability underflows."""
    if model.output_weights == "softmax" and isinstance(model.decoding, Classes):
        x = np.asarray(logits, np.float64)
        x = x - x.max(axis=-1, keepdims=True)
        return np.asarray(x - np.log(np.exp(x).sum(axis=-1, keepdims=True)))
    with np.errstate(divide="ignore"):
        return np.log(probabilities(model, logits))
