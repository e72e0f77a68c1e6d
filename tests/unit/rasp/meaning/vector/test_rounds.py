"""The fast evaluator runs loops without writing them out, and agrees with the definition."""

from hypothesis import given, settings

from capax import CapaxError, Program, indices, length, repeat, tokens_int
from capax.rasp.ir.loop_nodes import LoopParts
from capax.rasp.meaning import fast, reference
from capax.rasp.meaning.vector.rounds import needed_after, read_by
from tests.support.looped_programs import looped_programs

WORDS = ["b", "ac", "bca", "cabb", "aabcb", "abcabcab"]


def outcome(program: Program, word: str) -> object:
    """The values of a program with their types, or the code of its error, by the definition."""
    try:
        values = list(reference.evaluate(program.node, word))  # type: ignore[arg-type]
    except CapaxError as error:
        return error.code
    return values, [type(v) for v in values]


@settings(max_examples=40)
@given(program=looped_programs())
def test_batches_of_words_agree_with_the_definition(program: Program) -> None:
    """Words of several lengths, with different rounds, at once."""
    for word, value in zip(WORDS, fast.evaluate_batch(program.node, WORDS), strict=True):
        assert not isinstance(value, CapaxError)
        values = list(value)
        assert (values, [type(v) for v in values]) == outcome(program, word)


def test_words_that_fail_in_a_round_fail_alone() -> None:
    """The others go on; the error is that of the definition."""
    (quotient,) = repeat(lambda x: 6 // x - 1, [tokens_int], 2)
    words = [[1, 2], [6, 3], [2, 2]]
    results = fast.evaluate_batch(quotient.node, words)
    codes = [r.code if isinstance(r, CapaxError) else list(r) for r in results]
    for word, code in zip(words, codes, strict=True):
        assert code == (expected[0] if isinstance(expected := outcome(quotient, word), tuple) else expected)  # type: ignore[arg-type]
    assert any(isinstance(r, CapaxError) for r in results)
    assert not all(isinstance(r, CapaxError) for r in results)


def test_a_state_that_is_not_needed_is_not_computed() -> None:
    """It would fail, as nothing that the result depends on does."""
    fine, _ = repeat(lambda a, b: (a + 1, b // 0), [indices, 1], length)
    assert list(fast.evaluate(fine.node, "ab")) == [2, 3]  # type: ignore[arg-type]


def test_needed_states_are_found_from_the_last_round_back() -> None:
    """A chain of states: each round back needs the next one."""
    one, *_ = repeat(lambda a, b, c: (b, c, c), [1, 2, 3], 4)
    loop = LoopParts.of(one.node)  # type: ignore[arg-type]
    assert read_by(loop) == (frozenset({1}), frozenset({2}), frozenset({2}))
    assert [sorted(needed) for needed in needed_after(loop, [0], 4)] == [[2], [2], [1], [0]]
    assert list(one("x")) == [3]
