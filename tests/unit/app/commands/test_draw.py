"""`capax draw`, from its arguments to a file or the screen."""

import sys
from pathlib import Path

import pytest

from capax.app.commands.draw import command as draw
from capax.errors import CapaxError


def run(program: str = "reverse", word: str | None = "abc", output: Path | None = None, **options: object) -> None:
    """Calls the command with its usual arguments."""
    given = {"layer": None, "head": None, "everything": False, "split": "chars"} | options
    draw(program, word, output=None if output is None else str(output), **given)  # type: ignore[arg-type]


def test_without_a_file_it_draws_in_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    """On "hello" if no input is given."""
    run(word=None)
    assert capsys.readouterr().out.startswith('reverse("hello")\n')


@pytest.mark.parametrize(
    ("ending", "start"), [("svg", "<svg"), ("html", "<!doctype html>"), ("txt", "reverse("), ("SVG", "<svg")]
)
def test_the_ending_of_a_file_picks_the_ink(tmp_path: Path, ending: str, start: str) -> None:
    """And a second run gives the same bytes."""
    path = tmp_path / f"picture.{ending}"
    run(output=path)
    first = path.read_bytes()
    assert first.decode().startswith(start)
    run(output=path)
    assert path.read_bytes() == first


def test_parts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A layer, a head, everything, and tokens that are words."""
    run(layer=2, head=1)
    assert capsys.readouterr().out.startswith("head 2.1  _flip")
    run(layer=1)
    assert "layer 2" not in capsys.readouterr().out
    run(everything=True)
    assert "1 / head1.1" in capsys.readouterr().out
    run(word="two words", split="words")
    assert 'reverse(["two", "words"])' in capsys.readouterr().out


@pytest.mark.parametrize("name", ["picture", "picture.gif", "picture.jpeg"])
def test_other_endings_are_refused(tmp_path: Path, name: str) -> None:
    """Before anything is computed, with the endings there are."""
    with pytest.raises(CapaxError) as caught:
        run(output=tmp_path / name)
    assert caught.value.code == "bad-option"
    assert ".svg" in str(caught.value.hint)
    assert not (tmp_path / name).exists()


@pytest.mark.parametrize("ending", ["png", "pdf"])
def test_without_the_extra_an_error_names_it(tmp_path: Path, ending: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The extra is called `plot`."""
    monkeypatch.setitem(sys.modules, "cairosvg", None)
    with pytest.raises(CapaxError) as caught:
        run(output=tmp_path / f"picture.{ending}")
    assert caught.value.code == "bad-option"
    assert "plot" in caught.value.what
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("ending", "start"), [("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_png_and_pdf(tmp_path: Path, ending: str, start: bytes) -> None:
    """Through the extra, where it is installed."""
    try:
        import cairosvg  # noqa: F401
    except (ImportError, OSError):
        pytest.skip("the extra `plot` is not installed")
    run(output=tmp_path / f"picture.{ending}")
    assert (tmp_path / f"picture.{ending}").read_bytes().startswith(start)


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    """Is an error that names it, and it is not made."""
    for ending in ("svg", "html", "txt", "png"):
        with pytest.raises(CapaxError, match="there is no folder") as caught:
            run(output=tmp_path / "missing" / f"picture.{ending}")
        assert caught.value.code == "file-unreadable"
    assert list(tmp_path.iterdir()) == []
