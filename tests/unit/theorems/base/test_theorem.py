"""Every theorem in the folder: it builds, it is verified, it breaks, and the reference page shows it as it is."""

import json
from pathlib import Path
from typing import Any

import pytest

from capax import tasks, theorems
from capax.model.io.file import from_bytes, to_bytes
from capax.model.model import Model
from capax.report import Report
from capax.theorems.base.page import line, proved_line, section
from capax.theorems.base.theorem import BREAKS, Theorem
from tests.house.tree import ROOT

PAGE = ROOT / "docs" / "reference" / "theorems.md"
LABELS = ROOT / "docs" / "reference" / "theorem-labels.md"


RESERVED = {"break", "help", "json", "output", "prove", "model", "self"}


NAMES = theorems.names()


def sizes(which: str) -> list[Any]:
    """The sets of parameters at which theorems are verified, named for the test."""
    return [
        pytest.param(name, at, id=f"{name} {' '.join(f'{k}={v}' for k, v in at.items())}")
        for name in NAMES
        for at in getattr(theorems.theorem(name), which)
    ]


def assert_verified(theorem: Theorem, at: dict[str, Any]) -> None:
    """Build and check a theorem at given parameters."""
    outcome = theorem.run(**at)
    assert isinstance(outcome.model, Model)
    assert isinstance(outcome.check, Report)
    assert outcome.check.holds, str(outcome.check)
    assert outcome.rows
    if outcome.oracles:
        assert "oracle" in str(outcome.check), "a report says so when a map is an oracle"


def assert_plain(found: Any) -> None:
    """All that is printed is of plain Python's types: numbers of numpy print as np.True_, and are no JSON."""
    json.dumps(found)
    match found:
        case dict():
            for key, value in found.items():
                assert type(key) in (str, int)
                assert_plain(value)
        case list() | tuple():
            for value in found:
                assert_plain(value)
        case _:
            assert found is None or type(found) in (str, int, float, bool), repr(found)


@pytest.mark.parametrize("name", NAMES)
def test_it_is_stated(name: str) -> None:
    """A theorem says everything that a reader needs, and its parameters can be given on a command line."""
    theorem = theorems.theorem(name)
    assert all((theorem.title, theorem.statement, theorem.attention, theorem.precision, theorem.citation))
    assert theorem.scope.endswith(".")
    assert theorem.statement.endswith(".")
    assert theorem.settle({}) == {p.name: p.default for p in theorem.parameters}
    assert not {p.name for p in theorem.parameters} & RESERVED
    assert theorem.task is None or theorem.task in tasks.names()


@pytest.mark.parametrize("name", NAMES)
def test_it_holds_and_the_page_says_so(name: str) -> None:
    """The check at the defaults holds, and the page has its outcome; `capax theorems --page` prints the page anew."""
    outcome = theorems.theorem(name).run()
    assert outcome.check.holds, str(outcome.check)
    assert outcome.rows
    assert_plain(outcome.to_json())
    assert not outcome.oracles or "oracle" in str(outcome.check)
    if not outcome.oracles:
        assert from_bytes(to_bytes(outcome.model), name).size == outcome.model.size, "its model can be kept in a file"
    page = Path(PAGE).read_text(encoding="utf-8")
    hint = f"`capax theorems --page > {PAGE.relative_to(ROOT)}` writes the page anew"
    assert line(outcome) in page, hint
    assert section(outcome) in page, hint


def test_the_page_has_no_other_theorem() -> None:
    """A theorem that is gone is gone from the page too."""
    headings = [text[3:] for text in PAGE.read_text(encoding="utf-8").splitlines() if text.startswith("## ")]
    assert headings == list(NAMES)


@pytest.mark.parametrize(("name", "at"), sizes("small"))
def test_it_holds_at_small_sizes(name: str, at: dict[str, Any]) -> None:
    """And at the other parameters that it names."""
    assert_verified(theorems.theorem(name), at)


@pytest.mark.deep
@pytest.mark.parametrize(("name", "at"), sizes("large"))
def test_it_holds_at_large_sizes(name: str, at: dict[str, Any]) -> None:
    """The sizes that take longer."""
    assert_verified(theorems.theorem(name), at)


def test_the_page_of_labels_has_every_theorem() -> None:
    """One line each, in the order of the names; `make deep` proves them again."""
    lines = [text for text in LABELS.read_text(encoding="utf-8").splitlines() if text.startswith("| [")]
    assert [text.split("[")[1].split("]")[0] for text in lines] == list(NAMES)
    assert all("| proved on " in text for text in lines)


@pytest.mark.deep
def test_models_are_proved() -> None:
    """Nearly all of them on 10,000 inputs, or on all of their size; the page has the labels."""
    page, enough = LABELS.read_text(encoding="utf-8"), []
    for name in NAMES:
        theorem = theorems.theorem(name)
        proof = theorem.proof(theorem.build())
        assert proved_line(name, proof) in page, "`capax theorems --labels` writes the page anew"
        assert proof is not None
        assert proof.holds, str(proof)
        enough += [name] if proof.count >= 10_000 or (proof.whole and proof.count > 1) else []
    assert len(enough) >= 40


@pytest.mark.parametrize("name", NAMES)
def test_it_breaks(name: str) -> None:
    """Without an assumption, or below a size, it fails, and there is an input that shows it."""
    theorem = theorems.theorem(name)
    report = theorem.broken()
    assert not report.holds, str(report)
    assert report.counterexample is not None
    assert_plain(report.to_json())
    assert "np." not in str(report)
    assert theorem.breaks in BREAKS


def test_what_is_given_up_is_said() -> None:
    """Where a part of the model is changed and no assumption dropped, the theorem says so."""
    changed = {name for name in NAMES if theorems.theorem(name).breaks == "construction"}
    assert {"composition-cot", "dyck", "k-hop", "match3-bigram", "threshold-circuit"} <= changed
    assert not {"first", "match2", "parity", "pair-id", "turing-machine"} & changed
    assert "asks for one more of its wires" in theorems.theorem("threshold-circuit").broken().statement
