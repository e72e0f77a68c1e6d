"""Answers that a site brings along, for jobs that need numpy: each for the requests that its pages start with.

A request and its answer are kept by what the page sends; another request is told what is here.
"""

import json
from collections.abc import Iterator
from functools import cache
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
MACHINES: Final = {"increment": "1011", "palindrome": "abba", "tag": "", "walk": "", "reverse2": "110"}


def requests() -> Iterator[tuple[str, dict[str, Any]]]:
    """The requests that are answered beforehand."""
    from capax import limits, theorems

    yield "evaluate", {"text": HOME, "word": "hello", "split": "chars"}
    for program in GALLERY:
        yield "evaluate", {"text": program.text.strip(), "word": program.word, "split": "chars"}
    for form, text, word in LANGUAGES:
        yield "recognise", {"form": form, "text": text, "read": "last"} | ({"word": word} if word else {})
    for machine, word in MACHINES.items():
        yield "turing", {"machine": machine, "word": word, "steps": 120}
    for name in limits.names():
        if name not in LIMITS:
            yield "limit", {"name": name, "given": {}}
    for name in theorems.names():
        yield "theorem", {"name": name, "given": {}}


@cache
def answers() -> dict[str, Any]:
    """The answers by `job` and request, as the page looks them up; what the page could not use is left out."""
    found = {}
    for job, request in requests():
        with TemporaryDirectory() as folder:
            try:
                answer = _theorem(request["name"]) if job == "theorem" else JOBS[job].run(request, folder)
            except CapaxError:
                continue
        found[key(job, request)] = answer
    return found


def key(job: str, request: dict[str, Any]) -> str:
    """What an answer is kept by: its job and its request in order, without what is empty."""
    kept = {name: value for name, value in sorted(request.items()) if value not in ("", {}, None)}
    return job + " " + json.dumps(kept, separators=(",", ":"), ensure_ascii=False)


def _theorem(name: str) -> dict[str, Any]:
    """A theorem at its defaults, checked but without the longer proof, which takes a minute for all of them."""
    from capax.app.commands.theorem import run_theorem

    return {
        "theorem": run_theorem(name, {}, prove=0).to_json() | {"file": None},
        "attention": {"word": None, "flow": None, "note": None},
    }
