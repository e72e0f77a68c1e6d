"""Pictures of loops: the body once for each round, with the values of the states before it."""

import pytest

import capax
from capax import CapaxError, library
from capax.draw.ink.html import fragment
from capax.draw.subjects.model_view import model_flow
from capax.draw.view.flow import flow
from capax.draw.view.loop_rounds import JOINED, MOST_DRAWN, with_rounds
from capax.draw.view.view import Flow, pick
from capax.rasp.analysis.loop_schedule import states_by_round

LOOPS = [
    ("rule_110", "00010"),
    ("odd_even_sort", "cba"),
    ("add_by_lookahead", "0112"),
    ("root_of", [0, 0, 1]),
    ("iterated", [1, 2, 0]),
    ("parity_in_rounds", "1"),
]


def values_of(part: Flow) -> dict[str, list[str]]:
    """The values of the named sequences of a picture."""
    rows = [row for box in part.layers for row in box.feed_forward]
    rows += [row for box in part.layers for head in box.heads for row in head.outputs]
    return {row.name: list(row.values) for row in rows}


@pytest.mark.parametrize(("name", "word"), LOOPS)
def test_each_round_starts_from_the_states_before_it(name: str, word: list[int] | str) -> None:
    """And nothing is drawn of what joins the states."""
    program = getattr(library, name)
    drawn = with_rounds(program, word)
    assert drawn.layers == flow(program, word).layers
    trace = states_by_round(program, word)
    assert [label for label, _ in drawn.rounds] == ["before", *map(str, range(1, len(trace.rounds))), "after"]
    for (_, part), values in zip(drawn.rounds[1:-1], trace.rounds, strict=False):
        given = {row.item for row in part.layers[0].feed_forward if row.name in trace.names}
        assert len(given) == len(trace.names)
        assert not any(arrow.target in given for arrow in part.arrows)
        shown = values_of(part)
        assert JOINED not in shown
        for state, row in zip(trace.names, values, strict=True):
            if state in shown:
                assert [x.strip('"') for x in shown[state]] == [
                    str(v)[0] if isinstance(v, bool) else str(v) for v in row
                ]


def test_a_page_has_a_bar_of_the_rounds() -> None:
    """One button for each picture; the first round is shown at first. A layer picked has none."""
    drawn = with_rounds(library.rule_110, "010")
    page = fragment(drawn)
    assert page.count('type="radio"') == page.count("<label") == 5
    assert page.index("checked>") > page.index('-1"')
    assert page.count('class="capax-view"') == 5
    assert not pick(drawn, 1, None).rounds  # type: ignore[union-attr]


def test_many_rounds_are_drawn_in_part() -> None:
    """The first and the last."""
    drawn = with_rounds(library.parity_in_rounds, "1" * 40)
    labels = [label for label, _ in drawn.rounds]
    assert len(labels) == MOST_DRAWN + 2
    assert labels[-2] == "40"


def test_programs_without_a_loop_have_no_rounds() -> None:
    """Their picture is what it was."""
    assert with_rounds(library.reverse, "ab") == flow(library.reverse, "ab")


def test_a_model_with_a_loop_is_drawn_round_by_round() -> None:
    """Each round has the layers of that round."""
    compiled = capax.compile(library.add_by_lookahead, alphabet="012", max_length=4, words=10, certify=False)
    drawn = model_flow(compiled.model, "0112")
    assert [label for label, _ in drawn.rounds] == ["1", "2", "after"]
    assert tuple(box for _, part in drawn.rounds for box in part.layers) == drawn.layers


def test_a_model_with_a_loop_and_no_head_is_drawn() -> None:
    """There are no layers to show round by round: the picture has the answers alone."""
    program = capax.Program.from_text('repeat length { state p = tokens == "a"; p = p != True; }')
    model = capax.compile(program, alphabet="ab", max_length=3, words=5, certify=False).model
    assert model.loop is not None
    drawn = model_flow(model, "aab")
    assert drawn.rounds == ()
    assert drawn.layers[-1].feed_forward[0].values == ("F", "F", "T")


def test_a_loop_of_too_many_rounds_is_refused() -> None:
    """A picture has all rounds, so there is a limit; it is told at once."""
    program = capax.Program.from_text('repeat 100000 { state x = tokens == "a"; x = x != True; }')
    with pytest.raises(CapaxError, match="the loop over x has 100,000 rounds; at most 500 are drawn"):
        with_rounds(program, "0120")
