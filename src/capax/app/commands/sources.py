"""`capax sources`: what the texts behind capax state, and the commands that run it."""

import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from capax.app.commands._result import finish
from capax.app.options import Json, count
from capax.app.process.output import print_text
from capax.errors import CapaxError

if TYPE_CHECKING:
    from capax.source_statements.records import SourceStatement, SourceText

GROUP: Final = ("Start", 4)
WIDTH: Final = 100
WORDS: Final = {"unconfirmed": "measured and not confirmed"}


def command(
    which: Annotated[
        str | None, typer.Argument(metavar="[NUMBER]", help="A source, as 001, or a statement, as 001-67.")
    ] = None,
    run: Annotated[
        bool, typer.Option("--run", help="Run the commands in an empty folder and compare what they print.")
    ] = False,
    also: Annotated[bool, typer.Option("--also", help="With --run: the commands at other sizes, too.")] = False,
    open_: Annotated[bool, typer.Option("--open", help="List only what is partial, open or not confirmed.")] = False,
    page: Annotated[bool, typer.Option("--page", help="Print the reference page.")] = False,
    as_json: Json = False,
) -> None:
    """List what the papers and talks behind capax state, each statement with the commands that run it.

    Exit code 1 if --run finds a statement whose commands fail, or one that it cannot run.

    Example: capax sources --run 002-7
    """
    from capax.source_statements.dataset import chosen

    if also and not run:
        raise CapaxError("bad-option", "--also belongs to --run", hint="for instance: capax sources --run --also 002-7")
    if sum((run, open_, page)) > 1 or (page and which is not None):
        raise CapaxError("bad-option", "--run, --open and --page do not go together", hint="give one of them")
    picked = chosen(which)
    if page:
        from capax.source_statements.page import page as reference_page

        print_text(reference_page(picked))
    elif run:
        from capax.app.commands._statement_runs import run_statements

        runs = run_statements([one for source in picked for one in source.statements], also=also)
        finish(runs, as_json=as_json, yes=runs.complete)
    else:
        finish(SourceList(picked, which, open_), as_json=as_json)


@dataclass(frozen=True, slots=True)
class SourceList:
    """Sources, or the statements of one."""

    sources: "tuple[SourceText, ...]"
    which: str | None
    only_open: bool

    @property
    def statements(self) -> "list[SourceStatement]":
        """The statements that are listed."""
        return [one for source in self.sources for one in source.statements if not (self.only_open and one.settled)]

    def to_json(self) -> list[dict[str, Any]]:
        """Each source, with its statements if these are asked for."""
        if self.which is None and not self.only_open:
            return [source.to_json() for source in self.sources]
        return [one.to_json() for one in self.statements]

    def render(self) -> str:
        """An overview, a list, or one statement whole."""
        if self.only_open:
            return "\n".join(_line(one) + f"\n{_indented(one.note)}" for one in self.statements) or "nothing is open"
        if self.which is None:
            return _overview(self.sources)
        if "-" in self.which:
            return _whole(self.statements[0])
        (source,) = self.sources
        return "\n".join([_title(source), "", *map(_line, self.statements)])


def _title(source: "SourceText") -> str:
    return textwrap.fill(
        f"{source.id}  {source.title}. {source.authors}; {source.text}", WIDTH, subsequent_indent="     "
    )


def _overview(sources: "tuple[SourceText, ...]") -> str:
    """The sources with their counts, and the sum."""
    lines = []
    for source in sources:
        counts = ", ".join(_counted(kind, number) for kind, number in source.counts().items() if number)
        lines += [_title(source), _indented(f"{count(len(source.statements), 'statement')}: {counts}"), ""]
    every = [one for source in sources for one in source.statements]
    lines.append(_sum(every))
    lines.append("`capax sources 001` lists the statements of a source, `capax sources --run 002-7` runs one")
    return "\n".join(lines)


def _sum(every: "list[SourceStatement]") -> str:
    """How many statements run whole, and what is said of each of the others."""
    from capax.source_statements.records import UNSETTLED

    kinds = [one.evidence for one in every]
    pictures = kinds.count("illustration")
    told = [f"{sum(one.settled for one in every) - pictures} run whole"]
    told += [f"{kinds.count(kind)} {WORDS.get(kind, kind)}" for kind in UNSETTLED if kind in kinds]
    return (
        f"of {count(len(every) - pictures, 'statement')}: {', '.join(told)}; {count(pictures, 'illustration')} besides"
    )


def _counted(kind: str, number: int) -> str:
    return count(number, kind) if kind == "illustration" else f"{number} {kind}"


def _line(one: "SourceStatement") -> str:
    """A statement in short: its number, evidence and first command."""
    head = f"{one.number:<7} {one.evidence:<12} "
    text = textwrap.fill(one.says, WIDTH, initial_indent=head, subsequent_indent=" " * len(head))
    text += "".join(f"\n{' ' * len(head)}$ {command}" for command in one.commands)
    return text + (f"\n{' ' * len(head)}{_needed(one).strip()}" if one.needs else "")


def _needed(one: "SourceStatement") -> str:
    """Where the files are that the commands of a statement read."""
    return f"  {' and '.join(one.needs)} is a path in the source tree of capax; the package does not have it"


def _whole(one: "SourceStatement") -> str:
    """A statement with everything that its record has."""
    lines = [textwrap.fill(f"{one.number}  {one.says}", WIDTH, subsequent_indent="        "), ""]
    rows = [("kind", one.kind), ("evidence", f"{one.evidence}: {_meaning(one)}")]
    rows += [("note", one.note)] if one.note else []
    lines += [textwrap.fill(f"{name:<10}{text}", WIDTH, subsequent_indent=" " * 10) for name, text in rows]
    for name, text in one.files.items():
        lines += ["", f"{name}:", textwrap.indent(text.rstrip("\n"), "  ")]
    for title, commands, expected in (
        ("runs", one.commands, one.expect),
        ("at other sizes", one.also, one.also_expect),
    ):
        if commands:
            lines += ["", title, *(f"  $ {command}" for command in commands)]
            lines += [_needed(one)] if one.needs and title == "runs" else []
            lines += [f"  the output has: {text}" for text in expected]
    return "\n".join(lines)


def _meaning(one: "SourceStatement") -> str:
    from capax.source_statements.records import MEANINGS

    return MEANINGS[one.evidence]


def _indented(text: str) -> str:
    return textwrap.fill(text, WIDTH, initial_indent="     ", subsequent_indent="     ")
