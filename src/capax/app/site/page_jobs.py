"""What the page asks of capax: texts in, JSON out. It imports neither numpy nor the command line."""

import json
from collections.abc import Callable
from dataclasses import asdict
from typing import Any, Final

from capax.app.web.jobs import editor
from capax.app.web.puzzles import PUZZLES
from capax.errors import CapaxError
from capax.rasp import library

EXAMPLES: Final = {
    "reverse": "hello",
    "histogram": "hello",
    "sort": "banana",
    "most frequent first": "banana",
    "brackets": "(()())",
    "induction": "abcab",
}
"""The examples of the page, and a word for each."""
TEXTS: Final = {
    "reverse": "flip = select(indices, length - 1 - indices, ==);\nreverse = aggregate(flip, tokens);\n",
    "histogram": "same = select(tokens, tokens, ==);\nhistogram = selector_width(same);\n",
    "sort": (
        "smaller = select(tokens, tokens, <) or (select(tokens, tokens, ==) and select(indices, indices, <));\n"
        "rank = selector_width(smaller);\nsorted = aggregate(select(rank, indices, ==), tokens);\n"
    ),
    "most frequent first": 'load "paper_examples";\nanswer = sort_by_most_freq;\n',
    "brackets": (
        'so_far = select(indices, indices, <=);\nopen = aggregate(so_far, indicator(tokens == "("));\n'
        'close = aggregate(so_far, indicator(tokens == ")"));\ndepth = round((open - close) * (indices + 1));\n'
    ),
    "induction": (
        'before = aggregate(select(indices, indices - 1, ==), tokens, "-");\n'
        "seen = select(before, tokens, ==) and select(indices, indices, <);\n"
        'next = aggregate(best(seen, indices), tokens, "-");\n'
    ),
}


def start() -> str:
    """What the page shows before anything is typed."""
    puzzles = [asdict(puzzle) | {"budget": puzzle.budget} for puzzle in PUZZLES]
    examples = [{"name": name, "word": word, "text": TEXTS[name]} for name, word in EXAMPLES.items()]
    names = [{"name": entry.name, "doc": entry.doc} for entry in library.entries().values()]
    return json.dumps({"puzzles": puzzles, "examples": examples, "library": names})


def evaluate(text: str, word: str, name: str | None = None) -> str:
    """All that the editor shows of a program on a word."""
    request = {"text": text, "word": word, "split": "chars"} | ({"name": name} if name else {})
    return _answered(lambda: editor.evaluate(request, None))


def mark(text: str, puzzle: str) -> str:
    """Whether a text solves a puzzle."""
    return _answered(lambda: editor.mark({"text": text, "puzzle": puzzle, "split": "chars"}, None))


def _answered(job: Callable[[], Any]) -> str:
    """The answer of a job as JSON; an error of capax is an answer."""
    try:
        return json.dumps(job(), default=str)
    except CapaxError as error:
        return json.dumps({"error": error.to_json() | {"text": error.render()}}, default=str)


def exercise() -> None:
    """Does all that the page does, so that all that it needs is loaded."""
    start()
    for name, word in EXAMPLES.items():
        for given in (word, word * 9, ""):
            evaluate(TEXTS[name], given)
    evaluate("nothing(", "hello")
    for puzzle in PUZZLES:
        mark(puzzle.start, puzzle.name)
