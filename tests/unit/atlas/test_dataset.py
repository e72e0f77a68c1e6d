"""The data files of the atlas: what they hold, and that a mistake in one is named."""

import shutil
from dataclasses import fields, replace
from pathlib import Path

import pytest

from capax.atlas.dataset import ATLAS, DATA, load_atlas
from capax.atlas.inference.closure import above, not_within
from capax.atlas.setting import ANY, FIELDS, Setting
from capax.notation.typed_tables import BadRecord

CLAIM = """
[[claims]]
id = "new"
kind = "has"
object = "PARITY"
setting = { attention = "softmax", mask = "none", positions = "none", precision = "real" }
sources = ["hahn2020"]
"""
MIRROR = {
    "leftmost-hard": "rightmost-hard",
    "rightmost-hard": "leftmost-hard",
    "R-trivial": "L-trivial",
    "R-trivial-last": "L-trivial-last",
}


def with_records(folder: Path, text: str) -> Path:
    """A copy of the data with one more file."""
    copied = folder / "data"
    shutil.copytree(DATA, copied)
    (copied / "more.toml").write_text(text, encoding="utf-8")
    return copied


def test_a_record_is_added_by_a_table(tmp_path: Path) -> None:
    """One more table is one more claim, with the default fields."""
    added = load_atlas(with_records(tmp_path, CLAIM)).claims[-1]
    assert (added.id, added.object, added.seen, added.reads) == ("new", "PARITY", "cited, not checked", ("last",))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (CLAIM.replace("hahn2020", "nobody1900"), "more.toml, new: nobody1900 is not in papers.bib"),
        (CLAIM.replace("PARITY", "PARTY"), "more.toml, new: there is no language PARTY"),
        (CLAIM.replace('"has"', '"within"'), "more.toml, new: there is no class PARITY"),
        (CLAIM.replace('"has"', '"had"'), "more.toml, new: kind is 'had', not one of has, lacks"),
        (CLAIM.replace('"softmax"', '"hard"'), "more.toml, new: there is no attention hard"),
        (CLAIM.replace("attention =", "atention ="), "more.toml, new: setting: the field atention is unknown"),
        (CLAIM.replace('kind = "has"\n', ""), "more.toml, new: the field kind is missing"),
        (CLAIM.replace('"new"', '"L1"'), "more.toml, L1: its id occurs twice"),
        (CLAIM.replace('["hahn2020"]', "[]"), "more.toml, new: it has no source"),
        (CLAIM.replace('["hahn2020"]', '"hahn2020"'), "more.toml, new: sources is 'hahn2020', not a list"),
        (CLAIM.replace('["hahn2020"]', "[3]"), "more.toml, new: sources is 3, not a string"),
        (CLAIM + 'seen = "checked"', "more.toml, new: it is checked, and against is ''"),
        (CLAIM + 'seen = "checked"\nagainst = "memory"', "more.toml, new: it is checked, and against is 'memory'"),
        (CLAIM + 'against = "abstract"', "more.toml, new: it is cited, not checked, and against is 'abstract'"),
        (CLAIM + 'reads = ["end"]\nreading = "so"', "more.toml, new: its setting is read last, and reads has end"),
        (CLAIM + 'reads = ["each"]\nreading = "so"', "more.toml, new: reads has each; known are last, end"),
        (CLAIM + 'reads = ["last", "end"]', "more.toml, new: reading must say why"),
        (CLAIM + 'unstated = ["colour"]', "more.toml, new: unstated has colour, which is not a field"),
        (CLAIM + 'programs = [{ text = "tokens" }]', "more.toml, new: programs: the field letters is missing"),
        (CLAIM + 'theorems = ["parity"]', "more.toml, new: theorems is ['parity'], not a table"),
        (CLAIM + "colour = 1", "more.toml, new: the field colour is unknown"),
        ("claims = 3", "more.toml: expected lists of records"),
        ("claims = [3", "more.toml is not TOML"),
        (
            'inclusions = [{ small = "AC0", big = "TC1", strict = "yes", sources = ["fss1984"] }]',
            "more.toml, AC0 < TC1: there is no class TC1",
        ),
        (
            'memberships = [{ language = "S5", class = "P", holds = "yes" }]',
            "more.toml, S5, P, yes: holds is 'yes', not true or false",
        ),
        ('memberships = [{ language = "S5", class = "CSL", holds = true }]', "more.toml, S5 in CSL: it has no source"),
        ('hardness = [{ language = "S6", class = "P" }]', "more.toml, S6 complete for P: there is no language S6"),
        (
            'variants = [{ field = "mask", weaker = "none", stronger = "all", why = "so", seen = "our argument" }]',
            "more.toml, mask: none to all: there is no mask all",
        ),
        ('languages = [{ id = "NEW", what = "words", instances = ["S6"] }]', "more.toml, NEW: there is no language S6"),
        ('remarks = [{ id = "r", text = "t", sources = [] }]', "more.toml, r: it has no source"),
        (
            'conjectures = [{ id = "c", small = "AC0", big = "P", what = "w", equal_too = [["AC0", "Q"]] }]',
            "more.toml, c: there is no class Q",
        ),
    ],
)
def test_a_bad_record_is_named(tmp_path: Path, text: str, message: str) -> None:
    """The error names the file, the record and what is wrong."""
    with pytest.raises(BadRecord) as info:
        load_atlas(with_records(tmp_path, text))
    assert str(info.value).startswith(message)


def test_mirrored_claims_are_mirror_images() -> None:
    """Each equality for heads that look back has its mirror image, and each mirror image is one of another claim."""
    claims = {claim.id: claim for claim in ATLAS.claims}
    back = {
        claim.id
        for claim in ATLAS.claims
        if claim.setting.mask == "strict-past" and (claim.kind == "equals" or claim.object in ("PALINDROME", "COPY"))
    }
    assert {id_.removesuffix("-mirrored") for id_ in claims if id_.endswith("-mirrored")} == back
    for id_ in back:
        claim, image = claims[id_], claims[f"{id_}-mirrored"]
        attention = MIRROR.get(claim.setting.attention, claim.setting.attention)
        assert image.setting == replace(claim.setting, attention=attention, mask="strict-future")
        assert (image.kind, image.object) == (claim.kind, MIRROR.get(claim.object, claim.object))
        assert (image.reads, image.reading, image.sources) == (claim.reads, claim.reading, claim.sources)


def test_counting_claims_are_read_at_a_marker_too() -> None:
    """Each claim about C-RASP has one about C-RASP-end, in the same setting but for where the answer is read."""
    claims = {claim.id: claim for claim in ATLAS.claims}
    counting = [claim for claim in ATLAS.claims if claim.object == "C-RASP"]
    for claim in counting:
        marked = claims[f"{claim.id}-end"]
        assert (marked.kind, marked.object, marked.reads) == (claim.kind, "C-RASP-end", ("end",))
        assert marked.setting == replace(claim.setting, read="end")
    assert len(counting) == sum(claim.object == "C-RASP-end" for claim in ATLAS.claims)


def test_the_survey_has_its_rows() -> None:
    """9 lower bounds, 8 upper bounds and 5 equalities."""
    rows = {claim.row for claim in ATLAS.claims if claim.row}
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
