"""Links, pieces of HTML, the editor's underlines, and the puzzles."""

from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capax.app.web import html as show
from capax.app.web.completion import names
from capax.app.web.jobs.editor import check, evaluate, mark
from capax.app.web.pages.editor import span
from capax.app.web.pages.frame import link, pack, state_of, unpack
from capax.app.web.pages.sliders import scale
from capax.app.web.puzzles import PUZZLES
from capax.tasks.base.parameter import Parameter


@pytest.mark.parametrize("puzzle", PUZZLES, ids=lambda puzzle: puzzle.name)
def test_puzzles(puzzle: Any) -> None:
    """A solution within the budget solves a puzzle; what it starts with does not, nor what is beyond the budget."""
    asked = {"puzzle": puzzle.name, "text": puzzle.solution}
    assert mark(asked, None)["solved"]
    assert not mark(asked | {"text": puzzle.start}, None)["solved"]
    flip = "select(indices, length - 1 - indices, ==)"
    slow = f"{puzzle.solution}\nslow = aggregate({flip}, aggregate({flip}, answer));"
    found = mark(asked | {"text": slow}, None)
    assert found["right"]
    assert not found["within_budget"]


@given(st.text(max_size=300), st.text(max_size=30))
def test_links(text: str, word: str) -> None:
    """A state goes into a link and comes out again."""
    from urllib.parse import parse_qsl, urlsplit

    text, word = (s.encode("utf-8", "replace").decode() for s in (text, word))
    address = link("/", {"text": text, "word": word})
    found = state_of(dict(parse_qsl(urlsplit(address).query)))
    assert found == {name: value for name, value in (("text", text), ("word", word)) if value}


@given(st.text(max_size=80))
def test_bad_links(code: str) -> None:
    """What is no link of ours is none, and never an error."""
    assert unpack(code) is None or isinstance(unpack(code), str)


def test_a_link_that_would_unfold_into_a_lot() -> None:
    """A short link of a gigantic text is refused without unfolding it."""
    assert unpack(pack("a" * 30_000_000)) is None


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags |= {tag} | {name for name, _ in attrs}


EVIL = '<img src=x onerror="alert(1)"><script>alert(1)</script>\'"'


def test_nothing_of_a_user_becomes_html() -> None:
    """Names, values, errors and tokens of a user are text."""
    run = {
        "program": EVIL, "input": [EVIL], "kind": "s-op", "type": "strings", "values": [EVIL],
        "trace": [{"name": EVIL, "kind": "s-op", "type": "strings", "values": [EVIL]},
                  {"name": EVIL, "kind": "selector", "type": "bools", "values": [[True]]}],
    }  # fmt: skip
    told = {"what": EVIL, "hint": EVIL, "line": 1, "column": 1, "text": f"error\n1 | {EVIL}\n  | ^"}
    layers = evaluate({"text": "a = indices;", "word": "ab"}, None)["layers"] | {"critical_path": [{"text": EVIL}]}
    for piece in (show.steps(run), show.error(told), show.costs(layers), show.awake(EVIL)):
        found = _Tags()
        found.feed(piece)
        assert not found.tags & {"img", "script", "onerror", "src"}, piece


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("`a<b` is not `c`", "<code>a&lt;b</code> is not <code>c</code>"),
        ("`` ` is not part", "`` ` is not part"),
        ("plain", "plain"),
    ],
)
def test_names_in_messages_are_code(text: str, shown: str) -> None:
    """What stands between backquotes is code; backquotes without a partner stay."""
    assert show.prose(text) == shown


def test_a_table_names_its_cells() -> None:
    """Each cell but the first of a row carries its title, which a narrow page shows before it."""
    found = show.table(("size", "built", ""), [("layers", "1", "note"), ("heads", "2")])
    assert found.count("<tr") == 3
    assert '<td>layers</td><td data-title="built">1</td><td>note</td>' in found
    assert '<td>heads</td><td data-title="built">2</td></tr>' in found
    assert "cx-snug" in show.table((), [("input", "a")])


def test_underlines() -> None:
    """A finding covers the characters that its carets are under."""
    text = "a = indices;\nb = agregate(a, a);\nc = tokens"
    first, second = check({"text": text}, None)["errors"]
    assert text[slice(*span(text, first))] == "agregate"
    assert first["hint"] == "did you mean `aggregate`?"
    start, end = span(text, second)
    assert text[start:end].strip()
    assert span("", first) == (0, 0)


def test_completion_knows_the_library() -> None:
    """Every word of the language and of the library is offered once."""
    labels = [one["label"] for one in names()]
    assert {"select", "aggregate", "tokens", "selector_width", "reverse", "best"} <= set(labels)
    assert len(labels) == len(set(labels))


@given(st.integers(0, 10**9), st.integers(1, 10**6), st.integers(0, 10**6))
def test_scales_of_sliders(least: int, more: int, default: int) -> None:
    """A slider goes up, has the default, and not too many steps."""
    values = scale(Parameter("n", least + default, "n", least, least + default + more))
    assert values == sorted(set(values))
    assert least + default in values
    assert least in values
    assert len(values) <= 260
