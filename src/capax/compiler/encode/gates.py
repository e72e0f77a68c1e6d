"""Numbers that are 0 or 1 for each value of an s-op, in an MLP: bits, one-hot codes, and gates of units."""

import itertools
from collections.abc import Callable

from capax.compiler.analysis.value_sets import bounds
from capax.compiler.encode.features import FeatureBuilder, Number
from capax.compiler.encode.mlp_builder import MlpBuilder
from capax.compiler.encode.relu import MANY_STEPS, digit_base, digit_bits
from capax.compiler.encode.signals import SignalSum
from capax.rasp.ir.nodes import SOpNode

FEW_FACTORS = 8
"""Of more factors than this two digits are looked at."""

MOST_COLUMNS = 16
"""Digits of a token or a position with more values are computed: each bit would be a direction of the stream."""


def operand(builder: FeatureBuilder, node: SOpNode, layer: int, *, exact: bool = False) -> Number:
    """The value of an operand for the MLP of a layer."""
    number = builder.number(node, exact=exact)
    return Number(builder.here(number.signal, node, layer, builder.title(node)), number.exact)


def bit(mlp: MlpBuilder, value: SignalSum, name: str) -> SignalSum:
    """A number that is 0 or 1, as one signal, so that sums of such numbers with any coefficients stay accurate."""
    return value if len(value.terms) <= 1 else mlp.relu(value, name)


def thermometer(builder: FeatureBuilder, node: SOpNode, layer: int) -> list[SignalSum]:
    """For each value of a node but the first, in order, whether the node's value comes as late or later."""
    values = builder.analysis.finite_values(node)
    if len(values) > builder.domain.budget:
        raise builder.analysis.too_large(node, "a list of bits")
    mlp, name = builder.network.mlp(builder.layer(node)), builder.title(node)
    bits = []
    for rank in range(1, len(values)):
        label = f"{name}>={values.values[rank]}"
        value = builder.feature(node, lambda v, rank=rank: float(values.rank(v) >= rank), label)  # type: ignore[misc]
        bits.append(builder.here(bit(mlp, value, label), node, layer, label))
    return bits


def one_hot(builder: FeatureBuilder, node: SOpNode, layer: int) -> list[SignalSum]:
    """For each value of a node, whether the node has it."""
    return _differences(thermometer(builder, node, layer))


def _differences(bits: list[SignalSum]) -> list[SignalSum]:
    """Which of several in order it is, where the bits tell for each but the first whether it comes as late or later."""
    return [a - b for a, b in itertools.pairwise([SignalSum(constant=1.0), *bits, SignalSum()])]


def gates(builder: FeatureBuilder, node: SOpNode, layer: int) -> list[SignalSum]:
    """For each value of a node a number that is 0 where the node has it, and -1 or less elsewhere.

    Of many integers in a row two digits are looked at, so that each unit that reads a gate reads few bits.
    """
    if not has_digits(builder, node, MANY_STEPS):
        return [bit_ - 1.0 for bit_ in one_hot(builder, node, layer)]
    (_, highs), (_, lows) = gated_factors(builder, node, layer)
    values = builder.analysis.finite_values(node)
    return [highs[v // len(lows)] + lows[v % len(lows)] for v in range(len(values))]


def has_digits(builder: FeatureBuilder, node: SOpNode, least: int) -> bool:
    """Whether a node has at least so many integers in a row as values, of which two digits are looked at."""
    values = builder.analysis.finite_values(node)
    span = len(values) - 1
    return span >= least and values.integral and bounds(values)[1] - bounds(values)[0] == span


def gated_factors(builder: FeatureBuilder, node: SOpNode, layer: int) -> list[tuple[list[float], list[SignalSum]]]:
    """Numbers whose sum is the value of a node, each as the list of those that it can be, with a gate for each.

    The gate is 0 where the number is that one, and -1 elsewhere. There is one number, or two: of many integers in a row
    the high digit, times the base, and the low digit. Both lists are then about 2 sqrt(n) long.
    """
    values = builder.analysis.finite_values(node)
    if not has_digits(builder, node, FEW_FACTORS):
        return [([float(v) for v in values.values], [b - 1.0 for b in one_hot(builder, node, layer)])]
    span, low = len(values) - 1, int(bounds(values)[0])
    base = digit_base(span)
    bits = digit_columns(builder, node, low, span) if span < MOST_COLUMNS and builder.is_column(node) else None
    if bits is None:
        x = operand(builder, node, layer).signal
        bits = digit_bits(builder.network.mlp(layer), x, low, low + span, builder.title(node))
    highs, lows = ([bit_ - 1.0 for bit_ in _differences(b)] for b in bits)
    tops = [float(low + base * digit) for digit in range(len(highs))]
    return [(tops, highs), ([float(digit) for digit in range(base)], lows)]


def digit_columns(
    builder: FeatureBuilder, node: SOpNode, low: int, span: int
) -> tuple[list[SignalSum], list[SignalSum]]:
    """The same bits of an s-op that is a function of the token or the position, as columns."""
    base, name = digit_base(span), builder.title(node)

    def column(digit: Callable[[int], int], least: int, which: str) -> SignalSum:
        return builder.stream_feature(
            node, lambda v: float(digit(int(v) - low) >= least), f"{name}, {which} digit >= {least}"
        )

    highs = [column(lambda v: v // base, least, "high") for least in range(1, span // base + 1)]
    return highs, [column(lambda v: v % base, least, "low") for least in range(1, base)]
