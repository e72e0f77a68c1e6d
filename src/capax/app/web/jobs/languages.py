"""The jobs about formal languages: recognise, and Turing machines."""

import base64
from pathlib import Path
from typing import Any, Final

from capax.app.commands._language_options import LanguageOptions, describe, read_word
from capax.app.commands._recognise_pictures import language_svg
from capax.app.commands._recognition import recognise as recognise_it
from capax.app.commands._recognition import saved_json
from capax.app.commands.recognise import read_position, shallowest_model
from capax.app.commands.tm import tm as run_machine
from capax.app.files.models import save_model
from capax.app.web import request as read
from capax.app.web.request import Reply, Request
from capax.atlas.recognition.routes import build_routes
from capax.errors import CapaxError

BUDGET: Final = 2_000
"""States and elements."""
MOST_STEPS: Final = 400
"""Steps of a machine that a page goes through."""
MOST_PATTERN: Final = 500
MOST_FILE: Final = 16_000_000
"""Bytes of a model that a page hands out."""


def recognise(request: Request, folder: str | None) -> Reply:
    """What `capax recognise` gives, with the automaton drawn, and the model that -o writes as text."""
    assert folder is not None
    form, split = read.text(request, "form", 20, "regex"), "chars"
    if form not in ("regex", "ltl", "language"):
        raise CapaxError("bad-option", f"a language is given here by regex, ltl or language, not by {form}")
    way = {"regex": None, "ltl": None, "language": None, form: read.text(request, "text", MOST_PATTERN)}
    alphabet = read.maybe(request, "alphabet", 100)
    options = LanguageOptions(regex=way["regex"], ltl=way["ltl"], language=way["language"], alphabet=alphabet)
    language = describe(options, BUDGET)
    word = None if request.get("word") is None else read_word(read.text(request, "word", 200), split)
    if word is not None:
        language.accepts(word)
    longest = max(read.whole(request, "length", 1, 100, 20), len(word or ()))
    position = read_position(read.text(request, "read", 20, "last"))
    built = build_routes(language, longest, read=position)
    result = recognise_it(language, built, word, budget=BUDGET, read=position)
    return {"recognise": result.to_json(), "automaton": _automaton(language, built)} | _model(
        built, options.text, folder
    )


def _model(built: Any, computes: str | None, folder: str) -> Reply:
    """The model that -o writes, if it is not too large for a page, and which it is."""
    path = Path(folder) / "model.safetensors"
    try:
        route, model = shallowest_model(built, computes)
        saved = saved_json(route)
        if model.size.bits > 8 * MOST_FILE:
            return {"saved": saved, "model": None}
        save_model(model, path)
    except CapaxError:
        return {"saved": None, "model": None}
    return {"saved": saved, "model": base64.b64encode(path.read_bytes()).decode("ascii")}


def _automaton(language: Any, built: Any) -> str | None:
    """The picture of the automaton, if the language has one that can be drawn."""
    try:
        return language_svg(language, built, None, "automaton", budget=BUDGET)
    except CapaxError:
        return None


def turing(request: Request, folder: str | None) -> Reply:
    """What `capax tm --trace` gives, for a machine that comes with capax or for a text."""
    assert folder is not None
    text, name = read.maybe(request, "text"), read.text(request, "machine", 60, "increment")
    if text is not None:
        path = Path(folder) / "machine.tm"
        path.write_text(text, "utf-8")
        name = str(path)
    elif not name.isidentifier():
        raise CapaxError("bad-option", f"there is no machine {name}")
    steps = read.whole(request, "steps", 1, MOST_STEPS, 100)
    return run_machine(name, read.text(request, "word", 200, ""), steps, trace=True).to_json()
