"""Every record is well formed: it names what exists, cites what the bibliography has, and says what it assumes."""

from dataclasses import fields
from typing import get_args

import pytest

from capax.atlas.bibliography import PAPERS, bibtex
from capax.atlas.classes import CLASSES
from capax.atlas.dataset import ATLAS
from capax.atlas.inference.closure import above, not_within
from capax.atlas.questions.names import class_named, language_named
from capax.atlas.records import CITED, OURS, PLACES_READ, Atlas, Claim, Remark, Seen
from capax.atlas.setting import ANY, FIELDS, Setting, value_of
from capax.atlas.survey import SURVEY
from capax.errors import CapaxError
from capax.formal.languages.catalogue import language

CLASS_IDS = {one.id for one in ATLAS.classes}
LANGUAGE_IDS = {one.id for one in ATLAS.languages}


def problems(atlas: Atlas) -> list[str]:
    """What is wrong with the records of an atlas."""
    found = []
    cited = [*atlas.claims, *atlas.inclusions, *atlas.memberships, *atlas.hardness, *atlas.variants, *atlas.remarks]
    for record in cited:
        found += [f"{record.id} cites {key}" for key in record.sources if key not in PAPERS]
        found += [f"{record.id} is {record.seen}"] if record.seen not in get_args(Seen) else []
    for claim in atlas.claims:
        found += _claim_problems(claim)
    for remark in atlas.remarks:
        found += seen_problems(remark)
    for fact in atlas.memberships:
        known = fact.seen != "checked" or fact.note.split(";")[0] in PLACES_READ
        found += [] if known else [f"{fact.id}: checked, and read nowhere"]
    for one in atlas.inclusions:
        found += [f"{one.id}: no class {name}" for name in (one.small, one.big) if name not in CLASS_IDS]
    for fact in (*atlas.memberships, *atlas.hardness):
        found += [f"{fact.id}: no class {fact.cls}"] if fact.cls not in CLASS_IDS else []
        found += [f"{fact.id}: no language"] if fact.language not in LANGUAGE_IDS else []
    for step in atlas.variants:
        pairs = [(step.field, step.weaker), (step.field, step.stronger)]
        pairs += [(name, value) for name, values in step.needs.items() for value in values]
        found += [f"{step.id}: no {name} {value}" for name, value in pairs if value not in FIELDS[name].values]
    ids = [record.id for record in (*cited, *atlas.conjectures)]
    return found + [f"{id_} twice" for id_ in set(ids) if ids.count(id_) > 1]


def _claim_problems(claim: Claim) -> list[str]:
    found = []
    for name in FIELDS:
        if value_of(claim.setting, name) not in FIELDS[name].values:
            found.append(f"{claim.id}: no {name} {value_of(claim.setting, name)}")
    known = LANGUAGE_IDS if claim.kind in ("has", "lacks") else CLASS_IDS
    found += [f"{claim.id}: no {claim.object}"] if claim.object not in known else []
    found += [f"{claim.id} has no source"] if not claim.sources and claim.seen != OURS else []
    found += seen_problems(claim)
    if not claim.reads or set(claim.reads) - set(FIELDS["read"].values) or (len(claim.reads) > 1 and not claim.reading):
        found.append(f"{claim.id}: where is it read, and why does it not matter?")
    found += [f"{claim.id}: its setting is read elsewhere"] if claim.setting.read not in claim.reads else []
    return found + [f"{claim.id}: unstated {name}" for name in claim.unstated if name not in FIELDS]


def seen_problems(record: Claim | Remark) -> list[str]:
    """A checked record says where its statement was read; what is cited says nothing; an argument names its page."""
    where = record.against.split(" ")[0].rstrip(";,")
    right = {"checked": where in PLACES_READ, OURS: record.against.startswith("the page"), CITED: not record.against}
    return [] if right[record.seen] else [f"{record.id}: {record.seen}, and read {record.against or 'nowhere'}"]


def test_every_record_is_well_formed() -> None:
    """The atlas has no problem."""
    assert problems(ATLAS) == []


@pytest.mark.parametrize(
    "claim",
    [
        Claim("new", "has", "PARITY", SURVEY[0].setting, ("nobody1900",)),
        Claim("new", "has", "PARTY", SURVEY[0].setting, ("hahn2020",)),
        Claim("new", "within", "PARITY", SURVEY[0].setting, ("hahn2020",)),
        Claim("new", "has", "PARITY", Setting("hard", "none", "none", "real"), ("hahn2020",)),
        Claim("new", "has", "PARITY", SURVEY[0].setting, ("hahn2020",), "checked", reads=("last",)),
        Claim("new", "has", "PARITY", SURVEY[0].setting, ("hahn2020",), "checked", "memory", reads=("last",)),
        Claim("new", "has", "PARITY", SURVEY[0].setting, ("hahn2020",), CITED, "abstract", reads=("last",)),
        Claim("new", "has", "PARITY", SURVEY[0].setting, ("hahn2020",), reads=("end",), reading="so"),
        Claim("new", "has", "PARITY", SURVEY[0].setting, ("hahn2020",), reads=("each",), reading="so"),
        Claim("new", "has", "PARITY", SURVEY[0].setting, ("hahn2020",)),
        Claim("L1", "has", "PARITY", SURVEY[0].setting, ("hahn2020",)),
        Claim("new", "has", "PARITY", SURVEY[0].setting, ()),
    ],
)
def test_a_bad_claim_is_seen(claim: Claim) -> None:
    """A claim that cites a missing paper, names what does not exist, or hides what it was checked against."""
    from dataclasses import replace

    assert problems(replace(ATLAS, claims=(*ATLAS.claims, claim)))


def test_every_record_says_where_it_comes_from() -> None:
    """From papers, or it is checked by capax or holds by definition, and says so."""
    for record in (*ATLAS.claims, *ATLAS.inclusions, *ATLAS.memberships, *ATLAS.hardness, *ATLAS.remarks):
        assert record.sources or (record.seen == OURS and getattr(record, "note", "")), record.id
    for step in ATLAS.variants:
        assert step.why
        assert step.sources or step.seen == OURS, step.id


def test_bibtex_kinds() -> None:
    """Journals have articles, publishers books, meetings papers, and what is on arXiv alone is miscellaneous."""
    kinds = {key: bibtex(key, PAPERS[key]).split("{")[0] for key in PAPERS}
    assert kinds["turing1936"] == kinds["ladner1975"] == kinds["hahn2020"] == "@article"
    assert kinds["immerman1999"] == kinds["mcnaughton1971"] == "@book"
    assert kinds["chiang2022"] == "@inproceedings"
    assert kinds["kozachinskiy2026"] == "@misc"


def test_the_survey_has_its_rows() -> None:
    """9 lower bounds, 8 upper bounds and 5 equalities."""
    rows = {claim.row for claim in SURVEY}
    assert rows == {*(f"L{n}" for n in range(1, 10)), *(f"U{n}" for n in range(1, 9)), *(f"E{n}" for n in range(1, 6))}


def test_strict_inclusions_that_have_a_language_are_not_equalities() -> None:
    """No inclusion that is called strict goes the other way too, and none that is open is refuted."""
    for one in ATLAS.inclusions:
        back = one.small in above(ATLAS, one.big)
        assert back == (one.strict == "no"), one.id
        gap = not_within(ATLAS, one.big, one.small)
        if one.strict == "open":
            assert gap is None or gap.assuming, one.id
        assert not_within(ATLAS, one.small, one.big) is None or one.strict == "open", one.id


def test_fields_are_those_of_a_setting() -> None:
    """Each field has its values, and its default is one of them or open."""
    assert [field.name for field in fields(Setting)] == list(FIELDS)
    for field in FIELDS.values():
        assert field.default == ANY or field.default in field.values
        assert len(field.values) > 1


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


@pytest.mark.parametrize("record", [one for one in ATLAS.languages if one.catalogue], ids=lambda one: str(one.id))
def test_names_of_the_catalogue_exist(record: object) -> None:
    """A language's name in the catalogue gives a language, and finds the record."""
    name = record.catalogue  # type: ignore[attr-defined]
    assert language(name).name
    assert language_named(ATLAS, name) == record.id  # type: ignore[attr-defined]


def test_members_of_families_are_found() -> None:
    """By their numbers, as the catalogue writes them."""
    found = {
        "dyck-5": "DYCK-k",
        "Dyck-1": "DYCK-1",
        "dyck-2": "DYCK-2",
        "mod-7": "MOD-p",
        "shuffle-dyck-4": "SHUFFLE-DYCK-k",
    }
    assert {name: language_named(ATLAS, name) for name in found} == found
    assert language_named(ATLAS, "bounded-dyck-3-5") == "DYCK-k,D"
    for name in ("dyck-0", "mod-1", "dyck-2-3", "dyck-", "mod-x"):
        with pytest.raises(CapaxError):
            language_named(ATLAS, name)


def test_names_of_classes_are_read_loosely() -> None:
    """Case, underscores and carets do not matter."""
    assert class_named(ATLAS, "tc^0") == "TC0"
    assert class_named(ATLAS, "AC_0") == "AC0"
    assert class_named(ATLAS, "star-free") == "FO"
    assert all(class_named(ATLAS, one.id) == one.id for one in CLASSES)
