"""`capax run --batch` and `--plan`: every line is answered in order, bad ones are named."""

import json
from pathlib import Path

import pytest

from tests.unit.app.outcome import Capax


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of words, one of them empty."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "words.txt"
    path.write_text("abc\n\nhello\r\né€\n", encoding="utf-8")
    return path


def test_lines_in_order(capax: Capax, file: Path) -> None:
    """A bad line leaves a gap and is reported with its number; the others are answered."""
    done = capax("run", "reverse", "--batch", "words.txt")
    assert done.code == 2
    assert done.out == "[c, b, a] (strings)\n\n[o, l, l, e, h] (strings)\n[€, é] (strings)\n"
    assert "line 2: error[empty-input]" in done.err
    assert "1 bad line" in done.err


def test_json_lines(capax: Capax, file: Path) -> None:
    """One JSON value a line, null for a bad one."""
    done = capax("run", "hist_nobos", "--batch", "words.txt", "--json")
    assert [json.loads(line) for line in done.out.splitlines()] == [[1, 1, 1], None, [1, 1, 2, 2, 1], [1, 1]]


def test_a_line_that_is_not_utf8(capax: Capax, file: Path) -> None:
    """A broken line is a bad line like any other."""
    file.write_bytes(b"ok\nb\xffd\nfine\n")
    done = capax("run", "reverse", "--batch", "words.txt", "--json")
    assert done.out.splitlines() == ['["k", "o"]', "null", '["e", "n", "i", "f"]']
    assert "line 2: error[bad-input]" in done.err


def test_stop(capax: Capax, file: Path) -> None:
    """With --stop nothing follows the first bad line."""
    done = capax("run", "reverse", "--batch", "words.txt", "--stop")
    assert (done.code, done.out) == (2, "[c, b, a] (strings)\n")


def test_other_tokens(capax: Capax, file: Path) -> None:
    """Lines are split as --as says; what does not split is a bad line."""
    file.write_text("1 2 3\nx\n4,4\n")
    done = capax("run", "sort(tokens_int, -tokens_int)", "--batch", "words.txt", "--as", "ints", "--json")
    assert done.out.splitlines() == ["[3, 2, 1]", "null", "[4, 4]"]
    assert "line 2: error[bad-input]" in done.err


def test_many_lines_and_long_ones(capax: Capax, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Chunks do not show: counts, numbers and order are right across them."""
    monkeypatch.setattr("capax.app.commands._batches.CHUNK_LINES", 300)
    words = ["ab" * (i % 7 + 1) if i % 100 else "" for i in range(1, 1001)]
    file.write_text("\n".join(words) + "\n")
    done = capax("run", "length", "--batch", "words.txt", "--json")
    expected = [[len(w)] * len(w) if w else None for w in words]
    assert [json.loads(line) for line in done.out.splitlines()] == expected
    assert "10 bad lines" in done.err
    assert "line 1000:" in done.err


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (("--batch", "nowhere.txt"), "file-not-found"),
        (("--batch", "."), "file-unreadable"),
        ((), "bad-option"),
        (("abc", "--batch", "words.txt"), "bad-option"),
        (("--jsno",), "bad-option"),
        (("--batch", "words.txt", "--trace"), "bad-option"),
        (("abc", "--stop"), "bad-option"),
    ],
)
def test_refusals(capax: Capax, file: Path, args: tuple[str, ...], code: str) -> None:
    """What cannot be read is an error with exit code 2."""
    done = capax("run", "reverse", *args)
    assert done.code == 2
    assert f"error[{code}]" in done.err


def test_plan(capax: Capax) -> None:
    """The plan is printed, or given as JSON."""
    assert "a run of positions" in capax("run", "dyck1_ptf", "--plan").out
    steps = capax("run", "sort", "--plan", "--json").json
    assert [step["cost"] for step in steps] == ["n log n", "n log n"]
    assert "every step is element-wise" in capax("run", "indices + 1", "--plan").out
    assert "[n^2]" in capax("run", "full_s", "--plan").out
