"""What the playground can be asked: the name of each job, what it may use, and the function that does it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from capax.app.web.jobs import (
    editor as job_editor,
)
from capax.app.web.jobs import (
    languages as job_languages,
)
from capax.app.web.jobs import (
    models as job_models,
)
from capax.app.web.jobs import (
    results as job_results,
)
from capax.app.web.sandbox.allowance import EXPORT, QUICK, WORK, Allowance

Run: TypeAlias = Callable[[dict[str, Any], str | None], Any]
"""From a request and, where it may write, a folder, to a result of plain data."""


@dataclass(frozen=True, slots=True)
class Job:
    """A kind of request."""

    run: Run
    allowance: Allowance
    keys: tuple[str, ...]
    """What a request may have."""


PROGRAM: Final = ("text", "name", "word", "split")
JOBS: Final = {
    "check": Job(job_editor.check, QUICK, ("text",)),
    "run": Job(job_editor.run, QUICK, PROGRAM),
    "layers": Job(job_editor.cost, QUICK, PROGRAM),
    "evaluate": Job(job_editor.evaluate, QUICK, PROGRAM),
    "mark": Job(job_editor.mark, QUICK, ("puzzle", "text", "name")),
    "compile": Job(job_models.compile_program, WORK, (*PROGRAM, "alphabet", "max_length", "causal", "dtype")),
    "export": Job(job_models.export, EXPORT, ("to", "model")),
    "recognise": Job(job_languages.recognise, WORK, ("form", "text", "alphabet", "word", "length", "read")),
    "turing": Job(job_languages.turing, WORK, ("text", "machine", "word", "steps")),
    "atlas": Job(job_languages.atlas, QUICK, ("about", "name", "fields")),
    "atlas-class": Job(job_languages.atlas_class, QUICK, ("name",)),
    "lattice": Job(job_languages.lattice, QUICK, ()),
    "theorem": Job(job_results.theorem, WORK, ("name", "given")),
    "break": Job(job_results.broken, WORK, ("name", "given")),
    "limit": Job(job_results.limit, WORK, ("name", "given", "model", "file")),
    "fool": Job(job_results.fool, WORK, ("task", "n", "heads", "dim", "seed")),
}


def warm() -> None:
    """Loads what the jobs load when they first run, so that children find it loaded."""
    from capax.app.web.gallery import REVERSE

    program = {"text": REVERSE.text, "word": "ab"}
    job_editor.evaluate(program, None)
    job_editor.mark(program | {"puzzle": "reverse"}, None)
    job_languages.atlas({"about": "language", "name": "PARITY"}, None)
