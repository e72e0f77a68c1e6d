"""Tables of element-wise operations: what their entries are, and the same table over more s-ops."""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from capax.compiler.analysis.value_sets import Finite, ValueSet
from capax.errors import CapaxError
from capax.rasp.analysis.linear_bounds import Form, linear_bounds
from capax.rasp.analysis.position_values import PositionValues
from capax.rasp.ir.describe import FULL
from capax.rasp.ir.nodes import Map, SOpNode, Table, Width
from capax.rasp.ir.ops import apply_op
from capax.rasp.ir.types import Atom
from capax.rasp.meaning.reference import look_up

LENGTH = Width(FULL)


def broadcast(
    table: Sequence[Any], own: Sequence[SOpNode], bases: Sequence[SOpNode], sizes: Mapping[SOpNode, int]
) -> list[Any]:
    """The entries of a table over some bases, for every combination of values of more of them.

    >>> from capax.rasp.ir.nodes import Const
    >>> a, b = Const(0), Const(1)
    >>> broadcast("xyz", (b,), (a, b), {a: 2, b: 3})
    ['x', 'y', 'z', 'x', 'y', 'z']
    """
    steps, step = {}, 1
    for base in reversed(own):
        steps[base] = step
        step *= sizes[base]
    index = np.zeros((1,) * len(bases), np.int64)
    for axis, base in enumerate(bases):
        shape = [1] * len(bases)
        shape[axis] = sizes[base]
        index = index + (np.arange(sizes[base]) * steps.get(base, 0)).reshape(shape)
    return [table[i] for i in index.reshape(-1).tolist()]


def possible_together(
    bases: Sequence[SOpNode], values: Mapping[SOpNode, Finite], positions: PositionValues
) -> tuple[tuple[SOpNode, ...], list[bool]]:
    """Which combinations of values happen, of those of the bases that depend on position and length alone.

    Or of those that are integers with bounds in the length: a position is below it, a count is not above it. None of
    the bases where nothing is known.
    """
    rows = {b: r for b in bases if (r := positions.of(b)) is not None and all(v in values[b] for v in r)}
    if len(rows) > 1:
        ranks = [[values[b].rank(v) for v in r] for b, r in rows.items()]
        happens = set(zip(*ranks, strict=True))
        return tuple(rows), [c in happens for c in itertools.product(*(range(len(values[b])) for b in rows))]
    possible = within_length(bases, [values[b] for b in bases])
    return ((), []) if possible is None else (tuple(bases), possible)


def combinations(nodes: Sequence[SOpNode], sets: Sequence[object]) -> Iterator[tuple[Atom, ...]]:
    """The values of operands that can meet, of all combinations of listed ones."""
    listed = [s for s in sets if isinstance(s, Finite)]
    return itertools.compress(
        itertools.product(*(s.values for s in listed)), within_length(nodes, listed) or itertools.repeat(True)
    )


def within_length(nodes: Sequence[SOpNode], sets: Sequence[Finite]) -> list[bool] | None:
    """Which combinations of values can happen, by the nodes' bounds in the length; None if these tell nothing."""
    known = {axis: forms for axis, node in enumerate(nodes) if (forms := linear_bounds(node)) is not None}
    if LENGTH not in nodes or len(known) < 2:
        return None
    last = nodes.index(LENGTH)
    happens = np.ones([len(s) for s in sets], bool)
    lengths = np.array([int(n) for n in sets[last].values])
    for axis, forms in known.items():
        if axis != last:
            numbers = np.array([float(v) for v in sets[axis].values])[:, None]
            low, high = (
                np.array([float(_end(form, int(n), end)) for n in lengths])
                for form, end in ((forms.low, min), (forms.high, max))
            )
            shape = [len(s) if a in (axis, last) else 1 for a, s in enumerate(sets)]
            possible = (low <= numbers) & (numbers <= high)
            happens &= (possible if axis < last else possible.T).reshape(shape)
    return [bool(h) for h in happens.reshape(-1)]


def _end(form: Form, n: int, end: Callable[[Fraction, Fraction], Fraction]) -> Fraction:
    """The least or the greatest that a form is on words of n tokens."""
    return form.a * n + form.c + end(Fraction(0), form.b * (n - 1))


def evaluate_entry(node: SOpNode, *args: Atom) -> tuple[Atom | None, list[CapaxError]]:
    """The value, if there is one, and the errors that there can be.

    In a set of values equal numbers are one value, whatever their types. So there can be both: where a float is
    rejected, as an index into a list is, the integer that equals it is tried.
    """
    try:
        return _applied(node, args), []
    except CapaxError as error:
        errors = [error]
    whole = tuple(int(a) if isinstance(a, float) and a.is_integer() else a for a in args)
    if any(type(a) is not type(b) for a, b in zip(args, whole, strict=True)):
        try:
            return _applied(node, whole), errors
        except CapaxError as error:
            errors.append(error)
    return None, errors


def _applied(node: SOpNode, args: tuple[Atom, ...]) -> Atom:
    if isinstance(node, Table):
        value: Atom = look_up(node.kind, dict(node.entries), args[0])
    else:
        assert isinstance(node, Map)
        value = apply_op(node.op, *args)
    if not isinstance(value, (str, int, float)) or value != value:
        raise CapaxError("illegal-value", "the result is not a number, a string or a boolean")
    return value


def samples_of_kinds(sets: Sequence[ValueSet]) -> Iterator[tuple[Atom, ...]]:
    """One combination of values of operands for every combination of their kinds, number or string.

    >>> list(samples_of_kinds([Finite((1, 2, "a")), Finite(("b", "c"))]))
    [(1, 'b'), ('a', 'b')]
    """
    samples = [
        [v for kind in (False, True) for v in [v for v in s.values if isinstance(v, str) is kind][:1]]
        if isinstance(s, Finite)
        else [float(s.low)]
        for s in sets
    ]
    return itertools.product(*samples)
