"""Random programs with a loop, whose states keep to finitely many values."""

from typing import Any

from hypothesis import strategies as st

from capax import SOp, aggregate, indices, repeat, select, selector_width, tokens, where
from capax.notation.rounds import Rounds
from capax.rasp.ir.types import Atom

ALPHABET = "abc"
MODULUS = 3
RULES: tuple[Rounds, ...] = ("length", "length - 1", "ceil_log2(length)")


@st.composite
def looped_programs(draw: st.DrawFn, *, constant: bool = False) -> SOp:
    """A program with one to three states: a boolean, a number below three, a position; and something after the loop.

    The number of rounds is a rule, or a constant, which it always is if that is asked.
    """
    kinds = draw(st.lists(st.sampled_from(["bool", "small", "pointer"]), min_size=1, max_size=3))
    rounds: Rounds = draw(st.integers(0, 3) if constant else st.one_of(st.sampled_from(RULES), st.integers(0, 3)))
    starts = [draw(_start(kind)) for kind in kinds]

    def step(*states: SOp) -> list[SOp | Atom]:
        return [draw(_value(kind, kinds, states, 2)) for kind in kinds]

    results = repeat(step, starts, rounds)
    return draw(_after(kinds, results))


def _start(kind: str) -> st.SearchStrategy[Any]:
    match kind:
        case "bool":
            return st.sampled_from([tokens == "a", indices == 0, True, False])
        case "small":
            return st.sampled_from([tokens.map({"a": 0, "b": 1, "c": 2}), indices % MODULUS, 1])
        case _:
            return st.sampled_from([indices - 1, indices, indices + 1, 0])


@st.composite
def _value(draw: st.DrawFn, kind: str, kinds: list[str], states: tuple[SOp, ...], depth: int) -> SOp:
    """A value of a kind over the states before the round."""
    own = [s for s, k in zip(states, kinds, strict=True) if k == kind]
    if depth == 0 or draw(st.integers(0, 4)) == 0:
        leaf = draw(st.sampled_from([*own, draw(_start(kind))]))
        return leaf if isinstance(leaf, SOp) else where(indices == 0, leaf, leaf)

    def inner(which: str) -> SOp:
        return draw(_value(which, kinds, states, depth - 1))

    moved = draw(_moved(kinds, states))
    match kind, draw(st.integers(0, 3)):
        case "bool", 0:
            return inner("bool") & ~inner("bool")
        case "bool", 1:
            return inner("small") == inner("small")
        case "bool", 2:
            return selector_width(select(inner("small"), inner("small"), "==")) > 1
        case "bool", _:
            return aggregate(moved, inner("bool"), False)
        case "small", 0:
            return (inner("small") + inner("small")) % MODULUS
        case "small", 1:
            return where(inner("bool"), inner("small"), inner("small"))
        case "small", 2:
            return selector_width(select(inner("bool"), inner("bool"), "==")) % MODULUS
        case "small", _:
            return aggregate(moved, inner("small"), 2)
        case _, 0:
            return where(inner("bool"), inner("pointer"), indices)
        case _:
            return aggregate(moved, inner("pointer"), -1)


@st.composite
def _moved(draw: st.DrawFn, kinds: list[str], states: tuple[SOp, ...]) -> Any:
    """A selector that selects one key at most: a neighbour, or where a pointer points."""
    pointers = [s for s, k in zip(states, kinds, strict=True) if k == "pointer"]
    where_to = draw(st.sampled_from([indices - 1, indices + 1, *pointers]))
    return select(indices, where_to, "==")


@st.composite
def _after(draw: st.DrawFn, kinds: list[str], results: tuple[SOp, ...]) -> SOp:
    """What is computed from the states after the last round."""
    number = draw(st.integers(0, len(kinds) - 1))
    result, kind = results[number], kinds[number]
    match draw(st.integers(0, 2)):
        case 0:
            return result
        case 1 if kind == "bool":
            return selector_width(select(result, result, "=="))
        case 1:
            return result + indices
        case _:
            return aggregate(select(indices, indices - 1, "=="), result, False if kind == "bool" else 0)
