"""Whether rounding could decide an answer: what is refused, what is not, and that slacks hold."""

import itertools
import math
import random
from contextlib import suppress
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import example, given, reject, settings
from hypothesis import strategies as st

import capax
from capax import aggregate, full_s, indicator, indices, length, library, select, selector_width, tokens, tokens_asis
from capax.budget import Budget
from capax.compiler.analysis.analyse import analyse
from capax.compiler.analysis.value_sets import Finite, Interval
from capax.compiler.domain import Domain, domain
from capax.compiler.rounding.rounding_check import RoundingCheck
from capax.errors import CapaxError
from capax.rasp.ir.graph import topological
from capax.rasp.ir.nodes import Aggregate, Input, Map, Select, SOpNode, Width
from capax.rasp.meaning.fast import evaluate_batch
from tests.support.typed_programs import FULL, typed_programs

BACK = select(indices, indices, "<=")
BEFORE = select(indices, indices, "<")
ZEROS = select(tokens_asis, 0, "==")
SO_FAR = aggregate(BACK, indicator(tokens == "a"))
OTHERS = aggregate(BACK, indicator(tokens == "b"))
COUNT = SO_FAR * (indices + 1)
MEAN = aggregate(full_s, tokens_asis)

REFUSED: dict[str, tuple[Any, Any, int]] = {
    "a count that is a product, compared": (COUNT == 1, "ab", 100),
    "and in order": (COUNT >= 7, "ab", 200),
    "and as a key": (selector_width(select(COUNT, COUNT, "==")), "ab", 150),
    "a mean of tenths and a tenth": (selector_width(select(tokens_asis, MEAN, "==")), [0.1, 2], 3),
    "a mean of tenths, compared": (MEAN == 0.1, [0.1, 2], 3),
    "a mean of tenths, rounded at a half": (round(MEAN * 5), [0.1, 0.3], 12),
    "a quotient by what may be zero": (1 / (MEAN - 0.1), [0.1, 2], 3),
    "a sum of tenths, rounded": (round((indices + 1) * aggregate(BACK, tokens_asis)), [0, 0.7], 20),
    "and with three tokens": (round((indices + 1) * aggregate(BACK, tokens_asis)), [0, 1.5, 2.1], 16),
    "a default beside its fraction": (aggregate(ZEROS, indices, 0.1 + 0.2) == 0.3, [0, 1], 60),
    "an answer that is all rounding": (MEAN * 1e6 - 1e5, [0.1, 2], 3),
    "integers and floats beyond 2^53": (aggregate(BACK, tokens_asis) + 10**16 > 10**16, [0, 1], 4),
}

TAKEN: dict[str, tuple[Any, Any, int]] = {
    "the count itself": (COUNT, "ab", 100),
    "the count, rounded": (round(COUNT) == 1, "ab", 100),
    "the count and zero": (COUNT > 0, "ab", 100),
    "two counts": (OTHERS * (indices + 1) >= COUNT, "ab", 100),
    "their difference and zero": (COUNT - OTHERS * (indices + 1) == 0, "ab", 60),
    "two fractions that are one together": (SO_FAR + OTHERS == 1, "ab", 60),
    "two fractions": (SO_FAR > OTHERS, "ab", 100),
    "a fraction and a constant": (SO_FAR == 0.1, "ab", 100),
    "a fraction and a float beside it": (SO_FAR == 0.1 + 0.2, "ab", 30),
    "a mean of tenths, far from all": (MEAN > 1, [0.1, 2], 3),
    "the mean of the greatest": (MEAN == 2, [0.1, 2], 4),
    "a mean of tenths": (MEAN, [0.1, 0.7, 2], 5),
    "two tenths have a tenth as their mean": (MEAN == 0.1, [0.1, 2], 2),
    "halves": (selector_width(select(tokens_asis, MEAN, "==")), [0.5, 2], 4),
    "a sum beside a default far away": (indices * aggregate(BEFORE, indicator(tokens_asis == 1), 1000.0), [0, 1], 40),
    "and one beside a third": (round(indices * aggregate(BEFORE, tokens_asis, 0.1 + 0.2)) % 3, [0, 1], 40),
    "a sum of ones that are rounded": ((indices + 1) * aggregate(BACK, tokens_asis / 49 * 49), [0, 1], 10),
    "twice a fraction": (2 * aggregate(full_s, indicator(tokens == "a")) > 1, "ab", 300),
    "twice a mean": (2 * aggregate(full_s, indices) == length - 1, "ab", 60),
    "sums of small and large numbers": ((indices + 1) * aggregate(BACK, tokens_asis), [1, 1000], 60),
    "a default as a mark": (aggregate(select(tokens_asis, tokens_asis, "!="), indices, -1) + 1 > 0.5, [0, 1], 50),
    "a mean of places and a half": (aggregate(select(tokens, tokens, "=="), indices) - indices < 0.5, "ab", 60),
    "no number": ((indices + 1) * aggregate(BACK, tokens_asis) == math.inf, [0.1, 2], 30),
    "a default that is no number": (
        aggregate(BEFORE, tokens_asis, math.inf) + aggregate(BEFORE, 1 - tokens_asis),
        [0, 1],
        9,
    ),
    "brackets": (library.dyck1_ptf, "()", 60),
    "majority": (library.majority, "01", 60),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    """The refusal names the part."""
    program, alphabet, n = REFUSED[name]
    with pytest.raises(CapaxError) as caught:
        capax.compile(program, alphabet=alphabet, max_length=n, certify=False)
    assert caught.value.code == "rests-on-rounding"
    assert "depends on how floats are rounded" in str(caught.value)


@pytest.mark.parametrize("name", TAKEN)
def test_taken(name: str) -> None:
    """Where nobody sees the rounding, or the table lists the floats, there is a model, and it is right."""
    program, alphabet, n = TAKEN[name]
    assert capax.compile(program, alphabet=alphabet, max_length=n, certify=False, words=30).check.holds


def test_floats_in_a_table() -> None:
    """Where the floats can be listed the model follows the interpreter's rounding: 49 * (1/49) is not 1."""
    made = capax.compile(COUNT == 1, alphabet="ab", max_length=50, certify=False, words=20)
    word = "a" + "b" * 49
    assert list(made(word)) == [i != 48 for i in range(50)] == list((COUNT == 1)(word))


def test_sums_of_floats_beyond_the_integers_are_rounded() -> None:
    """A mean of floats each of which is an integer is not the nearest one where their sum is too large for a float.

    The sum of two such tokens and a 1 is rounded before it is divided by 3.
    """
    low, high, n = 1.0, 2.0**52 + 1, 300
    analysis = analyse(MEAN.node, domain((low, high), n), Budget())
    rounding = RoundingCheck(analysis, Budget())
    for node in topological(MEAN.node):
        rounding.learn(node)
    slack, values = rounding.slacks[MEAN.node], analysis.values(MEAN.node)
    assert isinstance(values, Interval)
    for ones, others in itertools.product(range(5), range(5)):
        if ones + others:
            word = [low] * ones + [high] * others
            exact = sum(map(Fraction, word)) / len(word)
            assert abs(MEAN(word)[0] - float(exact)) <= slack.at(float(exact))
    assert MEAN([high, high, low])[0] != float((2 * Fraction(high) + 1) / 3)


ALPHABETS: list[tuple[Any, ...]] = [(0, 1, 2), (0, 0.7), (0.1, 2), (0.1, -0.3, 0.2), (0.5, -1.5), (3, 1), (1 / 3, 7)]
domains = st.builds(domain, st.sampled_from(ALPHABETS), st.integers(1, 6))
MEAN_OF_MEANS = Aggregate(FULL, Aggregate(Select(Input("asis"), Input("asis"), "<="), Input("asis"), 0), 0)


def away(value: Any, values: Finite | Interval) -> tuple[float, Any]:
    """How far a value is from the nearest one of a set, and that one."""
    if isinstance(value, str) or not math.isfinite(value):
        assert isinstance(values, Finite)
        assert value in values
        return 0.0, value
    if isinstance(values, Finite):
        numbers = [v for v in values.values if not isinstance(v, str) and math.isfinite(v)]
        nearest = min(numbers, key=lambda v: abs(v - value))
        return abs(nearest - value), nearest
    fractions = (round(Fraction(value) * m / values.unit) * values.unit / m for m in range(1, values.most + 1))
    best = min(fractions, key=lambda f: abs(f - Fraction(value)))
    return float(abs(best - Fraction(value))), float(best)


@settings(max_examples=120)
@given(typed_programs(), domains, st.integers(0, 10**6))
@example(MEAN_OF_MEANS, domain((0.1, -0.3, 0.2), 5), 0)
@example(Map("*", (Aggregate(FULL, Input("asis"), 0), Width(FULL))), domain((0.1, 2), 6), 0)
def test_slacks_hold(root: SOpNode, found: Domain, seed: int) -> None:
    """Every value that the interpreter finds is as near to one of the set as its slack says."""
    try:
        analysis = analyse(root, found, Budget.of_units(found.budget))
    except CapaxError:
        reject()
    source = random.Random(seed)
    words = list(itertools.product(found.alphabet, repeat=min(found.max_length, 3)))
    words += [tuple(source.choices(found.alphabet, k=found.max_length)) for _ in range(20)]
    rounding = RoundingCheck(analysis, Budget.of_units(found.budget))
    with suppress(CapaxError):  # up to a part that rests on rounding
        for node in topological(root):
            rounding.learn(node)
    for node, slack in rounding.slacks.items():
        assert isinstance(node, SOpNode)
        values = analysis.values(node)
        for outcome in evaluate_batch(node, words):
            for value in [] if isinstance(outcome, CapaxError) else outcome:
                distance, nearest = away(value, values)
                unit = 2.0**-53 * abs(nearest) if isinstance(values, Interval) and not slack else 0.0
                assert distance <= slack.at(nearest) + unit, (node, value, nearest)
