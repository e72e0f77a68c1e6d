"""What a notebook shows of programs, values and schedules."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import capax
from capax import aggregate, indices, select, tokens
from capax.draw.ink.html import fragment
from capax.draw.ink.svg import svg
from capax.draw.ink.terminal import terminal
from capax.draw.subjects import notebook
from capax.draw.subjects.card import function_card, signature
from capax.draw.subjects.heat import side_by_side
from capax.draw.view.flow import flow, picture_of
from capax.draw.view.view import Flow, HeadGrid, RowTable
from capax.rasp.analysis.schedule import schedule
from capax.rasp.library import entries

before = select(indices, indices, "<")


@pytest.fixture(autouse=True)
def _same_example() -> Iterator[None]:
    yield
    notebook.set_example("hello")


def test_every_public_object_has_a_picture() -> None:
    """S-ops, selectors, values, matrices and schedules."""
    mean = aggregate(before, indices)
    kinds = {type(notebook.view_of(shown)) for shown in (before, mean, before("ab"))}
    assert kinds == {HeadGrid}
    assert {type(notebook.view_of(shown)) for shown in (tokens, indices + 1, mean("abc"))} == {RowTable}
    assert isinstance(notebook.view_of(schedule(mean)), Flow)


def test_the_forms_a_notebook_can_choose_from() -> None:
    """HTML and SVG."""
    forms = notebook.bundle(before)
    assert set(forms) == {"text/html", "image/svg+xml"}
    assert forms["image/svg+xml"].startswith("<svg")


def test_views_show_themselves() -> None:
    """A flow, a grid, a table and two grids beside each other."""
    views = (
        flow(indices + 1, "ab"),
        picture_of(before, "ab"),
        picture_of(indices + 1, "ab"),
        side_by_side(before, "ab", [[1, 0], [0.5, 0.5]]),
    )
    for view in views:
        forms = view._repr_mimebundle_()
        assert forms["image/svg+xml"] == svg(view)
        assert forms["text/html"] == fragment(view)
        assert forms["text/plain"] == terminal(view)


def test_the_running_example_can_be_changed() -> None:
    """Pictures are on the new word."""
    notebook.set_example("abcdefg")
    assert notebook.example() == list("abcdefg")
    view = notebook.view_of(before)
    assert isinstance(view, HeadGrid)
    assert view.cells.size == 7


def test_a_program_that_fails_on_the_example_has_no_picture() -> None:
    """The notebook falls back to its text."""
    assert notebook.bundle(1 / indices) == {}


def test_long_values_have_a_picture() -> None:
    """A sequence of thousands is summed up."""
    view = notebook.view_of(tokens("a" * 1000))
    assert isinstance(view, RowTable)
    assert view.rows[1].ends == ("a",) * 8


def test_programs_values_and_schedules_show_themselves() -> None:
    """A notebook finds the forms on every object."""
    for shown in (before, tokens, before("ab"), tokens("ab"), schedule(indices + 1)):
        assert set(shown._repr_mimebundle_()) == {"text/html", "image/svg+xml"}


@pytest.mark.parametrize("name", [entry.name for entry in entries().values() if entry.params is not None])
def test_library_functions_show_how_they_are_used(name: str) -> None:
    """Signature, description, examples, and a picture of an example on the running word."""
    forms = getattr(capax.library, name)._repr_mimebundle_()
    entry = entries()[name]
    assert forms["text/plain"].splitlines() == [signature(entry), entry.doc, *entry.examples]
    assert "on the running example" in forms["text/html"]
    assert forms["text/html"].count("<svg") == 1


def test_the_library_shows_all_its_names() -> None:
    """In a table."""
    (text,) = capax.library._repr_mimebundle_().values()
    assert all(f"<code>{signature(entry)}</code>" in text for entry in entries().values())


def test_functions_of_other_texts_show_their_text(tmp_path: Path) -> None:
    """And a function that fails on the example has no picture."""
    (tmp_path / "mine.rasp").write_text("def more(x) { return x + 1; }")
    forms = capax.load(str(tmp_path / "mine.rasp")).more._repr_mimebundle_()
    assert "more" in forms["text/plain"]
    assert "more" in forms["text/html"]
    assert "<svg" not in function_card(capax.library.k_hop, [])["text/html"]


def test_values_come_from_no_layer() -> None:
    """A sequence by itself has no mark of a layer."""
    assert 'class="chip' not in notebook.bundle(tokens("ab"))["image/svg+xml"]
