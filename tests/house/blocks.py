"""The code blocks of a Markdown file, and a command with the output that the page shows for it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FENCE = re.compile(r"^(?P<indent>\s*)(?P<fence>`{3,}|~{3,})\s*(?P<info>[^`]*)$")


@dataclass(frozen=True)
class Block:
    """One fenced block: its place (the line of its first line of text), language, options and text."""

    file: Path
    line: int
    language: str
    options: dict[str, str]
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True)
class Command:
    """One command of a block, and the lines shown below it."""

    line: int
    text: str
    output: tuple[str, ...]


def blocks(path: Path) -> Iterator[Block]:
    """The fenced blocks of a file, in order; an unclosed one is an error."""
    lines = enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
    for at, line in lines:
        opening = FENCE.match(line)
        if not opening:
            continue
        indent, fence = opening["indent"], opening["fence"]
        text = []
        for _, inner in lines:
            bare = inner.strip()
            if bare and set(bare) == {fence[0]} and len(bare) >= len(fence):
                break
            text.append(inner.removeprefix(indent))
        else:
            raise ValueError(f"{path}:{at}: the block is not closed")
        language, _, rest = opening["info"].strip().partition(" ")
        options = {name: value.strip('"') for name, value in re.findall(r'(\w+)=("[^"]*"|\S+)', rest)}
        yield Block(path, at + 1, language, options, "".join(f"{each}\n" for each in text))


def commands(block: Block) -> list[Command]:
    """The commands of a block: the lines after `$ ` with their output or, without any `$ `, every line."""
    lines = block.text.splitlines()
    prompted = any(line.startswith("$ ") for line in lines)
    found: list[Command] = []
    for at, line in enumerate(lines, block.line):
        if found and found[-1].text.endswith("\\"):
            last = found.pop()
            found.append(Command(last.line, f"{last.text[:-1]} {line.removeprefix('> ').strip()}", ()))
        elif prompted and not line.startswith("$ "):
            if not found:
                raise ValueError(f"{block.file}:{at}: output before any command")
            last = found.pop()
            found.append(Command(last.line, last.text, (*last.output, line)))
        elif line.strip() and not line.startswith("#"):
            found.append(Command(at, line.removeprefix("$ ").strip(), ()))
    return found


def matches(shown: tuple[str, ...], printed: str) -> bool:
    """Whether a page shows what was printed, trailing blanks aside.

    A line `...` stands for any lines, and ` ...` at the end of a line for the rest of it.
    """
    pattern = "".join(_line_pattern(line) for line in trimmed(list(shown)))
    text = "".join(f"{line}\n" for line in trimmed(printed.splitlines()))
    return re.fullmatch(pattern, text) is not None


def _line_pattern(line: str) -> str:
    if line == "...":
        return r"(?:[^\n]*\n)*?"
    start = line.removesuffix(" ...")
    return re.escape(start) + (r"\n" if start == line else r" [^\n]*\n")


def trimmed(lines: list[str]) -> list[str]:
    """The lines without blanks at their ends, and without empty lines at the end."""
    return "\n".join(line.rstrip() for line in lines).rstrip("\n").split("\n")
