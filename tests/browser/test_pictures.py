"""Pictures in a browser: colours at their places, light and dark, hovering and stepping."""

import re
from pathlib import Path

import pytest

from capax.draw.ink.html import html
from capax.draw.ink.page import page
from capax.draw.ink.palette import DARK, LIGHT, Palette
from capax.draw.ink.svg import svg
from capax.draw.shapes.shapes import Grid, ShapeGroup
from capax.draw.subjects.heat import heat
from capax.draw.view.view import Flow, View
from tests.browser.chromium import Pixel, Window
from tests.support.pictures import drawn

pytestmark = pytest.mark.xdist_group("browser-window")


def grids_of(group: ShapeGroup, x: float = 0, y: float = 0) -> list[tuple[float, float, Grid]]:
    """The grids of a page with their places."""
    found: list[tuple[float, float, Grid]] = []
    for shape in group.shapes:
        match shape:
            case Grid():
                found.append((x + group.x + shape.x, y + group.y + shape.y, shape))
            case ShapeGroup():
                found += grids_of(shape, x + group.x, y + group.y)
    return found


def rgb(colour: str) -> Pixel:
    """The parts of a colour."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def hold_cells(view: Flow, shown: list[list[Pixel]], palette: Palette) -> int:
    """Hold the middle of every cell against its weight; the number of cells."""
    count = 0
    for x, y, grid in grids_of(page(view).top):
        for i, row in enumerate(grid.head.cells.rows):
            for j, weight in enumerate(row):
                pixel = shown[int(y + (i + 0.5) * grid.height)][int(x + (j + 0.5) * grid.width)]
                if weight in (0, 1):
                    assert pixel == rgb(palette.full if weight else palette.well), (grid.head.name, i, j)
                else:
                    assert pixel not in (rgb(palette.full), rgb(palette.well)), (grid.head.name, i, j)
                count += 1
    return count


@pytest.mark.parametrize("dark", [False, True])
def test_cells_have_their_colours(window: Window, tmp_path: Path, dark: bool) -> None:
    """In an SVG that follows the reader's setting, every cell of every head is filled or not as it should be."""
    view = drawn("hist2_bos", "§aabbcdd")
    top = page(view).top
    file = tmp_path / "picture.svg"
    file.write_text(svg(view), encoding="utf-8")
    shown = window.screenshot(file, int(top.width), int(top.height), dark=dark)
    palette = DARK if dark else LIGHT
    assert shown[2][2] == rgb(palette.page)
    assert hold_cells(view, shown, palette) == 3 * 64


def test_a_theme_of_its_own(window: Window, tmp_path: Path) -> None:
    """A dark picture is dark on a light screen."""
    view = drawn("reverse", "abc")
    file = tmp_path / "picture.svg"
    file.write_text(svg(view, theme="dark"), encoding="utf-8")
    top = page(view).top
    assert hold_cells(view, window.screenshot(file, int(top.width), int(top.height)), DARK) == 18


SCRIPT = """<script>
const view=document.querySelector('.capax-view'),out=[];
const key=k=>document.body.dispatchEvent(new KeyboardEvent('keydown',{key:k,bubbles:true}));
const later=()=>[...view.querySelectorAll('g.layer')].map(g=>+g.classList.contains('capax-later')).join('');
out.push(later());key('ArrowRight');out.push(later());key('ArrowRight');out.push(later());
view.querySelector('[data-step="-1"]').click();out.push(later());key('Escape');out.push(later());
const box=[...view.querySelectorAll('g.grid')].pop(),r=box.querySelector('rect').getBoundingClientRect();
box.dispatchEvent(new MouseEvent('mousemove',{clientX:r.left+r.width*.9,clientY:r.top+r.height*.1,bubbles:true}));
out.push(view.querySelector('.capax-tip').textContent);
box.dispatchEvent(new MouseEvent('mouseleave',{}));out.push(view.querySelector('.capax-tip').hidden);
const name=view.querySelector('[data-row]');name.dispatchEvent(new MouseEvent('mouseenter',{}));
out.push(view.querySelectorAll('.capax-same').length);
const lit=()=>view.querySelectorAll('.capax-lit').length;
out.push(lit());name.dispatchEvent(new MouseEvent('mouseleave',{}));out.push(lit());
const head=view.querySelector('[data-row="head 2.1"]');head.dispatchEvent(new MouseEvent('mouseenter',{}));
out.push(lit());head.dispatchEvent(new MouseEvent('mouseleave',{}));
view.querySelector('[data-from="indices@0"]').dispatchEvent(new MouseEvent('mouseenter',{}));out.push(lit());
document.body.setAttribute('data-out',JSON.stringify(out));
</script>"""


def test_hovering_and_stepping(window: Window, tmp_path: Path) -> None:
    """Arrow keys and buttons show the layers; pointing at a pair shows its values, at a name or line the arrows."""
    import json
    from html import unescape

    file = tmp_path / "page.html"
    file.write_text(html(drawn("reverse", "abc")).replace("</body>", SCRIPT + "</body>"), encoding="utf-8")
    found = re.search(r'data-out="([^"]*)"', window.after(file, 800, 900))
    assert found
    out = json.loads(unescape(found[1]))
    assert out[:5] == ["000", "011", "001", "011", "000"]
    assert out[5].splitlines() == [
        "query 0: (length - indices) - 1 = 2",
        "key 2: indices = 2",
        "selected",
        "value: tokens = c",
        "output: reverse = c",
    ]
    assert out[6] is True
    assert out[7] >= 2
    # The first name is `tokens`, which one head uses; head 2.1 uses three sequences; `indices` has three users.
    assert out[8:] == [1, 0, 3, 3]


POINT = """<script>
const view=document.querySelector('.capax-view'),box=view.querySelector('g.grid'),out=[];
const r=box.querySelector('rect').getBoundingClientRect();
for(const [x,y] of [[.999,.999],[.999,.001],[.001,.999]]){
box.dispatchEvent(new MouseEvent('mousemove',{clientX:r.left+r.width*x,clientY:r.top+r.height*y,bubbles:true}));
out.push(view.querySelector('.capax-tip').textContent)}
document.body.setAttribute('data-out',JSON.stringify(out));
</script>"""


@pytest.mark.parametrize(
    ("view", "expected"),
    [
        (drawn("aggregate(select(indices, indices, <=), 1)", "a" * 299), ["1/299", "not selected", "1/299"]),
        (drawn("select(indices, indices, <)", "a" * 60), ["not selected", "not selected", "selected"]),
        (heat([[0.3, 0.3, 0.4], [1, 0, 0], [0.5, 0.5, 0]]), ["weight 0\n", "weight 0.4\n", "weight 0.5\n"]),
        (drawn("select(indices, indices, <)", "a" * 600), ["37.5% selected", "0.00% selected", "100% selected"]),
    ],
)
def test_weights_are_exact_when_pointed_at(window: Window, tmp_path: Path, view: View, expected: list[str]) -> None:
    """The last query at the last key, the first query there, and the last query at the first key."""
    import json
    from html import unescape

    file = tmp_path / "page.html"
    file.write_text(html(view).replace("</body>", POINT + "</body>"), encoding="utf-8")
    found = re.search(r'data-out="([^"]*)"', window.after(file, 900, 900))
    assert found
    for text, part in zip(json.loads(unescape(found[1])), expected, strict=True):
        assert part in text + "\n"
