"""The views of the paper's programs on the demo's inputs, and how they look in a terminal."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from capax.app.resolve import resolve
from capax.draw.ink.terminal import terminal
from capax.draw.subjects.heat import side_by_side
from capax.draw.view.flow import flow, picture_of
from capax.draw.view.view import to_json

HERE = Path(__file__).parent
DEMO = {
    "reverse": "hello",
    "hist_bos": "§banana",
    "hist2_bos": "§aabbcdd",
    "sort_bos": "§banana",
    "sort_by_most_freq": "§aabbbcc",
    "dyck2_ptf": "({})(}",
}
Golden = Callable[[Path, str], None]


@pytest.mark.parametrize("name", DEMO)
def test_the_view_of_a_program(name: str, golden: Golden) -> None:
    """Layers, heads, rows, cells and names are as they were."""
    view = flow(resolve(name).program, DEMO[name])
    text = json.dumps(to_json(view), ensure_ascii=False, indent=1)
    assert view.layers[0].number == 0
    golden(HERE / "views" / f"{name}.json", text + "\n")


@pytest.mark.parametrize("name", DEMO)
def test_the_picture_in_a_terminal(name: str, golden: Golden) -> None:
    """The text of every program, on a terminal of 90 columns."""
    text = terminal(flow(resolve(name).program, DEMO[name]), width=90)
    assert text.startswith(f'{name}("{DEMO[name]}")\n')
    golden(HERE / "terminal" / f"{name}.txt", text + "\n")


def test_a_long_input_in_a_narrow_terminal(golden: Golden) -> None:
    """What does not fit becomes an overview."""
    view = flow(resolve("reverse").program, "hello" * 20)
    text = terminal(view, width=50)
    assert "(100 strings)" in text
    golden(HERE / "terminal" / "reverse_100_tokens.txt", text + "\n")


def test_a_selector_in_colour(golden: Golden) -> None:
    """A single picture of a selector, with the codes for colour."""
    view = picture_of(resolve("select(indices, indices, <)").program, "abc")
    text = terminal(view, colour=True)
    assert "\x1b[" in text
    golden(HERE / "terminal" / "selector_in_colour.txt", text + "\n")


def test_a_prediction_beside_weights(golden: Golden) -> None:
    """The view of a side-by-side picture."""
    matrix = [[0.0, 0.1, 0.9], [0.2, 0.8, 0.0], [1.0, 0.0, 0.0]]
    view = side_by_side(resolve("reverse").program, "abc", matrix)
    text = json.dumps(to_json(view), ensure_ascii=False, indent=1)
    assert max(view.difference) == pytest.approx(0.2)
    golden(HERE / "views" / "side_by_side.json", text + "\n")
