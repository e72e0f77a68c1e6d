"""What the playground can be asked: the name of each job, what it may use, and the function that does it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from capax.app.web.jobs import audits, catalogue, editor, known, languages, models, results
from capax.app.web.request import Request
from capax.app.web.sandbox.request_budget import AUDIT, EXPORT, QUICK, WORK, RequestBudget

JobFunction: TypeAlias = Callable[[Request, str | None], Any]
"""From a request and, where it may write, a folder, to a result of plain data."""


@dataclass(frozen=True, slots=True)
class JobKind:
    """A kind of request."""

    run: JobFunction
    budget: RequestBudget
    keys: tuple[str, ...]
    """What a request may have."""


PROGRAM: Final = ("text", "name", "word", "split")
JOBS: Final = {
    "check": JobKind(editor.check, QUICK, ("text",)),
    "run": JobKind(editor.run, QUICK, PROGRAM),
    "layers": JobKind(editor.cost, QUICK, PROGRAM),
    "evaluate": JobKind(editor.evaluate, QUICK, PROGRAM),
    "draw": JobKind(editor.picture, QUICK, PROGRAM),
    "qr": JobKind(editor.qr, QUICK, ("text",)),
    "catalogue": JobKind(catalogue.catalogue, WORK, ("part",)),
    "mark": JobKind(editor.mark, QUICK, ("puzzle", "text", "name", "split")),
    "compile": JobKind(models.compile_program, WORK, (*PROGRAM, "alphabet", "max_length", "causal", "dtype")),
    "export": JobKind(models.export, EXPORT, ("to", "model")),
    "recognise": JobKind(languages.recognise, WORK, ("form", "text", "alphabet", "word", "length", "read")),
    "turing": JobKind(languages.turing, WORK, ("text", "machine", "word", "steps")),
    "atlas": JobKind(known.ask, QUICK, ("about", "name", "fields")),
    "atlas-class": JobKind(known.place_class, QUICK, ("name",)),
    "lattice": JobKind(known.lattice, QUICK, ()),
    "theorem": JobKind(results.theorem, WORK, ("name", "given")),
    "break": JobKind(results.broken, WORK, ("name", "given")),
    "limit": JobKind(known.limit, WORK, ("name", "given", "model", "file")),
    "audit": JobKind(audits.audit, AUDIT, audits.KEYS),
    "fool": JobKind(results.fool, WORK, ("task", "n", "heads", "dim", "seed")),
}


def warm() -> None:
    """Loads what the jobs load when they first run, so that children find it loaded."""
    from capax.app.web.gallery import REVERSE

    program = {"text": REVERSE.text, "word": "ab"}
    editor.evaluate(program, None)
    editor.mark(program | {"puzzle": "reverse"}, None)
    known.ask({"about": "language", "name": "PARITY"}, None)
