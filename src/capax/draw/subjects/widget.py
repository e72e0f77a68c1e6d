"""A picture that a notebook can be used on: hover, steps through the layers, a slider over the positions.

It is an anywidget, so it works in Jupyter, VS Code and Colab alike. Without the extra `notebook`, and where a notebook
is only read, pictures show themselves as HTML and SVG.
"""

from typing import Any

from capax.draw.ink.html import fragment, picture_script
from capax.draw.ink.style import asset
from capax.draw.view.view import View
from capax.errors import CapaxError


def widget(view: View, position: int = 0) -> Any:
    """The picture as a widget; its traits are `html` and `position`, the query that is marked in all grids."""
    try:
        import anywidget
        import traitlets
    except ImportError:
        raise CapaxError(
            "bad-option", "an interactive picture needs the extra `notebook`", hint="pip install 'capax[notebook]'"
        ) from None

    class PictureWidget(anywidget.AnyWidget):
        """The widget of a picture."""

        _esm = f"const picture = {picture_script()};\n{asset('widget.js')}"
        html = traitlets.Unicode().tag(sync=True)
        position = traitlets.Int().tag(sync=True)

    return PictureWidget(html=fragment(view), position=position)
