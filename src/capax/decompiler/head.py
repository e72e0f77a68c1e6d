"""One head explained: its selector, and the s-ops that its output stands for."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from capax.decompiler.feature import Bank, Feature, Kind, kind_of, values_of
from capax.decompiler.function_fit import TreeSearch, indicator, truth_of
from capax.decompiler.sample import HeadReading, Sample, classes
from capax.decompiler.selector import PairTask, SelectorChoice, comparisons, quick_selector, slow_selector, visible
from capax.model.parts import Array
from capax.rasp.ir.build import length
from capax.rasp.ir.graph import postorder
from capax.rasp.ir.nodes import (
    Aggregate,
    And,
    Best,
    Comparison,
    Const,
    Indices,
    Map,
    Node,
    Select,
    SelectorNode,
    Table,
    Width,
)
from capax.rasp.ir.types import Atom

MASKS: Final[dict[str, Comparison]] = {"causal": "<=", "strict past": "<", "future": ">=", "strict future": ">"}
MOST_SCORES: Final = 24
"""At most so many s-ops are tried as the score of `best`."""
MOST_MATCHED: Final = 4
"""At most so many s-ops of the queries are tried as what a key has to be equal to."""
BEST_COST: Final = 3.0
SIMPLE: Final = 6.0
"""A selector of at most this size is taken without a look for `best`."""


@dataclass(frozen=True, slots=True, eq=False)
class KnownSOps:
    """The base s-ops on their different rows, the bank over them, the row of each position, a position of each row."""

    base: Sequence[Feature]
    bank: Bank
    row_of: Array
    first: Array

    def by_row(self, by_position: Array) -> Array:
        """A column by position as one by row: the value at the row's first position."""
        return np.asarray(by_position[self.first])

    def gives(self, target: Sequence[Atom]) -> bool:
        """Whether an atom for each position is a function of the rows."""
        return all(target[at] == target[int(self.first[row])] for at, row in enumerate(self.row_of.tolist()))

    def at_positions(self, feature: Feature) -> Feature:
        """A feature by row as one by position."""
        return Feature(feature.node, feature.kind, feature.values[self.row_of], feature.cost)


@dataclass(frozen=True, slots=True, eq=False)
class ExplainedHead:
    """A head, the selector that it was found to have (or None), and the s-ops of its output, by position."""

    reading: HeadReading
    selector: SelectorNode | None
    outputs: tuple[Feature, ...]
    reason: str | None = None
    parts: tuple[Feature, ...] = ()
    """The integers that its selector and its values are made of: what the feed-forward part before it computes."""
    cost: float = np.inf
    """The size of its selector, where known s-ops count 1."""


def explain_head(reading: HeadReading, known: KnownSOps, sample: Sample) -> ExplainedHead:
    """What a head computes, in terms of what is known before its layer."""
    if not reading.hard:
        return ExplainedHead(reading, None, (), "its attention is not uniform over some keys")
    chosen = _selector(reading, known, sample)
    if chosen is None:
        return ExplainedHead(reading, None, (), "no selector was found")
    selector = _masked(chosen.node, reading.head.mask)
    outputs = _outputs(reading, selector, known, sample)
    roots = [selector, *(f.node.value for f in outputs if isinstance(f.node, Aggregate))]
    named = tuple(_renamed(f, sample) for f in outputs)
    return ExplainedHead(reading, selector, named, None, _parts(roots, known), chosen.cost)


def explain_together(one: ExplainedHead, two: ExplainedHead, known: KnownSOps, sample: Sample) -> ExplainedHead | None:
    """Two heads that count different pairs, as one that counts the pairs of both; None if that has no selector."""
    a, b = one.reading, two.reading
    if not (a.counts and b.counts and a.hard and b.hard) or (a.selected & b.selected).any():
        return None
    joint = replace(
        a,
        head=replace(a.head, mask="none"),
        selected=(a.selected & a.allowed) | (b.selected & b.allowed),
        allowed=np.ones(len(a.allowed), bool),
        query_class=classes(np.stack([a.query_class, b.query_class], axis=1)),
        key_class=classes(np.stack([a.key_class, b.key_class], axis=1)),
    )
    explained = explain_head(joint, known, sample)
    return explained if explained.selector is not None else None


def _parts(roots: Sequence[Node], known: KnownSOps) -> tuple[Feature, ...]:
    """The integers, besides the base s-ops, that some nodes are made of, by position."""
    values: dict[Node, Feature] = {f.node: f for f in known.base}
    parts = []
    for node in postorder(roots, lambda n: () if n in values else n.operands):
        feature = values_of(node, values, known.bank.strings)
        if feature is not None:
            values[node] = feature
            if feature.kind == "int" and isinstance(node, Map | Table) and np.ptp(feature.values) > 1:
                parts.append(Feature(node, "int", feature.values[known.row_of], 1.5))
    return tuple(parts)


def _renamed(feature: Feature, sample: Sample) -> Feature:
    """The library's `length` in place of an s-op that is the length of the word everywhere."""
    if feature.kind in ("int", "float") and np.array_equal(feature.values, sample.lengths[sample.word_of]):
        return Feature(length.node, "int", feature.values, 1.0)
    return feature


def _selector(reading: HeadReading, known: KnownSOps, sample: Sample) -> SelectorChoice | None:
    queries, keys = sample.pairs
    must = reading.selected & reading.allowed
    never = ~reading.selected & reading.allowed
    task = PairTask(must, never, known.row_of[keys], known.row_of[queries])
    key_class, query_class = known.by_row(reading.key_class), known.by_row(reading.query_class)
    single = int(np.bincount(queries[must], minlength=1).max()) <= 1
    atoms: list[SelectorChoice] = []
    _add_truths(key_class, known)
    for relaxed in (False, True):
        atoms = comparisons(task, known.bank, key_class, query_class, relaxed=relaxed)
        chosen = quick_selector(task, atoms)
        if single and (chosen is None or chosen.cost > SIMPLE):
            best = _best(task, atoms, known, sample, key_class)
            chosen = min((o for o in (chosen, best) if o is not None), key=lambda o: o.cost, default=None)
        if chosen is not None:
            return chosen
    return _key_only(task, known) or _matched(task, known, query_class) or slow_selector(task, atoms)


def _add_truths(row_class: Array, known: KnownSOps) -> None:
    """Keys of two classes tell one truth value: it joins the bank."""
    if row_class.max() == 1:
        for side in (row_class == 0, row_class == 1):
            truth = truth_of(side, known.bank, known.base)
            if truth is not None:
                known.bank.add(truth)


def _masked(node: SelectorNode, mask: str) -> SelectorNode:
    """A selector together with the mask of its head."""
    if mask == "none":
        return node
    seen = Select(Indices(), Indices(), MASKS[mask])
    if isinstance(node, Best):
        return Best(_masked(node.selector, mask), node.score)
    everything = isinstance(node, Select) and isinstance(node.key, Const) and isinstance(node.query, Const)
    return seen if everything else And(node, seen)


def _best(
    task: PairTask, atoms: Sequence[SelectorChoice], known: KnownSOps, sample: Sample, key_class: Array
) -> SelectorChoice | None:
    """A selector of one key for each query, as the best of those that a wider one selects."""
    queries, keys = sample.pairs
    k = sample.position[keys].astype(np.float64)
    scores = [(Feature(Indices(), "int", k, 1.0), k), (Feature(Map("neg", (Indices(),)), "int", -k, 2.0), -k)]
    numbers = visible(known.bank.of_kind("int", "float"), key_class)[:MOST_SCORES]
    scores += [(f, f.values[task.key]) for f in numbers if not isinstance(f.node, Indices)]
    best: SelectorChoice | None = None
    for score, value in scores:
        if best is not None and score.cost + BEST_COST + 1 >= best.cost:
            break
        top = np.full(int(queries.max()) + 1, -np.inf)
        where = np.full(len(top), -1.0)
        top[queries[task.must]], where[queries[task.must]] = value[task.must], k[task.must]
        higher = (value > top[queries]) | ((value == top[queries]) & (k > where[queries]))
        narrowed = PairTask(task.must, task.never & higher, task.key, task.query)
        inner = quick_selector(narrowed, atoms) or _key_only(narrowed, known)
        cost = np.inf if inner is None else inner.cost + score.cost + BEST_COST
        if inner is not None and (best is None or cost < best.cost):
            best = SelectorChoice(Best(inner.node, score.node), inner.bits, cost)
    return best


def _key_only(task: PairTask, known: KnownSOps) -> SelectorChoice | None:
    """The selector of the keys at which something holds, whatever the query."""
    rows = len(known.first)
    yes, no = np.zeros(rows, bool), np.zeros(rows, bool)
    yes[task.key[task.must]], no[task.key[task.never]] = True, True
    if (yes & no).any():
        return None
    truth = truth_of(yes, known.bank, known.base, yes | no)
    if truth is None:
        return None
    return SelectorChoice(
        Select(truth.node, Const(True), "=="), task.packed(truth.values[task.key] > 0), truth.cost + 1
    )


def _matched(task: PairTask, known: KnownSOps, query_class: Array) -> SelectorChoice | None:
    """`select(f, g, ==)` for a number g of the queries, where f is found as what it has to be at each key."""
    for g in visible(known.bank.of_kind("int"), query_class)[:MOST_MATCHED]:
        wanted, dead = g.values[task.query], g.values.min() - 1
        low = np.full(len(known.first), np.inf)
        high = np.full(len(known.first), -np.inf)
        np.minimum.at(low, task.key[task.must], wanted[task.must])
        np.maximum.at(high, task.key[task.must], wanted[task.must])
        live = np.isfinite(low)
        target = np.where(live, low, dead)
        if (low[live] != high[live]).any() or (target[task.key] == wanted)[task.never].any():
            continue
        rows = np.unique(task.key)
        tree = TreeSearch([int(x) for x in target], known.bank, known.base).tree(rows)
        if tree is not None:
            bits = task.packed(target[task.key] == wanted)
            return SelectorChoice(Select(tree.node, g.node, "=="), bits, tree.cost + g.cost + 1)
    return None


def _outputs(reading: HeadReading, selector: SelectorNode, known: KnownSOps, sample: Sample) -> list[Feature]:
    """The s-ops of a head's output, by position."""
    queries, keys = sample.pairs
    must = reading.selected & reading.allowed
    many = np.bincount(queries[must], minlength=len(sample.word_of)).astype(np.float64)
    if reading.counts:
        return [Feature(Width(selector), "int", many, 1.0)]
    used = np.unique(keys[must])
    if len(np.unique(reading.value_class[used])) <= 1:
        if many.all():
            return []
        focus = Aggregate(selector, Const(1), 0)
        return [Feature(Map(">", (focus, Const(0))), "bool", (many > 0) * 1.0, 1.0)]
    if many.max() <= 1:
        one = _copied(reading, reading.value_class, None, known)
        parts = [one] if one is not None else _by_column(reading, known, single=True)
    else:
        parts = _by_column(reading, known, single=False)
    return [_aggregated(selector, value, default, many, must, sample, known) for value, default in filter(None, parts)]


Averaged = tuple[Feature, Atom]
"""What a head averages, by row, and the default where it selects nothing."""


def _by_column(reading: HeadReading, known: KnownSOps, *, single: bool) -> "list[Averaged | None]":
    """For each coordinate of the values the s-op that it stands for."""
    parts: list[Averaged | None] = []
    for column in range(reading.values.shape[1]):
        label = classes(reading.values[:, column : column + 1])
        if label.max() == 0:
            continue
        part = _copied(reading, label, column, known) if single else None
        parts.append(part or _averaged(reading, column, label, known))
    return parts


def _copied(reading: HeadReading, label: Array, column: int | None, known: KnownSOps) -> Averaged | None:
    """The smallest s-op that tells the values' classes apart, and that they tell."""
    rows = known.by_row(label)
    for f in sorted(visible(known.bank.features, rows), key=lambda f: f.cost):
        if int(rows.max()) + 1 == len(np.unique(f.values)) and f.kind != "bool":
            return f, _default(reading, f, column, known)
    return None


def _default(reading: HeadReading, f: Feature, column: int | None, known: KnownSOps) -> Atom:
    """What a head gives where it selects nothing: the s-op's value whose code is the sink's."""
    sink = reading.head.sink
    blank: Atom = "" if f.kind == "str" else 0
    if sink is None:
        return blank
    at = slice(None) if column is None else slice(column, column + 1)
    values = reading.values[:, at]
    near = np.abs(values - sink.value[at]).max(axis=1) < 1e-4
    if near.any():
        code = float(f.values[known.row_of[int(np.flatnonzero(near)[0])]])
        return known.bank.strings.listed[int(code)] if f.kind == "str" else int(code)
    if f.kind != "str" and values.shape[1] == 1:
        slope, shift = _line(f.values[known.row_of], values[:, 0])
        guess = (float(sink.value[at][0]) - shift) / slope
        return round(guess) if abs(guess - round(guess)) < 1e-3 else guess
    return blank


def _line(x: Array, y: Array) -> tuple[float, float]:
    """The line through points: slope and shift."""
    low, high = int(x.argmin()), int(x.argmax())
    slope = float((y[high] - y[low]) / (x[high] - x[low]))
    return slope, float(y[low] - slope * x[low])


def _averaged(reading: HeadReading, column: int, label: Array, known: KnownSOps) -> Averaged | None:
    """A number that is averaged: a truth value for two classes, else an s-op or a table that the values follow."""
    rows, values = known.by_row(label), known.by_row(reading.values[:, column])
    if rows.max() == 1:
        high = rows == rows[int(values.argmax())]
        truths = [truth_of(side, known.bank, known.base) for side in (high, ~high)]
        fitting = [t for t in truths if t is not None]
        if not fitting:
            return None
        f = indicator(min(fitting, key=lambda t: t.cost))
        return f, _number_default(reading, column, f, known)
    for f in sorted(visible(known.bank.of_kind("int", "float"), rows), key=lambda f: f.cost):
        slope, shift = _line(f.values, values) if np.ptp(f.values) else (0.0, 0.0)
        if slope and np.abs(slope * f.values + shift - values).max() < 1e-4 * max(1.0, float(np.ptp(values))):
            return f, _number_default(reading, column, f, known)
    return _tabled(rows, values, known)


def _number_default(reading: HeadReading, column: int, f: Feature, known: KnownSOps) -> Atom:
    return 0 if reading.head.sink is None else _default(reading, f, column, known)


def _tabled(rows: Array, values: Array, known: KnownSOps) -> Averaged | None:
    """A number for each value of one base s-op."""
    for base in known.base:
        if base.kind != "str" or not visible([Feature(base.node, "int", rows, 1.0)], classes(base.values[:, None])):
            continue
        codes = np.unique(base.values).astype(int).tolist()
        numbers = [float(values[int(np.flatnonzero(base.values == c)[0])]) for c in codes]
        listed = [round(x) if abs(x - round(x)) < 1e-3 else x for x in numbers]
        kind: Kind = "int" if all(isinstance(x, int) for x in listed) else "float"
        names = [known.bank.strings.listed[c] for c in codes]
        node = Table("dict", tuple(zip(names, listed, strict=True)), base.node)
        column = np.array([listed[codes.index(int(c))] for c in base.values], np.float64)
        return Feature(node, kind, column, 2.0 + len(codes)), 0
    return None


def _aggregated(
    selector: SelectorNode, value: Feature, default: Atom, many: Array, must: Array, sample: Sample, known: KnownSOps
) -> Feature:
    """The aggregate of an s-op by position: the value, the mean of several, or the default."""
    queries, keys = sample.pairs
    column = value.values[known.row_of]
    total = np.bincount(queries[must], weights=column[keys[must]], minlength=len(many))
    blank = float(known.bank.strings.code(default)) if isinstance(default, str) else float(default)
    mean = np.where(many > 0, total / np.maximum(many, 1), blank)
    kind = value.kind if many.max() <= 1 and (value.kind == kind_of(default) or many.all()) else "float"
    return Feature(Aggregate(selector, value.node, default), kind, mean, 1.0)
