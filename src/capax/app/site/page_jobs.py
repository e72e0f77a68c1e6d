"""What the page asks of capax in the reader's browser: requests in, JSON out. It imports neither numpy nor typer.

Jobs that need more have their answers for some requests computed beforehand, see `capax.app.site.answers`.
"""

import json
from typing import Any, Final

from capax.app.web.gallery import GALLERY
from capax.app.web.jobs import catalogue, editor, known
from capax.app.web.puzzles import PUZZLES
from capax.errors import CapaxError

JOBS: Final = {
    "check": editor.check,
    "run": editor.run,
    "layers": editor.cost,
    "evaluate": editor.evaluate,
    "mark": editor.mark,
    "draw": editor.picture,
    "qr": editor.qr,
    "atlas": known.ask,
    "atlas-class": known.place_class,
    "lattice": known.lattice,
    "limit": known.limit,
}
"""What is computed in the browser."""
LIMITS: Final = (
    *("composition", "cot-composition", "cot-hard-attention", "length-generalisation", "log-log-depth", "match3"),
    *("sequential-composition", "sparse-averaging"),
)
"""The limits whose arithmetic does without numpy; of the others the page has their defaults."""


def ask(job: str, request: str) -> str:
    """The answer to a request, as JSON; an error of capax is an answer."""
    try:
        return json.dumps({"result": JOBS[job](json.loads(request), None)}, default=str)
    except CapaxError as error:
        return json.dumps({"error": error.to_json() | {"text": error.render()}}, default=str)
    except ModuleNotFoundError as error:
        what = f"this needs {error.name}, which is not in this page"
        return json.dumps({"error": {"code": "missing-extra", "what": what, "hint": "`capax serve` has it"}})


def exercise() -> None:
    """Does all that the page does, so that all that it needs is loaded."""
    catalogue.start()
    for program in GALLERY:
        for word in (program.word, program.word * 9, ""):
            _do("evaluate", text=program.text, word=word)
    loop = "repeat length { state a = indices; a = aggregate(select(indices, a, ==), a); }"
    for text in ("nothing(", "a = tokens + 1;", loop):
        _do("evaluate", text=text, word="hello")
    for puzzle in PUZZLES:
        _do("mark", puzzle=puzzle.name, text=puzzle.start)
    _do("draw", text="a = indices;", word="ab")
    _do("qr", text="capax")
    _do("atlas", about="language", name="PARITY", fields={"attention": "leftmost-hard"})
    _do("atlas-class", name="TC0")
    _do("lattice")
    for name in LIMITS:
        _do("limit", name=name, given={})


def _do(job: str, /, **request: Any) -> None:
    ask(job, json.dumps(request))
