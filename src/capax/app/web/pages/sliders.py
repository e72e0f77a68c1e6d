"""Controls for the parameters of theorems and limits: sliders for numbers, lists for choices."""

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from nicegui import ui

from capax.app.web import html as show
from capax.app.web.pages.frame import html
from capax.tasks.base.parameter import Parameter

STEPS = 200
FURTHEST = 1e6
"""How far a slider goes where a parameter has no bound."""


def scale(parameter: Parameter, most: float | None = None, also: int | None = None) -> list[int]:
    """The values of a slider: every whole number in a short range, else about evenly by their logarithm.

    `also` is a further one, which a link may have.
    """
    low = int(parameter.least or 0)
    default = int(parameter.default) if isinstance(parameter.default, int) else 0
    high = int(min(parameter.most or FURTHEST, most or math.inf, FURTHEST if default < FURTHEST else 1e12))
    high = max(high, default, low + 1)
    extra = {also} if also is not None and low <= also <= (parameter.most or also) else set()
    if high - low <= STEPS:
        return sorted({*range(low, high + 1), *extra})
    start = max(low, 1)
    steps = {round(start * (high / start) ** (k / STEPS)) for k in range(STEPS + 1)}
    return sorted(steps | {low, default} | extra)


class Controls:
    """The controls of a set of parameters; `values` are those that are not at their default."""

    def __init__(
        self,
        parameters: Iterable[Parameter],
        query: Mapping[str, str],
        changed: Callable[..., Any],
        most: Mapping[str, float] | None = None,
    ) -> None:
        self._parts: dict[str, Callable[[], Any]] = {}
        self._parameters = {p.name: p for p in parameters}
        for parameter in self._parameters.values():
            self._add(parameter, query.get(parameter.name), changed, (most or {}).get(parameter.name))

    @property
    def values(self) -> dict[str, str]:
        """The parameters that differ from their defaults, as texts."""
        now = {name: read() for name, read in self._parts.items()}
        return {name: str(v) for name, v in now.items() if str(v) != str(self._parameters[name].default)}

    def _add(self, parameter: Parameter, text: str | None, changed: Callable[..., Any], most: float | None) -> None:
        start = text if text is not None else parameter.default
        if parameter.choices:
            options = {str(c): str(c) for c in parameter.choices}
            part = ui.select(
                options, value=str(start) if str(start) in options else str(parameter.default), label=parameter.name
            )
            part.props("outlined dense").on_value_change(changed)
            self._parts[parameter.name] = lambda: part.value
        elif isinstance(parameter.default, int) and not isinstance(parameter.default, bool):
            self._slider(parameter, start, changed, most)
        else:
            box = ui.input(parameter.name, value=str(start), on_change=changed).props("outlined dense")
            self._parts[parameter.name] = lambda: box.value or str(parameter.default)

    def _slider(self, parameter: Parameter, start: Any, changed: Callable[..., Any], most: float | None) -> None:
        try:
            value = int(start)
        except (TypeError, ValueError):
            value = int(parameter.default)
        values = scale(parameter, most, value)
        at = min(range(len(values)), key=lambda k: abs(values[k] - value))

        what = show.esc(parameter.what.replace("--", ""))  # options of the command line are controls here

        def label(k: int) -> str:
            return (
                f'<div class="cx-label" title="{what}"><span>{show.esc(parameter.name.replace("_", " "))} '
                f'<span class="cx-quiet cx-small">{what}</span></span><b>{values[k]:,}</b></div>'
            )

        with ui.element("div").style("width:100%"):
            text = html(label(at))
            slider = ui.slider(min=0, max=len(values) - 1, value=at).props(
                f'dense aria-label="{show.esc(parameter.name)}"'
            )
            slider.style("padding:0 8px")

            def moved() -> None:
                text.set_content(label(int(slider.value)))
                changed()

            slider.on_value_change(moved)
        self._parts[parameter.name] = lambda: values[int(slider.value)]
