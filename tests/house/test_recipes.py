"""Every recipe of CONTRIBUTING is followed to the letter in a copy of the project, and the result is run.

A block with `title="PATH"` is written to that file. A block with `into="PATH" after="TEXT"` is put below the line of
the file that starts with TEXT; without `after` it is put at the end. The commands of a `console` block are run.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.house.blocks import Block, blocks, commands, matches
from tests.house.tree import ROOT

PAGE = ROOT / "CONTRIBUTING.md"
COPIED = (
    "src",
    "tests",
    "docs",
    "editors",
    "pyproject.toml",
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "Makefile",
)
RECIPES = ("theorem", "limit", "task", "op", "export target", "command", "picture", "error", "atlas record")


def recipes(page: Path) -> dict[str, list[Block]]:
    """The blocks of each recipe, by what it adds: `### Add a theorem` or `### Add an op`."""
    headings = [
        (number, match[1])
        for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1)
        if (match := re.match(r"###? (?:Add an? )?(.*)", line))
    ]
    steps: dict[str, list[Block]] = {name: [] for _, name in headings}
    for block in blocks(page):
        steps[[name for line, name in headings if line < block.line][-1]].append(block)
    return steps


def follow(block: Block, copy: Path) -> None:
    """Does in a copy of the project what a block says."""
    if title := block.options.get("title"):
        path = copy / title
        assert not path.exists(), f"{block}: there is a {title} already"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text, encoding="utf-8")
    elif into := block.options.get("into"):
        insert(copy / into, block.text, block.options.get("after"))
    elif block.language == "console":
        for command in commands(block):
            code, printed = shell(command.text, copy)
            assert code == int(block.options.get("exit", "0")), f"{block}: {command.text}\n{printed}"
            shown = command.output if any(line.strip() for line in command.output) else None
            assert shown is None or matches(shown, printed), f"{block}: the page differs from\n{printed}"


def insert(path: Path, text: str, after: str | None) -> None:
    """Puts a text below the only line of a file that starts with `after`, or at its end."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    places = [at for at, line in enumerate(lines, 1) if after is not None and line.strip().startswith(after)]
    assert after is None or len(places) == 1, f"{path}: {len(places)} lines start with {after!r}"
    at = places[0] if places else len(lines)
    path.write_text("".join([*lines[:at], text, *lines[at:]]), encoding="utf-8")


def shell(command: str, copy: Path) -> tuple[int, str]:
    """The exit code of a command in the copy, with the copy's code, and what it prints."""
    words = {"capax": "-m capax", "pytest": "-m pytest -q -p no:cacheprovider", "python": ""}
    name, _, rest = command.partition(" ")
    assert name in words, f"'{name}' is not run in a recipe"
    plain = {"NO_COLOR": "1", "TERM": "dumb", "COLUMNS": "100", "PYTHONPATH": str(copy / "src")}
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} {words[name]} {rest}"],
        cwd=copy,
        env={**os.environ, **plain},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=300,
    )
    return done.returncode, done.stdout


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_works(name: str, tmp_path: Path) -> None:
    """The result of each recipe does what the page says."""
    steps = recipes(PAGE)[name]
    assert any(block.language == "console" for block in steps)
    # Bytecode comes along, and is used where a file is as it was; so times are kept.
    subprocess.run(["cp", "-Rp", *(str(ROOT / item) for item in COPIED), str(tmp_path)], check=True)
    for block in steps:
        follow(block, tmp_path)


def unnamed(page: Path) -> list[str]:
    """The paths, and the lines below which a block goes, that the text since the last such block does not name."""
    lines = page.read_text(encoding="utf-8").splitlines()
    missing, start = [], 0
    for block in blocks(page):
        needed = [block.options[key] for key in ("title", "into", "after") if key in block.options]
        text = "\n".join(lines[start : block.line - 2])
        missing += [name for name in needed if f"`{name}`" not in text]
        if block.language == "console":
            start = block.line
    return missing


def test_the_sentence_before_a_block_names_its_file() -> None:
    """A rendered page hides the attributes of a block, so the text says where its lines go."""
    assert unnamed(PAGE) == []


def test_an_unnamed_file_is_seen(tmp_path: Path) -> None:
    """A path in a block's attributes alone, and a line to go below; what an earlier recipe names does not count."""
    page = tmp_path / "page.md"
    block = '```text into="a.py" after="x = ("\n1\n```\n'
    page.write_text(f"Below `x = (` of `a.py`:\n{block}")
    assert unnamed(page) == []
    page.write_text(f"In `a.py`:\n{block}```console\n$ capax\n```\nAnd:\n{block}")
    assert unnamed(page) == ["x = (", "a.py", "x = ("]


def test_a_breach_is_seen(tmp_path: Path) -> None:
    """A file that is there already, a line that is not, and a command that prints something else."""
    (tmp_path / "a.py").write_text("x = (\n)\n")
    for options, text in (
        ({"title": "a.py"}, "1\n"),
        ({"into": "a.py", "after": "y"}, "1\n"),
        ({}, "$ capax run reverse ab\nab\n"),
    ):
        with pytest.raises(AssertionError):
            follow(Block(PAGE, 1, "console", options, text), tmp_path)
    follow(Block(PAGE, 1, "python", {"into": "a.py", "after": "x = ("}, "    1,\n"), tmp_path)
    assert (tmp_path / "a.py").read_text() == "x = (\n    1,\n)\n"
