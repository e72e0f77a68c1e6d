"""Pause tokens: what a program with pads means, how it is written, and what is refused."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import capax
from capax import CapaxError, Program, SOp, indices, length, library, pad, select, selector_width, tokens
from capax.rasp.ir.build_pads import inner
from capax.rasp.meaning import fast, reference
from tests.support.looped_programs import ALPHABET, looped_programs

COUNTS = st.sampled_from([1, 3, length, 2 * length, length**2, length**3, 2 * length * length])


@settings(max_examples=30)
@given(program=looped_programs(), count=COUNTS, word=st.text(ALPHABET, min_size=1, max_size=3))
def test_pads_are_the_program_on_the_longer_word(program: SOp, count: SOp | int, word: str) -> None:
    """In both evaluators; texts and data give back the same node."""
    padded = pad(program, count, ALPHABET[0])
    size = count if isinstance(count, int) else count(word)[0]
    expected = list(program(word + ALPHABET[0] * size))[: len(word)]
    assert list(reference.evaluate(padded.node, word)) == expected  # type: ignore[call-overload]
    assert list(fast.evaluate(padded.node, word)) == expected  # type: ignore[call-overload]
    assert Program.from_text(padded.to_text()).node is padded.node
    assert Program.from_json(padded.to_json()).node is padded.node


@settings(max_examples=30)
@given(edges=st.lists(st.permutations("0123").map(lambda p: p[0] + p[1]), min_size=1, max_size=7))
def test_reachability_by_a_pad_for_each_node(edges: list[str]) -> None:
    """Against a search in the graph, edge by edge."""
    seen = {"0"}
    while new := {v for u, v in edges if u in seen} - seen:
        seen |= new
    assert list(library.reachable(edges)) == [v in seen for _, v in edges]


def test_words_that_fail_keep_their_places_in_a_batch() -> None:
    """An empty word, and one on which the program fails."""
    padded = pad(tokens.map({"a": 1, "_": 0}), 2)
    outcomes = padded.batch(["a", "", "b", "aa"], errors="keep")
    assert [o if not isinstance(o, CapaxError) else o.code for o in outcomes][1] == "empty-input"
    assert list(outcomes[0]) == [1]
    assert isinstance(outcomes[2], CapaxError)
    assert list(outcomes[3]) == [1, 1]


@pytest.mark.parametrize("count", [0, -1, 1.5, True, "length", tokens, indices, length + 1, 2**length, length**4, None])
def test_other_numbers_of_pads_are_refused(count: object) -> None:
    """Those that the length does not decide, or not as a product."""
    with pytest.raises(CapaxError) as error:
        pad(indices, count)
    assert error.value.code == "bad-pads"


def test_pads_are_declared_last() -> None:
    """Nothing is computed from an s-op with pads, and they are not declared inside a loop."""
    padded = pad(indices, 2)
    for made in (
        lambda: padded + 1,
        lambda: select(padded, 0, "=="),
        lambda: pad(padded, 2),
        lambda: capax.repeat(lambda a: pad(a, 1), [indices], 2),
    ):
        with pytest.raises(CapaxError) as error:
            made()
        assert error.value.code == "bad-pads"


def test_data_with_pads_inside_is_refused() -> None:
    """And a number of pads that is none."""
    data = pad(indices, length).to_json()
    node = data["nodes"][-1]
    for change in ({"factor": 0}, {"factor": True}, {"power": 9}, {"power": -1}):
        with pytest.raises(CapaxError):
            Program.from_json({**data, "nodes": [*data["nodes"][:-1], {**node, **change}]})
    twice = {**node, "value": len(data["nodes"]) - 1}
    with pytest.raises(CapaxError):
        Program.from_json({**data, "nodes": [*data["nodes"], twice]})


def test_a_program_without_its_pads() -> None:
    """It keeps its name; a program without pads is itself."""
    bare, pads = inner(library.match3_by_pads)
    assert pads is not None
    assert bare.name == "match3_by_pads"
    assert bare.node is pads.value
    assert inner(bare) == (bare, None)


def test_match3_by_pads_is_match3() -> None:
    """All words of up to three digits."""
    for digits in (w for n in (1, 2, 3) for w in itertools.product(range(5), repeat=n)):
        right = [any((x + y + z) % 5 == 0 for y in digits for z in digits) for x in digits]
        assert list(library.match3_by_pads("".join(map(str, digits)))) == right, digits


def test_a_compiled_program_adds_its_pads() -> None:
    """`Compiled` and files know them, and the certificate is about words with them."""
    program = pad(selector_width(select(tokens, "_", "==")), length**2)
    compiled = capax.compile(program, alphabet="ab", max_length=3, words=10)
    assert compiled.domain.max_length == 12
    assert compiled.certified_length == 12
    assert [list(answer) for answer in compiled.batch(["a", "ab", "aba"])] == [[1], [4, 4], [9, 9, 9]]
    assert list(compiled("ab")) == [4, 4]
    record = compiled.model.provenance.pads
    assert record is not None
    assert record.after("aba") == ["_"] * 9
    again = type(compiled.model.provenance).from_json(compiled.model.provenance.to_json())
    assert again.pads == record
    for broken in ({"factor": 0}, {"power": 7}, {"token": None}):
        entry = {**record.to_json(), **broken}
        assert type(again).from_json({"pads": entry}).pads is None
