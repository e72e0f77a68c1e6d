"""Programs that come in the file of a model: they are from outside, and building one takes a bounded amount of work."""

from typing import Final

from capax.errors import CapaxError
from capax.rasp.program import Program
from capax.rasp.text.lowering import Limits
from capax.rasp.text.module import program_from_text

STEPS: Final = 200_000
PER_CHARACTER: Final = 2
"""capax writes a statement or two for each node and no loop, so that its own programs take about a third of a step for
each character of their text."""
CALL_DEPTH: Final = 2_000
MOST_TEXT: Final = 500_000
"""The most characters of a text; capax writes some ten for each node."""
HINT: Final = "is it a file that capax has written? capax writes programs without loops"


def stored_program(text: str) -> Program:
    """The program that the text in a model's file defines last; one that takes much work to build is refused."""
    if len(text) > MOST_TEXT:
        what = f"the program in the model's file has {len(text):,} characters; at most {MOST_TEXT:,} are read"
        raise CapaxError("too-many-steps", what, hint=HINT)
    steps = STEPS + PER_CHARACTER * len(text)
    try:
        return program_from_text(text, limits=Limits(CALL_DEPTH, steps))
    except CapaxError as error:
        if error.code != "too-many-steps":
            raise
        what = f"the program in the model's file takes more than {steps:,} steps to build"
        raise CapaxError("too-many-steps", what, hint=HINT) from None
