"""Functions of tuples are functions of their members: nothing has to hold the tuple."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from capax.compat.lowering.expression import ApplyExpr, IndicesExpr, TokensExpr
from capax.compat.lowering.tuples import without_tuples
from capax.compat.tracr import compiling, lib, rasp
from capax.errors import CapaxError

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "sum": lambda x, y, z: x + y + z,
    "products": lambda x, y, z: 2 * x - y + z,
    "a choice": lambda x, y, z: x if y > 1 else z,
    "the middle": lambda x, y, z: y,
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("missing", [False, True])
def test_functions_of_three_s_ops(name: str, missing: bool) -> None:
    """By operations where they are such, by tables otherwise; None where one of them is None."""
    second = lib.shift_by(1, rasp.tokens) if missing else rasp.tokens
    program = lib.make_nary_sequencemap(FUNCTIONS[name], rasp.tokens, second, rasp.indices)
    model = compiling.compile_rasp_to_model(program, vocab={0, 1, 2, 3}, max_seq_len=4, compiler_bos="BOS")
    source = random.Random(1)
    for _ in range(30):
        word = [source.randrange(4) for _ in range(source.randint(1, 4))]
        answers = model.apply(["BOS", *word]).decoded[1:]
        expected = program(word)
        assert [a for a, e in zip(answers, expected, strict=True) if e is not None] == [
            e for e in expected if e is not None
        ]


def test_many_combinations_need_no_table() -> None:
    """64 * 64 * 65 triples would not fit."""
    program = lib.make_nary_sequencemap(
        lambda x, y, z: x + y - z, rasp.tokens, lib.shift_by(1, rasp.tokens), rasp.indices
    )
    model = compiling.compile_rasp_to_model(program, vocab=set(range(40)), max_seq_len=10, compiler_bos="BOS")
    word = [39, 0, 17, 17, 3]
    assert model.apply(["BOS", *word]).decoded[2:] == program(word)[1:]


def test_sums_that_cannot_be_traced() -> None:
    """A function that asks for truth is no operation; where it is a sum of functions of each, that needs no table."""
    add = lambda *values: sum(value or 0 for value in values)  # noqa: E731
    others = [lib.shift_by(1, rasp.tokens), lib.shift_by(2, rasp.tokens)]
    program = lib.make_nary_sequencemap(add, rasp.tokens, *others)
    model = compiling.compile_rasp_to_model(program, vocab=set(range(20)), max_seq_len=8, compiler_bos="BOS")
    source = random.Random(2)
    for _ in range(20):
        word = [source.randrange(20) for _ in range(source.randint(3, 8))]
        assert model.apply(["BOS", *word]).decoded[3:] == program(word)[2:]
    product = lib.make_nary_sequencemap(lambda x, y, z: (x or 1) * (y or 1) * (z or 1), rasp.tokens, *others)
    with pytest.raises(CapaxError, match=r"combinations|entries"):
        compiling.compile_rasp_to_model(product, vocab=set(range(60)), max_seq_len=8, compiler_bos="BOS")


def test_what_holds_no_tuple_is_left_alone() -> None:
    plain = ApplyExpr(lambda x: x + 1, (ApplyExpr(lambda x: x * 2, (TokensExpr(),)),))
    assert without_tuples(plain, [1, 2], 5) is plain
    pairs = ApplyExpr(lambda x, i: (x, i), (TokensExpr(), IndicesExpr()))
    assert without_tuples(pairs, [1, 2], 5) is pairs  # the result itself
    mixed = ApplyExpr(lambda p: p[0], (pairs,), skips_none=True)
    assert without_tuples(mixed, [1, 2], 5) is mixed
    joined = without_tuples(ApplyExpr(lambda p, q: (*p, q), (pairs, TokensExpr())), [1, 2], 5)
    assert isinstance(joined, ApplyExpr)
    assert len(joined.args) == 3
    assert joined.function(7, 8, 9) == (7, 8, 9)
    failing = ApplyExpr(lambda p: p, (ApplyExpr(lambda x: (1 / (x - x),), (TokensExpr(),)),))
    assert without_tuples(failing, [1, 2], 5) is failing
