"""`capax fmt`: in place, as a check, to standard output, from a pipe."""

import stat
from pathlib import Path

import pytest

from capax.app.commands.fmt import fmt
from capax.rasp.text.parser import tokenize
from tests.unit.app.outcome import Capax

UGLY = """\
# what it does
a=indices+1;   b = a*2 ; # two on a line


def f( x,y ){ # head
  # inside
  z=x   +y; # sum
  return z ;
  # the end
}
for x in [1,2]{c=x;}
set example "abc"
# last
"""

NEAT = """\
# what it does
a = indices + 1;
b = a * 2;  # two on a line

def f(x, y) {  # head
    # inside
    z = x + y;  # sum
    return z;
    # the end
}
for x in [1, 2] {
    c = x;
}
set example "abc"
# last
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "p.rasp"
    path.write_text(UGLY)
    return path


def test_in_place_and_comments_are_kept(capax: Capax, file: Path) -> None:
    done = capax("fmt", "p.rasp")
    assert (done.code, done.out) == (0, "")
    assert file.read_text() == NEAT
    assert "formatted" in done.err


def test_a_second_time_changes_nothing(capax: Capax, file: Path) -> None:
    file.write_text(NEAT)
    done = capax("fmt", "p.rasp")
    assert done.code == 0
    assert file.read_text() == NEAT
    assert "already formatted" in done.err


def test_check_changes_nothing_and_says_no(capax: Capax, file: Path) -> None:
    done = capax("fmt", "--check", "p.rasp")
    assert done.code == 1
    assert file.read_text() == UGLY
    assert "would change" in done.err
    file.write_text(NEAT)
    assert capax("fmt", "--check", "p.rasp").code == 0


def test_stdout_changes_nothing(capax: Capax, file: Path) -> None:
    done = capax("fmt", "--stdout", "p.rasp")
    assert (done.code, done.out) == (0, NEAT)
    assert file.read_text() == UGLY


def test_standard_input(capax: Capax) -> None:
    done = capax("fmt", "-", stdin=UGLY)
    assert (done.code, done.out, done.err) == (0, NEAT, "")
    assert capax("fmt", "-", "--check", stdin=UGLY).code == 1
    assert capax("fmt", "-", "--check", stdin=NEAT).code == 0


def test_json(capax: Capax, file: Path) -> None:
    done = capax("fmt", "--json", "--check", "p.rasp")
    assert done.code == 1
    assert done.json == {"file": "p.rasp", "changed": True, "text": NEAT, "warnings": []}
    assert file.read_text() == UGLY


@pytest.mark.parametrize("options", [[], ["--check"], ["--stdout"], ["--json"]])
def test_a_syntax_error_leaves_the_file_untouched(capax: Capax, file: Path, options: list[str]) -> None:
    broken = "a = indices+1;\nb = (1 + ;\nc=3;\n"
    file.write_text(broken)
    done = capax("fmt", "p.rasp", *options)
    assert (done.code, done.out) == (2, "")
    assert "p.rasp:2:10" in done.err
    assert file.read_text() == broken


def test_the_mode_of_the_file_is_kept(capax: Capax, file: Path) -> None:
    file.chmod(0o640)
    capax("fmt", "p.rasp")
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert [path.name for path in file.parent.iterdir() if path.name != "cache"] == ["p.rasp"]


def test_a_link_stays_a_link(capax: Capax, file: Path) -> None:
    link = file.parent / "link.rasp"
    link.symlink_to(file.name)
    capax("fmt", "link.rasp")
    assert link.is_symlink()
    assert file.read_text() == NEAT


def test_a_file_that_is_not_there(capax: Capax) -> None:
    assert capax("fmt", "nowhere.rasp").code == 2


@pytest.mark.parametrize("text", ["", "\n\n", "# only a comment\n"])
def test_texts_without_statements(capax: Capax, text: str) -> None:
    done = capax("fmt", "-", stdin=text)
    assert (done.code, done.out) == (0, text.strip() and text)


@pytest.mark.parametrize(
    "text",
    [
        "x = [ # one\n  1, # two\n  2 ];\n",
        "x = 1 # before the end\n;\n",
        "def f(x) { # a\n return x # b\n ; # c\n} # d\n",
        "def f(x) { return x; } # after\n",
        "for x in [1] # a\n{ y = x; # b\n} # c\n",
        "a = 1; # one\n\n# two\n\n\n# three\nb = 2;\n",
        'x = "# no comment"; # comment\n',
    ],
)
def test_no_comment_is_lost_and_a_second_pass_agrees(capax: Capax, text: str) -> None:
    once = capax("fmt", "-", stdin=text).out
    for comment in text.split("#")[1:]:
        assert comment.split("\n")[0].strip().rstrip('";') in once
    assert once.count("#") == text.count("#")
    assert capax("fmt", "-", stdin=once).out == once


PROGRAM = """\
a, b = 1, 2;
def f(x, y) { z = x; def g(y) { return y; } return z, g(y); }
for i in [1, 2] { for j in {1: 2} { q = i; } w = 2; }
set example "ab"
load "counting";
x = [y for y in [1]] if True else select(1, 2, ==);
"""
PLACES = [0, *(token.end_pos for token in tokenize(PROGRAM))]


@pytest.mark.parametrize("place", PLACES)
def test_a_comment_may_stand_anywhere(place: int) -> None:
    text = PROGRAM[:place] + " # comment\n" + PROGRAM[place:]
    once = fmt(text).text
    assert once.count("# comment") == 1
    assert fmt(once).text == once


def test_for_loops_as_repeat_loops() -> None:
    """Only where that is asked for."""
    text = "x = indices;\nfor i in range(3) {\n    x = x + x;\n}\n"
    assert fmt(text).text == text
    assert fmt(text, repeats=True).text == "x = indices;\nrepeat 3 {\n    state x = x;\n    x = x + x;\n}\n"
