"""A promise about words: what the program becomes has the same values on words that keep it; others are rejected."""

from itertools import product

import pytest

import capax
from capax import CapaxError, aggregate, full_s, indices, length, select, selector_width, tokens, where
from capax.rasp.ir.graph import topological
from capax.rasp.ir.nodes import Aggregate, Best, SOpNode, Width
from capax.rasp.meaning import reference
from capax.rasp.rewrite.assumptions import assuming, broken_on, check_promise, known_widths

PLUS = select(tokens, "+", "==")
ONE = selector_width(PLUS) == 1
TWO = selector_width(PLUS) == 2
PLACE = aggregate(PLUS, indices)
WORDS = [word for n in range(1, 7) for word in product("a+", repeat=n)]

PROGRAMS = [
    PLACE,
    aggregate(PLUS, tokens, "none"),
    aggregate(select(indices, PLACE - 1, "=="), tokens, "-"),
    selector_width(PLUS) * 10 + indices,
    where(indices > PLACE, selector_width(select(indices, PLACE, ">")), length),
    aggregate(select(selector_width(PLUS), 1, "==") & PLUS, indices, -1),
]


@pytest.mark.parametrize(("promise", "count", "least"), [(ONE, 1, 1), ((length > 1) & ONE, 1, 2), (TWO, 2, 1)])
@pytest.mark.parametrize("number", range(len(PROGRAMS)))
def test_the_same_on_all_short_words_that_keep_the_promise(
    number: int, promise: capax.SOp, count: int, least: int
) -> None:
    """Values and types; nothing is left of the width, and with one key nothing is averaged over the selector."""
    root = PROGRAMS[number].node
    if count == 2 and Width(PLUS.node) not in topological(root):
        with pytest.raises(CapaxError, match="nothing follows"):
            assuming(root, promise.node, 6)
        return
    new = assuming(root, promise.node, 6)
    for word, broken in zip(WORDS, broken_on(promise.node, WORDS), strict=True):
        keeps = word.count("+") == count and len(word) >= least
        assert broken is not keeps
        if keeps:
            one, two = reference.evaluate(root, word), reference.evaluate(new, word)
            assert (one.type, repr(one.values)) == (two.type, repr(two.values))
    nodes = topological(new)
    assert Width(PLUS.node) not in nodes
    assert count == 2 or not any(isinstance(n, Aggregate) and n.selector is PLUS.node for n in nodes)


def test_promises_that_say_nothing_or_too_much_are_rejected() -> None:
    """A promise about another selector, one that is no count, and two that contradict each other."""
    for promise in (selector_width(full_s) == 1, length > 2, tokens == "a"):
        with pytest.raises(CapaxError, match="nothing follows"):
            assuming(PLACE.node, promise.node, 6)
    with pytest.raises(CapaxError, match="no word keeps"):
        known_widths((ONE & TWO).node)
    for count in (-1, 7):
        with pytest.raises(CapaxError, match="no word of up to 6 tokens keeps"):
            assuming(PLACE.node, (selector_width(PLUS) == count).node, 6)
    assert known_widths((selector_width(PLUS) == 1).node) == {PLUS.node: 1}


def test_a_model_under_an_assumption_is_small_certified_and_checks_its_words() -> None:
    """The position of the one plus: without the promise it is a mean, with it a copy; other words are rejected."""
    program = aggregate(select(indices, PLACE - (length - indices), "=="), tokens, "-")
    compiled = capax.compile(program, alphabet="0123+", max_length=16, assume=ONE)
    assert compiled.certified_length == 16
    assert "keep the assumption" in compiled.label
    assert compiled.size.parameters < 2000
    assert compiled("12+03") == program("12+03")
    for word in ("123", "1+2+3", ["1", "+", "+"]):
        with pytest.raises(CapaxError) as caught:
            compiled(word)
        assert caught.value.code == "broken-assumption"
    with pytest.raises(CapaxError):
        compiled.batch(["1+2", "12"])
    node = capax.Program.from_text(compiled.model.provenance.assumption or "").node
    assert node is ONE.node
    assert isinstance(compiled.program.node, SOpNode)
    assert any(isinstance(n, Best) for n in topological(compiled.program.node))
    check_promise(ONE.node, ["1+2"])


def test_assumptions_that_settings_do_not_allow() -> None:
    """A causal model sees parts of words; a promise is an s-op."""
    for settings in ({"assume": ONE, "causal": True}, {"assume": PLUS}, {"assume": True}):
        with pytest.raises(CapaxError) as caught:
            capax.compile(PLACE, alphabet="a+", max_length=4, **settings)
        assert caught.value.code == "bad-option"
