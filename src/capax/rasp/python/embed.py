"""RASP in Python: the names to import, the same nodes as the text language.

>>> from capax import tokens, indices, length, select, aggregate
>>> flip = select(indices, length - 1 - indices, "==")
>>> aggregate(flip, tokens)("hello")
['o', 'l', 'l', 'e', 'h']
"""

from typing import Any, Final

from capax.errors import CapaxError
from capax.rasp.ir import build
from capax.rasp.ir.nodes import COMPARISONS, MIRRORED
from capax.rasp.ir.types import Atom
from capax.rasp.python.operators import Comparisons
from capax.rasp.python.program import Selector, SOp
from capax.rasp.python.triple_selector import TripleSelector

tokens: Final = build.inputs["tokens_str"]
tokens_str: Final = build.inputs["tokens_str"]
tokens_int: Final = build.inputs["tokens_int"]
tokens_float: Final = build.inputs["tokens_float"]
tokens_bool: Final = build.inputs["tokens_bool"]
tokens_asis: Final = build.inputs["tokens_asis"]
indices: Final = build.indices
length: Final = build.length
full_s: Final = build.full_s


def select(key: SOp | Atom, query: SOp | Atom, op: str) -> Selector:
    """The selector in which query i selects key j when `key[j] op query[i]`.

    >>> select(indices, indices, "<")("abc")
    [[False, False, False], [True, False, False], [True, True, False]]
    """
    if op not in COMPARISONS:
        raise CapaxError("bad-option", f"{op!r} is not a comparison", hint=f"use one of {', '.join(COMPARISONS)}")
    return build.select(key, query, op)


def aggregate(selector: Selector | TripleSelector, value: SOp | Atom, default: Atom = 0) -> SOp:
    """For each query the one selected value, the mean of several, or the default for none.

    Over triples the mean is over the selected pairs of keys, of the value at the first key.

    >>> aggregate(select(indices, indices, "<="), indices)("abcd")
    [0, 0.5, 1.0, 1.5]
    """
    return build.aggregate(selector, value, default)


def selector_width(selector: Selector | TripleSelector) -> SOp:
    """For each query how many keys, or pairs of keys, are selected.

    >>> selector_width(select(tokens, tokens, "=="))("banana")
    [1, 3, 2, 3, 2, 3]
    """
    return build.selector_width(selector)


def best(selector: Selector, score: SOp | Atom) -> Selector:
    """For each query only the selected key with the highest score; of equals the rightmost.

    >>> aggregate(best(select(tokens, "a", "=="), indices), indices)("banana")
    [5, 5, 5, 5, 5, 5]
    """
    return build.best(selector, score)


def where(condition: SOp, then: SOp | Atom, otherwise: SOp | Atom) -> SOp:
    """One value where a condition holds, another elsewhere.

    >>> where(tokens == "a", 1, 0)("banana")
    [0, 1, 0, 1, 0, 1]
    """
    return build.elementwise("where", condition, then, otherwise)


def indicator(value: SOp) -> SOp:
    """1 where the value is true, 0 elsewhere.

    >>> indicator(tokens == "a")("ab")
    [1, 0]
    """
    if not isinstance(value, SOp):
        raise CapaxError("expected-sop", f"indicator needs an s-op, not {build.describe_value(value)}")
    return build.elementwise("indicator", value)


class _Side(Comparisons[Selector, Any]):
    """An s-op on one side of a selector; compare it with the other side."""

    __slots__ = ("sop",)

    def __init__(self, sop: SOp | Atom) -> None:
        self.sop = sop

    def __repr__(self) -> str:
        return f"{type(self).__name__.lower()}({self.sop})"

    def __bool__(self) -> bool:
        raise CapaxError("truth-value", f"`{self}` has no truth value", hint="compare it: key(x) == query(y)")


class KeySide(_Side):
    """An s-op on the side of the keys; compare it with a `query`."""

    __slots__ = ()

    def _operator(self, op: str, left: Any, right: Any) -> Selector:
        return select(self.sop, right.sop if isinstance(right, QuerySide) else _only(right, "query"), op)


class QuerySide(_Side):
    """An s-op on the side of the queries; compare it with a `key`."""

    __slots__ = ()

    def _operator(self, op: str, left: Any, right: Any) -> Selector:
        """Query op key is key with the comparison turned round."""
        return select(right.sop if isinstance(right, KeySide) else _only(right, "key"), self.sop, MIRRORED[op])


def _only(other: Any, side: str) -> Any:
    """A constant for the other side; an s-op has to say which side it is on."""
    if isinstance(other, (SOp, _Side)):
        raise CapaxError(
            "bad-option", f"the other side must be a {side}", hint="write for instance `key(x) == query(y)`"
        )
    return other


def key(sop: SOp | Atom) -> KeySide:
    """An s-op as the keys of a selector.

    >>> (key(tokens) == query(tokens))("aba")
    [[True, False, True], [False, True, False], [True, False, True]]
    """
    return KeySide(sop)


def query(sop: SOp | Atom) -> QuerySide:
    """An s-op as the queries of a selector; `key(x) < query(y)` is `select(x, y, "<")`."""
    return QuerySide(sop)
