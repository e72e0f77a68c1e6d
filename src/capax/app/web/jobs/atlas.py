"""The jobs about the atlas."""

from typing import Any

from capax.app.commands._atlas_pictures import lattice_svg
from capax.app.commands._atlas_results import ClassAnswer, LanguageAnswer, Sensitivity
from capax.app.web import request as read
from capax.app.web.request import Reply, Request
from capax.atlas.dataset import ATLAS
from capax.atlas.setting import MODELS
from capax.errors import CapaxError


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
