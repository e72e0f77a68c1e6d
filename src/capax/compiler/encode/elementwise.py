"""Element-wise operations whose operands have different bases: sums, comparisons, logic, products and tables."""

import itertools
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import partial

from capax.compiler.analysis.operation_tables import evaluate_entry
from capax.compiler.analysis.value_sets import Finite, Interval, ValueSet, bounds, finite, least_difference, unit_of
from capax.compiler.encode.encodings import ValueEncoding
from capax.compiler.encode.features import FeatureBuilder, Number
from capax.compiler.encode.gates import bit, one_hot, operand, thermometer
from capax.compiler.encode.mlp_builder import MlpBuilder
from capax.compiler.encode.noise import rough_operands
from capax.compiler.encode.products import product, quotient
from capax.compiler.encode.relu import MANY_STEPS, step
from capax.compiler.encode.signals import SignalSum, add_all
from capax.rasp.ir.nodes import COMPARISONS, Const, Map, SOpNode, Table
from capax.rasp.ir.types import Atom


def emit(builder: FeatureBuilder, node: SOpNode) -> ValueEncoding:
    """The encoding of an element-wise node that is not a function of a single base."""
    assert isinstance(node, (Map, Table))
    arguments = node.args if isinstance(node, Map) else (node.arg,)
    varying = [a for a in arguments if not isinstance(a, Const)]
    if isinstance(node, Map) and (number := _direct(builder, node)) is not None:
        return _plain_encoding(builder, node, number)
    if isinstance(node, Map) and node.op == "where":
        return _where(builder, node)
    if len(set(varying)) == 1 and isinstance(builder.analysis.values(varying[0]), Finite):
        return _unary(builder, node, varying[0])
    if isinstance(node, Map) and node.op in COMPARISONS:
        return _plain_encoding(
            builder, node, compare(builder, node.args[0], node.args[1], node.op, builder.layer(node))
        )
    if isinstance(node, Map) and node.op == "round":
        return _plain_encoding(builder, node, _round(builder, node))
    assert isinstance(node, Map)
    return _table(builder, node)


def _direct(builder: FeatureBuilder, node: Map) -> Number | None:
    """The number that arithmetic, logic, or the rounding of integers is; None for others, and where a table is built.

    Integers are rounded by no unit: what reads them takes their noise away, where it has to be without.
    """
    if node.op in ("+", "-", "neg", "pos", "/", "*") and _plain(builder, node):
        return _arithmetic(builder, node)
    if node.op in ("and", "or", "not", "indicator"):
        return _logic(builder, node)
    if node.op == "round" and _are_integers(builder, node.args[0]):
        return operand(builder, node.args[0], builder.layer(node))
    return None


def _plain_encoding(builder: FeatureBuilder, node: SOpNode, number: Number) -> ValueEncoding:
    return ValueEncoding(number.signal, builder.layer(node), "plain", number.exact, builder.title(node))


def _plain(builder: FeatureBuilder, node: Map) -> bool:
    """Whether the node and its operands are all plain numbers."""
    values = builder.analysis.values(node)
    own = builder.plain(values) or (node.op == "/" and builder.plain_by_size(values))
    return own and all(builder.plain(builder.analysis.values(n)) for n in node.args)


# arithmetic


def _arithmetic(builder: FeatureBuilder, node: Map) -> Number | None:
    layer = builder.layer(node)
    values = builder.analysis.values(node)
    several = len({a for a in node.args if not isinstance(a, Const)}) > 1
    rough = rough_operands(builder, node)
    restored = [a in rough or (several and _is_long_count(builder, a)) for a in node.args]
    args = [operand(builder, a, layer, exact=exact) for a, exact in zip(node.args, restored, strict=True)]
    exact = all(a.exact for a in args) and builder.dyadic(values)
    match node.op:
        case "+":
            return Number(args[0].signal + args[1].signal, exact)
        case "-":
            return Number(args[0].signal - args[1].signal, exact)
        case "neg":
            return Number(-args[0].signal, exact)
        case "pos":
            return args[0]
        case "/":
            divisor = node.args[1]
            if not isinstance(divisor, Const):
                return quotient(builder, node, args[0])
            if isinstance(divisor.value, str) or not divisor.value:
                return None
            factor = 1 / divisor.value
            return Number(args[0].signal * factor, exact and math.frexp(abs(divisor.value))[0] == 0.5)
        case _:
            return product(builder, node, args, exact)


def _is_long_count(builder: FeatureBuilder, node: SOpNode) -> bool:
    """Whether a node is a function of a count with many values, which is cheaper to restore than to compute with noise.

    Sums of restored numbers are exact; noise of several counts would add up.
    """
    source = builder.analysis.encoded(node)
    if source is None or builder.encodings[source].kind != "reciprocal":
        return False
    return len(builder.analysis.finite_values(source)) > MANY_STEPS + 1


def _are_integers(builder: FeatureBuilder, node: SOpNode) -> bool:
    """Whether an s-op has integers only as values, which stand for themselves."""
    values = builder.analysis.values(node)
    if isinstance(values, Interval):
        return values.integral
    return values.numeric and values.integral and builder.plain(values)


def truth(builder: FeatureBuilder, node: SOpNode, layer: int) -> SignalSum:
    """Whether a value counts as true, as 0 or 1."""
    values = builder.analysis.values(node)
    name = builder.title(node)
    if isinstance(values, Interval):
        return compare(builder, node, Const(0), "!=", layer).signal
    only_bits = all(v in (0, 1) for v in values.values)
    label = name if only_bits else f"{name} is true"
    return builder.here(builder.feature(node, lambda v: float(bool(v)), label), node, layer, label)


def _logic(builder: FeatureBuilder, node: Map) -> Number:
    layer = builder.layer(node)
    mlp, name = builder.network.mlp(layer), builder.title(node)
    args = [truth(builder, a, layer) for a in node.args]
    match node.op:
        case "and":
            return Number(mlp.relu(args[0] + args[1] - 1.0, name), True)
        case "or":
            return Number(-mlp.relu(-args[0] - args[1] + 1.0, f"not ({name})") + 1.0, True)
        case "not":
            return Number(-args[0] + 1.0, True)
        case _:
            return Number(args[0], True)


# comparisons


def compare(builder: FeatureBuilder, left: SOpNode, right: SOpNode, op: str, layer: int) -> Number:
    """Whether left op right, as 0 or 1."""
    sets = [builder.analysis.values(left) if not isinstance(left, Const) else Finite((left.value,))]
    sets.append(builder.analysis.values(right) if not isinstance(right, Const) else Finite((right.value,)))
    is_plain = all(builder.plain(s) or builder.is_plain(n) for n, s in zip((left, right), sets, strict=True))
    if not is_plain or not _comparable(builder, sets):
        return _compare_codes(builder, left, right, op, layer, sets)
    args = [
        Number(SignalSum(constant=float(n.value)), builder.dyadic(s))
        if isinstance(n, Const) and not isinstance(n.value, str)
        else operand(builder, n, layer)
        for n, s in zip((left, right), sets, strict=True)
    ]
    difference = args[0].signal - args[1].signal
    gap = least_difference(*sets)
    exact = all(a.exact for a in args)
    if exact:
        gap = Fraction(1, max(unit_of(s).denominator for s in sets))
    return Number(_compared(builder, difference, float(gap), op, exact, layer), True)


def _comparable(builder: FeatureBuilder, sets: list[ValueSet]) -> bool:
    """Whether the difference of the two can be distinguished from zero in the number system."""
    most = max(abs(x) for s in sets for x in bounds(s))
    return most <= builder.domain.comparable_below * least_difference(*sets)


def _compare_codes(
    builder: FeatureBuilder, left: SOpNode, right: SOpNode, op: str, layer: int, sets: list[ValueSet]
) -> Number:
    """A comparison of strings, of strings and numbers, or of numbers of very different sizes: by rank."""
    for node, values in zip((left, right), sets, strict=True):
        if isinstance(values, Interval):
            raise builder.analysis.too_large(node, "a list of its values")
    union = finite(v for s in sets if isinstance(s, Finite) for v in s.values)
    codes = []
    for node in (left, right):
        if isinstance(node, Const):
            codes.append(SignalSum(constant=float(union.rank(node.value))))
            continue
        label = f"{builder.title(node)}:code"
        code = builder.feature(node, lambda v: float(union.rank(v)), label)
        codes.append(builder.here(code, node, layer, label))
    return Number(_compared(builder, codes[0] - codes[1], 1.0, op, True, layer), True)


def _compared(builder: FeatureBuilder, x: SignalSum, gap: float, op: str, exact: bool, layer: int) -> SignalSum:
    mlp = builder.network.mlp(layer)

    def at_least(high: float) -> SignalSum:
        name = f"difference >= {high:g}"
        if not exact:
            return step(mlp, x, high - gap, high, name)
        scaled = x * (1 / gap)
        return mlp.relu(scaled - (high / gap - 1), name) - mlp.relu(scaled - high / gap, name)

    match op:
        case ">=":
            holds = at_least(0.0)
        case "<":
            holds = -at_least(0.0) + 1.0
        case ">":
            holds = at_least(gap)
        case "<=":
            holds = -at_least(gap) + 1.0
        case "==":
            holds = at_least(0.0) - at_least(gap)
        case _:
            holds = at_least(gap) - at_least(0.0) + 1.0
    return mlp.group(holds, f"comparison {op}", 0.0, 1.0)


# choices, tables


def _codes(builder: FeatureBuilder, node: SOpNode) -> dict[Atom, float] | None:
    """The codes of a node's values where they cannot stand for themselves; None where they can."""
    values = builder.analysis.values(node)
    if builder.plain(values):
        return None
    listed = builder.analysis.finite_values(node)
    return {v: float(i) for i, v in enumerate(listed.values)}


def _where(builder: FeatureBuilder, node: Map) -> ValueEncoding:
    layer, name = builder.layer(node), builder.title(node)
    mlp = builder.network.mlp(layer)
    condition = bit(mlp, truth(builder, node.args[0], layer), name)
    codes = _codes(builder, node)
    values = builder.analysis.values(node)
    ranges = [bounds(values)] if codes is None else []
    branches: list[Number] = []
    listed = partial(builder.analysis.stand_in, node)
    for branch in node.args[1:]:
        if codes is None and builder.plain(builder.analysis.values(branch)):
            branches.append(operand(builder, branch, layer))
            ranges.append(bounds(builder.analysis.values(branch)))  # it may go beyond what is ever taken of it
        elif codes is None:
            # a branch of which only some values, or none, are ever taken
            fill = float(ranges[0][0])
            number = builder.feature(branch, lambda v, fill=fill: _taken(listed(v), values, fill), name)  # type: ignore[misc]
            branches.append(Number(builder.here(number, branch, layer, name), builder.dyadic(values)))
        else:
            code = builder.feature(branch, lambda v: codes.get(listed(v), 0.0), f"{name}:code")
            branches.append(Number(builder.here(code, branch, layer, f"{name}:code"), True))
    if codes is None:
        low, high = float(min(r[0] for r in ranges)), float(max(r[1] for r in ranges))
    else:
        low, high = 0.0, float(len(codes) - 1)
    chosen = choose(mlp, condition, branches[0].signal, branches[1].signal, low, high, name)
    exact = all(b.exact for b in branches) and (codes is not None or builder.dyadic(builder.analysis.values(node)))
    return ValueEncoding(chosen, layer, "plain" if codes is None else "code", exact, name, codes)


def _taken(value: Atom, values: ValueSet, fill: float) -> float:
    """The value, if it is one that a choice can have, and otherwise the number to fill in."""
    if isinstance(value, str) or not math.isfinite(value):
        return fill
    taken = value in values if isinstance(values, Finite) else values.low <= value <= values.high
    return float(value) if taken else fill


def choose(
    mlp: MlpBuilder, condition: SignalSum, then: SignalSum, otherwise: SignalSum, low: float, high: float, name: str
) -> SignalSum:
    """`then` where the condition is 1, `otherwise` where it is 0; both lie between low and high."""
    spread = high - low
    if not then.terms and not otherwise.terms:
        return condition * (then.constant - otherwise.constant) + otherwise.constant
    first = (
        condition * (then.constant - low)
        if not then.terms
        else mlp.relu(then - low + (condition - 1.0) * spread, f"{name}, then")
    )
    second = (
        (-condition + 1.0) * (otherwise.constant - low)
        if not otherwise.terms
        else mlp.relu(otherwise - low - condition * spread, f"{name}, else")
    )
    return mlp.group(first + second + low, name, low, high)


def _unary(builder: FeatureBuilder, node: Map | Table, argument: SOpNode) -> ValueEncoding:
    """A function of one operand that is itself no function of a single base."""
    arguments = node.args if isinstance(node, Map) else (node.arg,)
    codes = _codes(builder, node)

    def output(value: Atom) -> float:
        filled = [a.value if isinstance(a, Const) else value for a in arguments]
        entry = _result(builder, node, filled)
        if entry is None or entry not in builder.analysis.finite_values(node):
            return 0.0
        return float(entry) if codes is None else codes[entry]

    name = builder.title(node)
    number = builder.feature(argument, output, name)
    exact = codes is not None or builder.dyadic(builder.analysis.values(node))
    here = builder.here(number, argument, builder.layer(node), name)
    return ValueEncoding(here, builder.layer(node), "plain" if codes is None else "code", exact, name, codes)


def _result(builder: FeatureBuilder, node: Map | Table, args: Sequence[Atom]) -> Atom | None:
    """The listed value that an operation has on some values of its operands; None where it has none."""
    entry, _ = evaluate_entry(node, *args)
    return None if entry is None else builder.analysis.stand_in(node, entry)


def _round(builder: FeatureBuilder, node: Map) -> Number:
    """The nearest integer of a number from an interval; of two equally near the even one."""
    layer, argument = builder.layer(node), node.args[0]
    values = builder.analysis.values(argument)
    assert isinstance(values, Interval)
    low, high = round(values.low), round(values.high)
    if high - low > builder.domain.budget:
        raise builder.analysis.too_large(argument, "steps")
    # no value but a half itself is nearer to a half than this
    near = float(Fraction(1, 2 * values.most * values.unit.denominator))
    x, mlp = operand(builder, argument, layer), builder.network.mlp(layer)
    parts = [SignalSum(constant=float(low))]
    for k in range(low, high):
        half = k + 0.5
        edges = (half, half + near) if k % 2 == 0 else (half - near, half)
        parts.append(step(mlp, x.signal, *edges, builder.title(node)))
    return Number(mlp.group(add_all(parts), builder.title(node), float(low), float(high)), True)


def _table(builder: FeatureBuilder, node: Map) -> ValueEncoding:
    """Any operation, by the bits of its operands and one unit per combination of values of all but one of them.

    That one has the most values. The units of all combinations but the one that is there stay closed.
    """
    layer, name = builder.layer(node), builder.title(node)
    operands = sorted({a for a in node.args if not isinstance(a, Const)}, key=node.args.index)
    sets = [builder.analysis.finite_values(a) for a in operands]
    if math.prod(map(len, sets)) > 50 * builder.domain.budget:
        raise builder.analysis.too_large(node, "a table")
    codes = _codes(builder, node)
    known = builder.analysis.finite_values(node)
    longest = max(range(len(sets)), key=lambda index: (len(sets[index]), index))
    others = [index for index in range(len(sets)) if index != longest]
    mlp = builder.network.mlp(layer)
    bits = thermometer(builder, operands[longest], layer)
    low, high = (0.0, float(len(known) - 1)) if codes is not None else tuple(map(float, bounds(known)))
    parts = [SignalSum(constant=low)]
    one_hots = [zip(sets[i].values, one_hot(builder, operands[i], layer), strict=True) for i in others]
    for combination in itertools.product(*one_hots):
        values = {operands[i]: value for i, (value, _) in zip(others, combination, strict=True)}
        outputs = _outputs(builder, node, values, operands[longest], low, codes)
        along = add_all(
            [
                SignalSum(constant=outputs[0] - low),
                *(s * (q - p) for s, p, q in zip(bits, outputs, outputs[1:], strict=False)),
            ]
        )
        gate = add_all([bit_ for _, bit_ in combination]) - float(len(combination))
        parts.append(mlp.relu(along + gate * (high - low), name))
    result = mlp.group(add_all(parts), name, low, high)
    exact = codes is not None or builder.dyadic(known)
    return ValueEncoding(result, layer, "plain" if codes is None else "code", exact, name, codes)


def _outputs(
    builder: FeatureBuilder,
    node: Map,
    values: Mapping[SOpNode, Atom],
    last: SOpNode,
    low: float,
    codes: Mapping[Atom, float] | None,
) -> list[float]:
    """What the node is for all values of the last operand, in order, where the others have some values."""
    known = builder.analysis.finite_values(node)
    outputs: list[float] = []
    for value in builder.analysis.finite_values(last).values:
        at = {**values, last: value}
        entry = _result(builder, node, [a.value if isinstance(a, Const) else at[a] for a in node.args])
        if node in builder.analysis.sums and entry is not None:
            entry = known.nearest(entry)  # the sum that stands for what is rounded
        if entry is None or entry not in known:
            outputs.append(outputs[-1] if outputs else low)
        else:
            outputs.append(float(entry) if codes is None else codes[entry])
    return outputs
