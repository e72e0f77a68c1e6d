"""The papers that records cite: what its reader accepts, what it refuses, and what is printed."""

import pytest

from capax.atlas.dataset import ATLAS
from capax.atlas.papers import BIBLIOGRAPHY, PAPERS, VENUES, BadBibliography, Paper, bibtex, read_papers

ENTRY = "@article{one1999, author = {One, Ann and Two, Bo}, title = {{A {B} of C}}, year = {1999}, journal = {J},}"


def test_an_entry_is_read() -> None:
    """Braces inside a title stay, authors are split, and the last comma may be there or not."""
    paper = Paper("article", ("One, Ann", "Two, Bo"), "A {B} of C", 1999, "J")
    assert read_papers(ENTRY, "x.bib") == read_papers(ENTRY.replace(",}", "}"), "x.bib") == {"one1999": paper}
    assert paper.line == "One and Two 1999, A {B} of C (J)"


def test_what_is_printed_is_read_again() -> None:
    """An entry of ASCII letters alone is printed as the file has it."""
    assert bibtex("hahn2020", PAPERS["hahn2020"]) in BIBLIOGRAPHY.read_text("utf-8")
    printed = "\n".join(bibtex(key, paper) for key, paper in PAPERS.items())
    again = read_papers(printed, "printed.bib")
    assert {key: (paper.kind, paper.year, paper.where.isascii()) for key, paper in again.items()} == {
        key: (paper.kind, paper.year, True) for key, paper in PAPERS.items()
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"{ENTRY}\nnonsense", "x.bib, line 1: expected an entry"),
        (f"{ENTRY}\n{ENTRY}", "x.bib, one1999: the key occurs twice"),
        (ENTRY.replace("@article", "@thesis"), "x.bib, one1999: the kind @thesis is unknown"),
        (ENTRY.replace("year =", "yaer ="), "x.bib, one1999: the field year is missing"),
        (ENTRY.replace(",}", ", note = {n}}"), "x.bib, one1999: the field note is unknown"),
        (ENTRY.replace(",}", ", year = {2000}}"), "x.bib, one1999: the field year occurs twice"),
        (ENTRY.replace("{1999}", "{MCM}"), "x.bib, one1999: the year 'MCM' is not a number"),
        (ENTRY.replace(",}", ", eprint = {1234.5}}"), "x.bib, one1999: an eprint needs archiveprefix"),
        (ENTRY.replace("{1999}", "1999"), "x.bib, one1999: expected a field"),
        (ENTRY.replace("{J},}", "{J"), "x.bib, one1999: a brace is not closed"),
    ],
)
def test_a_bad_entry_is_named(text: str, message: str) -> None:
    """The error names the file, the entry and the field."""
    with pytest.raises(BadBibliography) as info:
        read_papers(text, "x.bib")
    assert str(info.value).startswith(message)


def test_bibtex_kinds() -> None:
    """Journals have articles, publishers books, meetings papers, and what is on arXiv alone is miscellaneous."""
    kinds = {key: bibtex(key, PAPERS[key]).split("{")[0] for key in PAPERS}
    assert kinds["turing1936"] == kinds["ladner1975"] == kinds["hahn2020"] == "@article"
    assert kinds["immerman1999"] == kinds["mcnaughton1971"] == "@book"
    assert kinds["chiang2022"] == "@inproceedings"
    assert kinds["kozachinskiy2026"] == "@misc"
    assert {paper.kind for paper in PAPERS.values()} == set(VENUES)


def test_every_paper_is_cited_and_prints() -> None:
    """No paper is there for nothing; BibTeX has balanced braces and the key."""
    records = [*ATLAS.claims, *ATLAS.inclusions, *ATLAS.memberships, *ATLAS.hardness, *ATLAS.variants, *ATLAS.remarks]
    assert set(PAPERS) == {key for record in records for key in record.sources}
    for key, paper in PAPERS.items():
        text = bibtex(key, paper)
        assert text.count("{") == text.count("}")
        assert text.isascii(), key
        assert f"{{{key}," in text
        assert str(paper.year) in text
