"""HTML: one file that asks for nothing from elsewhere."""

import re
from collections.abc import Sequence
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capax.draw.ink.html import fragment, hover_rows, html
from capax.draw.ink.palette import DARK, LIGHT
from capax.draw.subjects.heat import heat
from capax.draw.view.view import Cells
from tests.support.pictures import CASES, drawn, letters


class Tags(HTMLParser):
    """Collects the elements of a page, and holds that they are closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Opens an element."""
        self.seen.append(tag)
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element without content."""
        self.seen.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Closes the element that was opened last."""
        assert self.open.pop() == tag


@pytest.mark.parametrize("name", CASES)
def test_a_page_stands_alone(name: str) -> None:
    """No address, no import, nothing to fetch."""
    text = html(drawn(name, CASES[name]))
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"<link|<img|<iframe|@import|url\(|\bsrc=", text)
    tags = Tags()
    tags.feed(text)
    assert tags.open == []
    assert tags.seen.count("svg") == 1


def test_tokens_cannot_end_the_script() -> None:
    """Whatever the tokens are, they stay data."""
    text = html(drawn("hist_nobos", ["</script>", "<!--", "<b>", "&amp;", '"']))
    assert text.count("</script>") == 2
    assert "<b>" not in text


def test_a_piece_is_named_by_what_it_holds() -> None:
    """Equal pictures have equal names, so the same cell run twice gives the same bytes."""
    one, two = fragment(heat([[1.0]])), fragment(heat([[0.5]]))
    assert one == fragment(heat([[1.0]]))
    assert re.findall(r'id="(capax-\w+)"', one) != re.findall(r'id="(capax-\w+)"', two)


def test_buttons_come_with_layers() -> None:
    """A flow of several layers can be stepped through; a single grid cannot."""
    assert "data-step" in fragment(drawn("reverse", "ab"))
    assert 'data-step="1"' not in fragment(heat([[1.0]]))


@pytest.mark.parametrize("theme", ["auto", "light", "dark"])
def test_the_bar_hides_what_is_below(theme: str) -> None:
    """It stays on screen, so its background is opaque, in the colour of the page."""
    text = fragment(drawn("reverse", "ab"), theme=theme)
    found = set(re.findall(r"\.capax-bar-\w+\{background:(#\w{6});", text))
    assert found == {"auto": {LIGHT.page, DARK.page}, "light": {LIGHT.page}, "dark": {DARK.page}}[theme]
    assert f'class="capax-steps capax-bar-{theme}"' in text


def test_hovering_knows_what_counts() -> None:
    """The data of a head that counts says so."""
    text = html(drawn("selector_width(select(tokens, tokens, ==))", "ab"))
    assert '"counts":true' in text
    assert ">counts<" in text.replace("</title>", ">")


def test_a_page_stays_small() -> None:
    """At 300 tokens under 1 MB."""
    assert len(html(drawn("hist_nobos", letters(300))).encode()) < 1_000_000


def read_back(rows: Sequence[int | list[int]], kind: str) -> list[list[float]]:
    """The weights that the data for hovering stands for."""
    found: list[list[float]] = []
    for row in rows:
        if isinstance(row, int):
            found.append(found[row])
        elif kind in ("selected", "average"):
            chosen = [k % 2 for k, count in enumerate(row) for _ in range(count)]
            found.append([c / (sum(chosen) if kind == "average" else 1) if c else 0.0 for c in chosen])
        else:
            numbers, made = iter(row), []
            for number in numbers:
                made += [next(numbers) / 10_000] * -number if number < 0 else [number / 10_000]
            found.append(made)
    return found


@given(st.integers(1, 6).flatmap(lambda n: st.lists(st.lists(st.booleans(), min_size=n, max_size=n), min_size=1)))
def test_hovering_knows_every_pair(rows: list[list[bool]]) -> None:
    """Whether it is selected and its weight, exactly."""
    selected = Cells("selected", len(rows), 1, tuple(tuple(map(float, row)) for row in rows))
    assert read_back(hover_rows(selected), "selected") == list(map(list, selected.rows))
    shares = tuple(tuple(w / (sum(row) or 1) for w in row) for row in selected.rows)
    assert read_back(hover_rows(Cells("average", len(rows), 1, shares)), "average") == list(map(list, shares))


@given(st.lists(st.lists(st.sampled_from([0.0, 0.25, 0.3333, 1.0, -1e-7, 0.00004]), min_size=5, max_size=5)))
def test_hovering_knows_every_weight(rows: list[list[float]]) -> None:
    """To four decimals."""
    cells = Cells("weights", len(rows), 1, tuple(map(tuple, rows)))
    assert read_back(hover_rows(cells), "weights") == [[round(w, 4) for w in row] for row in rows]
