"""The jobs about what is known: limits with their charts, and the atlas. Without a model they need no numpy."""

import base64
import binascii
from pathlib import Path
from typing import Any, Final

from capax import limits
from capax.app.commands._atlas_pictures import lattice_svg
from capax.app.commands._atlas_results import ClassAnswer, LanguageAnswer, Sensitivity
from capax.app.commands.limit import run_limit
from capax.app.web import request as read
from capax.app.web.request import Reply, Request
from capax.atlas.dataset import ATLAS
from capax.atlas.setting import MODELS
from capax.draw.subjects.chart import draw_chart
from capax.errors import CapaxError

MADE: Final = ("parity", "majority")
"""Theorems whose models a limit that measures can be tried on."""
MOST_MODEL: Final = 260_000
"""Characters of a model, as text, that somebody brings along."""


def limit(request: Request, folder: str | None) -> Reply:
    """What `capax limit NAME` gives, with its chart if it has one; for a model that is measured, see `_measured`."""
    name, given = read.text(request, "name", 60), read.parameters(request)
    model = _measured(request, given, Path(folder) / "model.safetensors") if folder is not None else None
    result = run_limit(name, given, model)
    reply: Reply = {"limit": result.to_json() | {"file": None}, "texts": result.texts}
    return reply | _charts(name, given, model)


def _charts(name: str, given: dict[str, str], model: str | None) -> dict[str, str | None]:
    """The chart of a limit at these sizes, or of a model; also for a telephone."""
    loaded = None
    if model is not None:
        from capax.app.files.models import load_model

        loaded = load_model(model)
    chart = limits.limit(name).picture(model=loaded, **given)
    return {
        "chart": None if chart is None else draw_chart(chart),
        "narrow_chart": None if chart is None else draw_chart(chart, narrow=True),
    }


def _measured(request: Request, given: dict[str, str], path: Path) -> str | None:
    """The file of the model that a limit measures: a theorem's, for the longest words tried, or one that is brought."""
    if request.get("file"):
        try:
            path.write_bytes(base64.b64decode(read.text(request, "file", MOST_MODEL), validate=True))
        except (binascii.Error, ValueError):
            raise CapaxError("bad-option", "the file of the model is not written as base64") from None
        return str(path)
    theorem = read.maybe(request, "model", 60)
    if theorem is None:
        return None
    if theorem not in MADE:
        raise CapaxError("bad-option", f"there is no model of {theorem} here", hint=f"one of {', '.join(MADE)}")
    from capax.app.commands.theorem import run_theorem

    run_theorem(theorem, {"length": given.get("longest", "64")}, str(path), prove=0)
    return str(path)


def ask(request: Request, folder: str | None) -> Any:
    """What `capax atlas` gives for a language or a class, with fields that are given."""
    fields = request.get("fields", {})
    if not isinstance(fields, dict) or not all(isinstance(v, str) and len(v) < 60 for v in fields.values()):
        raise CapaxError("bad-option", "the fields are names with values")
    about, name = read.text(request, "about", 10), read.text(request, "name", 100)
    match about:
        case "language":
            return LanguageAnswer.of(ATLAS, fields, name).to_json()
        case "class":
            return ClassAnswer.of(ATLAS, fields, name).to_json()
        case "knob":
            return Sensitivity.of(ATLAS, fields, name).to_json()
        case _:
            raise CapaxError("bad-option", f"the atlas is asked about a language, a class or a knob, not {about}")


def place_class(request: Request, folder: str | None) -> Reply:
    """What `capax atlas --class NAME` gives for every kind of transformers that the table has."""
    name = read.text(request, "name", 100)
    kinds = {kind: setting.to_json() for kind, setting in MODELS.items()}
    rows = {kind: ClassAnswer.of(ATLAS, given, name).to_json() for kind, given in kinds.items()}
    cls = next(iter(rows.values()))["class"]
    return {"class": cls, "what": next(one.what for one in ATLAS.classes if one.id == cls), "rows": rows}


def lattice(request: Request, folder: str | None) -> Reply:
    """The picture of the classes."""
    return {"picture": lattice_svg(ATLAS)}
