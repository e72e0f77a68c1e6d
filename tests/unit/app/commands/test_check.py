"""`capax list`, `capax check`, the help texts and `capax demo`."""

from pathlib import Path

import pytest

from capax.rasp import library
from tests.unit.app.outcome import Capax


def test_list_has_a_line_for_each_entry(capax: Capax) -> None:
    done = capax("list")
    lines = [line.split() for line in done.out.splitlines() if line.startswith("  ")]
    assert done.code == 0
    assert [line[0].split("(")[0] for line in lines] == list(library.entries())
    assert all(entry.doc in done.out for entry in library.entries().values())


def test_list_as_json(capax: Capax) -> None:
    entries = capax("list", "--json").json
    assert [e["name"] for e in entries] == list(library.entries())
    assert set(entries[0]) == {"name", "module", "doc", "examples", "params"}


@pytest.fixture
def files(tmp_path: Path) -> None:
    (tmp_path / "good.rasp").write_text("a = indices + 1;\n_b = a;\ndef f(x) { return x; }\n")
    (tmp_path / "warned.rasp").write_text('a = not tokens == "x";\n')
    (tmp_path / "bad.rasp").write_text("a = indices +;\nb = zzz;\nc = 3;\nd = not c == 4\ne = 5;\n")
    (tmp_path / "loads.rasp").write_text('load "bad";\nx = c;\n')


@pytest.mark.usefixtures("files")
class TestCheck:
    """What `capax check` says about files."""

    def test_a_good_file(self, capax: Capax) -> None:
        done = capax("check", "good.rasp")
        assert (done.code, done.out, done.err) == (0, "good.rasp: 0 errors, 0 warnings\n", "")

    def test_a_warning_is_no_error(self, capax: Capax) -> None:
        done = capax("check", "warned.rasp")
        assert (done.code, done.out) == (0, "warned.rasp: 0 errors, 1 warning\n")
        assert "warned.rasp:1:5" in done.err

    def test_all_errors_are_found(self, capax: Capax) -> None:
        done = capax("check", "bad.rasp")
        assert (done.code, done.out) == (1, "bad.rasp: 3 errors, 0 warnings\n")
        for place in ("bad.rasp:1:14", "bad.rasp:2:5", "bad.rasp:4:"):
            assert place in done.err

    def test_json(self, capax: Capax) -> None:
        done = capax("check", "bad.rasp", "--json")
        result = done.json
        assert done.code == 1
        assert done.err == ""
        assert result["ok"] is False
        assert [(e["code"], e["line"]) for e in result["errors"]] == [
            ("syntax", 1),
            ("undefined-name", 2),
            ("missing-semicolon", 4),
        ]
        assert result["names"] == ["c", "e"]

    def test_json_of_a_good_file(self, capax: Capax) -> None:
        result = capax("check", "good.rasp", "--json").json
        assert (result["ok"], result["names"], result["errors"]) == (True, ["a", "f"], [])

    def test_errors_of_loaded_files_count(self, capax: Capax) -> None:
        done = capax("check", "loads.rasp")
        assert done.code == 1
        assert "bad.rasp:1:14" in done.err

    def test_a_file_that_is_not_there(self, capax: Capax) -> None:
        done = capax("check", "nowhere.rasp")
        assert (done.code, done.out) == (2, "")


def test_every_command_has_help_with_an_example(capax: Capax) -> None:
    for command in ("repl", "run", "list", "check", "fmt"):
        done = capax(command, "--help")
        assert done.code == 0
        assert "Example: " in done.out
        assert f"capax {command}" in done.out.split("Example: ")[1]


def test_version(capax: Capax) -> None:
    done = capax("--version")
    assert (done.code, done.out.split()[0]) == (0, "capax")


def test_what_fails_only_since_another_line_does_is_told_so() -> None:
    """A name whose assignment has an error is not said to be assigned nowhere; one that has none is."""
    from capax.app.commands._check_file import check

    text = (
        "# a = 1;\nflip = select(indices, lenght, ==);\nback = aggregate(flip, tokens);\nx = unheard + 1;\ny = back;\n"
    )
    found = [error.hint or "" for error in check("p.rasp", text).errors]
    assert found[0] == "did you mean `length`?"
    assert found[1] == "fix the error on line 2, where it is defined"
    assert "fix" not in found[2]
    assert found[3] == "fix the error on line 3, where it is defined"
