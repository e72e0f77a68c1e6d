"""Texts as modules: `capax.load` and `capax.library`."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import capax
from capax import CapaxError, SOp, indices, select, tokens
from capax.rasp import library as texts
from tests.house.tree import ROOT


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a file in a folder of its own; the working directory is another one."""
    (tmp_path / "lib").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "lib" / "part.rasp").write_text("_one = 1; next = indices + _one;")
    (tmp_path / "lib" / "main.rasp").write_text(
        'load "part"; load "part";\ntwice = next * 2;\ndef add(a, b) { return a + b; }\nsizes = [1, 2]; _own = 3;\n'
    )
    monkeypatch.chdir(tmp_path / "elsewhere")
    return tmp_path


def error_of(path: Path) -> CapaxError:
    """The error that loading a file gives."""
    with pytest.raises(CapaxError) as raised:
        capax.load(str(path))
    return raised.value


def test_load(folder: Path) -> None:
    """Programs, functions and values; other files are found beside the loading one."""
    main = capax.load(str(folder / "lib" / "main.rasp"))
    assert main.twice("abc") == [2, 4, 6]
    assert main.next.node is (indices + 1).node
    assert main.add(main.twice, 1).node is (main.twice + 1).node
    assert main.add(1, 2) == 3
    assert main.sizes == [1, 2]
    assert {"twice", "next", "add", "sizes"} <= set(dir(main))
    assert "main.rasp" in repr(main)
    assert main.twice.names()[main.next.node] == "next"


def test_load_of_a_path_and_a_library_file(folder: Path) -> None:
    """A path object will do, and `load` in the file finds the library."""
    file = folder / "uses.rasp"
    file.write_text('load "paper_examples"; both = reverse + reverse;')
    assert capax.load(file).both("ab") == ["bb", "aa"]  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["_own", "_one", "twcie", "out", "tokens"])
def test_names_that_a_module_lacks(folder: Path, name: str) -> None:
    """Private names and those of nobody; a close one is suggested."""
    main = capax.load(str(folder / "lib" / "main.rasp"))
    with pytest.raises(AttributeError, match="defines no") as raised:
        getattr(main, name)
    assert ("did you mean `twice`" in str(raised.value)) == (name == "twcie")
    assert not hasattr(main, name)


def test_a_missing_file(folder: Path) -> None:
    """Missing itself, or missing what it loads."""
    assert error_of(folder / "nowhere.rasp").code == "file-not-found"
    assert error_of(folder).code == "file-unreadable"
    (folder / "broken.rasp").write_text('x = 1;\nload "nowhere";')
    found = error_of(folder / "broken.rasp")
    assert found.code == "file-not-found"
    assert found.where is not None
    assert found.where.line == 2


def test_cyclic_files(folder: Path) -> None:
    """A file that loads itself, also through another."""
    (folder / "self.rasp").write_text('load "self";')
    (folder / "one.rasp").write_text('load "two";')
    (folder / "two.rasp").write_text('x = 1; load "one";')
    assert error_of(folder / "self.rasp").code == "cyclic-load"
    assert error_of(folder / "one.rasp").code == "cyclic-load"


@pytest.mark.parametrize(
    ("text", "code"), [("x = 1 +;", "syntax"), ("x = y;", "undefined-name"), ("x = 1\ny = 2;", "missing-semicolon")]
)
def test_files_with_errors(folder: Path, text: str, code: str) -> None:
    """The first error is raised, with its place, in the file and in what it loads."""
    (folder / "bad.rasp").write_text("a = 1;\n" + text)
    (folder / "outer.rasp").write_text('load "bad";')
    for name in ("bad", "outer"):
        found = error_of(folder / f"{name}.rasp")
        assert found.code == code
        assert found.where is not None
        assert found.where.source.name.endswith("bad.rasp")
        assert found.where.line == 2


def test_an_error_while_running_points_into_the_file(folder: Path) -> None:
    """A program of a file fails at its place in the file."""
    (folder / "p.rasp").write_text("a = 1;\nbad = 1 / indices;")
    with pytest.raises(CapaxError) as raised:
        capax.load(str(folder / "p.rasp")).bad("ab")
    assert raised.value.where is not None
    assert raised.value.where.location.endswith("p.rasp:2:7")


@pytest.mark.parametrize("name", texts.entries())
def test_every_entry_is_an_attribute(name: str) -> None:
    """A program, or a function with its description."""
    entry, value = texts.entries()[name], getattr(capax.library, name)
    assert callable(value)
    if entry.params is None:
        assert value.name == name
    else:
        assert (value.__name__, value.__doc__) == (name, entry.doc)
    assert name in dir(capax.library)
    assert name in repr(capax.library)


def test_the_library() -> None:
    """Programs run, functions take s-ops and values, the same entry is the same node."""
    lib = capax.library
    assert lib.reverse("hello") == ["o", "l", "l", "e", "h"]
    assert lib.sort(tokens, tokens)("banana") == ["a", "a", "a", "b", "n", "n"]
    assert lib.k_hop(2)("abcabab") == ["", "", "", "", "", "c", "b"]
    assert lib.reverse.node is lib.reverse.node
    assert isinstance(lib.count(tokens, "a"), SOp)


def test_names_that_the_library_lacks() -> None:
    """A close one is suggested; private names stay private."""
    with pytest.raises(AttributeError, match="did you mean `reverse`"):
        _ = capax.library.revers
    assert not hasattr(capax.library, "_flip")
    with pytest.raises(AttributeError, match="no attribute 'lode'"):
        _ = capax.lode


def test_calls_with_wrong_arguments() -> None:
    """The errors of the language, at the call."""
    with pytest.raises(CapaxError) as raised:
        capax.library.sort(tokens)
    assert raised.value.code == "argument-count"
    assert "sort(seq, key)" in (raised.value.hint or "")
    with pytest.raises(CapaxError) as raised:
        capax.library.has_focus(tokens)
    assert raised.value.code == "expected-selector"
    with pytest.raises(CapaxError) as raised:
        capax.library.count(select(1, 1, "=="), "a")
    assert raised.value.code in ("expected-sop", "selector-operator")


def test_the_reference_page_has_every_name() -> None:
    """Every public name stands on the page of the Python interface."""
    page = (ROOT / "docs" / "reference" / "python.md").read_text(encoding="utf-8")
    assert [name for name in capax.__all__ if not re.search(rf"`{name}[`(]|^## {name}$", page, re.M)] == []


def test_python_on_short_words_needs_no_arrays() -> None:
    """Building, naming, converting, loading and running short words leave numpy alone."""
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys, capax; r = capax.library.reverse; r('hello'); capax.Program.from_text(r.to_text());"
            "capax.Program.from_json(r.to_json()); capax.tokens.map(str.upper, domain='a')('a');"
            "print('numpy' in sys.modules)",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "False"
