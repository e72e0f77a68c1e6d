"""Keywords, suppositions, knobs and open cells."""

import pytest

from capax.atlas import ask
from capax.atlas.dataset import ATLAS
from capax.atlas.inference.infer import recognises, region
from capax.atlas.inference.what_if import changes, suppose, turns
from capax.atlas.questions.question import keywords, parse
from capax.atlas.records import Conjecture
from capax.atlas.setting import FIELDS
from capax.atlas.table import cells, open_cells, placements
from capax.errors import CapaxError


def test_keywords_are_read() -> None:
    """Values alone where one field has them, values with their field else; then a language or class."""
    assert parse(ATLAS, "average-hard poly-steps : P") == ({"attention": "average-hard", "steps": "poly"}, "P", True)
    assert parse(ATLAS, "softmax log-precision no-positions : s5")[0] == {
        "attention": "softmax",
        "precision": "log",
        "positions": "none",
    }
    assert parse(ATLAS, ": parity") == ({}, "PARITY", False)


@pytest.mark.parametrize("name", FIELDS)
def test_every_value_has_a_keyword(name: str) -> None:
    """Each value of each field can be said, and means itself."""
    for value in FIELDS[name].values:
        words = [word for word, meant in keywords().items() if meant == [(name, value)]]
        assert words
        for word in words:
            assert parse(ATLAS, f"{word} : PARITY")[0] == {name: value}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "PARITY",
        "softmax",
        "softmax :",
        "log : S5",
        "soft : S5",
        "softmax average-hard : S5",
        "softmax : SORT",
        ": :",
    ],
)
def test_what_cannot_be_read_is_refused(text: str) -> None:
    """With a reason and a hint."""
    with pytest.raises(CapaxError) as caught:
        parse(ATLAS, text)
    assert caught.value.code == "bad-question"
    assert caught.value.hint


@pytest.mark.parametrize("text", ["rightmost-hard strict : FO", "strict-mask : FO"])
def test_a_mask_without_a_direction_is_refused(text: str) -> None:
    """Strict past and strict future differ in power, so neither is taken."""
    with pytest.raises(CapaxError, match="strict-past or strict-future"):
        parse(ATLAS, text)


def test_suppositions() -> None:
    """TC0 = NC1 takes the conditional answers away; TC0 != NC1 makes them plain."""
    where = region(attention="softmax", precision="log")
    equal, different = suppose(ATLAS, "TC0 = NC1"), suppose(ATLAS, "NC1 != TC0")
    assert recognises(ATLAS, where, "S5").verdict == "conditional"
    assert recognises(equal, where, "S5").verdict == "unknown"
    assert recognises(different, where, "S5").verdict == "no"
    padded = region(attention="average-hard", padding="poly", precision="log", positions="none", mask="causal")
    assert recognises(equal, padded, "S5").verdict == "yes"
    found = changes(ATLAS, equal)
    assert {(one.before, one.after) for one in found} == {("conditional", "unknown"), ("conditional", "yes")}
    assert all(one.before == "conditional" and one.after == "no" for one in changes(ATLAS, different))
    assert changes(ATLAS, different)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("TC0 == NC1", "TC0 = NC1"),
        ("tc^0=nc^1", "TC0 = NC1"),
        ("TC0 ≠ NC1", "TC0 != NC1"),
        ("P != NC", "NC != P"),
        ("nc = ptime", "NC = P"),
    ],
)
def test_suppositions_are_read_loosely(text: str, plain: str) -> None:
    """As people write them."""
    one, other, unchanged = (
        (atlas.assumed, atlas.inclusions, atlas.conjectures)
        for atlas in (suppose(ATLAS, text), suppose(ATLAS, plain), ATLAS)
    )
    assert one == other != unchanged


@pytest.mark.parametrize("text", ["NC != P", "NC = P"])
def test_a_supposition_changes_answers(text: str) -> None:
    assert changes(ATLAS, suppose(ATLAS, text))


@pytest.mark.parametrize("one", ATLAS.conjectures, ids=lambda one: str(one.id))
def test_what_a_hint_names_can_be_supposed(one: Conjecture) -> None:
    """Every conjecture that hints list is read as itself, and so is its negation."""
    assert one.id in suppose(ATLAS, one.id).assumed
    assert one.id not in [left.id for left in suppose(ATLAS, one.id.replace("!=", "=")).conjectures]


def test_questions_from_python() -> None:
    """A language, a class, a supposition, and an atlas without a record."""
    assert str(ask("softmax log-precision : S5")).startswith("no, assuming TC0 != NC1 [")
    assert ask("softmax log-precision : S5", what_if="TC0 != NC1").verdict == "no"
    assert ask("average-hard poly-steps no-positions causal log-precision : P").verdict == "yes"
    where = "rightmost-hard strict-past periodic : (aa)*"
    assert (ask(where).verdict, ask(where, atlas=ATLAS.without("E3")).verdict) == ("yes", "unknown")
    assert str(ask("softmax : S5")) == "unknown"


def test_an_equality_ends_the_conjectures_that_it_refutes() -> None:
    """If L = P, then L = NL = P too."""
    assert not {"L != P", "L != NL", "NL != P"} & {one.id for one in suppose(ATLAS, "L = P").conjectures}


@pytest.mark.parametrize("text", ["AC0 = TC0", "P = RE", "TC0", "TC0 = ", "TC0 = TC7", "FO != P/poly = L", "CFL != L"])
def test_suppositions_that_are_refused(text: str) -> None:
    """What is refuted, no assumption, or without consequences."""
    with pytest.raises(CapaxError) as caught:
        suppose(ATLAS, text)
    assert caught.value.code == "bad-question"


def test_a_difference_that_is_known_changes_nothing() -> None:
    """To suppose a strict inclusion adds nothing."""
    assert changes(ATLAS, suppose(ATLAS, "AC0 != TC0")) == []


def test_knobs() -> None:
    """Hard attention does not recognise PARITY; other attention does, and other positions do not help."""
    found = {(t.field, t.value): t.answer.verdict for t in turns(ATLAS, region(attention="leftmost-hard"), "PARITY")}
    assert found["attention", "softmax"] == found["attention", "average-hard"] == "yes"
    assert found["positions", "arbitrary"] == "no"
    assert ("attention", "leftmost-hard") not in found


def test_open_cells_are_those_of_the_table() -> None:
    """No cell that is decided is called open."""
    table = {(cell.model, cell.language): cell.answer.verdict for cell in cells(ATLAS)}
    found = {(cell.model, cell.language) for cell in open_cells(ATLAS)}
    assert found == {key for key, verdict in table.items() if verdict in ("unknown", "conditional")}
    assert set(table.values()) == {"yes", "no", "conditional", "unknown"}


def test_places_of_models() -> None:
    """Models with an exact class lie in it, others between classes."""
    found = {place.model: place for place in placements(ATLAS)}
    assert found["hard, masked, no positions"].exactly == "FO"
    assert found["polynomially many steps"].exactly == "P"
    assert found["padded"].exactly == "FOM[BIT]"
    assert found["hard, any positions"].exactly is None
    assert found["hard, any positions"].at_most == ("AC0",)
    assert "FO[Mon]" in found["hard, any positions"].at_least


def test_words_of_the_literature() -> None:
    """Fixed precision is constant precision; a claim about heads that look back has its mirror image."""
    asked = "softmax strict-past no-positions {}-precision end-read : LAST"
    assert ask(asked.format("fixed")).verdict == ask(asked.format("constant")).verdict == "no"
    for attention in ("leftmost-hard", "rightmost-hard"):
        assert ask(f"{attention} strict-future arbitrary : PALINDROME").verdict == "yes"
