"""All statements as Markdown."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from capax.source_statements.records import MEANINGS, SourceStatement, SourceText

HEAD: Final = """# The sources, statement by statement

capax began with four texts. This page lists what each of them states, in order and in our words, with the command that
runs it and the kind of evidence that the command gives. `capax sources --run NUMBER` runs a statement in an empty
folder and compares what is printed with what is expected; the tests run all of them, also at other sizes.

This page is printed by `capax sources --page`; the tests keep it current.
"""


def page(sources: Sequence[SourceText]) -> str:
    """The whole page."""
    lines = [HEAD, "## Evidence", "", "| evidence | means | statements |", "|---|---|---|"]
    every = [one for source in sources for one in source.statements]
    for kind, meaning in MEANINGS.items():
        lines.append(f"| {kind} | {meaning} | {sum(one.evidence == kind for one in every)} |")
    for source in sources:
        lines += ["", f"## {source.id}: {source.title}", "", f"{source.authors}; {source.text}. {source.about}", ""]
        lines += ["| no. | statement | evidence | command |", "|---|---|---|---|"]
        for one in source.statements:
            lines.append(f"| {one.number} | {_cell(_words(one))} | {one.evidence} | {'<br>'.join(_commands(one))} |")
    return "\n".join(lines)


def _words(one: SourceStatement) -> str:
    """What a statement says, and its note in a line of its own."""
    return _escaped(one.says) + (f"<br>*Note:* {_escaped(one.note)}" if one.note else "")


def _escaped(text: str) -> str:
    """A text whose stars and angles, but for those in code, are no Markdown."""
    parts = text.split("`")
    return "`".join(part if at % 2 else re.sub(r"[*<]", r"\\\g<0>", part) for at, part in enumerate(parts))


def _commands(one: SourceStatement) -> Iterator[str]:
    """The commands in the form that tables of Markdown want."""
    for command in one.commands:
        yield f"`{_cell(command)}`"
    if one.needs:
        yield f"in the source tree of capax, which has `{'` and `'.join(one.needs)}`"
    if one.also:
        yield "also " + ", ".join(f"`{_cell(command)}`" for command in one.also)


def _cell(text: str) -> str:
    """A text in which no character ends the cell."""
    return text.replace("|", "\\|").replace("\n", " ")
