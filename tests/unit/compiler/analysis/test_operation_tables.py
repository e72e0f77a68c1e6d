"""Which values of operands can meet: bounds in the length exclude most of what never happens, and nothing else."""

from itertools import product

from capax import indices, select, selector_width, tokens
from capax.compiler.analysis.operation_tables import LENGTH, within_length
from capax.compiler.analysis.value_sets import Finite
from capax.rasp.ir.nodes import SOpNode
from capax.rasp.meaning.reference import evaluate

a, n = selector_width(select(tokens, "a", "==")), selector_width(select(1, 1, "=="))
FOUR = Finite((1, 2, 3, 4))
NODES: list[tuple[SOpNode, range]] = [
    (a.node, range(5)),
    (indices.node, range(4)),
    ((a - indices).node, range(-3, 5)),
    ((n - indices).node, range(1, 5)),
    ((2 * a + 1).node, range(1, 10)),
]


def test_what_happens_is_never_excluded_and_most_of_the_rest_is() -> None:
    for node, values in NODES:
        listed = Finite(tuple(values))
        possible = within_length((node, LENGTH), (listed, FOUR))
        assert possible is not None
        assert within_length((LENGTH, node), (FOUR, listed)) == [
            possible[i * 4 + j] for j in range(4) for i in range(len(listed))
        ]
        met = {
            (value, size)
            for size in range(1, 5)
            for word in product("ab", repeat=size)
            for value in evaluate(node, word).values
        }
        kept = {pair for pair, ok in zip(product(values, (1, 2, 3, 4)), possible, strict=True) if ok}
        assert met <= kept
        assert len(kept) < 4 * len(values)


def test_nothing_is_said_without_the_length_or_without_bounds() -> None:
    assert within_length((a.node, indices.node), (FOUR, FOUR)) is None
    assert within_length((tokens.node, LENGTH), (FOUR, FOUR)) is None
