"""Counter machines: the format, what a run gives, random words, and mistakes in a text."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from capax.errors import CapaxError, Source
from capax.formal.counters.machine import CounterMachine, balanced_word
from capax.formal.counters.machines import counter_names, counter_source
from capax.formal.counters.text import parse_counters, printed_counters

MARKS = st.sampled_from("0!*")


@st.composite
def machines(draw: st.DrawFn) -> CounterMachine:
    """A small machine."""
    k = draw(st.integers(1, 3))
    step = st.tuples(*[st.integers(-2, 2)] * k)
    steps = tuple(draw(step) for _ in "ab")
    patterns = draw(st.lists(st.tuples(*[MARKS] * k), min_size=1, max_size=3))
    return CounterMachine(("a", "b"), steps, tuple(patterns))


@given(machines(), st.text("ab", max_size=12))
def test_a_run_is_a_sum(machine: CounterMachine, word: str) -> None:
    """Counters are sums over symbols; a word is accepted if a pattern fits; the text is read as the same machine."""
    numbers = [machine.alphabet.index(symbol) for symbol in word]
    sums = tuple(sum(machine.steps[a][c] for a in numbers) for c in range(machine.counters))
    assert machine.run(word) == sums
    fits = [
        all(mark == "*" or (mark == "0") == (x == 0) for mark, x in zip(pattern, sums, strict=True))
        for pattern in machine.patterns
    ]
    assert machine.accepts(word) == any(fits)
    assert parse_counters(Source("text", printed_counters(machine))) == machine


@pytest.mark.parametrize("name", counter_names())
def test_the_machines_that_come_with_capax_have_words(name: str) -> None:
    """Each accepts some short words and refuses others, and random words inside are found."""
    machine = parse_counters(counter_source(name))
    says = {machine.accepts(word) for n in range(1, 5) for word in product(machine.alphabet, repeat=n)}
    assert says == {True, False}
    random = np.random.default_rng(0)
    words = [balanced_word(machine, random, 30) for _ in range(10)]
    assert sum(word is not None and machine.accepts(word) for word in words) >= 8


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a -> +1\n", "no line `accept`"),
        ("accept 0\n", "no update"),
        ("a -> +1\na -> -1\naccept 0", "has an update already"),
        ("a -> +1 0\nb -> 1\naccept 0 0", "line 1 about 2 counters"),
        ("a -> one\naccept 0", "is not a whole number"),
        ("a -> 5000\naccept 0", "at most 1,000"),
        ("a ->\naccept 0", "has no number"),
        ("a -> 1\naccept zero", "is not 0, ! or"),
        ("a -> 1\naccept", "accepts nothing"),
        ("a = 1\naccept 0", "neither an update nor"),
        ("a -> " + "1 " * 30 + "\naccept 0", "20 counters"),
    ],
)
def test_a_mistake_is_named(text: str, message: str) -> None:
    """With the line."""
    with pytest.raises(CapaxError, match=message) as error:
        parse_counters(Source("machine.cm", text))
    assert error.value.code == "bad-machine"


def test_symbols_outside_and_unknown_names() -> None:
    """Are errors, not answers."""
    machine = parse_counters(counter_source("balance"))
    with pytest.raises(CapaxError, match="position 1"):
        machine.accepts("ax")
    with pytest.raises(CapaxError, match="no counter machine") as error:
        counter_source("balanc")
    assert "balance" in str(error.value.hint)
