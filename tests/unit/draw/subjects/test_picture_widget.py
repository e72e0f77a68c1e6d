"""The picture as a widget."""

import json
import re

import pytest

import capax
from capax.draw.ink.html import fragment

pytest.importorskip("anywidget")


def test_a_widget_holds_the_picture_and_its_position() -> None:
    picture = capax.picture("reverse", "hello")
    widget = picture.widget(2)
    assert widget.html == fragment(picture.view)
    assert widget.position == 2
    grids = json.loads(re.findall(r'<script type="application/json">(.*?)</script>', widget.html)[0])["grids"]
    assert all(grid["size"] == 5 for grid in grids)
    assert len(grids) == 2


def test_its_script_is_a_module_with_the_script_of_pictures() -> None:
    script = str(capax.picture("reverse", "abc").widget()._esm)
    assert script.startswith("const picture = function(name)")
    assert "export default" in script
