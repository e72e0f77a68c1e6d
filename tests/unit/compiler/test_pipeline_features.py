"""Every feature of the language, compiled and compared with the interpreter on all words of the domain."""

import itertools
from typing import Any

import pytest

import capax
from capax import (
    CapaxError,
    SOp,
    aggregate,
    best,
    full_s,
    indicator,
    indices,
    length,
    select,
    selector_width,
    tokens,
    tokens_asis,
    tokens_bool,
    tokens_float,
    tokens_int,
    where,
)
from capax.compiler.check.agreement import meaning, same
from capax.compiler.compiled import Compiled
from capax.compiler.domain import domain
from capax.rasp.meaning.fast import evaluate_batch

X = tokens_asis
BACK = select(indices, indices, "<=")
EARLIER = select(indices, indices, "<")
SAME = select(X, X, "==")
SMALLER = select(X, X, "<")
PREVIOUS = select(indices, indices - 1, "==")
HIST = selector_width(SAME)
MEAN = aggregate(BACK, X)

NUMBERS: dict[str, Any] = {
    "and of selectors": aggregate(SAME & EARLIER, indices),
    "or of selectors": aggregate(SAME | EARLIER, indices),
    "not of a selector": aggregate(~SAME, indices),
    "exclusive or": aggregate((SAME & ~EARLIER) | (~SAME & EARLIER), indices),
    "three selectors": selector_width((SMALLER | SAME) & ~(SAME & EARLIER)),
    "different keys and queries": aggregate(select(X, indices, "==") | select(indices, X, "<"), X),
    "a constant query": aggregate(select(X, 1, "=="), indices),
    "a constant key": aggregate(select(1, X, "<"), indices),
    "constants on both sides": aggregate(select(1, 2, "<"), indices, -1),
    "full": aggregate(full_s, X),
    "a default that is a number": aggregate(PREVIOUS, X, -7),
    "a default that is a fraction": aggregate(PREVIOUS, X, 0.25),
    "a default far away": aggregate(PREVIOUS, X, 10**6),
    "a default of a count": selector_width(select(aggregate(PREVIOUS, X, 9), X, "==")),
    "a mean of numbers": MEAN,
    "a mean of negative numbers": aggregate(BACK, -X - 5),
    "a mean of fractions": aggregate(BACK, X / 4),
    "a mean of thirds": aggregate(BACK, X / 3),
    "a mean of bits": aggregate(BACK, indicator(X == 1)),
    "a mean of indices": aggregate(SAME, indices),
    "a mean of a count": aggregate(BACK, HIST),
    "a mean of a mean": aggregate(full_s, MEAN),
    "several aggregates of one selector": aggregate(BACK, X) + aggregate(BACK, indices) - aggregate(BACK, HIST),
    "an aggregate and a width of one selector": aggregate(SAME, indices) * HIST,
    "length": length,
    "arithmetic of lengths": length - indices - 1,
    "length squared": length * length,
    "a product of two s-ops": X * indices,
    "a product with a count": X * HIST,
    "a product of means": aggregate(BACK, X) * indices,
    "division by a constant": X / 3,
    "division by a length": indices / length,
    "division by a count": X / HIST,
    "a remainder": (X + indices) % 3,
    "a power": X**indices,
    "negation": -HIST,
    "rounding a mean": round(MEAN),
    "rounding halves": round(aggregate(BACK, X) + 0.5),
    "a choice of numbers": where(X == 1, indices, -indices),
    "a choice by a mean": where(MEAN > 1, X, HIST),
    "a choice of constants": where(HIST == 2, 5, -5),
    "a choice beyond what is taken": where(X == 1, X, indices),
    "a table of numbers": X.map({0: 5, 1: -1, 2: 0.5}),
    "a table of a count": HIST.map({1: 10, 2: 0, 3: 10, 4: -3}),
    "members": X.isin([0, 2]),
    "a count of counts": selector_width(select(HIST, HIST, "==")),
    "a count of larger counts": selector_width(select(HIST, 2, "<=")),
    "three counts deep": selector_width(select(selector_width(select(HIST, HIST, "<")), indices, "==")),
    "comparison of two s-ops": indices == X,
    "comparison of a mean": aggregate(BACK, X) > aggregate(full_s, X),
    "comparison of fractions": indices / 2 >= X / 3,
    "logic": ((X == 1) | (indices > 1)) & ~(HIST == 2),
    "best": aggregate(best(full_s, X), indices),
    "best of a selection": aggregate(best(EARLIER, X), indices, -1),
    "best by a count": aggregate(best(full_s, HIST), X),
    "best inside and": aggregate(best(full_s, X) & EARLIER, indices, -1),
    "width of best": selector_width(best(EARLIER, X)),
    "sorting": aggregate(select(selector_width(SMALLER | (SAME & EARLIER)), indices, "=="), X),
    "reversing": aggregate(select(indices, length - 1 - indices, "=="), X),
    "the identity": X,
    "a constant": X * 0 + 7,
    "no tokens": indices * 2 - length,
    "no tokens and no layers": indices * indices,
    "places compared with values": aggregate(select(indices, X, "=="), X, -1),
    "places two apart": aggregate(select(indices, indices - 2, "=="), X, 0),
    "places within two": selector_width(select(indices, indices - 2, ">=") & BACK),
    "later places": selector_width(select(indices, indices, ">")),
    "no later places": selector_width(~select(indices, indices, ">")),
}

STRINGS: dict[str, Any] = {
    "strings": tokens,
    "a previous string": aggregate(PREVIOUS, tokens, "-"),
    "a default of another string": aggregate(select(tokens, "b", "==") & PREVIOUS, tokens, "none"),
    "a choice of strings": where(tokens == "a", "yes", "no"),
    "a choice of tokens": where(indices == 0, tokens, aggregate(PREVIOUS, tokens, "-")),
    "a table of strings": tokens.map({"a": "x", "b": "y", "c": "x"}),
    "strings from numbers": indices.map({i: "odd" if i % 2 else "even" for i in range(9)}),
    "numbers from strings": tokens.map({"a": 1, "b": 2.5, "c": -1}),
    "a mean of numbers from strings": aggregate(BACK, tokens.map({"a": 1, "b": 2, "c": -1})),
    "numbers by category": where(tokens == "a", indices, where(tokens == "b", length, 0)),
    "joined strings": tokens + aggregate(PREVIOUS, tokens, "-"),
    "strings in order": selector_width(select(tokens, tokens, "<")),
    "strings sorted": aggregate(
        select(selector_width(select(tokens, tokens, "<") | (select(tokens, tokens, "==") & EARLIER)), indices, "=="),
        tokens,
    ),
    "reversed": aggregate(select(indices, length - 1 - indices, "=="), tokens),
    "equal strings": tokens == aggregate(PREVIOUS, tokens, "a"),
    "histogram": selector_width(select(tokens, tokens, "==")),
    "best string": aggregate(best(full_s, tokens.map({"a": 1, "b": 3, "c": 2})), tokens),
}

SETTINGS: dict[str, dict[str, Any]] = {
    "plain": {},
    "causal": {"causal": True},
    "no masks": {"masks": False},
    "float64, flat MLPs": {"dtype": "float64", "mlp_depth": 1},
    "no slot twice": {"keep_all": True, "causal": True, "masks": False},
}


def check(program: SOp, alphabet: Any, longest: int, settings: dict[str, Any]) -> Compiled:
    """The compiled program, once it has given the interpreter's answers on all words."""
    compiled = capax.compile(program, alphabet=alphabet, max_length=longest, words=20, certify=False, **settings)
    words = [w for n in range(1, longest + 1) for w in itertools.product(alphabet, repeat=n)]
    node = meaning(program.node, domain(alphabet, longest, **settings))
    for word, expected, answer in zip(words, evaluate_batch(node, words), compiled.batch(words), strict=True):
        if not isinstance(expected, CapaxError):
            assert all(map(same, expected, answer)), (word, list(expected), list(answer))
    return compiled


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS.keys())
@pytest.mark.parametrize("program", NUMBERS.values(), ids=NUMBERS.keys())
def test_over_numbers(program: SOp, settings: dict[str, Any]) -> None:
    """Words of up to four numbers."""
    check(program, (0, 1, 2), 4, settings)


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS.keys())
@pytest.mark.parametrize("program", STRINGS.values(), ids=STRINGS.keys())
def test_over_strings(program: SOp, settings: dict[str, Any]) -> None:
    """Words of up to four strings."""
    check(program, ("a", "b", "c"), 4, settings)


@pytest.mark.parametrize(
    ("program", "alphabet"),
    [
        (tokens_int + 1, "019"),
        (aggregate(BACK, tokens_int), "019"),
        (tokens_float / 2, ["1.5", "-2", "0"]),
        (~tokens_bool, [True, False]),
        (aggregate(PREVIOUS, X, False), [True, False]),
        (aggregate(PREVIOUS, X, True), [True, False]),
        (where(X, indices, length), [True, False]),
        (selector_width(select(X, True, "==")), [True, False]),
        (aggregate(BACK, X), [0.5, -0.25, 3.0]),
        (aggregate(SAME, indices), [0.5, -0.25, 3.0]),
        (X * X, [-3, 0.5, 7]),
        (aggregate(select(X, 0, "<"), X), [-3, 0.5, 7]),
        (aggregate(PREVIOUS, X, "none"), ["a", "b", "a longer token"]),
        (selector_width(SAME), ["a"]),
    ],
)
@pytest.mark.parametrize("causal", [False, True])
def test_tokens_of_every_type(program: SOp, alphabet: Any, causal: bool) -> None:
    """Integers, floats, booleans and strings, read as they are or by their texts."""
    check(program, tuple(alphabet), 4, {"causal": causal})


LIBRARY_ALPHABETS = {"addition": ("1", "2", "+"), "match3": ("0", "1", "3"), "in_triangle": ("12", "23", "31")}
LIBRARY_ALPHABETS |= dict.fromkeys(("root_of", "iterated", "add_by_lookahead"), ("0", "1", "2"))
"""Where words of brackets have no value."""


@pytest.mark.parametrize("name", [n for n in dir(capax.library) if isinstance(getattr(capax.library, n), SOp)])
def test_the_library(name: str) -> None:
    """Every program of the library that is an s-op, on short words."""
    program = getattr(capax.library, name)
    check(program, LIBRARY_ALPHABETS.get(name, ("(", ")", "§") if "bos" in name else ("(", ")", "{")), 4, {})


@pytest.mark.parametrize("program", [NUMBERS["sorting"], NUMBERS["reversing"], HIST, MEAN], ids=str)
def test_attention_layers(program: SOp) -> None:
    """As many as the schedule says, causal or not, with and without masks."""
    for settings in ({}, {"masks": False}, {"dtype": "float64"}):
        compiled = capax.compile(program, alphabet=(0, 1, 2), max_length=6, certify=False, **settings)
        assert compiled.size.attention_layers == capax.schedule(program).depth


def test_errors_are_told() -> None:
    """An error that happens has a word on which it does; one that was not seen is an assumption."""
    happens = capax.compile(1 / X, alphabet=(0, 1), max_length=3)
    assert [e.code for e in happens.errors] == ["division-by-zero"]
    with pytest.raises(CapaxError) as raised:
        (1 / X)(happens.errors[0].word)
    assert raised.value.code == "division-by-zero"
    assert [e.word is not None for e in happens.errors] == [True]
    never = 1 / (aggregate(full_s, X) + aggregate(full_s, 1 - X))  # the two means add up to 1
    assumed = capax.compile(never, alphabet=(0, 1), max_length=3)
    assert all(e.word is None for e in assumed.errors)
    assert capax.compile(X + 1, alphabet=(0, 1), max_length=3).errors == ()


def test_errors_of_parts_that_are_left_out() -> None:
    """What the answers do not need is not compiled, but its errors are told."""
    program = indices + 0 * (1 / X)
    found = capax.compile(program, alphabet=(0, 1), max_length=3).errors
    assert "division-by-zero" in [e.code for e in found]


def test_what_a_compiled_program_has() -> None:
    """Answers with their type, many at once, a size, evidence, and a text that gives back the program."""
    compiled = capax.compile(HIST.named("counts"), alphabet="ab", max_length=5)
    assert compiled("abaa") == [3, 1, 3, 3]
    assert str(compiled("abaa").type) == "ints"
    assert compiled.batch(["ab", "aa"]) == [[1, 1], [2, 2]]
    assert compiled.size.attention_layers == 1
    assert compiled.check.holds
    assert compiled.check.count > 50
    assert repr(compiled).startswith("<compiled counts: words of 1 to 5 of 2 tokens; ")
    assert compiled.model.provenance.name == "counts"
    assert capax.Program.from_text(compiled.model.provenance.program).node is HIST.node
    assert compiled.model.provenance.domain.alphabet == ("a", "b")
