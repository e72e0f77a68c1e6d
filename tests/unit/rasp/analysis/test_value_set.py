"""What is known of an s-op's values holds on every word."""

from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from capax import SOp, aggregate, full_s, indicator, indices, tokens, where
from capax.errors import CapaxError
from capax.rasp.analysis.value_set import MOST_VALUES, value_set
from capax.rasp.ir.nodes import Const, Indices, Map, Node, SOpNode
from capax.rasp.meaning.reference import evaluate
from tests.support.outcomes import count_outcome, least_share
from tests.support.programs import graphs, words

_SIGN = Map("where", (Map("==", (Indices(), Const(0))), Const(0.0), Const(-0.0)))


@least_share("a set", 0.1)
@given(graphs(), st.lists(words(), min_size=1, max_size=3))
@example(Map("%", (Const("%s"), _SIGN)), ["ab"])
def test_every_value_is_in_the_set(node: Node, batch: list[Any]) -> None:
    """On random programs and words, with types told apart.

    The example can give "-0.0", so 0.0 and -0.0 are two values.
    """
    assume(isinstance(node, SOpNode))
    assert isinstance(node, SOpNode)
    known = value_set(node)
    kinds = {(type(v), v) for v in known or ()}
    for word in batch:
        try:
            values = evaluate(node, word)
        except CapaxError:
            count_outcome("no value")
            continue
        count_outcome("no set" if known is None else "a set")
        assert known is None or all((type(v), v) in kinds for v in values)


@pytest.mark.parametrize(
    ("program", "values"),
    [
        (tokens == "a", [False, True]),
        ((tokens == "a") & (indices > 0), [False, True]),
        (indicator(tokens == "a") * 3, [0, 3]),
        (where(tokens == "a", "x", "y") + "!", ["x!", "y!"]),
        (where(tokens == "a", 1, 1.0), [1, 1.0]),
        (tokens.map({"a": 1, "b": 2, "c": 1}), [1, 2]),
        (tokens.isin("ab"), [False, True]),
        (1 / indicator(tokens == "a"), [1.0]),
        (-indicator(tokens == "a") + 1, [1, 0]),
        (tokens, None),
        (indices + 1, None),
        (aggregate(full_s, indicator(tokens == "a")), None),
        (where(tokens == "a", indices, 1), None),
        (indices.map(str, domain=range(MOST_VALUES + 1)), None),
    ],
)
def test_known_sets(program: SOp, values: list[Any] | None) -> None:
    """Comparisons, tables, constants and what is computed from them; else nothing is known."""
    found = value_set(program.node)
    assert found == values
    assert None in (found, values) or list(map(type, found or [])) == list(map(type, values or []))
