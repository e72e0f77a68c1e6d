"""Counts and comparisons by averages become widths that give the same, value and type."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capax import aggregate, best, indicator, indices, length, select, tokens, where
from capax.rasp.ir.graph import topological
from capax.rasp.ir.nodes import Aggregate, Node, Width
from capax.rasp.meaning import reference
from capax.rasp.rewrite.recognise_counts import recognise_counts

so_far, later = select(indices, indices, "<="), select(indices, indices, ">=")
before, full = select(indices, indices, "<"), select(1, 1, "==")
at_start, is_start = select(indices, 0, "=="), indicator(indices == 0)
a, b = indicator(tokens == "a"), indicator(tokens == "b")
steps = where(tokens == "a", 3, where(tokens == "b", -2, 0))
WORDS = [word for n in range(1, 6) for word in product("abc", repeat=n)]

KNOWN = [
    round((indices + 1) * aggregate(so_far, a)),
    round(aggregate(so_far, a - b) * (1 + indices)),
    round(length * aggregate(full, steps)),
    round((indices + 1) * aggregate(so_far, where(tokens == "a", -1.0, 0.0))),
    round(1 / aggregate(select(tokens, tokens, "==") | at_start, is_start)),
    round(1 / aggregate(at_start | before, is_start)),
    *(aggregate(s, a) > 0 for s in (so_far, later, before, full)),
    *(aggregate(s, a) <= 0 for s in (so_far, later, before, full)),
    aggregate(before, a) != 0,
    aggregate(so_far, a) == 1,
    aggregate(later, a) < 1,
    aggregate(full, a) >= 1,
    aggregate(before, a, 1) == 1,
    *(f(aggregate(before, a), aggregate(before, b)) for f in (lambda x, y: x > y, lambda x, y: x == y)),
    *(f(aggregate(so_far, steps), aggregate(so_far, a)) for f in (lambda x, y: x <= y, lambda x, y: x != y)),
    aggregate(so_far, steps) - aggregate(so_far, a) < 0,
    aggregate(before, a) - aggregate(before, b) == 0.0,
    aggregate(select(indices, length - 1, "=="), aggregate(so_far, a) - aggregate(so_far, b)) == 0,
    aggregate(select(indices, indices - 1, "=="), aggregate(so_far, a) - aggregate(so_far, steps), -2) < 0,
    aggregate(best(full, tokens), aggregate(so_far, a) - aggregate(so_far, b)) >= 0,
]

LEFT = [
    round((indices + 1) * aggregate(before, a)),
    round(indices * aggregate(so_far, a)),
    round((indices + 1) * aggregate(so_far, where(tokens == "a", 0.5, 0.0))),
    round((indices + 1) * aggregate(so_far, indices)),
    aggregate(before, a, 1) > 0,
    aggregate(before, a) == 1,
    aggregate(so_far, a) > 0.5,
    aggregate(so_far, steps) > 0,
    aggregate(so_far, a) >= 0,
    aggregate(before, a, 1) > aggregate(before, b),
    aggregate(before, a) > aggregate(so_far, b),
    aggregate(so_far, a) - aggregate(so_far, b) > 1,
]


def outcome(node: Node, word: tuple[str, ...]) -> tuple[str, str]:
    """The values and their type."""
    values = reference.evaluate(node, word)
    return values.type, repr(values.values)


@pytest.mark.parametrize("number", range(len(KNOWN)))
def test_the_same_on_all_short_words(number: int) -> None:
    node = KNOWN[number].node
    done = recognise_counts(node)
    assert done is not node
    assert any(isinstance(n, (Width, Aggregate)) for n in topological(done))
    for word in WORDS:
        assert outcome(done, word) == outcome(node, word), word


@given(st.integers(0, len(KNOWN) - 1), st.text("abc", min_size=6, max_size=60))
def test_the_same_on_longer_words(number: int, word: str) -> None:
    node = KNOWN[number].node
    assert outcome(recognise_counts(node), tuple(word)) == outcome(node, tuple(word))


@pytest.mark.parametrize("number", range(len(LEFT)))
def test_what_is_left_alone(number: int) -> None:
    node = LEFT[number].node
    assert recognise_counts(node) is node


def test_comparisons_of_two_means_share_their_difference() -> None:
    one, two = aggregate(so_far, a), aggregate(so_far, b)
    means = {
        n for c in (one > two, two == one) for n in topological(recognise_counts(c.node)) if isinstance(n, Aggregate)
    }
    assert len(means) == 1
