"""The functions that models are made of, in plain Python numbers: activations, masks, sparsemax, positions."""

import math
import re
from collections.abc import Callable

from capax.model.parts import Activation
from capax.notation.numerical import parse_predicate


def sparsemax(scores: list[float]) -> list[float]:
    """The point of the simplex nearest to scores: max(s - t, 0) with the t for which they sum to 1."""
    top = max(scores)
    moved = [s - top for s in scores] if math.isfinite(top) else scores
    high, total, threshold = sorted(moved, reverse=True), 0.0, 0.0
    for count, s in enumerate(high, 1):
        if 1 + count * s <= total + s:
            break
        total += s
        threshold = (total - 1) / count
    return [max(s - threshold, 0.0) for s in moved]


def sees(mask: str, i: int, j: int) -> bool:
    """Whether the query at position i sees the key at position j."""
    match mask:
        case "none":
            return True
        case "causal":
            return j <= i
        case "strict past":
            return j < i
        case "future":
            return j >= i
        case "strict future":
            return j > i
        case _:
            raise AssertionError(mask)


def quotient(x: float, y: float) -> float:
    """A quotient as floats have it: by 0 it is infinite, or no number."""
    if y:
        return x / y
    return math.nan if x == 0 or math.isnan(x) else math.copysign(math.inf, x) * math.copysign(1.0, y)


def activated(x: float, kind: Activation) -> float:
    """A hidden unit after its activation."""
    match kind:
        case "relu":
            return x if x > 0 or math.isnan(x) else 0.0
        case "gelu":
            return 0.5 * x * (1 + math.erf(x / math.sqrt(2)))
        case "gelu-tanh":
            return 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)))


def _power(i: int, k: int) -> float:
    try:
        return float(i) ** k
    except OverflowError:
        return math.inf


def position_values(name: str, n: int) -> list[float]:
    """The values of a named function at the positions 0 ... n - 1."""
    plain: dict[str, Callable[[int], float]] = {
        "1": lambda i: 1.0,
        "i": float,
        "1/(i+1)": lambda i: 1 / (i + 1),
        "i/n": lambda i: i / n,
        "1/n": lambda i: 1 / n,
        "(-1)^i": lambda i: (-1.0) ** i,
        "sqrt(1/(i+1))": lambda i: math.sqrt(1 / (i + 1)),
        "sqrt(1-1/(i+1))": lambda i: math.sqrt(1 - 1 / (i + 1)),
        "[i=0]": lambda i: float(i == 0),
    }
    if name in plain:
        return [plain[name](i) for i in range(n)]
    if found := re.fullmatch(r"i\^(\d+)", name):
        return [_power(i, int(found[1])) for i in range(n)]
    if found := re.fullmatch(r"i%(\d+)", name):
        return [float(i % int(found[1])) for i in range(n)]
    if found := re.fullmatch(r"(sin|cos)\(i\*(.+)\)", name):
        wave = math.sin if found[1] == "sin" else math.cos
        return [wave(i * float(found[2])) for i in range(n)]
    if found := re.fullmatch(r"\[i%(\d+)=(\d+)\]", name):
        return [float(i % int(found[1]) == int(found[2])) for i in range(n)]
    predicate = parse_predicate(name[1:-1])
    return [float(predicate.holds(i, n)) for i in range(n)]
