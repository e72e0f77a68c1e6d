"""Programs that can be run letter by letter: a machine whose state is what has to be remembered of the word so far.

Statement. If every selector of a program selects keys up to the query alone, and is one of a few forms, then the value
at a position is a function of a state that each letter changes: counts and sums of keys at which something holds, the
last such value, the value some positions back, the first one.
Scope. The forms are `select(indices, indices, <=)` together with comparisons of keys with constants; `best` of these by
`indices`; `select(indices, indices - k, ==)`; `select(indices, k, ==)`. Other programs have no such machine here.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from capax.auditor.spec import Answer
from capax.auditor.specs.machine import Machine
from capax.errors import CapaxError
from capax.model.vocabulary import Token
from capax.rasp.ir.graph import conjuncts, topological
from capax.rasp.ir.nodes import (
    Aggregate,
    Best,
    Const,
    Indices,
    Input,
    Map,
    Node,
    Select,
    SelectorNode,
    SOpNode,
    Table,
    Width,
)
from capax.rasp.ir.ops import apply_op

Values: TypeAlias = dict[Node, Any]
Cell: TypeAlias = tuple[Any, ...]
COUNTED: Final = (Aggregate, Width)


@dataclass(frozen=True, slots=True)
class _Memory:
    """What a head remembers: a cell at the start, and from a cell and the values here the next cell and its value."""

    start: Cell
    step: Callable[[Cell, Values], tuple[Cell, Any]]


def running_machine(root: SOpNode) -> Machine | None:
    """The machine that computes a program letter by letter; None for a program of another form."""
    order = [node for node in topological(root) if isinstance(node, SOpNode)]
    memories: dict[Node, _Memory] = {}
    for node in order:
        memory = _memory(node)
        if memory is not None:
            memories[node] = memory
        elif not isinstance(node, Input | Indices | Const | Map) and not _is_plain_table(node):
            return None
    kept = list(memories)
    counted = any(isinstance(node, Indices) for node in _read(root))
    start = (0 if counted else None, *(memories[node].start for node in kept))

    def step(state: tuple[Any, ...] | None, letter: Token) -> Hashable | None:
        """The state after a letter; its last entry is the value there."""
        assert state is not None
        values: Values = {}
        cells = dict(zip(kept, state[1:], strict=False))
        try:
            for node in order:
                if node in memories:
                    cells[node], values[node] = memories[node].step(cells[node], values)
                else:
                    values[node] = _value(node, values, letter, state[0])
        except CapaxError:
            values[root] = None
        position = None if state[0] is None else state[0] + 1
        return (position, *(cells[node] for node in kept), ("value", type(values[root]).__name__, values[root]))

    def answer(state: tuple[Any, ...]) -> Answer | None:
        last = state[-1]
        return last[2] if isinstance(last, tuple) and len(last) == 3 and last[0] == "value" else None

    return Machine(start, step, answer)


def _is_plain_table(node: SOpNode) -> bool:
    return isinstance(node, Table) and node.kind != "positions"


def _read(root: SOpNode) -> list[Node]:
    """The nodes whose value at a position is needed: those in a causal or a shifted comparison of positions are not."""
    waiting: list[Node] = [root]
    seen: list[Node] = []
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        seen.append(node)
        if isinstance(node, COUNTED):
            shape = _shape(node.selector)
            assert shape is not None
            waiting += [test.key for test in shape.tests]
            waiting += [node.value] if isinstance(node, Aggregate) else []
        else:
            waiting += node.operands
    return seen


@dataclass(frozen=True, slots=True)
class _Shape:
    """A selector of a known form: tests of keys up to here, or a distance, or a fixed position; `last` for `best`."""

    tests: tuple[Select, ...] = ()
    back: int | None = None
    at: int | None = None
    last: bool = False


def _shape(selector: SelectorNode) -> _Shape | None:
    """The form of a selector; None if it has none of those that are known."""
    if isinstance(selector, Best):
        inner = _shape(selector.selector)
        fits = isinstance(selector.score, Indices) and inner is not None and inner.back is inner.at is None
        return _Shape(inner.tests, last=True) if fits and inner is not None else None
    parts = conjuncts(selector)
    selects = [part for part in parts if isinstance(part, Select)]
    if len(selects) < len(parts):
        return None
    tests = [part for part in selects if not _is_causal(part)]
    if len(tests) < len(selects):
        return _Shape(tuple(tests)) if all(isinstance(part.query, Const) for part in tests) else None
    return _single(tests[0]) if len(tests) == 1 else None


def _is_causal(part: Select) -> bool:
    return isinstance(part.key, Indices) and isinstance(part.query, Indices) and part.op == "<="


def _single(part: Select) -> _Shape | None:
    """The form of a selector of one position: the first one, or one some positions back."""
    back = _distance(part)
    if back is not None:
        return _Shape(back=back)
    first = isinstance(part.key, Indices) and part.op == "==" and part.query is Const(0)
    return _Shape(at=0) if first else None


def _distance(part: Select) -> int | None:
    """k for a selector of the position k before this one."""
    query = part.query
    if part.op != "==" or not isinstance(part.key, Indices) or not isinstance(query, Map) or query.op != "-":
        return None
    left, right = query.args
    whole = isinstance(left, Indices) and isinstance(right, Const) and type(right.value) is int and right.value > 0
    return right.value if whole and isinstance(right, Const) and type(right.value) is int else None


def _memory(node: SOpNode) -> _Memory | None:
    """What a head of a known form remembers; None for other nodes."""
    shape = _shape(node.selector) if isinstance(node, COUNTED) else None
    if shape is None:
        return None
    if isinstance(node, Width):
        return _Memory((0,), _counting(shape.tests)) if shape.back is shape.at is None and not shape.last else None
    assert isinstance(node, Aggregate)
    value, default = node.value, node.default
    if shape.back is not None:
        return _Memory((default,) * shape.back, lambda cell, values: ((*cell[1:], values[value]), cell[0]))
    if shape.at is not None:
        return _Memory((), lambda cell, values: _first(cell, values[value]))
    if shape.last:
        return _Memory((default,), _latest(shape.tests, value))
    return _Memory((0, 0), _averaging(shape.tests, value, default))


def _first(cell: Cell, value: Any) -> tuple[Cell, Any]:
    return (cell, cell[0]) if cell else ((value,), value)


def _holds(tests: Sequence[Select], values: Values) -> bool:
    return all(apply_op(test.op, values[test.key], test.query.value) for test in tests)


def _counting(tests: Sequence[Select]) -> Callable[[Cell, Values], tuple[Cell, Any]]:
    def step(cell: Cell, values: Values) -> tuple[Cell, Any]:
        count = cell[0] + _holds(tests, values)
        return (count,), count

    return step


def _latest(tests: Sequence[Select], value: SOpNode) -> Callable[[Cell, Values], tuple[Cell, Any]]:
    def step(cell: Cell, values: Values) -> tuple[Cell, Any]:
        latest = values[value] if _holds(tests, values) else cell[0]
        return (latest,), latest

    return step


def _averaging(tests: Sequence[Select], value: SOpNode, default: Any) -> Callable[[Cell, Values], tuple[Cell, Any]]:
    def step(cell: Cell, values: Values) -> tuple[Cell, Any]:
        count, total = cell
        if _holds(tests, values):
            here = values[value]
            if (count and (isinstance(here, str) or isinstance(total, str))) or isinstance(here, float):
                raise CapaxError(
                    "type-mismatch", "a mean of strings has no value, and one of floats is not kept exactly"
                )
            count, total = count + 1, here if not count else total + here
        mean = default if not count else total if count == 1 else total / count
        return (count, total), mean

    return step


def _value(node: SOpNode, values: Values, letter: Token, position: int | None) -> Any:
    """The value of an element-wise node at the letter that is read."""
    match node:
        case Input():
            return str(letter) if node.kind == "str" else letter
        case Indices():
            return 0 if position is None else position
        case Const():
            return node.value
        case Map():
            return apply_op(node.op, *(values[a] for a in node.args))
        case Table():
            table, key = {(type(k).__name__, k): v for k, v in node.entries}, values[node.arg]
            mark = (type(key).__name__, key)
            if node.kind == "members":
                return mark in table
            if mark not in table:
                raise CapaxError("illegal-value", f"the table has no entry for {key!r:.40}")
            return table[mark]
    raise AssertionError(node)
