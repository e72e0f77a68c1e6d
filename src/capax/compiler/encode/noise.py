"""How noisy integers are that stand for themselves, and which are restored before they are added or multiplied.

Sums over many keys are integers with the noise of a mean times a count. A model may answer with them as they are; but
sums add the noise of their operands, and factors make it larger. An integer is told from the next while its noise is
less than a quarter. These are estimates, which decide how large a model is; whether it is right is checked elsewhere.
"""

from capax.compiler.analysis.value_sets import Finite, bounds, is_numeric
from capax.compiler.encode.features import FeatureBuilder
from capax.compiler.encode.relu import MANY_STEPS
from capax.rasp.ir.nodes import Const, Map, SOpNode

MOST_NOISE = 2.0**-4
"""More noise than this is not left in an integer that is made of several."""


def rough_operands(builder: FeatureBuilder, node: Map) -> set[SOpNode]:
    """The operands of a sum, difference or product that are to be restored, lest the result is too noisy."""
    if node.op not in ("+", "-", "*"):
        return set()
    shares = {a: noise * _factor(builder, node, a) for a in set(node.args) if (noise := noise_of(builder, a))}
    noisy = {a for a in shares if _are_integers(builder, a)}
    if node.op != "*" and len(shares) < 2:
        return set()
    if sum(shares.values()) > MOST_NOISE:
        return {a for a in noisy if shares[a] > MOST_NOISE / 4}
    # small ones are cheap to restore, and what they are added to stays exact
    return {a for a in noisy if len(builder.analysis.finite_values(a)) <= MANY_STEPS}


def noise_of(builder: FeatureBuilder, node: SOpNode) -> float:
    """About how far the number that a node of integers is encoded as may be from them; 0 for others."""
    source, values = builder.analysis.encoded(node), builder.analysis.values(node)
    encoding = None if source is None else builder.encodings.get(source)
    if encoding is None or encoding.exact or encoding.kind != "plain" or not is_numeric(values) or not values.integral:
        return 0.0
    if node not in builder.noises:
        builder.noises[node] = _noise(builder, node, source or node)
    return builder.noises[node]


def _noise(builder: FeatureBuilder, node: SOpNode, source: SOpNode) -> float:
    """The same of integers whose number is not exact: by their operands, or by the size of what they are made of."""
    if isinstance(node, Map) and source is node and node not in builder.analysis.sums:
        if node.op in ("round", "neg", "pos"):
            return noise_of(builder, node.args[0])
        if node.op in ("+", "-", "*"):
            rough = rough_operands(builder, node)
            return sum(noise_of(builder, a) * _factor(builder, node, a) for a in set(node.args) - rough)
    size = float(max(map(abs, bounds(builder.analysis.values(source)))))  # what divisions leave is as noisy
    return size * (builder.domain.max_length + 8) * builder.domain.unit


def _factor(builder: FeatureBuilder, node: Map, operand: SOpNode) -> float:
    """By how much a node multiplies the noise of an operand."""
    if node.op != "*":
        return 1.0
    others = [a for a in node.args if a is not operand] or [operand]
    values = [builder.analysis.values(a) for a in others if not isinstance(a, Const)]
    constants = [float(a.value) for a in others if isinstance(a, Const) and not isinstance(a.value, str)]
    numbers = [abs(float(end)) for v in values if is_numeric(v) for end in bounds(v)]
    return max([*map(abs, constants), *numbers], default=1.0)


def _are_integers(builder: FeatureBuilder, node: SOpNode) -> bool:
    """Whether a node has a list of integers as values."""
    values = builder.analysis.values(node)
    return isinstance(values, Finite) and values.numeric and values.integral
