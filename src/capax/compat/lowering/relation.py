"""A predicate of a key's and a query's value as a selector of capax.

A predicate that is a comparison (or made of comparisons, each between something of the key and something of the
query) is written as such. Any other is tabulated over the pairs of values, and the table is put into the simplest
words that say it: it depends on one side only; the sets of keys that queries select do not overlap (then key and
query are compared by labels), or lie in each other (then by ranks); else a disjunction of rectangles.
"""

import math
from collections.abc import Callable
from functools import reduce
from itertools import pairwise, product
from typing import Any

from capax.compat.lowering.functions import PLACEHOLDERS, Known, agrees, filled, trace
from capax.compat.lowering.lowered import MOST_CALLS, Lowered, results_of, too_many
from capax.compat.lowering.sop_values import Range, numeric
from capax.errors import CapaxError
from capax.rasp.ir import build
from capax.rasp.ir.graph import topological
from capax.rasp.ir.nodes import COMPARISONS as SIGNS
from capax.rasp.ir.nodes import MIRRORED, Comparison, Const, Map, SOpNode
from capax.rasp.ir.types import Atom
from capax.rasp.python.program import Selector, SOp

MOST_VERIFIED = 50_000
"""A traced function is compared with the operation it seems to be on at most so many combinations."""
MOST_RECTANGLES = 400

SelectedKeys = dict[Atom, frozenset[Atom]]


def selector_of(key: Lowered, query: Lowered, predicate: Callable[[Any, Any], Any]) -> Selector:
    """The selector of the pairs for which the predicate holds; where it fails, a pair is not selected."""
    if not key.coded and not query.coded and (written := _written(key, query, predicate)) is not None:
        return written
    cases = [key.cases("a predicate"), query.cases("a predicate")]
    if len(cases[0]) * len(cases[1]) > MOST_CALLS:
        raise too_many([key, query], len(cases[0]) * len(cases[1]))
    holds = results_of(lambda k, q: bool(predicate(k, q)), cases)
    keys, queries = ([atom for _, atom in c] for c in cases)
    rows = {q: frozenset(k for k in keys if holds.get((k, q))) for q in queries}
    return _worded(key.sop, query.sop, list(dict.fromkeys(keys)), rows)


# predicates that are written with comparisons


def _written(key: Lowered, query: Lowered, predicate: Callable[[Any, Any], Any]) -> Selector | None:
    template = trace(predicate, 2)
    if template is None:
        return None
    if not isinstance(predicate, Known) and not _verified(template, predicate, key, query):
        return None
    any_types = isinstance(template, Const) or (isinstance(template, Map) and template.op in ("==", "!="))
    if isinstance(predicate, Known) and not any_types and not _alike(key, query):
        return None
    return _as_selector(template, key.sop, query.sop)


def _alike(key: Lowered, query: Lowered) -> bool:
    """Whether the values of both sides can be put in order."""
    kinds = {numeric(side.values) for side in (key, query)}
    return len(kinds) == 1


def _verified(template: SOpNode, predicate: Callable[[Any, Any], Any], key: Lowered, query: Lowered) -> bool:
    if isinstance(key.values, Range) or isinstance(query.values, Range):
        return False
    if key.gone is not None or query.gone is not None:
        return False  # the predicate sees None, the comparison would see the atom that stands for it
    if len(key.values) * len(query.values) > MOST_VERIFIED:
        return False
    return all(agrees(template, lambda *v: bool(predicate(*v)), pair) for pair in product(key.values, query.values))


def _as_selector(node: SOpNode, key: SOp, query: SOp) -> Selector | None:
    """A condition on placeholders as a selector, if each comparison has one side for the key and one for the query."""
    if isinstance(node, Const):
        return build.full_s if node.value else ~build.full_s
    if not isinstance(node, Map):
        return None
    if node.op in ("and", "or"):
        parts = [_as_selector(a, key, query) for a in node.args]
        if parts[0] is None or parts[1] is None:
            return None
        return parts[0] & parts[1] if node.op == "and" else parts[0] | parts[1]
    if node.op == "not":
        inner = _as_selector(node.args[0], key, query)
        return None if inner is None else ~inner
    if node.op not in SIGNS:
        return None
    sign: Comparison = node.op
    left, right = node.args
    if _free_of(left, 1) and _free_of(right, 0):
        return build.select(filled(left, [key]), filled(right, [key, query]), sign)
    if _free_of(left, 0) and _free_of(right, 1):
        return build.select(filled(right, [key]), filled(left, [key, query]), MIRRORED[sign])
    return None


def _free_of(node: SOpNode, argument: int) -> bool:
    return PLACEHOLDERS[argument] not in topological(node)


# predicates by their tables


def _worded(key: SOp, query: SOp, keys: list[Atom], rows: SelectedKeys) -> Selector:
    """The table of a predicate, the keys of each query, in the simplest words."""
    if all(len(row) == len(keys) for row in rows.values()):
        return build.full_s
    if not any(rows.values()):
        return ~build.full_s
    different = list(dict.fromkeys(rows.values()))
    if len(different) == 1:
        return _holds_of_key(key, different[0])
    if all(len(row) in (0, len(keys)) for row in rows.values()):
        return _holds_of_query(query, [q for q, row in rows.items() if row])
    occupied = [row for row in different if row]
    if sum(map(len, occupied)) == len(frozenset().union(*occupied)):
        return _by_label(key, query, keys, rows, occupied)
    ordered = sorted(different, key=len)
    if all(a <= b for a, b in pairwise(ordered)):
        return _by_rank(key, query, keys, rows, ordered)
    return _by_rectangles(key, query, keys, rows, different)


def _holds_of_key(key: SOp, chosen: frozenset[Atom]) -> Selector:
    return build.select(build.members(key, sorted(chosen, key=repr)), True, "==")


def _holds_of_query(query: SOp, chosen: list[Atom]) -> Selector:
    return build.select(True, build.members(query, chosen), "==")


def _by_label(key: SOp, query: SOp, keys: list[Atom], rows: SelectedKeys, occupied: list[frozenset[Atom]]) -> Selector:
    """Queries that select the same keys have one label, and these keys have it too."""
    if all(len(row) == 1 for row in occupied):  # a query names its one key
        missing = _beside(keys)
        named = {q: next(iter(row)) if row else missing for q, row in rows.items()}
        unchanged = all(type(q) is type(k) and q == k for q, k in named.items())
        return build.select(key, query if unchanged else build.table("dict", list(named.items()), query), "==")
    number = {row: index for index, row in enumerate(occupied)}
    of_key = {k: number[row] for row in occupied for k in row}
    for k in keys:
        of_key.setdefault(k, len(occupied) + 1 + len(of_key))  # a label of its own, that no query has
    of_query = {q: number[row] if row else len(occupied) for q, row in rows.items()}
    return build.select(
        build.table("dict", list(of_key.items()), key), build.table("dict", list(of_query.items()), query), "=="
    )


def _beside(keys: list[Atom]) -> Atom:
    """An atom of the kind of the keys that is none of them."""
    numbers = [k for k in keys if not isinstance(k, str)]
    if numbers:
        return math.floor(max(numbers)) + 1
    name = "none"
    while name in keys:
        name += "'"
    return name


def _by_rank(key: SOp, query: SOp, keys: list[Atom], rows: SelectedKeys, ordered: list[frozenset[Atom]]) -> Selector:
    """A key is selected by the queries from a certain rank on."""
    first = {k: next((i for i, row in enumerate(ordered) if k in row), len(ordered)) for k in keys}
    rank = {q: ordered.index(row) for q, row in rows.items()}
    return build.select(
        build.table("dict", list(first.items()), key), build.table("dict", list(rank.items()), query), "<="
    )


def _by_rectangles(
    key: SOp, query: SOp, keys: list[Atom], rows: SelectedKeys, different: list[frozenset[Atom]]
) -> Selector:
    """Each set of keys with the queries that select just it, or the other way round if that is shorter."""
    columns = {k: frozenset(q for q, row in rows.items() if k in row) for k in keys}
    by_key = list(dict.fromkeys(columns.values()))
    if len(by_key) < len(different):
        pieces = [([k for k in keys if columns[k] == column], list(column)) for column in by_key if column]
    else:
        pieces = [(list(row), [q for q in rows if rows[q] == row]) for row in different if row]
    if len(pieces) > MOST_RECTANGLES:
        raise CapaxError(
            "too-many-values",
            f"a predicate on `{key}` and `{query}` needs {len(pieces)} cases; the limit is {MOST_RECTANGLES}",
            hint="write it with comparisons, or use a shorter maximal length",
        )
    selectors = [_holds_of_key(key, frozenset(k)) & _holds_of_query(query, sorted(q, key=repr)) for k, q in pieces]
    return reduce(lambda a, b: a | b, selectors)
