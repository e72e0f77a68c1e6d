"""Element-wise operations whose operands have different bases: sums, comparisons, logic, products and tables."""

import itertools
import math
from fractions import Fraction

from capax.compiler.analysis.evaluate_entry import outcome
from capax.compiler.analysis.values import Finite, Interval, ValueSet, bounds, finite, least_difference, unit_of
from capax.compiler.encode.encodings import Reading
from capax.compiler.encode.features import Builder, Number
from capax.compiler.encode.mlp_builder import Circuit
from capax.compiler.encode.relu import step
from capax.compiler.encode.signals import Sum, total
from capax.rasp.ir.nodes import COMPARISONS, Const, Map, SOpNode, Table
from capax.rasp.ir.types import Atom


def emit(builder: Builder, node: SOpNode) -> Reading:
    """The reading of an element-wise node that is not a function of a single base."""
    assert isinstance(node, (Map, Table))
    arguments = node.args if isinstance(node, Map) else (node.arg,)
    varying = [a for a in arguments if not isinstance(a, Const)]
    if isinstance(node, Map) and node.op in ("+", "-", "neg", "pos", "/", "*") and _plain(builder, node):
        found = _arithmetic(builder, node)
        if found is not None:
            return _reading(builder, node, found)
    if isinstance(node, Map) and node.op in ("and", "or", "not", "indicator"):
        return _reading(builder, node, _logic(builder, node))
    if isinstance(node, Map) and node.op == "where":
        return _where(builder, node)
    if len(set(varying)) == 1 and isinstance(builder.facts.values(varying[0]), Finite):
        return _unary(builder, node, varying[0])
    if isinstance(node, Map) and node.op in COMPARISONS:
        return _reading(builder, node, compare(builder, node.args[0], node.args[1], node.op, builder.layer(node)))
    if isinstance(node, Map) and node.op == "round":
        return _reading(builder, node, _round(builder, node))
    assert isinstance(node, Map)
    return _table(builder, node)


def _reading(builder: Builder, node: SOpNode, number: Number) -> Reading:
    return Reading(number.sum, builder.layer(node), "plain", number.exact, builder.title(node))


def _plain(builder: Builder, node: Map) -> bool:
    """Whether the node and its operands are all plain numbers."""
    return all(builder.plain(builder.facts.values(n)) for n in (node, *node.args))


def operand(builder: Builder, node: SOpNode, layer: int, *, exact: bool = False) -> Number:
    """The value of an operand for the MLP of a layer."""
    found = builder.number(node, exact=exact)
    return Number(builder.here(found.sum, node, layer, builder.title(node)), found.exact)


# arithmetic


def _arithmetic(builder: Builder, node: Map) -> Number | None:
    layer = builder.layer(node)
    values = builder.facts.values(node)
    args = [operand(builder, a, layer) for a in node.args]
    exact = all(a.exact for a in args) and builder.dyadic(values)
    match node.op:
        case "+":
            return Number(args[0].sum + args[1].sum, exact)
        case "-":
            return Number(args[0].sum - args[1].sum, exact)
        case "neg":
            return Number(-args[0].sum, exact)
        case "pos":
            return args[0]
        case "/":
            divisor = node.args[1]
            if not isinstance(divisor, Const) or isinstance(divisor.value, str) or not divisor.value:
                return None
            factor = 1 / divisor.value
            return Number(args[0].sum * factor, exact and math.frexp(abs(divisor.value))[0] == 0.5)
        case _:
            return _product(builder, node, args, exact)


def _product(builder: Builder, node: Map, args: list[Number], exact: bool) -> Number | None:
    for constant, other in ((0, 1), (1, 0)):
        factor = node.args[constant]
        if isinstance(factor, Const):
            assert not isinstance(factor.value, str)
            return Number(args[other].sum * float(factor.value), exact)
    sets = [builder.facts.values(a) for a in node.args]
    sizes = [len(s) if isinstance(s, Finite) else math.inf for s in sets]
    chosen = 0 if sizes[0] <= sizes[1] else 1
    picked = sets[chosen]
    if not isinstance(picked, Finite) or len(picked) > builder.domain.budget:
        raise builder.facts.too_large(node, "a product")
    layer = builder.layer(node)
    low, high = _product_bounds(sets)
    spread = high - low
    circuit, name = builder.network.circuit(layer), builder.title(node)
    parts = [Sum(constant=low)]
    for value, bit in zip(picked.values, one_hot(builder, node.args[chosen], layer), strict=True):
        gated = args[1 - chosen].sum * float(value) - low + (bit - 1.0) * spread
        parts.append(circuit.relu(gated, name))
    return Number(circuit.bundle(total(parts), name, low, high), exact)


def _product_bounds(sets: list[ValueSet]) -> tuple[float, float]:
    corners = [float(a * b) for a in bounds(sets[0]) for b in bounds(sets[1])]
    return min(corners), max(corners)


# bits


def bit(circuit: Circuit, value: Sum, name: str) -> Sum:
    """A number that is 0 or 1, as one wire, so that sums of such numbers with any coefficients stay accurate."""
    return value if len(value.terms) <= 1 else circuit.relu(value, name)


def thermometer(builder: Builder, node: SOpNode, layer: int) -> list[Sum]:
    """For each value of a node but the first, in order, whether the node's value comes as late or later."""
    values = builder.facts.finite_values(node)
    if len(values) > builder.domain.budget:
        raise builder.facts.too_large(node, "a list of bits")
    circuit, name = builder.network.circuit(builder.layer(node)), builder.title(node)
    found = []
    for rank in range(1, len(values)):
        label = f"{name}>={values.values[rank]}"
        value = builder.feature(node, lambda v, rank=rank: float(values.rank(v) >= rank), label)  # type: ignore[misc]
        found.append(builder.here(bit(circuit, value, label), node, layer, label))
    return found


def one_hot(builder: Builder, node: SOpNode, layer: int) -> list[Sum]:
    """For each value of a node, whether the node has it."""
    bits = [Sum(constant=1.0), *thermometer(builder, node, layer), Sum()]
    return [a - b for a, b in itertools.pairwise(bits)]


def truth(builder: Builder, node: SOpNode, layer: int) -> Sum:
    """Whether a value counts as true, as 0 or 1."""
    values = builder.facts.values(node)
    name = builder.title(node)
    if isinstance(values, Interval):
        return compare(builder, node, Const(0), "!=", layer).sum
    only_bits = all(v in (0, 1) for v in values.values)
    label = name if only_bits else f"{name} is true"
    return builder.here(builder.feature(node, lambda v: float(bool(v)), label), node, layer, label)


def _logic(builder: Builder, node: Map) -> Number:
    layer = builder.layer(node)
    circuit, name = builder.network.circuit(layer), builder.title(node)
    args = [truth(builder, a, layer) for a in node.args]
    match node.op:
        case "and":
            return Number(circuit.relu(args[0] + args[1] - 1.0, name), True)
        case "or":
            return Number(-circuit.relu(-args[0] - args[1] + 1.0, f"not ({name})") + 1.0, True)
        case "not":
            return Number(-args[0] + 1.0, True)
        case _:
            return Number(args[0], True)


# comparisons


def compare(builder: Builder, left: SOpNode, right: SOpNode, op: str, layer: int) -> Number:
    """Whether left op right, as 0 or 1."""
    sets = [builder.facts.values(left) if not isinstance(left, Const) else Finite((left.value,))]
    sets.append(builder.facts.values(right) if not isinstance(right, Const) else Finite((right.value,)))
    if not all(builder.plain(s) for s in sets) or not _comparable(builder, sets):
        return _compare_codes(builder, left, right, op, layer, sets)
    args = [
        Number(Sum(constant=float(n.value)), builder.dyadic(s))
        if isinstance(n, Const) and not isinstance(n.value, str)
        else operand(builder, n, layer)
        for n, s in zip((left, right), sets, strict=True)
    ]
    difference = args[0].sum - args[1].sum
    gap = least_difference(*sets)
    exact = all(a.exact for a in args)
    if exact:
        gap = Fraction(1, max(unit_of(s).denominator for s in sets))
    return Number(_compared(builder, difference, float(gap), op, exact, layer), True)


def _comparable(builder: Builder, sets: list[ValueSet]) -> bool:
    """Whether the difference of the two can be told from zero in the number system."""
    most = 2.0**18 if builder.domain.dtype == "float32" else 2.0**45
    return max(abs(x) for s in sets for x in bounds(s)) <= most * least_difference(*sets)


def _compare_codes(
    builder: Builder, left: SOpNode, right: SOpNode, op: str, layer: int, sets: list[ValueSet]
) -> Number:
    """A comparison of strings, of strings and numbers, or of numbers of very different sizes: by rank."""
    for node, values in zip((left, right), sets, strict=True):
        if isinstance(values, Interval):
            raise builder.facts.too_large(node, "a list of its values")
    union = finite(v for s in sets if isinstance(s, Finite) for v in s.values)
    codes = []
    for node in (left, right):
        if isinstance(node, Const):
            codes.append(Sum(constant=float(union.rank(node.value))))
            continue
        label = f"{builder.title(node)}:code"
        code = builder.feature(node, lambda v: float(union.rank(v)), label)
        codes.append(builder.here(code, node, layer, label))
    return Number(_compared(builder, codes[0] - codes[1], 1.0, op, True, layer), True)


def _compared(builder: Builder, x: Sum, gap: float, op: str, exact: bool, layer: int) -> Sum:
    circuit = builder.network.circuit(layer)

    def at_least(high: float) -> Sum:
        name = f"difference >= {high:g}"
        if not exact:
            return step(circuit, x, high - gap, high, name)
        scaled = x * (1 / gap)
        return circuit.relu(scaled - (high / gap - 1), name) - circuit.relu(scaled - high / gap, name)

    match op:
        case ">=":
            found = at_least(0.0)
        case "<":
            found = -at_least(0.0) + 1.0
        case ">":
            found = at_least(gap)
        case "<=":
            found = -at_least(gap) + 1.0
        case "==":
            found = at_least(0.0) - at_least(gap)
        case _:
            found = at_least(gap) - at_least(0.0) + 1.0
    return circuit.bundle(found, f"comparison {op}", 0.0, 1.0)


# choices, tables


def _codes(builder: Builder, node: SOpNode) -> dict[Atom, float] | None:
    """The places of a node's values where they cannot stand for themselves; None where they can."""
    values = builder.facts.values(node)
    if builder.plain(values):
        return None
    listed = builder.facts.finite_values(node)
    return {v: float(i) for i, v in enumerate(listed.values)}


def _where(builder: Builder, node: Map) -> Reading:
    layer, name = builder.layer(node), builder.title(node)
    circuit = builder.network.circuit(layer)
    condition = bit(circuit, truth(builder, node.args[0], layer), name)
    places = _codes(builder, node)
    found = builder.facts.values(node)
    ranges = [bounds(found)] if places is None else []
    branches: list[Number] = []
    for branch in node.args[1:]:
        if places is None and builder.plain(builder.facts.values(branch)):
            branches.append(operand(builder, branch, layer))
            ranges.append(bounds(builder.facts.values(branch)))  # it may go beyond what is ever taken of it
        elif places is None:
            # a branch of which only some values, or none, are ever taken
            fill = float(ranges[0][0])
            number = builder.feature(branch, lambda v, fill=fill: _taken(v, found, fill), name)  # type: ignore[misc]
            branches.append(Number(builder.here(number, branch, layer, name), builder.dyadic(found)))
        else:
            code = builder.feature(branch, lambda v: places.get(v, 0.0), f"{name}:code")
            branches.append(Number(builder.here(code, branch, layer, f"{name}:code"), True))
    if places is None:
        low, high = float(min(r[0] for r in ranges)), float(max(r[1] for r in ranges))
    else:
        low, high = 0.0, float(len(places) - 1)
    chosen = choose(circuit, condition, branches[0].sum, branches[1].sum, low, high, name)
    exact = all(b.exact for b in branches) and (places is not None or builder.dyadic(builder.facts.values(node)))
    return Reading(chosen, layer, "plain" if places is None else "code", exact, name, places)


def _taken(value: Atom, found: ValueSet, fill: float) -> float:
    """The value, if it is one that a choice can have, and otherwise the number to fill in."""
    if isinstance(value, str) or not math.isfinite(value):
        return fill
    taken = value in found if isinstance(found, Finite) else found.low <= value <= found.high
    return float(value) if taken else fill


def choose(circuit: Circuit, condition: Sum, then: Sum, otherwise: Sum, low: float, high: float, name: str) -> Sum:
    """`then` where the condition is 1, `otherwise` where it is 0; both lie between low and high."""
    spread = high - low
    if not then.terms and not otherwise.terms:
        return condition * (then.constant - otherwise.constant) + otherwise.constant
    first = (
        condition * (then.constant - low)
        if not then.terms
        else circuit.relu(then - low + (condition - 1.0) * spread, f"{name}, then")
    )
    second = (
        (-condition + 1.0) * (otherwise.constant - low)
        if not otherwise.terms
        else circuit.relu(otherwise - low - condition * spread, f"{name}, else")
    )
    return circuit.bundle(first + second + low, name, low, high)


def _unary(builder: Builder, node: Map | Table, argument: SOpNode) -> Reading:
    """A function of one operand that is itself no function of a single base."""
    arguments = node.args if isinstance(node, Map) else (node.arg,)
    places = _codes(builder, node)

    def output(value: Atom) -> float:
        filled = [a.value if isinstance(a, Const) else value for a in arguments]
        found, _ = outcome(node, *filled)
        known = found is not None and found in builder.facts.finite_values(node)
        if not known:
            return 0.0
        assert found is not None
        return float(found) if places is None else places[found]

    name = builder.title(node)
    number = builder.feature(argument, output, name)
    exact = places is not None or builder.dyadic(builder.facts.values(node))
    here = builder.here(number, argument, builder.layer(node), name)
    return Reading(here, builder.layer(node), "plain" if places is None else "code", exact, name, places)


def _round(builder: Builder, node: Map) -> Number:
    """The nearest integer of a number from an interval; of two equally near the even one."""
    layer, argument = builder.layer(node), node.args[0]
    values = builder.facts.values(argument)
    assert isinstance(values, Interval)
    low, high = round(values.low), round(values.high)
    if high - low > builder.domain.budget:
        raise builder.facts.too_large(argument, "steps")
    # no value but a half itself is nearer to a half than this
    near = float(Fraction(1, 2 * values.most * values.unit.denominator))
    x, circuit = operand(builder, argument, layer), builder.network.circuit(layer)
    parts = [Sum(constant=float(low))]
    for k in range(low, high):
        half = k + 0.5
        edges = (half, half + near) if k % 2 == 0 else (half - near, half)
        if values.most == 1 and values.unit.denominator == 1:
            edges = (float(k), float(k + 1))
        parts.append(step(circuit, x.sum, *edges, builder.title(node)))
    return Number(circuit.bundle(total(parts), builder.title(node), float(low), float(high)), True)


def _table(builder: Builder, node: Map) -> Reading:
    """Any operation on two operands, by the bits of both and one unit per value of the one with fewer values."""
    layer, name = builder.layer(node), builder.title(node)
    sets = [builder.facts.finite_values(a) for a in node.args]
    if len(sets) != 2 or len(sets[0]) * len(sets[1]) > 50 * builder.domain.budget:
        raise builder.facts.too_large(node, "a table")
    places = _codes(builder, node)
    known = builder.facts.finite_values(node)
    chosen = 0 if len(sets[0]) <= len(sets[1]) else 1
    other = 1 - chosen
    circuit = builder.network.circuit(layer)
    bits = thermometer(builder, node.args[other], layer)
    low, high = (0.0, float(len(known) - 1)) if places is not None else tuple(map(float, bounds(known)))
    parts = [Sum(constant=low)]
    for value, bit_ in zip(sets[chosen].values, one_hot(builder, node.args[chosen], layer), strict=True):
        outputs: list[float] = []
        for b in sets[other].values:
            found, _ = outcome(node, *((value, b) if chosen == 0 else (b, value)))
            if node in builder.facts.sums and found is not None:
                found = known.nearest(found)  # the sum that stands for what is rounded
            fits = found is not None and found in known
            fill = outputs[-1] if outputs else low
            outputs.append(fill if not fits or found is None else (float(found) if places is None else places[found]))
        along = total(
            [
                Sum(constant=outputs[0] - low),
                *(s * (q - p) for s, p, q in zip(bits, outputs, outputs[1:], strict=False)),
            ]
        )
        parts.append(circuit.relu(along + (bit_ - 1.0) * (high - low), name))
    result = circuit.bundle(total(parts), name, low, high)
    exact = places is not None or builder.dyadic(known)
    return Reading(result, layer, "plain" if places is None else "code", exact, name, places)
