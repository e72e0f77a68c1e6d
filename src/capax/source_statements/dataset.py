"""The sources, read from the files in `data`: one TOML file a source, checked when it is read."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Final

from capax.errors import CapaxError, nearest
from capax.notation.typed_tables import BadRecord, read_tables, record
from capax.source_statements.records import UNSETTLED, SourceStatement, SourceText

DATA: Final = Path(__file__).parent / "data"
LONGEST: Final = 400
"""Characters of what a statement says: it is said in short."""


@cache
def sources(folder: Path = DATA) -> tuple[SourceText, ...]:
    """All sources in order; raises `BadRecord` for the first mistake in a file."""
    return tuple(_source(path) for path in sorted(folder.glob("*.toml")))


def chosen(which: str | None) -> tuple[SourceText, ...]:
    """The sources, with the statements that a number (`001-67`), a source (`001`) or nothing (all) names."""
    everything = sources()
    if which is None:
        return everything
    id, dash, _ = which.partition("-")
    for source in everything:
        if source.id == id:
            if not dash:
                return (source,)
            picked = tuple(one for one in source.statements if one.number == which)
            if picked:
                return (replace(source, statements=picked),)
            what = f"source {id} has no statement {which}; it has {len(source.statements)}"
            raise CapaxError("unknown-source", what, hint=f"`capax sources {id}` lists them")
    close = nearest(id, [source.id for source in everything])
    hint = f"did you mean {close}?" if close else "`capax sources` lists the sources"
    raise CapaxError("unknown-source", f"there is no source {id!r:.40}", hint=hint)


def _source(path: Path) -> SourceText:
    """The source of a file: its tables are `[source]` and `[[statements]]`."""
    tables = read_tables(path)
    extra = sorted(tables.keys() - {"source", "statements"})
    if extra:
        raise BadRecord(f"{path.name}: expected [source] and [[statements]]; got {extra[0]}")
    listed = tables.get("statements", [])
    statements = tuple(
        record(SourceStatement, table, f"{path.name}, {table.get('number', 'a statement')}") for table in listed
    )
    source = record(SourceText, {**tables.get("source", {}), "id": path.stem, "statements": []}, path.name)
    for place, statement in enumerate(statements, 1):
        wrong = list(_problems(statement, f"{path.stem}-{place}"))
        if wrong:
            raise BadRecord(f"{path.name}, {statement.number}: {'; '.join(wrong)}")
    return replace(source, statements=statements)


def _problems(one: SourceStatement, number: str) -> Iterator[str]:
    """What is wrong with a statement that ought to have a number."""
    if one.number != number:
        yield f"expected the number {number}: statements are numbered in order"
    if not one.says or len(one.says) > LONGEST:
        yield f"`says` has {len(one.says)} characters, not 1 to {LONGEST}"
    for command in (*one.commands, *one.also):
        if not command.removeprefix("! ").startswith("capax "):
            yield f"`{command}` is not a command of capax"
    runs = one.evidence not in ("illustration", "open")
    if runs and not (one.commands and one.expect and one.also):
        yield f"evidence that is {one.evidence} asks for commands, for a text to expect of them, and for other sizes"
    if not runs and (one.commands or one.also):
        yield f"evidence that is {one.evidence} has no commands"
    if one.evidence in ("illustration", *UNSETTLED) and not one.note:
        yield f"evidence that is {one.evidence} asks for a note"
    if one.also_expect and not one.also:
        yield "there is no command for `also_expect`"
