"""Axes of what is seen on all words: all that happens is possible, and programs that need them."""

import itertools
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import capax
from capax import aggregate, full_s, indicator, indices, length, select, selector_width, tokens, tokens_asis
from capax.certify.not_certified import NotCertified
from capax.certify.values.axes import TOKEN
from capax.certify.values.axes_on_words import AxesOnWords
from capax.errors import CapaxError
from capax.rasp.ir.nodes import Indices, SOpNode
from capax.rasp.meaning.reference import ReferenceEvaluation
from capax.rasp.rewrite.prepare import prepare
from tests.support.outcomes import count_outcome, least_share
from tests.support.typed_programs import typed_programs

SAME = select(tokens_asis, tokens_asis, "==")
SMALLER = select(tokens_asis, tokens_asis, "<=")


@least_share("compared", 0.5)
@settings(max_examples=150)
@given(typed_programs(), st.sampled_from([(0, 1), (0, 1, 2), (3,)]), st.integers(1, 4))
def test_what_happens_is_possible(program: SOpNode, alphabet: tuple[Any, ...], longest: int) -> None:
    """At every position of every word on which the program has a value: of one axis, of two and of all."""
    root = prepare(program, causal=False)[0]
    try:
        axes = AxesOnWords(root, alphabet, longest)
    except NotCertified:
        count_outcome("not certified")
        return
    count_outcome("compared")
    everything = [a for a in (TOKEN, Indices(), *axes.values) if a in axes.values]
    everything = [a for a in dict.fromkeys(everything) if isinstance(a, SOpNode)]
    groups = [*((a,) for a in everything), *itertools.combinations(everything[:5], 2), tuple(everything[:4])]
    allowed = {group: axes.feasible(group) for group in groups}
    for word in itertools.chain.from_iterable(itertools.product(alphabet, repeat=n) for n in range(1, longest + 1)):
        run = ReferenceEvaluation(word)
        try:
            run.value(root)
        except CapaxError:
            continue
        columns: dict[SOpNode, list[Any]] = {a: list(run.value(a).values) for a in everything}  # type: ignore[union-attr]
        for position in range(len(word)):
            if any(columns[a][position] != columns[a][position] for a in everything):
                continue  # not a number: there is no claim
            for group, possible in allowed.items():
                at = tuple(axes.values[a].index(columns[a][position]) for a in group)
                assert possible is None or possible[tuple(k % s for k, s in zip(at, possible.shape, strict=True))]


@pytest.mark.parametrize(
    ("program", "alphabet", "longest"),
    [
        (
            (
                aggregate(SAME, indices, 1)
                - indicator(length == 4)
                + aggregate(SMALLER, aggregate(select(length, tokens_asis, "<"), tokens_asis))
            )
            / 2,
            (0, 1),
            5,
        ),
        (
            round(aggregate(SAME, aggregate(select(tokens_asis, tokens_asis, "<"), selector_width(SAME), -1), -1)),
            (0, 1, 2),
            7,
        ),
        (aggregate(full_s, aggregate(select(tokens, tokens, "<="), indicator(tokens == "a"))), "abc", 6),
    ],
)
def test_answers_that_no_word_has_do_not_break_the_proof(program: Any, alphabet: Any, longest: int) -> None:
    """Two means over the same keys, and a mean of means, have fewer values than all combinations of theirs."""
    compiled = capax.compile(program, alphabet=alphabet, max_length=longest, dtype="float64", words=20)
    assert compiled.certified_length == longest


def test_of_tokens_in_order_nothing_is_known_of_positions() -> None:
    """Such words stand for all: each token may be at every position."""
    root = prepare(aggregate(full_s, tokens_asis).node, causal=False)[0]  # type: ignore[arg-type]
    axes = AxesOnWords(root, (0, 1), 3)
    assert axes.feasible((Indices(), TOKEN)) is None or np_all(axes.feasible((Indices(), TOKEN)))


def np_all(array: Any) -> bool:
    return bool(array.all())


def test_many_words_are_not_gone_through() -> None:
    root = prepare((indices + aggregate(SAME, indices)).node, causal=False)[0]  # type: ignore[arg-type]
    with pytest.raises(NotCertified) as caught:
        AxesOnWords(root, tuple(range(10)), 9)
    assert caught.value.too_many
