"""Products and quotients of two s-ops: a unit for each value of the one, closed where that has another value."""

import math

from capax.compiler.analysis.analysis import Entry
from capax.compiler.analysis.value_sets import Finite, ValueSet, bounds
from capax.compiler.encode.features import FeatureBuilder, Number
from capax.compiler.encode.gates import gated_factors, gates
from capax.compiler.encode.signals import SignalSum, add_all
from capax.rasp.ir.nodes import Const, Map, SOpNode
from capax.rasp.ir.types import Atom

CLOSED = 1 + 2.0**-6
"""A unit is closed by so many times what it could be, so that rounding does not open it."""


def product(builder: FeatureBuilder, node: Map, args: list[Number], exact: bool) -> Number | None:
    """The product of two numbers; of one with few values and one from a range, where none is a constant."""
    for constant, other in ((0, 1), (1, 0)):
        factor = node.args[constant]
        if isinstance(factor, Const):
            assert not isinstance(factor.value, str)
            return Number(args[other].signal * float(factor.value), exact)
    sets = [builder.analysis.values(a) for a in node.args]
    sizes = [len(s) if isinstance(s, Finite) else math.inf for s in sets]
    chosen = 0 if sizes[0] <= sizes[1] else 1
    picked = sets[chosen]
    if not isinstance(picked, Finite) or len(picked) > builder.domain.budget:
        raise builder.analysis.too_large(node, "a product")
    scaled, layer = args[1 - chosen].signal, builder.layer(node)
    low, high = _product_bounds(sets)
    mlp, name = builder.network.mlp(layer), builder.title(node)
    least, most = (float(end) for end in bounds(sets[1 - chosen]))
    parts = [SignalSum()]
    for factors, open_at in gated_factors(builder, node.args[chosen], layer):
        ends = [end * number for number in factors for end in (least, most)]
        bottom, spread = min(ends), max(ends) - min(ends)
        parts.append(SignalSum(constant=bottom))
        for number, gate in zip(factors, open_at, strict=True):
            parts.append(mlp.relu(scaled * number - bottom + gate * spread, name))
    return Number(mlp.group(add_all(parts), name, low, high), exact)


def _product_bounds(sets: list[ValueSet]) -> tuple[float, float]:
    corners = [float(a * b) for a in bounds(sets[0]) for b in bounds(sets[1])]
    return min(corners), max(corners)


def quotient(builder: FeatureBuilder, node: Map, dividend: Number) -> Number | None:
    """A number divided by one of few: a unit for each divisor v that is 0 where another is there, and else x/v.

    It is closed by a little more than the most that it could be, so that its own size is the scale of its rounding: a
    fraction with a large denominator is near to others, and small where it is computed. A table is built where the
    divisor has more values than the dividend.
    """
    numbers, divisors = (builder.analysis.values(a) for a in node.args)
    if not isinstance(numbers, Finite) or not isinstance(divisors, Finite) or len(divisors) > len(numbers):
        return None
    if (inverse := _inverse(builder, node.args[1])) is not None and numbers.integral and bounds(numbers)[0] >= 0:
        return _times_inverse(builder, node, inverse)
    layer, name = builder.layer(node), builder.title(node)
    mlp = builder.network.mlp(layer)
    low, high = map(float, bounds(builder.analysis.values(node)))
    least = float(bounds(numbers)[0])
    number = mlp.unit(dividend.signal - least, f"{name}, dividend") + least  # one number, whatever it is a sum of
    parts = [SignalSum(constant=low)]
    for value, gate in zip(divisors.values, gates(builder, node.args[1], layer), strict=True):
        if not value:
            continue  # there the program has no value
        factor = 1 / float(value)
        most = max(float(end) * factor for end in bounds(numbers)) - low
        if most > 0:
            parts.append(mlp.relu(number * factor - low + gate * (most * CLOSED), name))
    return Number(mlp.group(add_all(parts), name, low, high), False)


def _inverse(builder: FeatureBuilder, divisor: SOpNode) -> SignalSum | None:
    """1/d for a number d that is one more than a count: what the head that counts gives."""
    source = builder.analysis.encoded(divisor)
    if source is None or source is divisor or builder.encodings[source].kind != "reciprocal":
        return None
    counts, table = builder.analysis.base_values(source).values, builder.analysis.sops[divisor].table
    if builder.analysis.base_of(divisor) is not source or table is None:
        return None
    return builder.encodings[source].signal if all(_is_next(d, k) for d, k in zip(table, counts, strict=True)) else None


def _is_next(entry: Entry, count: Atom) -> bool:
    return isinstance(entry, (int, float)) and not isinstance(count, str) and entry == count + 1


def _times_inverse(builder: FeatureBuilder, node: Map, inverse: SignalSum) -> Number:
    """An integer times 1/d, digit by digit.

    What closes a unit is one number, so that it is 0 where the unit is open: then the product is rounded by its own
    size, as other quotients are.
    """
    layer, name = builder.layer(node), builder.title(node)
    mlp = builder.network.mlp(layer)
    w = builder.here(inverse, node.args[1], layer, f"1 / {builder.title(node.args[1])}")
    parts = [
        mlp.relu(w * number - mlp.unit(-gate, f"{name}, other digit") * (number * CLOSED), name)
        for factors, open_at in gated_factors(builder, node.args[0], layer)
        for number, gate in zip(factors, open_at, strict=True)
        if number
    ]
    low, high = map(float, bounds(builder.analysis.values(node)))
    return Number(mlp.group(add_all(parts), name, low, high), False)
