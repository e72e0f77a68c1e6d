"""Selectors with Tracr's names."""

import enum
from collections.abc import Callable, Sequence
from typing import Any

from capax.compat.lowering.functions import Known
from capax.compat.tracr.annotations import RASPExpr
from capax.compat.tracr.sops import Full, SOp, expect_function, expect_sop
from capax.errors import CapaxError
from capax.rasp.ir import build


class Comparison(enum.Enum):
    """A comparison of a key's and a query's value; called with None it refuses, as Tracr's does."""

    EQ = "=="
    LT = "<"
    LEQ = "<="
    GT = ">"
    GEQ = ">="
    NEQ = "!="
    TRUE = "True"
    FALSE = "False"

    def __call__(self, key: Any, query: Any) -> bool:
        """Whether the comparison holds."""
        if key is None or query is None:
            side = "key" if key is None else "query"
            raise CapaxError(
                "illegal-value",
                f"the {side} of a comparison is None",
                hint="give the aggregate before it a default, or use a function, such as lambda k, q: k == q",
            )
        return bool(_MEANING[self](key, query))


_MEANING: dict[Comparison, Callable[[Any, Any], Any]] = {
    Comparison.EQ: lambda key, query: key == query,
    Comparison.LT: lambda key, query: key < query,
    Comparison.LEQ: lambda key, query: key <= query,
    Comparison.GT: lambda key, query: key > query,
    Comparison.GEQ: lambda key, query: key >= query,
    Comparison.NEQ: lambda key, query: key != query,
    Comparison.TRUE: lambda key, query: True,
    Comparison.FALSE: lambda key, query: False,
}


def known_predicate(predicate: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """The predicate; a comparison as the operation that it is."""
    if not isinstance(predicate, Comparison):
        return predicate
    if predicate in (Comparison.TRUE, Comparison.FALSE):
        return Known(predicate, lambda key, query: build.constant(predicate is Comparison.TRUE))
    return Known(predicate, lambda key, query: build.elementwise(predicate.value, key, query))


class Selector(RASPExpr):
    """For each query and key whether the query selects the key."""

    kind = "selector"

    def __and__(self, other: "Selector") -> "Selector":
        return selector_and(self, other)

    def __rand__(self, other: "Selector") -> "Selector":
        return selector_and(other, self)

    def __or__(self, other: "Selector") -> "Selector":
        return selector_or(self, other)

    def __ror__(self, other: "Selector") -> "Selector":
        return selector_or(other, self)

    def __invert__(self) -> "Selector":
        return selector_not(self)


def expect_selector(value: object) -> Selector:
    """The value, which must be a selector."""
    if isinstance(value, Selector):
        return value
    raise CapaxError(
        "expected-selector",
        f"a selector is needed here, not {value!r:.60}",
        hint="make one with rasp.Select(keys, queries, rasp.Comparison.EQ)",
    )


class Select(Selector):
    """The pairs of a key and a query for whose values a predicate holds: a `Comparison`, or a function of both."""

    kind = "select"
    parts = ("keys", "queries")

    def __init__(self, keys: SOp, queries: SOp, predicate: Callable[[Any, Any], Any]) -> None:
        super().__init__()
        self.keys, self.queries = expect_sop(keys), expect_sop(queries)
        self.predicate = expect_function(predicate)


class ConstantSelector(Selector):
    """A selector by its rows, for tests."""

    kind = "constant_selector"

    def __init__(self, value: Sequence[Sequence[bool]], check_length: bool = True) -> None:
        super().__init__()
        if not hasattr(value, "__len__") or not all(hasattr(row, "__len__") for row in value):
            hint = "Select(tokens, tokens, Comparison.TRUE) selects everything"
            raise CapaxError("bad-option", f"a ConstantSelector has a list of rows, not {value!r:.60}", hint=hint)
        self.value, self.check_length = value, check_length


class _Pair(Selector):
    parts = ("fst", "snd")

    def __init__(self, fst: Selector, snd: Selector) -> None:
        super().__init__()
        self.fst, self.snd = expect_selector(fst), expect_selector(snd)


class SelectorAnd(_Pair):
    """The pairs that both select."""

    kind = "selector_and"


class SelectorOr(_Pair):
    """The pairs that one or both select."""

    kind = "selector_or"


class SelectorNot(Selector):
    """The pairs that a selector leaves out."""

    kind = "selector_not"
    parts = ("inner",)

    def __init__(self, inner: Selector) -> None:
        super().__init__()
        self.inner = expect_selector(inner)


class FoldedSelect(Select):
    """A selector made of others that is a function of one key and one query, as Tracr gives it out.

    It has their keys, queries and the joint predicate; its meaning is that of `whole`, which keeps the parts apart.
    """

    def __init__(self, keys: SOp, queries: SOp, predicate: Callable[[Any, Any], Any], whole: Selector) -> None:
        super().__init__(keys, queries, predicate)
        self.whole = whole


def selector_and(fst: Selector, snd: Selector, simplify: bool = True) -> Selector:
    """The pairs that both select: one `Select` where the two have the same keys and queries, unless told otherwise."""
    whole = SelectorAnd(fst, snd)
    return _folded(whole, lambda a, b: a and b) if simplify else whole


def selector_or(fst: Selector, snd: Selector, simplify: bool = True) -> Selector:
    """The pairs that one or both select: one `Select` where keys and queries are the same, unless told otherwise."""
    whole = SelectorOr(fst, snd)
    return _folded(whole, lambda a, b: a or b) if simplify else whole


def selector_not(inner: Selector, simplify: bool = True) -> Selector:
    """The pairs that a selector leaves out: a `Select` if it is one of a `Select`, unless told otherwise."""
    whole = SelectorNot(inner)
    if not simplify or not isinstance(inner, Select):
        return whole
    predicate = inner.predicate
    return FoldedSelect(inner.keys, inner.queries, lambda k, q: not predicate(k, q), whole)


def _folded(pair: _Pair, join: Callable[[bool, bool], bool]) -> Selector:
    """Two selectors as one, or as they are where their keys or queries differ; a `Full` goes with any other s-op."""
    fst, snd = pair.fst, pair.snd
    if not isinstance(fst, Select) or not isinstance(snd, Select):
        return pair
    keys, queries = _shared(fst.keys, snd.keys), _shared(fst.queries, snd.queries)
    if keys is None or queries is None:
        return pair
    parts = [(part.predicate, part.keys, part.queries) for part in (fst, snd)]

    def predicate(key: Any, query: Any) -> bool:
        return join(*(p(_value(k, key), _value(q, query)) for p, k, q in parts))

    return FoldedSelect(keys, queries, predicate, pair)


def _shared(one: SOp, two: SOp) -> SOp | None:
    """The s-op that stands for both, if there is one."""
    if one is two or isinstance(two, Full):
        return one
    return two if isinstance(one, Full) else None


def _value(sop: SOp, value: Any) -> Any:
    """The value that a predicate is given: that of a `Full` is its own, whatever stands in its place."""
    return sop.fill if isinstance(sop, Full) else value
