"""Charts: marks on axes, the shaded stretch, lines with colours of their own, and texts that do not collide."""

import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capax.draw.subjects.chart import draw_chart, marks, power
from capax.limits.base.limit import Chart, Line, spread

SVG = "{http://www.w3.org/2000/svg}"


@given(st.floats(-300, 300), st.floats(0.01, 10**6), st.booleans())
def test_marks_lie_on_the_axis(low: float, span: float, logarithmic: bool) -> None:
    """In order, inside, not too many, with different texts."""
    found = marks(low, low + span, logarithmic=logarithmic)
    values = [value for value, _ in found]
    assert all(low - 1e-6 <= value <= low + span + 1e-6 for value in values)
    assert all(one < other for one, other in pairwise(values))
    assert len(found) <= 16
    assert logarithmic or len(found) >= 2


def test_short_powers_are_written_out() -> None:
    """Written out while they are short."""
    assert [power(k) for k in (0, 3, 5, 6, 300, -2)] == ["1", "1,000", "100,000", "10^6", "10^300", "10^-2"]


def test_a_chart_has_its_parts() -> None:
    """Each line, the region from where the bound speaks on, and the notes."""
    lines = (Line("one", ((0, 0.1), (2, 0.9))), Line("two", ((0, 0.5), (2, 0.5)), dashed=True))
    chart = Chart("a title", "n", "error", lines, binds_from=1.0, binds="not vacuous", here=0.5, notes=("a note",))
    root = ET.fromstring(draw_chart(chart))
    texts = [item.text for item in root.iter(f"{SVG}text")]
    assert {"a title", "n", "error", "one", "two", "not vacuous", "a note", "here", "0", "1"} <= set(texts)
    shaded = [item for item in root.iter(f"{SVG}rect") if item.get("class") == "shade1"]
    assert float(shaded[0].get("x", "")) == pytest.approx(280)
    styles = [item.get("class") for item in root.iter(f"{SVG}path") if "w" in (item.get("class") or "")]
    assert {"wire w1", "wire w2"} <= set(styles)


def test_a_chart_of_nothing_or_of_one_point() -> None:
    """Axes there are all the same."""
    for lines in ((), (Line("flat", ((1.0, 0.0), (1.0, 0.0))),)):
        for logarithmic in (False, True):
            chart = Chart("t", "x", "y", lines, log_y=logarithmic, here=1.0)
            assert "nan" not in draw_chart(chart)


def test_marks_are_spread_evenly() -> None:
    """Evenly, with both ends."""
    assert spread(0, 1, 3) == [0, 0.5, 1]


def test_a_chart_for_a_telephone() -> None:
    """It is no wider than one: the legend and the notes are below, the marks do not run into each other."""
    lines = tuple(Line(f"line {k}", ((0, 0.1 * k), (3.9, 0.9))) for k in range(3))
    note = "where a message is not below the needed bits: no statement at this size"
    chart = Chart("a title", "n", "error", lines, log_x=True, binds_from=1.0, binds="not vacuous", notes=(note,))
    root = ET.fromstring(draw_chart(chart, narrow=True))
    assert float(root.get("width", "")) < 360 < float(ET.fromstring(draw_chart(chart)).get("width", ""))
    texts = {str(item.text): float(item.get("y", "")) for item in root.iter(f"{SVG}text")}
    assert "a title" not in texts
    assert min(texts[name] for name in ("line 0", "line 1", "line 2", "not vacuous")) > texts["n"]
    assert " ".join(text for text, y in texts.items() if y > texts["not vacuous"]) == note
