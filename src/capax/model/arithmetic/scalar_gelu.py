"""GELU of one number."""

import math
from collections.abc import Callable

from capax.model.parts import Activation


def scalar_gelu(kind: Activation) -> Callable[[float], float]:
    """The exact GELU or its approximation by a hyperbolic tangent, as a function of one float."""
    return _by_erf if kind == "gelu" else _by_tanh


def _by_erf(x: float) -> float:
    return 0.5 * x * (1 + math.erf(x / math.sqrt(2)))


def _by_tanh(x: float) -> float:
    return 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
