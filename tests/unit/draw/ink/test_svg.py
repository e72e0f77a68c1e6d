"""SVG: well-formed, the same bytes every time, small, and no text on top of another."""

import subprocess
import sys
from itertools import combinations
from xml.etree import ElementTree

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from capax.draw.ink.page import page
from capax.draw.ink.palette import DARK, LEVELS, LIGHT, level
from capax.draw.ink.svg import svg
from capax.draw.shapes.shapes import texts
from capax.draw.view.view import Flow
from capax.errors import CapaxError
from tests.house.tree import ROOT
from tests.support.pictures import drawn, letters
from tests.support.views import SPEC, VIEWS


@pytest.mark.parametrize("name", VIEWS)
def test_no_text_lies_on_another_or_off_the_page(name: str) -> None:
    """The boxes of all texts, measured on the safe side, are apart and on the page."""
    top = page(VIEWS[name]()).top
    placed = sorted((box, text.text) for text, box in texts(top) if text.text)
    for box, text in placed:
        assert min(box) >= -0.5, text
        assert box[2] <= top.width + 0.5, text
        assert box[3] <= top.height, text
    active: list[tuple[tuple[float, float, float, float], str]] = []
    for box, text in placed:
        active = [item for item in active if item[0][2] > box[0] + 0.5]
        for other, there in active:
            apart = other[3] <= box[1] + 0.5 or box[3] <= other[1] + 0.5
            assert apart, (there, text)
        active.append((box, text))


@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize("theme", ["auto", "dark"])
def test_it_is_xml_without_scripts_or_references(name: str, theme: str) -> None:
    """Every parser can read it, and it asks for nothing from elsewhere."""
    text = svg(VIEWS[name](), theme=theme)
    root = ElementTree.fromstring(text)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert "http" not in text.replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert "<script" not in text
    assert "nan" not in text.split("</style>")[1].lower().replace("banana", "")


@given(st.lists(st.text(max_size=5), min_size=1, max_size=4))
@example(["<a&", "\x00"])
def test_any_tokens_give_xml(word: list[str]) -> None:
    """Whatever the tokens hold, control characters and signs of the markup among them."""
    assert ElementTree.fromstring(svg(drawn("hist_nobos", word))).tag.endswith("svg")


def test_the_bytes_are_the_same_in_another_process() -> None:
    """Twice here and once elsewhere, with another hash seed."""
    here = svg(drawn("hist2_bos", "§aabbcdd"))
    assert here == svg(drawn("hist2_bos", "§aabbcdd"))
    code = (
        "import sys; from tests.support.pictures import drawn; from capax.draw.ink.svg import svg\n"
        "sys.stdout.buffer.write(svg(drawn('hist2_bos', '§aabbcdd')).encode())"
    )
    setting = {"PYTHONHASHSEED": "7", "PYTHONUTF8": "1"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, cwd=ROOT, env=setting)
    assert done.stdout.decode() == here


@pytest.mark.parametrize(("n", "most"), [(50, 300_000), (300, 1_000_000), (5000, 300_000)])
@pytest.mark.parametrize("program", ["reverse", "hist_nobos", SPEC, "dyck2_ptf"])
def test_pictures_stay_small(program: str, n: int, most: int) -> None:
    """The size is bounded at every length, and so is the number of elements: none for each pair."""
    text = svg(drawn(program, letters(n, "(){}" if program == "dyck2_ptf" else "abcdefghij")))
    assert len(text.encode()) < most
    assert text.count("<rect") + text.count("<path") < 60 * 7 + 100


def test_every_pair_has_a_tool_tip() -> None:
    """On a short input a pair says its query, key and value."""
    text = svg(drawn("reverse", "ab"))
    assert "query 0: (length - indices) - 1 = 1\nkey 1: indices = 1\nselected\nvalue: tokens = b" in text
    assert text.count('class="hit"') == 2 * 4
    assert 'class="hit"' not in svg(drawn("reverse", "ab"), tips=False)


def test_a_head_that_counts_says_so() -> None:
    """In place of the values, in full and as an overview, and when a pair is pointed at."""
    for n in (2, 100, 400):
        assert ">counts<" in svg(drawn("selector_width(select(tokens, tokens, ==))", letters(n))).replace(
            "</title>", ">"
        )
    assert "selected, counted" in svg(drawn("selector_width(select(tokens, tokens, ==))", "ab"))


def test_shares_have_shades_of_their_own() -> None:
    """1, 1/2, 1/3 and 1/4 differ; smaller shares do not get darker."""
    shades = [level(1 / m, "average") for m in range(1, 301)]
    assert shades[:4] == [8, 7, 6, 5]
    assert shades == sorted(shades, reverse=True)
    assert min(shades) == 1


def test_an_unknown_theme_is_refused() -> None:
    """With the themes there are."""
    view: Flow = drawn("reverse", "ab")
    with pytest.raises(CapaxError, match="no theme"):
        svg(view, theme="pink")


def test_shades_can_be_told_apart() -> None:
    """Neighbouring levels differ in brightness, in both themes, and so does the lowest from the background."""
    for palette in (LIGHT, DARK):
        shades = [palette.well, *(palette.shade(k) for k in range(1, LEVELS + 1))]
        brightness = [sum(int(s[i : i + 2], 16) for i in (1, 3, 5)) for s in shades]
        assert brightness in (sorted(brightness), sorted(brightness, reverse=True))
        assert all(abs(a - b) > 8 for a, b in combinations(brightness, 2))
