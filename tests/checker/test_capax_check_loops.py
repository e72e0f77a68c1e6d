"""The outside checker's induction over the rounds of a loop: what it proves, and what it refuses."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from capax.model.io.file import from_bytes
from capax.rasp.text.module import stored_program
from checker import capax_check
from checker.capax_check import Checker, Graph, Parser, Refused, read_file
from tests.support.checked_files import changed_facts, is_right, small_model, verdict, written

LOOPED = ("looped", "looped twice", "kept in a loop")


def plan(description: dict[str, Any]) -> Any:
    """The plan in a description."""
    return description["facts"]["plan"]


def claims(description: dict[str, Any]) -> list[Any]:
    """What its plan says of states."""
    return list(plan(description)["states"].values())


WRONG: dict[str, Any] = {
    "no states": lambda d: plan(d).update(states={}),
    "another slot": lambda d: claims(d)[0].update(slot=claims(d)[0]["slot"] - 1),
    "a slot that is none": lambda d: claims(d)[0].update(slot=10**6),
    "a value that is not listed": lambda d: (claims(d)[0]["values"].pop(), claims(d)[0]["codes"].pop()),
    "other codes": lambda d: claims(d)[0]["codes"].reverse(),
    "codes that no weight gives": lambda d: claims(d)[0].update(codes=[c + 0.25 for c in claims(d)[0]["codes"]]),
    "a state of another loop": lambda d: (
        plan(d).update(nodes="repeat 1 { state other = 1; } " + plan(d)["nodes"] + "n99 = other;"),
        plan(d)["states"].update(n99=claims(d)[0]),
    ),
    "an infinite code": lambda d: claims(d)[0].update(codes=[1e999 for _ in claims(d)[0]["codes"]]),
    "codes that are texts": lambda d: claims(d)[0].update(codes=["0" for _ in claims(d)[0]["codes"]]),
    "a state that is none": lambda d: plan(d)["states"].update(state_none=claims(d)[0]),
    "another number of rounds": lambda d: d["loop"].update(rounds="length - 1"),
    "a constant number of rounds": lambda d: d["loop"].update(rounds=3),
    "an empty loop": lambda d: d["loop"].update(end=d["loop"]["first"]),
    "a loop that begins later": lambda d: d["loop"].update(first=d["loop"]["first"] + 1),
    "a loop of other blocks": lambda d: d["loop"].update(first=-1),
    "no loop in the model": lambda d: d.pop("loop"),
    "no loop in the program": lambda d: d["facts"].update(program="x = tokens;"),
    "the first value, of a state that is not": lambda d: d["facts"].update(
        program=d["facts"]["program"].replace("state ", "state other = 1; state ", 1).replace("_end = ", "_end = 1 - ")
    ),
}


@pytest.mark.parametrize("what", WRONG)
@pytest.mark.parametrize("name", LOOPED)
def test_wrong_claims_about_a_loop_are_refused(name: str, what: str, tmp_path: Path) -> None:
    """Each of them makes one of the three steps false, or names nothing."""
    path = changed_facts(written(small_model(name), tmp_path), WRONG[what])
    assert verdict(path) in (1, 2)


@pytest.mark.parametrize(("first", "end"), [(0, 0), (1, 1), (-1, 1), (1, 0), (0, 99), (True, 1), (0, 1.0)])
def test_a_loop_has_blocks_of_the_model(
    first: int, end: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Other numbers of blocks are damage, and are refused before anything is proved."""
    path = written(small_model("looped"), tmp_path)
    assert verdict(changed_facts(path, lambda d: d["loop"].update(first=first, end=end))) == 2
    assert "BAD FILE: the loop" in capsys.readouterr().out


@pytest.mark.parametrize("name", LOOPED)
def test_wrong_weights_of_a_loop_are_refused(name: str, tmp_path: Path) -> None:
    """Each number in turn: none that makes an answer wrong on some word is accepted."""
    model, wrong = small_model(name), 0
    path = written(model, tmp_path)
    data = path.read_bytes()
    start = 8 + int.from_bytes(data[:8], "little")
    places = np.nonzero(np.frombuffer(data, "<f4", offset=start))[0]
    program = stored_program(model.provenance.program or "")
    for number, at in enumerate(places[:: max(1, len(places) // 16)]):
        changed = bytearray(data)
        numbers = np.frombuffer(changed, "<f4", offset=start)
        numbers[at] = numbers[at] * (-1, 0, 1.25, 0.5)[number % 4]
        path.write_bytes(changed)
        other = from_bytes(bytes(changed), "a mutant", warn=lambda text: None)
        with np.errstate(all="ignore"):
            right = is_right(other, program)
        wrong += not right
        assert right or verdict(path) != 0
    assert wrong > 2


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("length {", "length - 1 {"),
        ("length {", "ceil_log2(length) {"),
        ("length {", "4 {"),
        ("indices - 1", "indices + 1"),
        ("False)", "True)"),
        ('state _odd = tokens == "1"', 'state _odd = tokens == "0"'),
        ("_odd = (tokens", "_even = (tokens"),
        ("_odd_end = _odd;", "_odd_end = not _odd;"),
    ],
)
def test_other_loops_are_refused(old: str, new: str, tmp_path: Path) -> None:
    """Rounds, first values, body and what follows are all part of the statement."""

    def change(d: dict[str, Any]) -> None:
        text = d["facts"]["program"]
        assert old in text
        d["facts"]["program"] = text.replace(old, new)

    assert verdict(changed_facts(written(small_model("looped"), tmp_path), change)) == 1


def test_the_theorem_says_that_it_is_about_words_on_which_every_round_has_a_value(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A program without a loop has no such condition."""
    for name in ("looped", "reverse"):
        assert verdict(written(small_model(name), tmp_path)) == 0
        assert ("each state in each round of its loop" in capsys.readouterr().out) == (name == "looped")


@pytest.mark.parametrize(
    "value", ["not state__odd", "aggregate(full_s, indicator(state__odd))", "state__odd + indices"]
)
def test_what_no_round_changes_reads_no_state(value: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Else its value after a round would be taken for that before it, as if the state were still the same."""

    def change(d: dict[str, Any]) -> None:
        plan(d)["nodes"] += f"n99 = {value};"
        plan(d)["states"]["n99"] = claims(d)[0] | {"slot": 0}

    assert verdict(changed_facts(written(small_model("looped"), tmp_path), change)) == 1
    assert "n99 changes from round to round" in capsys.readouterr().out


def test_a_slot_that_keeps_what_a_round_wrote_is_refused(tmp_path: Path) -> None:
    """Between rounds every other slot holds what the embedding wrote."""
    model, tensors = read_file(str(written(small_model("looped"), tmp_path)))
    Checker(model, tensors).run()
    own = {claim["slot"] for claim in model["facts"]["plan"]["states"].values()}
    slot = next(k for k in range(len(model["names"])) if k not in own)
    tensors["blocks.0.mlp.maps.1.bias"][slot] += 1 << capax_check.W
    with pytest.raises(Refused, match=f"slot {slot}"):
        Checker(model, tensors).run()


def read(text: str) -> Parser:
    """A program, as the checker reads it."""
    return Parser(Graph(), text, False)


def test_states_are_set_at_once() -> None:
    """The body reads the old values, its other names are its own, and the names of states are the results."""
    text = "y = 5; repeat length - 1 { state a = y; state b = indices; a = b; y = a + 1; b = y; } x = a + y;"
    parser = read(text)
    graph, (starts, nexts) = parser.graph, parser.loop
    a, b = (graph.add("state", name) for name in "ab")
    assert parser.rounds == "length-1"
    assert starts == {a: graph.constant(5), b: graph.indices}
    assert nexts == {a: b, b: graph.add("map", "+", a, graph.constant(1))}
    assert parser.last == graph.add("map", "+", a, graph.constant(5))


@pytest.mark.parametrize(
    "text",
    [
        "repeat { state a = 1; } x = a;",
        "repeat 2 { a = 1; } x = 1; repeat 2 { state a = 1; } repeat 2 { state b = 1; } x = a;",
        "repeat 2 { state a = 1; a = 2; a = 3; } x = a;",
        "repeat 2 { state a = 1; state a = 2; } x = a;",
        "repeat 2 { state a = 1; repeat 2 { state b = 1; } } x = a;",
        "repeat 2 { state a = full_s; } x = a;",
        "repeat 2 { state a = 1; a = full_s; } x = a;",
        "repeat 2 { state a = 1; b = a; } x = b;",
        "length = 3; repeat length { state a = 1; } x = a;",
        "ceil_log2 = 3; repeat ceil_log2(length) { state a = 1; } x = a;",
        "repeat ceil_log2(3) { state a = 1; } x = a;",
        "repeat length + 1 { state a = 1; } x = a;",
        "repeat 2 { state a = 1; a = 2;",
        "repeat 2 state a = 1; a = 2;",
    ],
)
def test_what_is_no_loop_of_the_checker_is_refused(text: str) -> None:
    """One loop, each state once, s-ops alone."""
    with pytest.raises(Refused):
        read(text)


def test_repeat_is_a_name_like_others() -> None:
    """Where no loop is written."""
    parser = read("repeat = 3; state = repeat + indices; x = state * repeat;")
    assert parser.rounds is None


@pytest.mark.parametrize("rounds", ["length", "length - 1", "ceil_log2(length)"])
def test_a_causal_loop_has_a_constant_number_of_rounds(rounds: str) -> None:
    """Another number would tell of later positions."""
    Parser(Graph(), "repeat 2 { state a = 1; } x = a;", True)
    with pytest.raises(Refused):
        Parser(Graph(), f"repeat {rounds} {{ state a = 1; }} x = a;", True)


def test_the_body_of_a_causal_loop_sees_no_later_position() -> None:
    """Nor do the first values of states."""
    counts = "selector_width(select(tokens, tokens, ==))"
    text = f"repeat 2 {{ state a = {counts}; a = {counts} + a; }} x = a;"
    parser = Parser(Graph(), text, True)
    graph = parser.graph
    (first,), (then,) = (states.values() for states in parser.loop)
    hidden = graph.add("and", graph.nodes[graph.nodes[first][1]][1], graph.causal)
    assert graph.nodes[first] == ("width", hidden)
    assert graph.nodes[then][2] == first


def test_a_causal_loop_is_proved_for_causal_words_alone(tmp_path: Path) -> None:
    """Its model does not compute the same program with later positions in sight."""
    path = written(small_model("causal loop"), tmp_path)
    assert verdict(path) == 0
    assert verdict(changed_facts(path, lambda d: d["facts"]["domain"].update(causal=False))) == 1
