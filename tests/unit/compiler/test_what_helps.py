"""Hints of refusals name what was tried, and helps."""

import pytest

import capax
from capax import (
    CapaxError,
    Program,
    aggregate,
    full_s,
    indices,
    length,
    select,
    tokens,
    tokens_float,
    tokens_int,
    where,
)
from capax.compiler.domain import CompileSettings
from capax.compiler.what_helps import with_what_helps

SO_FAR = select(indices, indices, "<=")
SHARE = aggregate(SO_FAR, where(tokens == "a", 1, 0))
PLUS = aggregate(select(tokens, "+", "=="), indices)

REFUSED: list[tuple[Program, object, int, str]] = [
    (aggregate(SO_FAR, SHARE), "ab", 30, "it can be compiled with max_length=7"),
    (
        (length * aggregate(full_s, tokens_int * 10 ** (length - indices - 1))) % 7,
        range(10),
        12,
        "if integers are summed, write `round(",
    ),
    (
        PLUS * PLUS - indices * length,
        "01+",
        64,
        "if one key is selected, or the last of several is meant, write `aggregate(best(",
    ),
    ((indices + 1) * SHARE == 1, "ab", 100, "if integers are compared, write `round("),
]


@pytest.mark.parametrize(("program", "alphabet", "longest", "hint"), REFUSED)
def test_what_is_named_was_tried(program: Program, alphabet: object, longest: int, hint: str) -> None:
    with pytest.raises(CapaxError) as refused:
        capax.compile(program, alphabet=alphabet, max_length=longest)
    assert refused.value.hint is not None
    assert refused.value.hint.startswith(hint)
    if "max_length=" in hint:
        shorter = capax.compile(program, alphabet=alphabet, max_length=7, words=10)
        assert shorter.certified_length >= 1


def test_the_change_of_a_remainder_compiles() -> None:
    """As the hint says it: remainders are summed, and the sum is rounded."""
    value = (tokens_int * 10 ** (length - indices - 1)) % 7
    compiled = capax.compile(round(length * aggregate(full_s, value)) % 7, alphabet=range(10), max_length=12, words=20)
    assert compiled.certified_length == 12
    assert compiled([2, 7, 1, 8, 2, 8])[0] == 271828 % 7


def test_nothing_is_named_where_nothing_helps() -> None:
    def refuses(*_: object) -> None:
        raise CapaxError("too-many-values", "x", hint="y")

    settings = CompileSettings(("a", "b"), 20)
    error = CapaxError("too-many-values", "x", hint="y", node=SHARE.node)
    assert with_what_helps(error, SHARE.node, settings, refuses).hint == "y"  # type: ignore[arg-type]
    other = CapaxError("always-fails", "x", hint="y", node=SHARE.node)
    assert with_what_helps(other, SHARE.node, settings, lambda *_: None).hint == "y"  # type: ignore[arg-type]


def test_nothing_is_rounded_that_is_compared_with_a_fraction() -> None:
    """A rounded number is never 0.3: that would compile, and mean something else."""
    with pytest.raises(CapaxError) as refused:
        capax.compile(aggregate(SO_FAR, tokens_float) < 0.3, alphabet=[0.1, 0.2, 0.5], max_length=30)
    assert "if integers are compared" not in (refused.value.hint or "")
