"""Selectors over triples in Python."""

from collections.abc import Callable

from capax.errors import CapaxError
from capax.rasp.ir import build_triples
from capax.rasp.ir.build import describe_value
from capax.rasp.ir.triple_sum import SumTest, TripleSum
from capax.rasp.ir.types import Atom
from capax.rasp.python.program import Program, Selector, SOp
from capax.rasp.python.triple_selector import TripleSelector


def select3(
    keys1: SOp | Atom, keys2: SOp | Atom, query: SOp | Atom, test: Callable[[TripleSum], SumTest]
) -> TripleSelector:
    """The selector in which query i selects the keys j and k when `keys1[j] + keys2[k] + query[i]` passes a test.

    The test is one comparison of the sum, or of its remainder, with an integer.

    >>> from capax import aggregate, indices, tokens_int
    >>> nought = select3(tokens_int, tokens_int, tokens_int, lambda total: total % 5 == 0)
    >>> aggregate(nought, 1)([1, 2, 4])
    [1, 1.0, 1.0]
    """
    return build_triples.select3(keys1, keys2, query, _tested(test))


def _tested(test: object) -> object:
    """What a test gives for the sum; one that is no function of a sum is refused."""
    hint = "write for instance `lambda total: total % 7 == 0`"
    if isinstance(test, Program) or not callable(test):
        what = f"the test of a select3 is a function of the sum, not {describe_value(test)}"
        raise CapaxError("bad-sum-test", what, hint=hint)
    try:
        return test(TripleSum())
    except TypeError as error:  # a sum has no operations but `%` and comparisons
        raise CapaxError("bad-sum-test", f"the test of a select3 fails on a sum: {error}", hint=hint) from error


def on_first(selector: Selector) -> TripleSelector:
    """The triples whose query selects the first key.

    >>> from capax import indices, select
    >>> on_first(select(indices, indices, "<"))("ab")
    [[[False, False], [False, False]], [[True, True], [False, False]]]
    """
    return build_triples.lift("first", selector)


def on_second(selector: Selector) -> TripleSelector:
    """The triples whose query selects the second key.

    >>> from capax import indices, select
    >>> on_second(select(indices, indices, "<"))("ab")
    [[[False, False], [False, False]], [[True, False], [True, False]]]
    """
    return build_triples.lift("second", selector)


def on_keys(selector: Selector) -> TripleSelector:
    """The triples whose second key, as a query, selects the first key.

    >>> from capax import indices, select
    >>> on_keys(select(indices, indices, "<"))("ab")
    [[[False, True], [False, False]], [[False, True], [False, False]]]
    """
    return build_triples.lift("keys", selector)
