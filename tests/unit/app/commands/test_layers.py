"""`capax layers` prints what a program costs."""

from pathlib import Path

import pytest

from tests.unit.app.outcome import Capax


def test_json(capax: Capax) -> None:
    """The keys that scripts rely on."""
    result = capax("layers", "dyck2_ptf", "--json").json
    assert (result["layers"], result["heads_as_written"], result["heads_merged"]) == (4, [1, 2, 1, 1], [1, 1, 1, 1])
    assert result["order"] == "sfsfsfsf"
    assert result["orders"] == ["sfsfsfsf"]
    assert [head["layer"] for head in result["heads"]] == [1, 2, 3, 4]
    assert {verdict["dialect"] for verdict in result["fragments"]} == {"RASP-L", "B-RASP", "C-RASP"}


def test_text(capax: Capax) -> None:
    """The printed form names layers, heads and reasons."""
    done = capax("layers", "reverse")
    assert done.code == 0
    assert "reverse: 2 layers" in done.out
    assert "head 2.1 _flip: averages tokens; dimension 3, uses 20% of the pairs on 'hello'" in done.out
    assert "_flip is in layer 2: it needs" in done.out


@pytest.mark.parametrize("program", ["tokens", "indices + 1", "full_s", "addition", "hist_bos"])
def test_any_program(capax: Capax, program: str) -> None:
    """Programs without layers, selectors, and programs that fail on the example all have a cost."""
    done = capax("layers", program)
    assert done.code == 0
    assert done.out.splitlines()[0].endswith(("layers", "layer"))


def test_input(capax: Capax) -> None:
    """The share of pairs is measured on the given input."""
    heads = capax("layers", "hist_nobos", "aab", "--json").json["heads"]
    assert heads[0]["used_on_example"] == pytest.approx(5 / 9)


def test_unknown_program(capax: Capax) -> None:
    """A wrong name is an error with exit code 2."""
    done = capax("layers", "revers")
    assert done.code == 2
    assert "did you mean `reverse`?" in done.err


def test_a_loop(capax: Capax) -> None:
    """The parts, the depth as a formula, and the states round by round, as text and as data."""
    done = capax("layers", "rule_110", "00010")
    assert "rule_110: 0 + 1 x length + 0 layers" in done.out
    assert "    1  _cell  F F T T F" in done.out
    result = capax("layers", "rule_110", "00010", "--json").json
    assert result["layers"] == {"before": 0, "loop": 1, "after": 0, "rounds": "length"}
    assert result["rounds"][1] == {"_cell": [False, False, True, True, False]}


def test_a_loop_of_very_many_rounds(capax: Capax, tmp_path: Path) -> None:
    """States that recur are known to the end; the rounds are not run one by one."""
    file = tmp_path / "big.rasp"
    file.write_text('repeat 100000 { state x = tokens == "2"; x = x != (indices == 0); }')
    done = capax("layers", str(file), "0120")
    assert "rounds (100,000)" in done.out
    assert done.out.splitlines()[-2:] == ["   99999  x  T F T F", "  100000  x  F F T F"]


def test_rounds_that_were_not_evaluated_are_counted(capax: Capax, tmp_path: Path) -> None:
    """A state that never recurs is shown for the first rounds alone."""
    file = tmp_path / "counter.rasp"
    file.write_text("repeat 100000 { state x = indices; x = x + 1; }")
    assert capax("layers", str(file), "01").out.endswith("  ... (99,500 more rounds, which were not evaluated)\n")
    result = capax("layers", str(file), "01", "--json").json
    assert (len(result["rounds"]), result["rounds_left_out"]) == (501, 99_500)
    assert result["rounds"][-1] == {"x": [500, 501]}
