"""From expressions over Python functions to programs of capax, for given tokens and a maximal length."""

import math
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import product
from typing import Any

from capax.compat.lowering.expression import (
    AggregateExpr,
    ApplyExpr,
    CombineExpr,
    ConstantExpr,
    Expression,
    IndicesExpr,
    LengthExpr,
    ListedValues,
    SelectExpr,
    SelectorRows,
    TokensExpr,
    WidthExpr,
    in_order,
)
from capax.compat.lowering.functions import PLACEHOLDERS, Known, agrees, filled, trace, value_of
from capax.compat.lowering.interpret import interpret
from capax.compat.lowering.lowered import Lowered, constant, making_room, represented, tabulated, without_booleans
from capax.compat.lowering.relation import MOST_VERIFIED, selector_of
from capax.compat.lowering.sop_values import (
    Range,
    Values,
    distinct,
    image,
    is_number,
    joined,
    means,
    numeric,
    plain,
    totals,
)
from capax.compat.lowering.tuples import without_tuples
from capax.errors import CapaxError
from capax.rasp.ir import build
from capax.rasp.ir.graph import topological
from capax.rasp.ir.nodes import Map, SOpNode
from capax.rasp.python.program import Selector, SOp

CAUSAL = build.select(build.indices, build.indices, "<=")
SAFE = {"+", "-", "*", "neg", "pos", "==", "!=", "<", ">", "<=", ">=", "and", "or", "not", "where", "indicator"}
"""Operations that fail on no numbers."""

FEW_COMBINATIONS = 2_000
"""Up to so many combinations a function is a table."""

MOST_COMPARED = 500_000
"""A function of numbers that may be missing is compared with an operation on at most so many combinations."""


@dataclass(slots=True)
class Lowering:
    """The s-ops and selectors of an expression, found operands first."""

    vocabulary: tuple[Any, ...]
    max_length: int
    causal: bool = False
    sops: dict[Expression, Lowered] = field(default_factory=dict)
    selectors: dict[Expression, Selector] = field(default_factory=dict)
    _single: dict[Expression, bool] = field(default_factory=dict)

    def run(self, root: Expression) -> Lowered:
        """The s-op of an expression."""
        root = without_tuples(root, self.vocabulary, self.max_length)
        for expression in in_order(root):
            if isinstance(expression, (SelectExpr, CombineExpr, SelectorRows)):
                self.selectors[expression] = _named(self._selector(expression), expression.name)
            else:
                lowered = self._sop(expression)
                self.sops[expression] = replace(lowered, sop=_named(lowered.sop, expression.name))
        if root not in self.sops:
            raise CapaxError("not-compilable", "only an s-op can be compiled", hint="compile an aggregate or a width")
        return self.sops[root]

    def _sop(self, expression: Expression) -> Lowered:
        n = self.max_length
        match expression:
            case TokensExpr():
                return self.tokens()
            case IndicesExpr():
                return Lowered(build.indices, tuple(range(n)))
            case LengthExpr():
                if self.causal:
                    raise CapaxError(
                        "not-compilable",
                        "the length of the word is not known to a causal model: a position sees no later one",
                        hint="compile without causal=True, or use the width of a selector: how many positions are seen",
                    )
                return Lowered(build.length, tuple(range(1, n + 1)))
            case ConstantExpr():
                return constant(expression.value)
            case ListedValues():
                positions = Lowered(build.indices, tuple(range(min(n, len(expression.values)))))
                return tabulated([positions], lambda position: expression.values[position])
            case ApplyExpr():
                return self._apply(expression)
            case AggregateExpr():
                return self._aggregate(expression)
            case WidthExpr():
                most = 1 if self._one_key(expression.selector) else n
                return Lowered(build.selector_width(self._seen(expression.selector)), tuple(range(most + 1)))
            case _:
                raise AssertionError(expression)

    def tokens(self) -> Lowered:
        """The tokens: read as strings if they all are, as they are if they are numbers, else as what they print."""
        kind = represented(build.inputs["tokens_asis"], self.vocabulary, none=None in self.vocabulary)
        if kind.values and not kind.coded and not numeric(kind.values):
            return replace(kind, sop=build.inputs["tokens_str"])
        return kind

    # functions

    def _apply(self, expression: ApplyExpr) -> Lowered:
        args = [self.sops[a] for a in expression.args]
        function = expression.function
        if any(isinstance(a.values, Range) for a in args) or not any(a.coded or a.gone is not None for a in args):
            operation = self._operation(function, args)
            if operation is not None:
                return operation
        elif expression.skips_none:
            operation = self._beside_none(function, args)
            if operation is not None:
                return operation
        total = self._additive(function, args) if expression.skips_none else None
        if total is not None:
            return total
        if expression.skips_none:
            return tabulated(args, lambda *v: None if any(x is None for x in v) else function(*v))
        return tabulated(args, function)

    def _operation(self, function: Callable[..., Any], args: list[Lowered]) -> Lowered | None:
        """The function as an operation; None if it is not known to be one."""
        template = trace(function, len(args))
        if template is None or any(a.coded for a in args):
            return None
        if all(a.gone is None and not isinstance(a.values, Range) for a in args):
            results = self._listed(template, function, args)
            if results is not None:
                return results
        return self._on_ranges(template, args) if isinstance(function, Known) else None

    def _listed(self, template: SOpNode, function: Callable[..., Any], args: list[Lowered]) -> Lowered | None:
        """The operation with the list of its values, where the combinations are few and it agrees on all of them."""
        together = _combinations(args, MOST_VERIFIED)
        if together is None:
            return None
        results: list[Any] = []
        booleans = set()
        for values in together:
            if not agrees(template, function, values):
                return None
            try:
                results.append(plain(function(*values)))
            except Exception:  # the operation may do anything here
                continue
            booleans.add((isinstance(results[-1], bool), isinstance(value_of(template, values), bool)))
        kind = represented(args[0].sop, results, none=None in results) if results else None
        if kind is None or kind.coded or kind.gone is not None:
            return None
        sop = filled(template, [a.sop for a in args])
        if booleans == {(False, True)}:  # the function makes 1 and 0 of True and False
            return replace(kind, sop=build.elementwise("indicator", sop))
        return replace(kind, sop=sop) if all(a == b for a, b in booleans) else None

    def _beside_none(self, function: Callable[..., Any], args: list[Lowered]) -> Lowered | None:
        """The function as an operation on numbers that may be missing: where one is, the result is None."""
        template = trace(function, len(args))
        if template is None or any(a.coded or not numeric(a.values) for a in args):
            return None
        together = _combinations(args, MOST_COMPARED)
        if together is None or not all(node.op in SAFE for node in topological(template) if isinstance(node, Map)):
            return None
        results = set()
        for values in together:
            if not agrees(template, function, values):
                return None
            results.add(plain(function(*values)))
        if not all(is_number(r) and not isinstance(r, bool) for r in results):
            return None
        return _unless_missing(Lowered(filled(template, [a.sop for a in args]), tuple(sorted(results))), args)

    def _additive(self, function: Callable[..., Any], args: list[Lowered]) -> Lowered | None:
        """A function of numbers that is a sum of functions of each, where a table of all of them would be large."""
        lists = [a.values for a in args if not isinstance(a.values, Range)]
        combinations = _combinations(args, MOST_COMPARED)
        if combinations is None or len(lists) < 2 or math.prod(map(len, lists)) <= FEW_COMBINATIONS:
            return None
        try:
            first = [values[0] for values in lists]
            start = function(*first)
            parts = [
                {v: function(*first[:i], v, *first[i + 1 :]) - start for v in values} for i, values in enumerate(lists)
            ]
            results = set()
            for values in combinations:
                results.add(total := start + sum(part[v] for part, v in zip(parts, values, strict=True)))
                if type(total) is not int or function(*values) != total:
                    return None
        except Exception:  # a user's function may fail in any way
            return None
        sop = build.constant(start)
        for arg, part in zip(args, parts, strict=True):
            entries = [(arg.atom(v), more) for v, more in part.items()]
            sop = sop + build.table("dict", entries if arg.gone is None else [*entries, (arg.gone, 0)], arg.sop)
        return _unless_missing(Lowered(sop, tuple(sorted(results))), args)

    def _on_ranges(self, template: SOpNode, args: list[Lowered]) -> Lowered | None:
        """An operation on numbers that are too many to list."""
        arguments = dict(zip(PLACEHOLDERS, (a.values for a in args), strict=False))
        values = image(template, arguments)  # type: ignore[arg-type]
        if values is None or (not isinstance(values, Range) and represented(args[0].sop, values, none=False).coded):
            return None
        sop = filled(template, [a.sop for a in args])
        gone = [a.sop == a.gone for a in args if a.gone is not None]
        if not gone:
            return Lowered(sop, values)
        if not all(node.op in SAFE for node in topological(template) if isinstance(node, Map)):
            return None
        room = making_room(Lowered(sop, values), None)
        assert room.gone is not None
        missing = gone[0] if len(gone) == 1 else gone[0] | gone[1]
        return replace(room, sop=build.elementwise("where", missing, room.gone, room.sop))

    # aggregates

    def _aggregate(self, expression: AggregateExpr) -> Lowered:
        value, one = self.sops[expression.value], self._one_key(expression.selector)
        selector = self._seen(expression.selector)
        default = plain(expression.default)
        if expression.reduction in ("max", "min"):
            return self._extreme(expression, selector, value, default)
        if expression.reduction == "sum" and not one and numeric(value.values) and value.gone is None:
            return self._sum(selector, value, default)
        room = making_room(value, default)
        many = not one and numeric(value.values)
        if many:
            room = without_booleans(room)
        sop = build.aggregate(selector, room.sop, room.atom(default))
        values: Values = means(value.values, self.max_length) if many else value.values
        together = joined(values, () if default is None else (default,))
        assert together is not None
        return replace(room, sop=sop, values=together)

    def _extreme(self, expression: AggregateExpr, selector: Selector, value: Lowered, default: Any) -> Lowered:
        if not numeric(value.values):
            raise CapaxError(
                "not-compilable",
                f"the {expression.reduction} of values that are not all numbers: `{value.sop}`",
                hint="map them to numbers first",
            )
        room = making_room(without_booleans(value), default)
        best = build.best(selector, room.sop if expression.reduction == "max" else -room.sop)
        return replace(room, sop=build.aggregate(best, room.sop, room.atom(default)))

    def _sum(self, selector: Selector, value: Lowered, default: Any) -> Lowered:
        """A sum: a width where 1s are summed, else the mean times the width."""
        numbers = without_booleans(value)
        values = totals(value.values, self.max_length)
        width = build.selector_width(selector)
        if not isinstance(value.values, Range) and all(v in (0, 1) for v in value.values):
            ones = selector & build.select(numbers.sop, 1, "==")
            total = width if 0 not in value.values else build.selector_width(ones)
        else:
            total = build.aggregate(selector, numbers.sop) * width
            whole = isinstance(values, Range) and values.whole
            if whole or (not isinstance(values, Range) and all(isinstance(v, int) for v in values)):
                total = round(total)
        if type(default) is int and default == 0:
            both = joined(values, (0,))
            assert both is not None
            return Lowered(total, both)
        room = making_room(Lowered(total, values), default)
        return replace(room, sop=build.elementwise("where", width == 0, room.atom(default), room.sop))

    # selectors

    def _seen(self, selector: Expression) -> Selector:
        seen = self.selectors[selector]
        return seen & CAUSAL if self.causal else seen

    def _selector(self, expression: Expression) -> Selector:
        match expression:
            case SelectExpr():
                return selector_of(self.sops[expression.key], self.sops[expression.query], expression.predicate)
            case CombineExpr():
                return _combined(expression.function, [self.selectors[p] for p in expression.parts])
            case SelectorRows():
                rows = expression.rows
                positions = Lowered(build.indices, tuple(range(min(self.max_length, len(rows)))))
                return selector_of(positions, positions, lambda k, q: rows[q][k])
            case _:
                raise AssertionError(expression)

    def _one_key(self, selector: Expression) -> bool:
        """Whether every query surely selects at most one key."""
        if selector not in self._single:
            self._single[selector] = self._selects_one(selector)
        return self._single[selector]

    def _selects_one(self, selector: Expression) -> bool:
        if self.max_length == 1:
            return True
        match selector:
            case SelectorRows():
                return all(sum(map(bool, row)) <= 1 for row in selector.rows)
            case CombineExpr() if len(selector.parts) == 2 and not any(selector.function(*c) for c in _NOT_BOTH):
                return any(map(self._one_key, selector.parts))
            case SelectExpr():
                return self._tells_keys_apart(selector)
            case _:
                return False

    def _tells_keys_apart(self, selector: SelectExpr) -> bool:
        query = self.sops[selector.query]
        keys = _by_position(selector.key, self.max_length)
        if keys is None or len(distinct(keys)) < self.max_length or isinstance(query.values, Range):
            return False
        if len(keys) * len(query.values) > MOST_VERIFIED:
            return False
        return all(_count(selector.predicate, keys, value) <= 1 for value, _ in query.cases("a predicate"))


def _unless_missing(result: Lowered, args: list[Lowered]) -> Lowered:
    """A result that is None where one of the arguments is None."""
    missing = [a.sop == a.gone for a in args if a.gone is not None]
    if not missing:
        return result
    room = making_room(result, None)
    assert room.gone is not None
    return replace(room, sop=build.elementwise("where", reduce(lambda a, b: a | b, missing), room.gone, room.sop))


def _combinations(args: list[Lowered], most: int) -> Iterator[tuple[Any, ...]] | None:
    """The combinations of values of s-ops, of which some may be the same s-op; None if they are too many."""
    distinct_args = list(dict.fromkeys(a.sop.node for a in args))
    values = {a.sop.node: a.values for a in args}
    lists = [v for node in distinct_args if not isinstance(v := values[node], Range)]
    if len(lists) < len(distinct_args) or math.prod(map(len, lists)) > most:
        return None
    at = [distinct_args.index(a.sop.node) for a in args]
    return (tuple(combination[i] for i in at) for combination in product(*lists))


_NOT_BOTH = ((True, False), (False, True), (False, False))


def _count(predicate: Callable[[Any, Any], Any], keys: Iterable[Any], query: Any) -> int:
    count = 0
    for key in keys:
        try:
            count += bool(predicate(key, query))
        except Exception:  # a pair for which a user's predicate fails is not selected
            continue
    return count


def _by_position(expression: Expression, n: int) -> list[Any] | None:
    """The values of an s-op that depends on nothing but the position; None for others."""
    parts = in_order(expression)
    if not all(isinstance(p, (IndicesExpr, ConstantExpr, ListedValues, ApplyExpr)) for p in parts):
        return None
    try:
        return interpret(expression, [0] * n)
    except Exception:  # a user's function fails at some position
        return None


def _combined(function: Callable[..., Any], parts: list[Selector]) -> Selector:
    """A boolean function of selectors, by its truth table."""
    holds = [cells for cells in product((False, True), repeat=len(parts)) if function(*cells)]
    if len(parts) == 2:
        if holds == [(True, True)]:
            return parts[0] & parts[1]
        if holds == [(False, True), (True, False), (True, True)]:
            return parts[0] | parts[1]
    union: Selector | None = None
    for cells in holds:
        term: Selector | None = None
        for part, cell in zip(parts, cells, strict=True):
            literal = part if cell else ~part
            term = literal if term is None else term & literal
        assert term is not None
        union = term if union is None else union | term
    return ~build.full_s if union is None else union


def _named(program: Any, name: str | None) -> Any:
    """The program under the name it has in its dialect, as far as that is a name."""
    if name is None:
        return program
    identifier = re.sub(r"\W+", "_", name).strip("_")
    if not identifier or identifier[0].isdigit():
        identifier = f"x_{identifier}"
    return program.named(identifier) if isinstance(program, (SOp, Selector)) else program
