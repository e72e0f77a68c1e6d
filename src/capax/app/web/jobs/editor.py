"""The jobs of the editor: a program checked, run, counted and drawn; puzzles marked; links as QR codes."""

import io
import re
from typing import Any, Final

from capax.app.commands._check_file import check as check_file
from capax.app.commands.layers import layers
from capax.app.commands.run import run as run_program
from capax.app.files.text_files import find_library
from capax.app.inputs import are_numbers
from capax.app.resolve import Resolved, resolve_text
from capax.app.session import Session
from capax.app.web import request as read
from capax.app.web.jobs.flow_json import flow_json
from capax.app.web.puzzles import PUZZLES, Puzzle
from capax.app.web.request import Reply, Request
from capax.draw.ink.svg import svg
from capax.draw.view.flow import flow
from capax.draw.view.rows import show
from capax.draw.view.view import Flow
from capax.errors import CapaxError, Source
from capax.rasp.ir.build_pads import inner
from capax.rasp.ir.loop_nodes import has_loop
from capax.rasp.ir.pad_node import padded
from capax.rasp.python.program import Program, Selector
from capax.rasp.text.interpreter import Limits

FILE: Final = "program.rasp"
"""What the text of the editor is called in messages."""
MOST_LINK: Final = 2_300
"""Bytes of a link: a QR code of the least correction holds 2,953."""
MOST_INLINE: Final = 30
"""Names whose values stand beside their lines."""
MOST_BESIDE: Final = 40
"""Tokens of the longest input with values beside the lines."""
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
    return _cost(program_of(request), read.tokens(request))


def _cost(program: Resolved, word: list[Any]) -> Reply:
    """The layers and heads of a program; of one with a loop those before it, of a round, and after it."""
    if not has_loop(program.program.node):
        return layers(program, word).to_json()
    from capax.app.commands._loop_layers import loop_layers

    return loop_layers(program, word).to_json()


def _loop(program: Resolved, word: list[Any]) -> Reply:
    """The layers and the picture of a program with a loop, with its rounds if the input is not long.

    In a page without a server, which has no numpy, there are neither layers nor rounds.
    """
    try:
        from capax.draw.view.loop_rounds import with_rounds

        drawn = with_rounds if len(word) <= MOST_BESIDE else _flow
        return {"layers": _cost(program, word), "flow": flow_json(drawn(program.program, word))}
    except ModuleNotFoundError:
        return {"layers": None, "flow": flow_json(_flow(program.program, word))}


def _flow(program: Program, word: list[Any]) -> Flow:
    """The picture of a program on a word, with its pads if it has any."""
    program, pads = inner(program)
    return flow(program, word if pads is None else padded(pads, word))


def evaluate(request: Request, folder: str | None) -> Reply:
    """All that the editor shows of a program; with `error` where it goes no further.

    A last statement that lacks its `;` is read as if it had one, as at the prompt.
    """
    reply: Reply = {"check": check(request, folder), "programs": [], "error": None}
    if not reply["check"]["ok"]:
        ended = {**request, "text": _ended(read.text(request, "text"))}
        if ended["text"] == request["text"] or not check(ended, folder)["ok"]:
            return reply
        request, reply["check"] = ended, check(ended, folder)
    try:
        programs = _programs(request)
        reply["programs"] = list(programs)
        if not programs:
            return reply
        if request.get("name") not in programs:
            request = {**request, "name": ""}
        program, word = program_of(request), read.tokens(request)
        reply["values"] = {name: _inline(one, word) for name, one in list(programs.items())[-MOST_INLINE:]}
        reply["run"] = run_program(program, word, trace=True).to_json()
        if has_loop(program.program.node):
            return reply | _loop(program, word)
        reply["layers"] = layers(program, word).to_json()
        reply["flow"] = flow_json(_flow(program.program, word))
    except CapaxError as error:
        reply["error"] = error.to_json() | {"text": error.render()}
    return reply


def _ended(text: str) -> str:
    """A text with a `;` at its end."""
    bare = re.sub(r"#[^\n]*", "", text).rstrip()
    return text if not bare or bare.endswith((";", "}")) else f"{text.rstrip()}\n;"


def _programs(request: Request) -> dict[str, Program]:
    """What the editor offers to look at: the s-ops and selectors that the text itself assigns."""
    source = Source(FILE, read.text(request, "text"))
    numbers = are_numbers(read.text(request, "split", 10, "chars"))
    session = Session(limits=LIMITS, finder=find_library, numbers=numbers)
    session.files.load_source(source, session.console, f"text:{FILE}")
    return {
        name: value
        for name, value in session.console.variables.items()
        if isinstance(value, Program) and not name.startswith("_") and name != "out"
        if re.search(rf"\b{name}\b[\w\s,]*=", source.text)
    }


def _inline(program: Program, word: list[Any]) -> Reply | None:
    """The value of a name as its line shows it; None if it has none on this input, or a long one."""
    if len(word) > MOST_BESIDE:
        return None
    try:
        value = program(word)
    except CapaxError:
        return None
    if value and isinstance(value[0], (list, tuple)):  # a selector's rows; one of third order has no picture here
        return {"pairs": [[bool(cell) for cell in row] for row in value]} if isinstance(program, Selector) else None
    return None if isinstance(program, Selector) else {"values": [show(one) for one in value]}


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


def qr(request: Request, folder: str | None) -> Reply:
    """A text as a QR code, an SVG."""
    import segno

    text = read.text(request, "text", 20_000)
    if len(text.encode()) > MOST_LINK:
        raise CapaxError("too-large", "the link is too long for a QR code", hint="shorten the program")
    drawn = io.BytesIO()
    code = segno.make(text, error="l", micro=False)
    code.save(drawn, kind="svg", border=3, xmldecl=False, svgns=True, dark="#14171b", light="#ffffff", omitsize=True)
    return {"svg": drawn.getvalue().decode(), "modules": code.symbol_size(border=0)[0]}


def picture(request: Request, folder: str | None) -> Reply:
    """What `capax draw -o FILE.svg` writes."""
    return {"svg": svg(_flow(program_of(request).program, read.tokens(request)))}
