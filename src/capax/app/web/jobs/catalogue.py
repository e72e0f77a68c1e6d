"""What the pages list: programs, puzzles and words of the language; theorems, limits, machines, the atlas, models."""

from dataclasses import asdict
from importlib.metadata import version
from typing import Any

from capax.app.web import request as read
from capax.app.web.completion import names
from capax.app.web.gallery import GALLERY
from capax.app.web.puzzles import PUZZLES
from capax.app.web.request import Reply, Request
from capax.errors import CapaxError


def catalogue(request: Request, folder: str | None) -> Reply:
    """One of the two parts: `start`, which every page needs, or `explore`."""
    part = read.text(request, "part", 20, "start")
    if part not in ("start", "explore"):
        raise CapaxError("bad-option", f"the catalogue has the parts start and explore, not {part}")
    return start() if part == "start" else explore()


def start() -> Reply:
    """The programs, puzzles and names of the editor."""
    return {
        "version": version("capax"),
        "programs": [asdict(program) for program in GALLERY],
        "puzzles": [asdict(puzzle) | {"budget": puzzle.budget, "word": puzzle.words[0]} for puzzle in PUZZLES],
        "names": names(),
    }


def explore() -> Reply:
    """Theorems, limits, machines, what the atlas has, and trained models."""
    from capax import limits, theorems
    from capax.app.web.examples import EXAMPLES
    from capax.app.web.jobs.known import MADE
    from capax.atlas.dataset import ATLAS
    from capax.atlas.setting import FIELDS
    from capax.formal.acceptance import READS
    from capax.formal.turing.machines import machine_names, machine_source
    from capax.limits.witnesses.models.toy_model import TASKS

    return {
        "theorems": [_item(name, theorems.theorem(name)) for name in theorems.names()],
        "limits": [_item(name, limits.limit(name)) for name in limits.names()],
        "measured": list(MADE),
        "fool": list(TASKS),
        "machines": [{"name": name, "text": machine_source(name).text} for name in machine_names()],
        "languages": [{"id": one.id, "what": one.what} for one in ATLAS.languages],
        "classes": [{"id": one.id, "what": one.what} for one in ATLAS.classes],
        "fields": {name: asdict(field) for name, field in FIELDS.items()},
        "reads": dict(READS),
        "models": [_model(one) for one in EXAMPLES.values()],
    }


def _item(name: str, item: Any) -> Reply:
    """A theorem or a limit, with the bounds of its parameters."""
    bounds = {one.name: {"least": one.least, "most": one.most} for one in item.parameters}
    data: Reply = item.to_json()
    return data | {"name": name, "parameters": {k: v | bounds[k] for k, v in data["parameters"].items()}}


def _model(one: Any) -> Reply:
    return {key: getattr(one, key) for key in ("name", "title", "against", "others", "longest")}
