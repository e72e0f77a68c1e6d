"""Lists of values where s-ops are needed: defined on words of their length, and the same in every form of a program."""

import json
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import capax
from capax import CapaxError, Program, SOp, aggregate, best, full_s, indices, select, selector_width, tokens, where
from capax.rasp.analysis.dialects import check_all
from capax.rasp.analysis.schedule import schedule
from capax.rasp.ir.build import listed
from capax.rasp.meaning.evaluation import fitting
from capax.rasp.meaning.fast import evaluate_batch
from capax.rasp.meaning.reference import evaluate

ATOMS = st.integers(-3, 3) | st.sampled_from([0.5, True, "a", '"'])
MEAN = aggregate(select([2, 0, 0], [0, 1, 2], "=="), [1, 2, 4])


def test_the_mean_of_the_selected_values() -> None:
    assert select([2, 0, 0], [0, 1, 2], "==")("abc") == [
        [False, True, True],
        [False, False, False],
        [True, False, False],
    ]
    assert MEAN("abc") == [3.0, 0, 1]


@pytest.mark.parametrize("word", ["a", "ab", "abcd", "a" * 200])
def test_words_of_another_length_are_refused(word: str) -> None:
    with pytest.raises(CapaxError, match=f"this list has 3 values, the input has {len(word)} position") as caught:
        MEAN(word)
    assert caught.value.code == "word-length"


def test_in_a_batch_only_words_of_another_length_fail() -> None:
    found = MEAN.batch(["abc", "ab", "abcd", "xyz"], errors="keep")
    assert [None if isinstance(f, CapaxError) else list(f) for f in found] == [[3.0, 0, 1], None, None, [3.0, 0, 1]]


@st.composite
def programs(draw: st.DrawFn) -> SOp:
    """A program with lists in most of the places where s-ops can stand."""
    size = draw(st.integers(1, 4))
    numbers = st.lists(st.integers(-2, 3), min_size=size, max_size=size)
    any_of = st.lists(ATOMS, min_size=size, max_size=size)
    a, b, c, d = (draw(numbers), draw(numbers), draw(numbers), draw(any_of))
    made: list[Callable[[], SOp]] = [
        lambda: aggregate(select(a, b, "<="), c),
        lambda: selector_width(best(select(a, indices, "=="), b)),
        lambda: where(indices == a, d, d),
        lambda: listed(a) + listed(b) * c,
        lambda: -listed(a),
        lambda: listed(d),
        lambda: listed(a).isin([0, 1]),
        lambda: where(listed(a), b, 0),
        lambda: aggregate(full_s, a) + listed(a) + a,
    ]
    return draw(st.sampled_from(made))()


def slow_outcome(program: SOp, word: str) -> object:
    """The value by the definition, or the error."""
    try:
        return evaluate(program.node, word)
    except CapaxError as error:
        return error


def shown(outcome: object) -> str:
    """An outcome with all that can be seen of it."""
    return f"{outcome.code}: {outcome.what}" if isinstance(outcome, CapaxError) else repr(outcome)


@given(programs(), st.lists(st.text("ab", min_size=1, max_size=5), min_size=1, max_size=4))
@settings(max_examples=150)
def test_the_forms_and_the_evaluators_agree(program: SOp, words: list[str]) -> None:
    assert Program.from_text(program.to_text()).node is program.node
    assert Program.from_json(json.loads(json.dumps(program.to_json()))).node is program.node
    for word, fast in zip(words, evaluate_batch(program.node, words), strict=True):
        assert shown(fast) == shown(slow_outcome(program, word))


def test_a_list_costs_no_layer_and_is_outside_of_the_dialects() -> None:
    assert schedule(MEAN).depth == 1
    assert not any(verdict.inside for verdict in check_all(MEAN))


def test_a_program_with_lists_is_compiled_for_words_of_their_length() -> None:
    compiled = capax.compile(where(tokens == "a", MEAN, 0), alphabet="ab", max_length=4)
    assert list(compiled("aba")) == [3.0, 0, 1]
    assert compiled.check.holds
    assert ("word-length", "happens") in [(e.code, e.to_json()["outcome"]) for e in compiled.errors]


@pytest.mark.parametrize("program", [MEAN, where(tokens == "a", listed([1, 2, 3]), 0)])
def test_a_program_that_fails_on_every_word_is_not_compiled(program: SOp) -> None:
    with pytest.raises(CapaxError) as caught:
        capax.compile(program, alphabet="ab", max_length=2)
    assert caught.value.code == "always-fails"


@pytest.mark.parametrize("values", [[], [[1]], [indices], [full_s], [{}], [None]])
def test_other_lists_are_refused(values: list[object]) -> None:
    with pytest.raises(CapaxError) as caught:
        select(values, indices, "==")  # type: ignore[arg-type]
    assert caught.value.code == "expected-sop"


def test_two_lists_are_joined_as_lists() -> None:
    assert Program.from_text("x = aggregate(full_s, [1] + [3]);")("ab") == [2.0, 2.0]


def test_data_with_a_list_for_something_else_than_the_positions_is_refused() -> None:
    rows = [{"node": "Input", "kind": "int"}, {"node": "Table", "kind": "positions", "entries": [[0, 1]], "arg": 0}]
    with pytest.raises(CapaxError) as caught:
        Program.from_json({"format": "capax-program", "version": 1, "nodes": rows})
    assert caught.value.code == "bad-program"


def test_an_example_is_cut_or_repeated_to_fit() -> None:
    assert fitting("hello", MEAN.node) == "hel"
    assert fitting("ab", MEAN.node) == "aba"
    assert fitting([1, 2], MEAN.node) == [1, 2, 1]
    assert fitting("hello", indices.node) == "hello"


@pytest.mark.parametrize(
    "text",
    [
        "select([2, 0, 0], [0, 1], ==)",
        "aggregate(select([2, 0, 0], indices, ==), [1, 2])",
        "aggregate(full_s, (indices + [1, 2, 3]) * 2) + [1, 2]",
        "[1, 2] if indices == [1, 2, 3] else 0",
        "select([1, 2, 3], 1, ==) and not select(1, [1, 2], ==)",
    ],
)
def test_lists_of_different_lengths_in_one_program_are_refused_when_it_is_built(text: str) -> None:
    with pytest.raises(CapaxError, match=r"lists of lengths (3 and 2|2 and 3) stand for s-ops here") as caught:
        Program.from_text(f"x = {text};")
    assert caught.value.code == "word-length"
    assert caught.value.where is not None


def test_lists_of_one_length_and_looked_up_ones_go_together() -> None:
    assert list(Program.from_text("x = [7, 8, 9][indices * [1, 1]] + [1, 2];")("ab")) == [8, 10]


def test_data_with_lists_of_different_lengths_is_refused() -> None:
    program = (listed([7, 8]) + listed([9, 6])).to_json()
    assert Program.from_json(program)("ab") == [16, 14]
    (row,) = (r for r in program["nodes"] if r["node"] == "Table" and r["entries"][0][1] == 9)
    row["entries"].append([2, 5])
    with pytest.raises(CapaxError, match="different lengths") as caught:
        Program.from_json(program)
    assert caught.value.code == "bad-program"
