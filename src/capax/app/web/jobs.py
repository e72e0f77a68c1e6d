"""What the playground can be asked: the name of each job, what it may use, and the function that does it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from capax.app.web import job_editor, job_languages, job_models, job_results
from capax.app.web.allowance import EXPORT, QUICK, WORK, Allowance

Run: TypeAlias = Callable[[dict[str, Any], str | None], Any]
"""From a request and, where it may write, a folder, to a result of plain data."""


@dataclass(frozen=True, slots=True)
class Job:
    """A kind of request."""

    run: Run
    allowance: Allowance


JOBS: Final = {
    "check": Job(job_editor.check, QUICK),
    "run": Job(job_editor.run, QUICK),
    "layers": Job(job_editor.cost, QUICK),
    "evaluate": Job(job_editor.evaluate, QUICK),
    "mark": Job(job_editor.mark, QUICK),
    "compile": Job(job_models.compile_program, WORK),
    "export": Job(job_models.export, EXPORT),
    "recognise": Job(job_languages.recognise, WORK),
    "turing": Job(job_languages.turing, WORK),
    "atlas": Job(job_languages.atlas, QUICK),
    "atlas-class": Job(job_languages.atlas_class, QUICK),
    "lattice": Job(job_languages.lattice, QUICK),
    "theorem": Job(job_results.theorem, WORK),
    "break": Job(job_results.broken, WORK),
    "limit": Job(job_results.limit, WORK),
    "fool": Job(job_results.fool, WORK),
}


def warm() -> None:
    """Loads what the jobs load when they first run, so that children find it loaded."""
    from capax.app.web.shelf import REVERSE

    program = {"text": REVERSE.text, "word": "ab"}
    job_editor.evaluate(program, None)
    job_editor.mark(program | {"puzzle": "reverse"}, None)
    job_languages.atlas({"about": "language", "name": "PARITY"}, None)
