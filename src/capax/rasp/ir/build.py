"""Constructors of programs: each makes a node and records that it was written."""

import math
from collections.abc import Callable, Mapping
from collections.abc import Sequence as Items
from typing import Any

from capax.errors import CapaxError, Span
from capax.rasp.analysis.value_set import value_set
from capax.rasp.ir.construction import Construction
from capax.rasp.ir.nodes import (
    INPUT_KINDS,
    Aggregate,
    And,
    Best,
    Comparison,
    Const,
    Indices,
    Input,
    Map,
    Node,
    Not,
    Or,
    Padded,
    Select,
    SelectorNode,
    SOpNode,
    Table,
    TableKind,
    Width,
    list_lengths,
)
from capax.rasp.ir.ops import OPS
from capax.rasp.ir.strings import string_text
from capax.rasp.ir.triple_nodes import PairAggregate, PairWidth
from capax.rasp.ir.types import Atom, plain_atom
from capax.rasp.meaning.sequence import Sequence
from capax.rasp.python.program import Program, Selector, SOp
from capax.rasp.python.triple_selector import TripleSelector


def sop(node: SOpNode, *parts: Program, span: Span | None = None) -> SOp:
    """An s-op for a node, written from the parts."""
    return SOp(node, written(node, parts, span))


def selector(node: SelectorNode, *parts: Program, span: Span | None = None) -> Selector:
    """A selector for a node, written from the parts."""
    return Selector(node, written(node, parts, span))


def written(node: Node, parts: tuple[Program, ...], span: Span | None) -> Construction:
    """That a node was written from the parts; lists of different lengths in them are refused."""
    _refuse_lengths(node, span)
    if any(isinstance(operand, Padded) for operand in node.operands):
        hint = "write `pad(..., count)` around all of it"
        raise CapaxError("bad-pads", "pads are declared last: nothing is computed from what has them", span, hint)
    return Construction(node, tuple(p.construction for p in parts), span)


def _refuse_lengths(node: Node, span: Span | None) -> None:
    """Refuses lists of different lengths in one program: it would have a value on no input."""
    sizes = list_lengths(node)
    if len(sizes) > 1:
        what = f"lists of lengths {sizes[0]} and {sizes[1]} stand for s-ops here, and no input has both lengths"
        hint = "make the lists equally long; to look up write `list[s]`, to search write `s in list`"
        raise CapaxError("word-length", what, span, hint, sizes=sizes)


inputs: dict[str, SOp] = {f"tokens_{kind}": sop(Input(kind)) for kind in INPUT_KINDS}
"""The five readings of the input word, by their names in the language."""

indices: SOp = sop(Indices())
"""The positions 0, 1, 2, ..."""


for _shared in (indices, *inputs.values()):
    _shared.construction.share()


def constant(value: object, span: Span | None = None) -> SOp:
    """The s-op that has the same atom everywhere."""
    plain = plain_atom(value)
    if isinstance(plain, float) and math.isnan(plain):
        raise CapaxError("illegal-value", "nan is not a number of the language", span, values=[plain])
    if plain is None:
        raise not_an_sop(value, span)
    return sop(Const(plain), span=span)


def not_an_sop(value: object, span: Span | None = None) -> CapaxError:
    """The error for a value that stands where an s-op is needed."""
    return CapaxError(
        "expected-sop",
        f"an s-op or a single value is needed here, not {describe_value(value)}",
        span,
        "lists and dictionaries are indexed (`table[s]`) or searched (`s in list`), not broadcast"
        if isinstance(value, (list, dict))
        else None,
        value=value,
    )


def listed(values: Items[object], span: Span | None = None) -> SOp:
    """The s-op with the listed values, one for each position; it has a value on words of just that length."""
    if not values:
        raise CapaxError(
            "expected-sop", "an empty list is not an s-op: a word has at least one position", span, value=[]
        )
    for value in values:
        if plain_atom(value) is None:
            what = f"a list for an s-op holds strings, numbers and booleans, not {describe_value(value)}"
            raise CapaxError("expected-sop", what, span, value=value)
    entries = tuple((i, constant(value, span).node.value) for i, value in enumerate(values))
    return sop(Table("positions", entries, indices.node), indices, span=span)


def as_sop(value: object, span: Span | None = None) -> SOp:
    """The value itself if it is an s-op, a constant if it is an atom, the values of the positions if it is a list."""
    if isinstance(value, SOp):
        return value
    return listed(value, span) if isinstance(value, (list, Sequence)) else constant(value, span)


def elementwise(op: str, *args: object, span: Span | None = None) -> SOp:
    """An operation of the op table applied to s-ops and atoms, position by position."""
    if len(args) != OPS[op].arity:
        what = f"`{op}` takes {OPS[op].arity} operands, but got {len(args)}"
        raise CapaxError("argument-count", what, span, function=op, expected=OPS[op].arity, got=len(args))
    sops = tuple(as_sop(a, span) for a in args)
    return sop(Map(op, tuple(s.node for s in sops)), *sops, span=span)


def table(kind: TableKind, entries: Items[tuple[object, object]], arg: SOp, span: Span | None = None) -> SOp:
    """A finite map applied to an s-op, position by position."""
    rows = tuple((_entry(key, span), _entry(value, span)) for key, value in entries)
    return sop(Table(kind, rows, arg.node), arg, span=span)


def _entry(value: object, span: Span | None) -> Atom:
    plain = plain_atom(value)
    if plain is None:
        what = f"the entries of a table must be strings, numbers or booleans, not {describe_value(value)}"
        raise CapaxError("illegal-value", what, span, values=[value])
    return plain


def select(key: object, query: object, op: Comparison, span: Span | None = None) -> Selector:
    """The selector of the pairs with `key[j] op query[i]`."""
    k, q = as_sop(key, span), as_sop(query, span)
    return selector(Select(k.node, q.node, op), k, q, span=span)


def select_and(left: Selector, right: Selector, span: Span | None = None) -> Selector:
    """The pairs that both selectors select."""
    return selector(And(left.node, right.node), left, right, span=span)


def select_or(left: Selector, right: Selector, span: Span | None = None) -> Selector:
    """The pairs that one selector or both select."""
    return selector(Or(left.node, right.node), left, right, span=span)


def select_not(inner: Selector, span: Span | None = None) -> Selector:
    """The pairs that the selector leaves out."""
    return selector(Not(inner.node), inner, span=span)


def best(sel: object, score: object, span: Span | None = None) -> Selector:
    """For each query the selected key with the highest score, the rightmost of equals."""
    chosen, by = expect_selector(sel, span), as_sop(score, span)
    return selector(Best(chosen.node, by.node), chosen, by, span=span)


def aggregate(sel: object, value: object, default: object = 0, span: Span | None = None) -> SOp:
    """For each query the one selected value, the mean of several, or the default for none.

    Over triples it is the mean over the selected pairs of keys of the value at the first key.
    """
    chosen = sel if isinstance(sel, TripleSelector) else expect_selector(sel, span)
    x = as_sop(value, span)
    plain = plain_atom(default)
    if plain is None:
        raise CapaxError(
            "expected-atom",
            f"the default of aggregate must be a single value, not {describe_value(default)}",
            span,
            "for a default that varies by position, choose afterwards by has_focus(sel)",
            value=default,
        )
    if isinstance(chosen, TripleSelector):
        return sop(PairAggregate(chosen.node, x.node, plain), chosen, x, span=span)
    return sop(Aggregate(chosen.node, x.node, plain), chosen, x, span=span)


def width(sel: object, span: Span | None = None) -> SOp:
    """For each query the number of selected keys, or pairs of keys."""
    if isinstance(sel, TripleSelector):
        return sop(PairWidth(sel.node), sel, span=span)
    chosen = expect_selector(sel, span)
    return sop(Width(chosen.node), chosen, span=span)


def expect_selector(value: object, span: Span | None = None) -> Selector:
    """The value, which must be a selector."""
    if isinstance(value, Selector):
        return value
    raise CapaxError(
        "expected-selector",
        f"a selector is needed here, not {describe_value(value)}",
        span,
        "make one with `select(key, query, ==)`",
        value=value,
    )


def describe_value(value: object) -> str:
    """A value in words, for messages."""
    match value:
        case SOp():
            return f"the s-op `{value}`"
        case Selector():
            return f"the selector `{value}`"
        case TripleSelector():
            return f"the selector over triples `{value}`"
        case str():
            return f"the string {string_text(value[:40])}"
        case bool():
            return f"the boolean {value}"
        case int() if value.bit_length() > 2000:
            return "a very large integer"
        case int() | float():
            return f"the number {value}"
        case list():
            return f"a list of {len(value)} element{'' if len(value) == 1 else 's'}"
        case dict():
            return f"a dictionary of {len(value)} key{'' if len(value) == 1 else 's'}"
        case _:
            return f"{value}"


full_s: Selector = select(1, 1, "==")
"""The selector that selects everything."""
full_s.construction.share("full_s")

length: SOp = elementwise("round", elementwise("/", 1, aggregate(full_s, elementwise("indicator", indices == 0))))
"""The length of the word, at every position."""
length.construction.share("length")


def selector_width(sel: object, span: Span | None = None) -> SOp:
    """For each query the number of selected keys, written as the library writes it: two averages.

    Over triples it is the number of selected pairs of keys, and written as itself.
    """
    if isinstance(sel, TripleSelector):
        return width(sel, span)
    chosen = expect_selector(sel, span)
    at_start, is_start = select(indices, 0, "==", span), elementwise("indicator", indices == 0, span=span)
    with_start = round(1 / aggregate(select_or(chosen, at_start, span), is_start, span=span))
    by_averages = with_start - 1 + aggregate(select_and(chosen, at_start, span), is_start, span=span)
    return sop(Width(chosen.node), by_averages, span=span)


def value_at(target: SOp, position: object, span: Span | None = None, length: SOp = length) -> SOp:
    """The s-op whose value everywhere is the one at a position, from the end when negative."""
    if not isinstance(position, int):
        raise CapaxError(
            "index-type",
            f"an s-op is indexed by an integer, not {describe_value(position)}",
            span,
            "use load_from_location(s, where) to fetch from a position that varies",
            container="sequence",
            value=position,
        )
    query = position if position >= 0 else elementwise("+", length, position, span=span)
    return aggregate(select(indices, query, "==", span), target, span=span)


def members(arg: SOp, values: Items[object], span: Span | None = None) -> SOp:
    """Whether the value at each position is among the given ones."""
    known = dict.fromkeys((_entry(value, span) for value in values), True)
    return table("members", list(known.items()), arg, span)


MOST_TABULATED = 1_000_000
"""A function is tabulated for at most so many values."""


def tabulate(arg: SOp, function: Callable[[Any], Any] | Mapping[Any, Any], domain: list[Any] | None) -> SOp:
    """A Python function or dictionary as a table over a finite domain."""
    if isinstance(function, Mapping):
        return table("dict", list(function.items()), arg)
    known = value_set(arg.node) if domain is None else domain
    if known is None:
        raise CapaxError(
            "bad-option",
            f"the values of `{arg}` are not known beforehand",
            hint='give them: .map(f, domain="abc") or .map(f, domain=range(20))',
        )
    if len(known) > MOST_TABULATED:
        raise CapaxError("too-large", f"a domain of {len(known):,} values; the limit is {MOST_TABULATED:,}")
    entries: dict[Atom, Atom] = {}
    distinct = {(type(v), v): v for v in (_entry(v, None) for v in known)}
    for value in distinct.values():
        result = _entry(function(value), None)
        if value in entries and (type(entries[value]), entries[value]) != (type(result), result):
            raise CapaxError(
                "bad-option",
                f"the function gives {entries[value]!r} and {result!r} for values that are equal ({value!r})",
                hint="1, 1.0 and True are one value to a table; map one of them only",
            )
        entries[value] = result
    return table("dict", list(entries.items()), arg)
