"""Programs that come in the file of a model: they are from outside, and building one takes a bounded amount of work."""

from typing import Final

from capax.budget import Budget
from capax.errors import CapaxError
from capax.rasp.python.program import Program
from capax.rasp.text.interpreter import Limits
from capax.rasp.text.module import program_from_text

BUDGET: Final = 2_000
"""The usual budget, in units of a hundred steps: less than for a program that a person names."""
PER_CHARACTER: Final = 2
"""This many steps more for each character: capax writes a statement or two for each node and no loop, so that its own
programs take about a third of a step for each character of their text."""
CALL_DEPTH: Final = 2_000
TEXT: Final = 250
"""The most characters of a text for each unit of the budget; capax writes some ten for each node."""
ABOUT: Final = "capax writes programs without loops, so that another program wrote this file"


def stored_program(text: str, *, budget: int | None = None) -> Program:
    """The program that the text in a model's file defines last; one that takes more work to build is refused."""
    units = BUDGET if budget is None else budget
    steps = int(Budget.of_units(units).steps) + PER_CHARACTER * len(text)
    most = TEXT * units
    if len(text) > most:
        what = f"the program in the model's file has {len(text):,} characters; at most {most:,} are read"
        hint = f"if you trust the file: a budget of {-(-len(text) // TEXT)} reads it (--budget)"
        raise CapaxError("too-many-steps", what, hint=hint)
    try:
        return program_from_text(text, limits=Limits(CALL_DEPTH, steps))
    except CapaxError as error:
        if error.code != "too-many-steps":
            raise
        what = f"the program in the model's file takes more than {steps:,} steps to build, with a budget of {units:,}"
        hint = f"{ABOUT}; if you trust it, raise the budget (--budget)"
        raise CapaxError("too-many-steps", what, hint=hint) from None
