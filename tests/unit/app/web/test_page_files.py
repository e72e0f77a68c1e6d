"""The files of the page: one script, one style sheet, fonts with their licences, and nothing from elsewhere."""

import re

import pytest

from capax.app.web import page_files


def test_all_parts_are_in_the_script() -> None:
    parts = {path.stem for path in (page_files.STATIC / "js").iterdir()}
    assert set(page_files.SCRIPTS) == parts
    assert {path.stem for path in (page_files.STATIC / "css").iterdir()} == set(page_files.STYLES)


@pytest.mark.parametrize("name", [name for name in page_files.files() if name.endswith((".js", ".css"))])
def test_nothing_is_fetched_from_elsewhere(name: str) -> None:
    text = page_files.files()[name].decode()
    assert re.findall(r"(?:https?:)?//[\w-]+\.[a-z]{2,}[^\s'\"]*", text.replace("http://www.w3.org/2000/svg", "")) == []


def test_every_font_has_its_licence() -> None:
    fonts = [name for name in page_files.files() if name.endswith(".woff2")]
    assert len(fonts) == 2
    for name in fonts:
        assert b"SIL OPEN FONT LICENSE" in page_files.files()[name.replace(".woff2", "-licence.txt")]


def test_colours_are_those_of_the_pictures() -> None:
    assert "--full:#0072b2" in page_files.style()
    assert "$" not in page_files.style()


def test_the_page_says_where_answers_come_from() -> None:
    assert "&quot;mode&quot;: &quot;server&quot;" in page_files.index("server")
    assert "{{" not in page_files.index("site", report=True)
