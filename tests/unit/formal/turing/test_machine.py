"""Turing machines: the simulator beside rewriting of lists, the text format, the machines that come with capax."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from capax.errors import CapaxError, Source
from capax.formal.turing.machine import Action, TuringMachine, from_table, random_machine, run, steps
from capax.formal.turing.machines import machine_names, machine_source
from capax.formal.turing.probabilistic import ChanceMachine, random_chances
from capax.formal.turing.read_machine import read_machine
from capax.formal.turing.tapes import TapesAction, TapesMachine, apart, interleaved, on_one_tape, run_tapes
from capax.formal.turing.text import MachineFile, parse


def plain_run(machine: TuringMachine, word: str, most: int) -> tuple[list[str], int, str]:
    """The tape as a list, the head's place in it and the state: the definition, by lists that grow at both ends."""
    tape, head, state = list(word) or [machine.blank], 0, machine.start
    for _ in range(most):
        action = machine.rules.get((state, tape[head]))
        if action is None:
            break
        tape[head] = action.write
        head, state = head + action.move, action.state
        if head < 0:
            tape, head = [machine.blank, *tape], 0
        if head == len(tape):
            tape.append(machine.blank)
    return tape, head, state


def stripped(cells: list[str], blank: str) -> tuple[str, ...]:
    """Cells without the blanks at both ends."""
    text = [c != blank for c in cells]
    return tuple(cells[text.index(True) : len(text) - text[::-1].index(True)]) if any(text) else ()


def machine(name: str) -> TuringMachine:
    """A machine with one tape that comes with capax."""
    found = read_machine(machine_source(name))
    assert isinstance(found, TuringMachine)
    return found


@given(st.integers(0, 10**6), st.text("01", max_size=8), st.integers(0, 120))
def test_runs_are_those_of_the_definition(seed: int, word: str, most: int) -> None:
    """The tape, the head and the state after any number of steps, and the steps one by one."""
    made = random_machine(4, 3, seed)
    found = run(made, word, most)
    tape, _, state = plain_run(made, word, most)
    assert found.word == stripped(tape, made.blank)
    assert found.state == state
    taken = [step for _, step in zip(range(most), steps(made, word), strict=False)]
    assert len(taken) == found.steps
    assert found.cell == sum(step.action.move for step in taken)
    assert found.halted == (sum(1 for _ in zip(range(most + 1), steps(made, word), strict=False)) == found.steps)


@pytest.mark.parametrize(("name", "count", "ones"), [("bb1", 1, 1), ("bb2", 6, 4), ("bb3", 21, 5), ("bb4", 107, 13)])
def test_busy_beavers_halt_when_they_should(name: str, count: int, ones: int) -> None:
    """Steps and ones are those of the literature."""
    found = run(machine(name), "", 1000)
    assert (found.steps, found.count(), found.halted) == (count, ones, True)


def test_the_champion_of_five_states() -> None:
    """It is the table that is known, and it does not halt soon."""
    assert dict(machine("bb5").rules) == dict(from_table("1RB1LC_1RC1RB_1RD0LE_1LA1LD_1RH0LA").rules)
    assert not run(machine("bb5"), "", 100_000).halted


@given(st.integers(0, 2**40))
def test_increment_adds_one(number: int) -> None:
    """Binary numbers grow by one."""
    assert "".join(run(machine("increment"), f"{number:b}", 300).word) == f"{number + 1:b}"


@given(st.text("ab", max_size=12))
def test_copy_and_palindromes(word: str) -> None:
    """A word is copied, and tested for being the same from both ends."""
    copied = run(machine("copy"), word, 2000)
    assert copied.accepted
    assert "".join(copied.word) == f"{word}={word}"
    asked = run(machine("palindrome"), word, 2000)
    assert asked.halted
    assert asked.accepted == (word == word[::-1])


def tag_system(productions: list[str], data: str, most: int) -> list[str]:
    """The data of a cyclic tag system after each step: the definition."""
    found = []
    for turn in range(most):
        if not data:
            break
        data = data[1:] + (productions[turn % len(productions)] if data[0] == "1" else "")
        found.append(data)
    return found


@given(st.lists(st.text("01", max_size=3), min_size=1, max_size=3), st.text("01", max_size=4))
def test_the_universal_machine_runs_tag_systems(productions: list[str], data: str) -> None:
    """Each time it looks for a letter, the data on its tape are those of the system; it halts when there are none."""
    letters = {"0": "x", "1": "y"}
    word = "*" + ";".join(productions) + "=" + "".join(letters[c] for c in data)
    made = machine("tag")
    right = [data, *tag_system(productions, data, 12)]
    seen, tape, cell, state = [], dict(enumerate(word)), 0, made.start
    for _ in range(20_000):
        if state == "take" and tape.get(cell - 1) == "=":
            seen.append("".join({"x": "0", "y": "1"}.get(tape[c], "") for c in sorted(tape) if c >= cell))
        action = made.rules.get((state, tape.get(cell, made.blank)))
        if action is None or (len(seen) == len(right) and right[-1]):
            break
        tape[cell] = action.write
        cell, state = cell + action.move, action.state
    assert seen == right
    if right[-1] == "":
        assert (state, tape.get(cell, "_")) == ("take", "_")


@st.composite
def machines_with_tapes(draw: st.DrawFn) -> TapesMachine:
    """Small random machines with two tapes."""
    rules = {}
    for state in ("p", "q"):
        for a in "_1":
            for b in "_1":
                if draw(st.integers(0, 9)):
                    write = (draw(st.sampled_from("_1")), draw(st.sampled_from("_1")))
                    moves = (draw(st.integers(-1, 1)), draw(st.integers(-1, 1)))
                    rules[state, (a, b)] = TapesAction(write, moves, draw(st.sampled_from("pq")))
    return TapesMachine(2, "_", "p", rules, ("1",))


@given(machines_with_tapes(), st.text("1", max_size=3), st.integers(0, 6))
def test_one_tape_does_what_several_do(made: TapesMachine, word: str, most: int) -> None:
    """After as many of its steps as it takes, the one tape holds the tapes of the other machine."""
    assume(made.rules)
    tapes, state, done, halted = run_tapes(made, word, most)
    one = on_one_tape(made)
    count, last = -1, None
    tape, cell, control = dict(enumerate(interleaved(made, word))), 0, one.start
    for _ in range(100_000):
        if tape.get(cell - 1) == "[" and ":read(?,?)@0" in control:
            count += 1
            if count == done:
                last = [tape.get(c, "~") for c in range(min(tape), max(tape) + 1)]
        action = one.rules.get((control, tape.get(cell, one.blank)))
        if action is None or count > done:
            break
        tape[cell] = action.write
        cell, control = cell + action.move, action.state
    assert last is not None
    assert control.split(":")[0] == state or not halted
    for got, right in zip(apart(made, last), tapes, strict=True):
        ordered = [right.get(c, "_") for c in range(min(right, default=0), max(right, default=0) + 1)]
        assert stripped(got, "_") == stripped(ordered, "_")
    if halted:
        assert count == done


def test_a_machine_that_is_too_large_for_one_tape_is_refused() -> None:
    """Four tapes of many symbols have too many things to remember."""
    symbols = [str(n) for n in range(12)]
    rules = {
        ("go", (a, b, c, d)): TapesAction((a, b, c, d), (1, 1, 1, 1), "go")
        for a in symbols for b in symbols for c in symbols[:4] for d in symbols[:4]
    }  # fmt: skip
    with pytest.raises(CapaxError, match="more than 5,000 states"):
        on_one_tape(TapesMachine(4, "_", "go", rules, tuple(symbols)))


def test_the_two_tape_example() -> None:
    """The word is on the second tape, backwards."""
    made = read_machine(machine_source("reverse2"))
    assert isinstance(made, TapesMachine)
    found = run(on_one_tape(made), interleaved(made, "1101"), 5000)
    assert found.accepted
    assert [stripped(tape, "_") for tape in apart(made, found.word)] == [tuple("1101"), tuple("1011")]


def test_chances_sum_to_one_over_all_chains() -> None:
    """The probabilities of all chains of a length, and of those that halt before, sum to 1."""
    for seed in range(20):
        made = random_chances(2, 2, seed)
        total, chains = 0, [[]]
        for _ in range(4):
            total += sum(made.probability("0", chain, halts=True) for chain in chains)
            chains = [[*c, a] for c in chains for a in made.actions if made.probability("0", [*c, a], halts=False)]
        assert total + sum(made.probability("0", chain, halts=False) for chain in chains) == 1


@pytest.mark.parametrize("name", machine_names())
def test_every_machine_is_read(name: str) -> None:
    """And a text without a last line end as well."""
    source = machine_source(name)
    assert read_machine(Source("x", source.text.rstrip("\n"))) == read_machine(source)


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("", None, "no rule"),
        ("go 0 -> 1 R go\nnonsense", 2, "neither"),
        ("go 0 -> 1 R", 1, "number of words"),
        ("go 0 -> 1 X go", 1, "not a move"),
        ("go 0 -> 1 R go\ngo 0 -> 0 R go", 2, "already"),
        ("blank _\nblank x\ngo 0 -> 1 R go", 2, "twice"),
        ("tapes 9\ngo 0 -> 1 R go", 1, "tapes"),
        ("blank\ngo 0 -> 1 R go", 1, "one word"),
        ("input 0 _\ngo 0 -> 1 R go", 1, "blank"),
        ("accept x\ngo 0 -> 1 R go", 1, "state"),
        ("go 0 -> 1 R stop\nstart stop", 2, "begins in"),
        ("go 0 -> 1 R go : 1/0", 1, "probability"),
        ("go 0 -> 1 R go : 1/2\ngo 0 -> 0 R go : 1/3", 2, "sum to 5/6"),
        ("go 0 -> 1 R go : 1/2\ngo 0 -> 1 R go : 1/2", 2, "twice"),
        ("tapes 2\ngo 0 0 -> 1 1 R R go : 1/2", 2, "one tape"),
    ],
)
def test_a_bad_line_is_pointed_at(text: str, line: int | None, what: str) -> None:
    """The error names the line and what is wrong there."""
    with pytest.raises(CapaxError) as caught:
        read_machine(Source("m.tm", text))
    assert caught.value.code == "bad-machine"
    assert what in caught.value.what
    assert (caught.value.where.line if caught.value.where else None) == line


@given(st.text("ab_-> R\n:#/1", max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    """No text makes the parser fail in another way."""
    found: object = None
    try:
        found = parse(Source("m.tm", text))
    except CapaxError as error:
        found = error.code
    assert found == "bad-machine" or isinstance(found, MachineFile)


def test_headers_have_defaults() -> None:
    """The blank is _, the first state that of the first rule, and words are made of all other symbols."""
    made = read_machine(Source("m.tm", "go a -> b L stop # comment\nstop _ -> a R go"))
    assert made == TuringMachine(
        "_", "go", {("go", "a"): Action("b", -1, "stop"), ("stop", "_"): Action("a", 1, "go")}, ("a", "b")
    )
    assert isinstance(read_machine(machine_source("walk")), ChanceMachine)
