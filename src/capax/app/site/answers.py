"""Answers that a site brings along, for jobs that need numpy: each for the requests that its pages start with.

A request and its answer are kept by what the page sends; another request is told what is here.
"""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from capax.app.site.page_jobs import LIMITS
from capax.app.web.gallery import GALLERY
from capax.app.web.jobs.registry import JOBS
from capax.errors import CapaxError

LANGUAGES: Final = (
    ("regex", "(ab)*", "abab"), ("regex", "(ab)*", ""), ("regex", "(a|b)*abb", ""), ("regex", "(aa)*", ""),
    ("ltl", "P (b & Y a)", ""), ("language", "parity", ""), ("language", "dyck-1", ""), ("language", "majority", ""),
)  # fmt: skip
"""The languages that the page offers to try."""
HOME: Final = "flip = select(indices, length - 1 - indices, ==);\nreverse = aggregate(flip, tokens);"
"""The program of the first page."""
MACHINES: Final = {
    "increment": "1011", "palindrome": "abba", "copy": "11", "tag": "", "walk": "", "reverse2": "110", "bouncer": "111",
    "bb2": "", "bb3": "", "bb4": "",
}  # fmt: skip
"""Machines with the words that their page begins with."""


def requests() -> Iterator[tuple[str, dict[str, Any]]]:
    """The requests that are answered beforehand."""
    from capax import limits, theorems
    from capax.app.web.examples import EXAMPLES
    from capax.app.web.jobs.known import MADE

    yield "evaluate", {"text": HOME, "word": "hello", "split": "chars"}
    for program in GALLERY:
        yield "evaluate", {"text": program.text.strip(), "word": program.word, "split": "chars"}
    for form, text, word in LANGUAGES:
        yield "recognise", {"form": form, "text": text, "read": "last"} | ({"word": word} if word else {})
    for machine, word in MACHINES.items():
        yield "turing", {"machine": machine, "word": word, "steps": 120}
    for name in limits.names():
        if limits.limit(name).measures:
            yield from (("limit", {"name": name, "given": {}, "model": model}) for model in MADE)
        elif name not in LIMITS:
            yield "limit", {"name": name, "given": {}}
    for name in theorems.names():
        yield "theorem", {"name": name, "given": {}}
        yield "break", {"name": name, "given": {}}
    for model in EXAMPLES.values():
        for against in (model.against, *model.others):
            yield "audit", {"example": model.name, "against": against, "max_length": model.longest}


@cache
def answers() -> dict[str, Any]:
    """The answers by `job` and request, as the page looks them up; what the page could not use is left out."""
    found = {}
    for job, request in requests():
        with TemporaryDirectory() as folder:
            try:
                answer = _theorem(request["name"], folder) if job == "theorem" else JOBS[job].run(request, folder)
            except CapaxError:
                continue
        found[key(job, request)] = answer
    return found


def key(job: str, request: dict[str, Any]) -> str:
    """What an answer is kept by: its job and its request in order, without what is empty."""
    kept = {name: value for name, value in sorted(request.items()) if value not in ("", {}, None)}
    return job + " " + json.dumps(kept, separators=(",", ":"), ensure_ascii=False)


def _theorem(name: str, folder: str) -> dict[str, Any]:
    """A theorem at its defaults, checked but without the longer proof, which takes a minute for all of them."""
    from capax.app.commands.theorem import run_theorem
    from capax.app.web.jobs.models import attention

    path = Path(folder) / "model.safetensors"
    try:
        result, drawn = run_theorem(name, {}, str(path), prove=0), attention(str(path), None)
    except CapaxError:  # its maps are arbitrary functions: no file can hold it
        result, drawn = run_theorem(name, {}, prove=0), {"word": None, "flow": None, "note": None}
    return {"theorem": result.to_json() | {"file": None}, "attention": drawn}
