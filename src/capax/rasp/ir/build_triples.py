"""Constructors of selectors over triples; `aggregate` and `selector_width` of them are in `build.py`."""

from capax.errors import CapaxError, Span
from capax.rasp.ir.build import as_sop, describe_value, expect_selector, written
from capax.rasp.ir.triple_nodes import Lift, LiftSide, SumSelect, TripleAnd, TripleNode, TripleNot, TripleOr
from capax.rasp.ir.triple_sum import SumTest, wrong_test
from capax.rasp.python.program import Program
from capax.rasp.python.triple_selector import TripleSelector


def triple_selector(node: TripleNode, *parts: Program, span: Span | None = None) -> TripleSelector:
    """A selector over triples for a node, written from the parts."""
    return TripleSelector(node, written(node, parts, span))


def select3(key1: object, key2: object, query: object, test: object, span: Span | None = None) -> TripleSelector:
    """The triples whose sum `key1[j] + key2[k] + query[i]` passes a test."""
    if not isinstance(test, SumTest):
        raise wrong_test(describe_value(test)).at(span)
    k1, k2, q = as_sop(key1, span), as_sop(key2, span), as_sop(query, span)
    node = SumSelect(k1.node, k2.node, q.node, test.modulus, test.op, test.constant)
    return triple_selector(node, k1, k2, q, span=span)


def lift(side: LiftSide, selector: object, span: Span | None = None) -> TripleSelector:
    """The triples of which an ordinary selector selects the two positions that `side` names."""
    inner = expect_selector(selector, span)
    return triple_selector(Lift(side, inner.node), inner, span=span)


def triple_and(left: TripleSelector, right: TripleSelector, span: Span | None = None) -> TripleSelector:
    """The triples that both select."""
    return triple_selector(TripleAnd(left.node, right.node), left, right, span=span)


def triple_or(left: TripleSelector, right: TripleSelector, span: Span | None = None) -> TripleSelector:
    """The triples that one or both select."""
    return triple_selector(TripleOr(left.node, right.node), left, right, span=span)


def triple_not(inner: TripleSelector, span: Span | None = None) -> TripleSelector:
    """The triples that it does not select."""
    return triple_selector(TripleNot(inner.node), inner, span=span)


def expect_triples(value: object, span: Span | None = None) -> TripleSelector:
    """The value, which must be a selector over triples."""
    if isinstance(value, TripleSelector):
        return value
    raise CapaxError(
        "mixed-selector",
        f"a selector over triples is joined with another one, not with {describe_value(value)}",
        span,
        "lift an ordinary selector with on_first, on_second or on_keys",
        value=value,
    )
