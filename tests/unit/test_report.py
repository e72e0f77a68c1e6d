"""Reports say what was found, and what kind of evidence that is."""

import doctest
import json
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

import capax.report
from capax.report import Evidence, Report, joined

KINDS = get_args(Evidence)


@st.composite
def reports(draw: st.DrawFn) -> Report:
    """A report of any kind."""
    evidence = draw(st.sampled_from(KINDS))
    holds = draw(st.booleans())
    sampled = evidence == "sampled"
    counted = evidence in ("sampled", "chosen")
    return Report(
        draw(st.text(min_size=1, max_size=5)),
        evidence,
        holds,
        count=draw(st.integers(0, 100) if counted else st.none() | st.integers(0, 100)),
        seed=draw(st.integers(0, 9)) if sampled else None,
        counterexample=None if holds else draw(st.none() | st.text(max_size=3)),
        assumptions=tuple(draw(st.lists(st.sampled_from(["x", "y"]), max_size=2))),
        source="a paper" if evidence == "cited" else None,
    )


def test_doctests() -> None:
    """The examples in the docstrings hold."""
    result = doctest.testmod(capax.report)
    assert result.attempted > 0
    assert result.failed == 0


def test_the_printed_form() -> None:
    """Verdict, evidence, statement; then figures, counterexample and assumptions."""
    report = Report(
        "equal to the interpreter",
        "sampled",
        holds=False,
        count=1000,
        seed=7,
        figures={"wrong": 3},
        counterexample="abba",
        assumptions=("exp within 2 ulp",),
        parts=(Report("a part", "cited", holds=True, source="Someone 2020"),),
    )
    assert str(report).splitlines() == [
        "no (sampled, 1,000 inputs, seed 7): equal to the interpreter",
        "  wrong: 3",
        "  counterexample: abba",
        "  assuming exp within 2 ulp",
        "  yes (cited, Someone 2020): a part",
    ]
    assert str(Report("x", "exhaustive", holds=True, count=1)) == "yes (exhaustive, 1 input): x"


@given(reports())
def test_truth_and_data(report: Report) -> None:
    """A report is true when its statement holds; as data it has all its fields."""
    assert bool(report) is report.holds
    data = json.loads(json.dumps(report.to_json()))
    assert data["statement"] == report.statement
    assert (data["evidence"], data["holds"], data["count"], data["seed"]) == (
        report.evidence,
        report.holds,
        report.count,
        report.seed,
    )
    assert data["counterexample"] == report.counterexample


@given(st.lists(reports(), min_size=1, max_size=4))
def test_joined(parts: list[Report]) -> None:
    """It holds if all do, and is as strong as its weakest part."""
    whole = joined("all", tuple(parts))
    assert whole.holds == all(p.holds for p in parts)
    assert KINDS.index(whole.evidence) == max(KINDS.index(p.evidence) for p in parts)
    assert whole.parts == tuple(parts)
    assert set(whole.assumptions) == {a for p in parts for a in p.assumptions}
    assert whole.counterexample == next((p.counterexample for p in parts if not p.holds), None)
    assert (whole.count is None) == all(p.count is None for p in parts)
    assert (whole.count or 0) == sum(p.count or 0 for p in parts)


@pytest.mark.parametrize(
    "wrong",
    [
        {"evidence": "sampled", "count": 3},
        {"evidence": "sampled", "seed": 3},
        {"evidence": "chosen"},
        {"evidence": "cited"},
        {"evidence": "exact", "counterexample": "x"},
    ],
)
def test_reports_that_contradict_themselves(wrong: dict[str, object]) -> None:
    """A sample without a seed, inputs without a count, a citation without a source, a counterexample to what holds."""
    with pytest.raises(AssertionError):
        Report("x", holds=True, **wrong)  # type: ignore[arg-type]
