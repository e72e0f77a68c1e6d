"""The jobs of the editor: a program checked, run, counted and drawn; puzzles marked."""

import re
from typing import Final

from capax.app.commands._check_file import check as check_file
from capax.app.commands.layers import layers
from capax.app.commands.run import run as run_program
from capax.app.files.text_files import find_library
from capax.app.inputs import are_numbers
from capax.app.resolve import Resolved, resolve_text
from capax.app.session import Session
from capax.app.web import request as read
from capax.app.web.puzzles import PUZZLES, Puzzle
from capax.app.web.request import Reply, Request
from capax.draw.ink.html import fragment
from capax.draw.view.loop_rounds import with_rounds
from capax.errors import CapaxError, Source
from capax.rasp.python.program import Program
from capax.rasp.text.interpreter import Limits

FILE: Final = "program.rasp"
"""What the text of the editor is called in messages."""
LIMITS: Final = Limits(call_depth=2_000, remedy="use shorter loops and fewer calls")


def program_of(request: Request) -> Resolved:
    """The program that a request is about: a name in its text, or the last one that it defines."""
    source = Source(FILE, read.text(request, "text"))
    numbers = are_numbers(read.text(request, "split", 10, "chars"))
    session = Session(limits=LIMITS, finder=find_library, numbers=numbers)
    return resolve_text(source, read.maybe(request, "name", 200), session)


def check(request: Request, folder: str | None) -> Reply:
    """What is wrong with a text, and what it defines."""
    return check_file(FILE, read.text(request, "text"), finder=find_library, limits=LIMITS).to_json()


def run(request: Request, folder: str | None) -> Reply:
    """The value of a program on an input, and that of every named step."""
    whole: Reply = run_program(program_of(request), read.tokens(request), trace=True).to_json()
    return whole


def cost(request: Request, folder: str | None) -> Reply:
    """The layers and heads of a program."""
    return layers(program_of(request), read.tokens(request)).to_json()


def evaluate(request: Request, folder: str | None) -> Reply:
    """All that the editor shows of a program; with `error` where it goes no further."""
    reply: Reply = {"check": check(request, folder), "programs": [], "error": None}
    if not reply["check"]["ok"]:
        return reply
    try:
        program = program_of(request)
        reply["programs"] = _programs(program, read.text(request, "text"))
        word = read.tokens(request)
        reply["layers"] = layers(program, word).to_json()
        reply["run"] = run_program(program, word, trace=True).to_json()
        reply["picture"] = fragment(with_rounds(program.program, word))
    except CapaxError as error:
        reply["error"] = error.to_json() | {"text": error.render()}
    return reply


def _programs(resolved: Resolved, text: str) -> list[str]:
    """The names that the editor offers to look at: the s-ops and selectors that the text itself assigns."""
    names = resolved.session.console.variables.items()
    return [name for name, value in names if isinstance(value, Program) and re.search(rf"\b{name}\b[\w\s,]*=", text)]


def mark(request: Request, folder: str | None) -> Reply:
    """Whether a program solves a puzzle, and within its budget."""
    name = read.text(request, "puzzle", 60)
    puzzle = next((one for one in PUZZLES if one.name == name), None)
    if puzzle is None:
        raise CapaxError("bad-option", f"there is no puzzle {name}")
    program = program_of(request)
    schedule = layers(program, puzzle.words[0]).schedule
    heads = max(schedule.heads_merged, default=0)
    wrong = _first_wrong(program, puzzle)
    fits = schedule.depth <= puzzle.layers and heads <= puzzle.heads
    return {
        "puzzle": name,
        "right": wrong is None,
        "words": len(puzzle.words),
        "wrong": wrong,
        "layers": schedule.depth,
        "heads": heads,
        "within_budget": fits,
        "solved": wrong is None and fits,
    }


def _first_wrong(program: Resolved, puzzle: Puzzle) -> Reply | None:
    """The first word on which a program does not give the answer of the puzzle."""
    for word in puzzle.words:
        right = puzzle.answer(word)
        try:
            values = run_program(program, word).to_json()
        except CapaxError as error:
            return {"word": word, "right": right, "given": None, "error": error.what}
        if [str(v) for v in values] != [str(v) for v in right]:
            return {"word": word, "right": right, "given": values, "error": None}
    return None
