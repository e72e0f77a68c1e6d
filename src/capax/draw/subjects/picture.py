"""A picture as a value of Python: shown by notebooks, printed in a terminal, saved to a file."""

from collections.abc import Iterable
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Final

from capax.display import Displayed
from capax.draw.ink.html import fragment, html, picture_script
from capax.draw.ink.style import asset
from capax.draw.ink.svg import svg
from capax.draw.ink.terminal import terminal
from capax.draw.subjects.model_view import example_word, model_flow
from capax.draw.view.view import View
from capax.errors import CapaxError
from capax.model.io.atomic import check_writable, write_bytes
from capax.model.model import Model

TEXT_WIDTH: Final = 120
"""The width of a picture in a text file."""
ENDINGS: Final = ("svg", "html", "png", "pdf", "txt")


@dataclass(frozen=True, slots=True, repr=False)
class Picture(Displayed):
    """What a program or a model does on a word, drawn."""

    view: View

    def svg(self) -> str:
        """The picture as an SVG document."""
        return svg(self.view)

    def html(self) -> str:
        """The picture as a page of its own, with what pointing at a cell tells."""
        return html(self.view)

    def save(self, path: str | PathLike[str]) -> None:
        """Writes the picture to a .svg, .html, .png, .pdf or .txt file; .png and .pdf need the extra `plot`."""
        file = Path(path)
        match ending := ending_of(file):
            case "svg":
                data = self.svg().encode()
            case "html":
                data = self.html().encode()
            case "txt":
                data = (terminal(self.view, width=TEXT_WIDTH) + "\n").encode()
            case _:
                data = rendered_svg(svg(self.view, theme="light", tips=False), ending)
        write_bytes(file, data)

    def widget(self, position: int = 0) -> Any:
        """The picture as a widget of a notebook, with a slider over the positions; needs the extra `notebook`."""
        return view_widget(self.view, position)

    def __str__(self) -> str:
        return terminal(self.view, width=TEXT_WIDTH)

    __repr__ = __str__


def view_widget(view: View, position: int = 0) -> Any:
    """A view as a widget for Jupyter, VS Code and Colab.

    Its traits are `html` and `position`, the query that is marked in all grids.
    """
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


def ending_of(path: Path) -> str:
    """The ending of a picture's file, without the point; an error if there is no such kind of picture."""
    ending = path.suffix.lower().removeprefix(".")
    if ending not in ENDINGS:
        hint = f"the name ends with {', '.join('.' + e for e in ENDINGS)}"
        raise CapaxError("bad-option", f"no picture can be written to {path}", hint=hint)
    return ending


def check_file(path: str) -> None:
    """Refuses a file that no picture could be written to, before the picture is made."""
    ending_of(Path(path))
    check_writable(Path(path))


def rendered_svg(picture: str, ending: str) -> bytes:
    """An SVG document as PNG (at twice the size, for sharp letters) or PDF, through the `plot` extra."""
    try:
        import cairosvg
    except (ImportError, OSError) as error:  # OSError: the package is there, and the system's cairo library is not
        raise CapaxError(
            "bad-option",
            f"a .{ending} file needs the extra `plot`: {error}",
            hint="pip install 'capax[plot]' (and the system's cairo library), or write .svg or .html",
        ) from None
    data = picture.encode()
    document: bytes = cairosvg.svg2png(data, scale=2) if ending == "png" else cairosvg.svg2pdf(data)
    return document


def model_picture(model: Model, word: Iterable[Any] | None = None) -> Picture:
    """The attention of every head of a model on a word; without one on a word of its own tokens."""
    title = model.provenance.name or "model"
    return Picture(model_flow(model, example_word(model) if word is None else word, title=title))


def bundle(picture: Picture) -> dict[str, str]:
    """The forms of a picture that a notebook can choose from, by media type."""
    return {"text/html": fragment(picture.view), "image/svg+xml": picture.svg(), "text/plain": str(picture)}
