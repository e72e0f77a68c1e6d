"""`capax tm`: a machine and its decoder side by side."""

import json
from pathlib import Path

import pytest

import capax as package
from tests.unit.app.outcome import Capax

pytestmark = pytest.mark.xdist_group("libraries")  # one process loads transformers and the like

FLIP = "go 0 -> 1 R go\ngo 1 -> 0 R go\n"


def test_every_step_is_compared(capax: Capax) -> None:
    """A busy beaver runs to its end; the facts are there as JSON."""
    done = capax("tm", "bb4", "--steps", "200")
    assert done.code == 0, done.err
    assert "agree on 107 steps and halt in state H" in done.out
    assert "13 cells are not blank" in done.out
    found = capax("tm", "bb4", "--json").json
    assert found["agrees"]
    assert (found["steps"], found["not_blank"], found["halted"]) == (107, 13, True)
    assert found["decoder"]["heads"] == [1, 2, 1]


def test_the_trace_shows_tape_head_state_token_and_looks(capax: Capax) -> None:
    """Each line has the tape before the step and what each head looks at."""
    done = capax("tm", "increment", "11", "--trace")
    assert done.out.splitlines()[6:15] == [
        "heads: mean of the moves | the position with the head's cell as number | the same for negative cells"
        " | the last write to the head's cell",
        "",
        "step  state  tape    token      looks at",
        "1     right  [1]1    1,R,right  all | 1 @1 | <s> @0 | 1 @1",
        "2     right  1[1]    1,R,right  all | 1 @2 | <s> @0 | 1 @2",
        "3     right  11[_]   _,L,carry  all | <go> @3 | <s> @0 | <s> @0",
        "4     carry  1[1]_   0,L,carry  all | 1 @2 | <s> @0 | 1,R,right @5",
        "5     carry  [1]0_   0,L,carry  all | 1 @1 | <s> @0 | 1,R,right @4",
        "6     carry  [_]00_  1,S,done   all | <s> @0 | <s> @0 | <s> @0",
    ]
    assert "accepted; 3 cells are not blank: 100" in done.out


def test_a_file_of_ones_own(capax: Capax) -> None:
    """Read from a file, and the decoder kept in another."""
    Path("flip.tm").write_text(FLIP, encoding="utf-8")
    done = capax("tm", "flip.tm", "0110", "-o", "flip.safetensors")
    assert done.code == 0, done.err
    assert "4 cells are not blank: 1001" in done.out
    model = package.load_model("flip.safetensors")
    assert model.generate([*"01", "<go>"], 9, stop="<halt>") == ["1,R,go", "0,R,go", "<halt>"]


@pytest.mark.parametrize(
    "options",
    [
        ("bb3", "--form", "hash", "--steps", "25"),
        ("bb3", "--attention", "softmax", "--dtype", "float32", "--cells", "5", "--steps", "22"),
        ("bb3", "--plain", "--steps", "30"),
        ("reverse2", "10", "--steps", "300"),
        ("walk", "--seed", "5"),
        ("walk", "--seed", "1", "--trace"),
        ("bb5", "--steps", "1200", "--trace"),
        ("palindrome.tm", "abba"),
    ],
)
def test_other_forms(capax: Capax, options: tuple[str, ...]) -> None:
    """Hashes, softmax, tables of positions, several tapes, machines by chance."""
    done = capax("tm", *options, "--json")
    assert done.code == 0, done.err
    assert json.loads(done.out)["agrees"]
    assert capax("tm", *options).out


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (("nothing",), "no machine"),
        (("bb2", "--attention", "soft"), "hard or softmax"),
        (("bb2", "--plain", "--attention", "hard"), "softmax"),
        (("palindrome", "a" * 501, "--trace"), "501 letters"),
        (("reverse2", "1_"), "'_' (position 1)"),
        (("bb2", "--form", "hash", "--attention", "softmax"), "hard attention"),
        (("bb2", "--steps", "0"), "steps"),
        (("bb2", "-o", "x.pt"), ".safetensors"),
        (("increment", "12"), "'2' (position 1)"),
        (("bb2", "1"), "only word"),
        (("bouncer", "--dtype", "float32", "--cells", "9", "--steps", "400"), "cell 10"),
        (("bb4", "--form", "hash", "--steps", "100000"), "cell -6"),
        (("bb4", "--form", "hash", "--cells", "9", "--steps", "100000"), "positions apart"),
        (("missing.tm",), "no file"),
    ],
)
def test_what_is_refused(capax: Capax, options: tuple[str, ...], what: str) -> None:
    """Exit code 2, and the reason."""
    done = capax("tm", *options)
    assert done.code == 2
    assert what in done.err


def test_limits_are_printed(capax: Capax) -> None:
    """For any run, or while the head stays near; those of hashes beside those of positions."""
    assert "right for 31,635,421 positions, wherever the head goes\n" in capax("tm", "bb1").out
    near = capax("tm", "bb4", "--dtype", "float32", "--steps", "2000").out
    assert "right for 2,002 positions, while the head stays within 1,364 cells on each side\n" in near
    hashed = capax("tm", "bb4", "--form", "hash", "--steps", "110").out
    assert "hashes are right for 144 positions wherever the head goes, positions for 31,635,421\n" in hashed


def test_several_tapes_are_told_apart(capax: Capax) -> None:
    """What the machine with two tapes leaves on them, besides what stands on the one tape."""
    done = capax("tm", "reverse2", "1101")
    lines = done.out.splitlines()
    first = lines.index("the machine with 2 tapes takes 10 steps:")
    assert lines[first : first + 3] == [
        "the machine with 2 tapes takes 10 steps:",
        "  tape 1: 1101",
        "  tape 2: 1011",
    ]


def test_one_is_singular(capax: Capax) -> None:
    """One step, one cell, one state, and a state in which the machine only halts."""
    out = capax("tm", "bb1").out
    assert "bb1: 1 state and 1 to halt in, 2 symbols\n" in out
    assert "agree on 1 step and halt" in out
    assert "1 cell is not blank: 1\n" in out


def test_a_decoder_that_other_tools_cannot_hold_says_how_to_make_one(capax: Capax) -> None:
    """The hint of the export names the option."""
    capax("tm", "bb2", "-o", "bb2.safetensors")
    done = capax("export", "bb2.safetensors", "--to", "hf", "-o", "out")
    assert done.code == 2
    assert "--plain" in done.err


def test_brackets_on_the_tape_are_not_taken_for_the_head(capax: Capax) -> None:
    """Where tapes lie between brackets, the head stands in round ones."""
    assert "([) 1' _' ] " in capax("tm", "reverse2", "1", "--trace").out


def test_long_runs_tell_how_far_they_are(capax: Capax) -> None:
    """On standard error, so that the result stays alone."""
    done = capax("tm", "bouncer", "--steps", "10000", "--json")
    assert "10,000 steps agree so far" in done.err
    assert done.json["steps"] == 10_000
