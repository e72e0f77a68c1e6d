"""The papers that records cite: read from `data/papers.bib`, and printed as BibTeX."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

BIBLIOGRAPHY: Final = Path(__file__).parent / "data" / "papers.bib"
VENUES: Final = {"article": "journal", "book": "publisher", "inproceedings": "booktitle", "misc": ""}
"""The kinds of entries, each with the field that names where the paper appeared."""
_TEX: Final = (
    *(("é", "{\\'e}"), ("ö", '{\\"o}'), ("ł", "{\\l}"), ("&", "\\&"), ("ó", "{\\'o}"), ("ü", '{\\"u}')),
    *(("ë", '{\\"e}'), ("ę", "{\\k e}"), ("ć", "{\\'c}"), ("á", "{\\'a}"), ("í", "{\\'i}"), ("ä", '{\\"a}')),
    ("ß", "{\\ss}"),
)
_START: Final = re.compile(r"\s*@(\w+)\{([\w-]+),")
_FIELD: Final = re.compile(r"\s*(\w+)\s*=\s*\{")
_NEXT: Final = re.compile(r"\s*,?\s*")


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper. `authors` are in the order of the paper; `where` is the venue or publisher, as far as known."""

    kind: str
    authors: tuple[str, ...]
    title: str
    year: int
    where: str = ""
    eprint: str = ""

    @property
    def short(self) -> str:
        """The authors' last names and the year, as in running text."""
        last = [name.split(",")[0] for name in self.authors]
        names = last[0] if len(last) == 1 else f"{', '.join(last[:-1])} and {last[-1]}"
        return f"{names if len(last) <= 3 else f'{last[0]} et al.'} {self.year}"

    @property
    def line(self) -> str:
        """The paper in one line."""
        venue = self.where or (f"arXiv {self.eprint}" if self.eprint else "")
        return f"{self.short}, {self.title}" + (f" ({venue})" if venue else "")


def bibtex(key: str, paper: Paper) -> str:
    """A paper as a BibTeX entry, in ASCII."""
    fields = {"author": " and ".join(paper.authors), "title": f"{{{paper.title}}}", "year": str(paper.year)}
    if paper.where:
        fields[VENUES[paper.kind]] = paper.where
    if paper.eprint:
        fields |= {"eprint": paper.eprint, "archiveprefix": "arXiv"}
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items()]
    text = "\n".join([f"@{paper.kind}{{{key},", *lines, "}"])
    for character, command in _TEX:
        text = text.replace(character, command)
    return text


class BadBibliography(ValueError):  # noqa: N818 - a mistake in a data file of the package, which names the entry
    """A mistake in a BibTeX file: its file, its entry or line, and what is wrong."""


def read_papers(text: str, file: str) -> dict[str, Paper]:
    """The papers of a BibTeX file, by key. Strict: fields in braces, and no field that `bibtex` does not print."""
    papers: dict[str, Paper] = {}
    for kind, key, fields in _entries(text, file):
        if key in papers:
            raise BadBibliography(f"{file}, {key}: the key occurs twice")
        papers[key] = _paper(kind, fields, f"{file}, {key}")
    return papers


def _entries(text: str, file: str) -> Iterator[tuple[str, str, dict[str, str]]]:
    """Each entry of a BibTeX file: its kind, its key and its fields."""
    at = 0
    while text[at:].strip():
        start = _START.match(text, at)
        if start is None:
            raise BadBibliography(
                f"{file}, line {text.count(chr(10), 0, at) + 1}: expected an entry, @kind{{key, ...}}"
            )
        at, fields, where = start.end(), dict[str, str](), f"{file}, {start[2]}"
        while (field := _FIELD.match(text, at)) is not None:
            if field[1] in fields:
                raise BadBibliography(f"{where}: the field {field[1]} occurs twice")
            end = _closing(text, field.end(), where)
            fields[field[1]] = " ".join(text[field.end() : end].split())
            separator = _NEXT.match(text, end + 1)
            at = end + 1 if separator is None else separator.end()
        if not text.startswith("}", at):
            raise BadBibliography(f"{where}: expected a field, name = {{value}}, or the end of the entry")
        at += 1
        yield start[1], start[2], fields


def _closing(text: str, start: int, where: str) -> int:
    """The position of the brace that closes the one before `start`."""
    depth = 1
    for at in range(start, len(text)):
        depth += (text[at] == "{") - (text[at] == "}")
        if depth == 0:
            return at
    raise BadBibliography(f"{where}: a brace is not closed")


def _paper(kind: str, fields: dict[str, str], where: str) -> Paper:
    if kind not in VENUES:
        raise BadBibliography(f"{where}: the kind @{kind} is unknown; known are {', '.join(VENUES)}")
    venue = VENUES[kind]
    required = {"author", "title", "year", *filter(None, [venue])}
    allowed = required | {"eprint", "archiveprefix"}
    for name in sorted(required - fields.keys()):
        raise BadBibliography(f"{where}: the field {name} is missing")
    for name in sorted(fields.keys() - allowed):
        raise BadBibliography(f"{where}: the field {name} is unknown; known are {', '.join(sorted(allowed))}")
    if not fields["year"].isdecimal():
        raise BadBibliography(f"{where}: the year {fields['year']!r} is not a number")
    if fields.get("archiveprefix", "arXiv") != "arXiv" or ("eprint" in fields) != ("archiveprefix" in fields):
        raise BadBibliography(f"{where}: an eprint needs archiveprefix = {{arXiv}}")
    authors = tuple(fields["author"].split(" and "))
    title = fields["title"].removeprefix("{").removesuffix("}")
    return Paper(kind, authors, title, int(fields["year"]), fields.get(venue, ""), fields.get("eprint", ""))


PAPERS: Final = read_papers(BIBLIOGRAPHY.read_text("utf-8"), BIBLIOGRAPHY.name)
