"""A row of buttons that hand out a model: as a file of capax, or for another tool."""

import base64
from importlib.util import find_spec

from nicegui import ui

from capax.app.web.pages.frame import Desk, html

TARGETS = {"torch": "torch", "onnx": "onnxruntime"}
"""Where models are exported to, and the package that the server needs for it."""


class Downloads:
    """The row, empty until there is a model; errors of an export go where those of the desk go."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._model: str | None = None
        self._row = ui.element("div").classes("cx-row cx-downloads")

    def offer(self, model: str | None, note: str = "") -> None:
        """Offers a model, as the text that a job gives it as, with a note beside it; the note alone without one."""
        self._model = model
        self._row.clear()
        with self._row:
            if model is not None:
                self._buttons()
            if note:
                html(f'<span class="cx-quiet cx-small">{note}</span>')

    def _buttons(self) -> None:
        button = ui.button("model.safetensors", on_click=self._safetensors)
        button.props("outline no-caps dense").classes("cx-download")
        for target, package in TARGETS.items():
            if find_spec(package) is None:
                html(f'<span class="cx-quiet cx-small">{target}: not installed on the server</span>')
            else:
                self._export_button(target)

    def _safetensors(self) -> None:
        if self._model is not None:
            ui.download.content(base64.b64decode(self._model), "model.safetensors", "application/octet-stream")

    def _export_button(self, target: str) -> None:
        async def export() -> None:
            button.props("loading")
            try:
                found = await self._desk.ask("export", {"to": target, "model": self._model})
            finally:
                button.props(remove="loading")
            if found:
                ui.download.content(base64.b64decode(found["archive"]), f"model-{target}.zip", "application/zip")

        button = ui.button(f"for {target} (.zip)", on_click=export).props("outline no-caps dense")
        button.classes(f"cx-download-{target}")
