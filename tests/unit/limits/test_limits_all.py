"""Every limit in the folder: it is stated, it computes at all sizes, and the reference page shows it as it is."""

import json
import math
from typing import Any

import pytest

from capax import CapaxError, limits, tasks, theorems
from capax.draw.subjects.chart import draw_chart
from capax.limits.base.large_numbers import Count
from capax.limits.base.limit import NO_STATEMENT, NONE, LimitResult
from capax.limits.base.page import line, section
from tests.house.tree import ROOT

PAGE = ROOT / "docs" / "reference" / "limits.md"
NAMES = limits.names()
RESERVED = {"help", "json", "model", "plot", "self"}
SIZES = [
    pytest.param(name, at, id=f"{name} {number}")
    for name in NAMES
    for number, at in enumerate(({}, *limits.limit(name).small))
]


def assert_honest(result: LimitResult) -> None:
    """Whether it speaks and what it says fit together, and all of it is JSON."""
    assert result.vacuous == (NO_STATEMENT in result.verdict.text)
    found = json.loads(json.dumps(result.to_json(), allow_nan=False))
    assert found["verdict"]["kind"] == result.verdict.kind
    assert {row["source"] for row in found["quantities"]} <= {
        *("given", "stated", "derived", "cited", "measured", "unproved")
    }
    assert len({row.name for row in result.quantities}) == len(result.quantities)
    assert all(row.text for row in result.quantities)
    for row in found["quantities"]:
        assert_readable(row)
    assert not any("none" in row.measure or f"{NONE} " in row.measure for row in result.quantities)


def assert_readable(row: dict[str, Any]) -> None:
    """The value is what its form says: a number, digits, words; and nothing is missing without a reason."""
    value, log, form = row["value"], row["log2"], row["form"]
    match form:
        case "integer":
            assert type(value) is int
            assert abs(value) <= 2**53
        case "digits":
            assert math.log2(int(value)) == pytest.approx(log)
            assert int(value) > 2**53
        case "number" | "text":
            assert type(value) is (float if form == "number" else str)
        case "log2":
            assert value is None
            assert log is not None
        case _:
            assert form == "none"
            assert (value, log) == (None, None)
            assert row["note"], row["name"]


@pytest.mark.parametrize("name", NAMES)
def test_it_is_stated(name: str) -> None:
    """A limit says everything that a reader needs, and names tasks and theorems that exist."""
    limit = limits.limit(name)
    assert all((limit.title, limit.assumptions, limit.citation))
    assert all(text.endswith(".") for text in (limit.statement, limit.unchecked, limit.escapes))
    assert limit.settle({}) == {p.name: p.default for p in limit.parameters}
    assert not {p.name for p in limit.parameters} & RESERVED
    assert limit.task is None or limit.task in tasks.names()
    assert set(limit.theorems) <= set(theorems.names())


@pytest.mark.parametrize(("name", "at"), SIZES)
def test_it_computes_and_draws(name: str, at: dict[str, Any]) -> None:
    """At the sizes that it names, with a picture where there is one."""
    limit = limits.limit(name)
    assert_honest(limit.run(**at))
    chart = limit.picture(**at)
    if chart is not None:
        assert draw_chart(chart).startswith("<svg")


def test_both_verdicts_occur() -> None:
    """Among the named sizes each limit of sizes is silent somewhere, and speaks elsewhere."""
    for name in set(NAMES) - {"parity-sensitivity"}:
        limit = limits.limit(name)
        assert {limit.run(**at).vacuous for at in ({}, *limit.small)} == {True, False}, name


def counts() -> list[Any]:
    """Every parameter that takes numbers of any size."""
    return [
        pytest.param(name, p.name, id=f"{name} {p.name}")
        for name in NAMES
        for p in limits.limit(name).parameters
        if isinstance(p, Count) and p.most is None
    ]


LARGEST = pytest.param("2^1000000", marks=pytest.mark.deep)
"""A million bits take seconds, and the same way as a hundred thousand."""


@pytest.mark.parametrize(("name", "parameter"), counts())
@pytest.mark.parametrize("size", ["1e300", "2^1000", "2^100000", LARGEST])
def test_it_takes_numbers_of_any_size(name: str, parameter: str, size: str) -> None:
    """No overflow and no hang for any one of them."""
    assert_honest(limits.limit(name).run(**{parameter: size}))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("size", ["1e300", "2^100000", LARGEST])
def test_it_takes_all_numbers_of_any_size(name: str, size: str) -> None:
    """Nor for all of them at once."""
    limit = limits.limit(name)
    assert_honest(limit.run(**{p.name: size for p in limit.parameters if isinstance(p, Count) and p.most is None}))


@pytest.mark.parametrize(("name", "parameter"), counts())
@pytest.mark.parametrize("size", [-1, "-5", "1.5", "nan", "1e", "2^2^2", "1e999999999", "9^999999999", "", 2.0, True])
def test_a_wrong_size_is_refused(name: str, parameter: str, size: object) -> None:
    """With the name of the parameter and its range."""
    with pytest.raises(CapaxError) as raised:
        limits.limit(name).run(**{parameter: size})
    assert raised.value.code == "bad-option"
    assert parameter in raised.value.what
    assert raised.value.hint


@pytest.mark.parametrize("name", NAMES)
def test_the_page_says_so(name: str) -> None:
    """The page has its result at the defaults; `capax limits --page` prints the page anew."""
    result = limits.limit(name).run()
    page = PAGE.read_text(encoding="utf-8")
    hint = f"`capax limits --page > {PAGE.relative_to(ROOT)}` writes the page anew"
    assert line(result) in page, hint
    assert section(result) in page, hint


def test_the_page_has_no_other_limit() -> None:
    """A limit that is gone is gone from the page too."""
    headings = [text[3:] for text in PAGE.read_text(encoding="utf-8").splitlines() if text.startswith("## ")]
    assert headings == list(NAMES)


@pytest.mark.parametrize("name", ["composition", "sequential-composition"])
def test_the_pictures_are_current(name: str) -> None:
    """`capax limit NAME --draw FILE` draws what the documentation shows."""
    chart = limits.limit(name).picture()
    assert chart is not None
    assert draw_chart(chart) == (ROOT / "docs" / "pictures" / "limits" / f"{name}.svg").read_text(encoding="utf-8")


def test_an_unknown_name_is_refused() -> None:
    """With a name that is near."""
    with pytest.raises(CapaxError) as raised:
        limits.limit("compositon")
    assert raised.value.code == "unknown-theorem"
    assert "composition" in str(raised.value.hint)
