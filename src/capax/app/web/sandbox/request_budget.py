"""What one request to the playground may use, and the errors that say so."""

from dataclasses import dataclass
from typing import Final

from capax.errors import CapaxError

MIB: Final = 2**20
MOST_TEXT: Final = 20_000
"""Characters of a program, a machine or a pattern."""
MOST_WORD: Final = 2_000
"""Characters of an input."""
MOST_TOKENS: Final = 200
"""Tokens of an input that a page shows step by step."""
MOST_REQUEST: Final = 256 * 1024
"""Bytes of a request without a model."""
MOST_UPLOAD: Final = 27 * MIB
"""Bytes of a request with a model: files of 20 MB, written as base64."""
MOST_REPLY: Final = 48 * MIB
"""Bytes of a reply."""


@dataclass(frozen=True, slots=True)
class RequestBudget:
    """The time, memory and room on disk of one request; `slow` ones wait in a line of their own."""

    seconds: float
    memory: int
    disk: int = 0
    slow: bool = False


QUICK: Final = RequestBudget(seconds=5, memory=1024 * MIB)
"""While somebody types."""
WORK: Final = RequestBudget(seconds=25, memory=2048 * MIB, disk=64 * MIB, slow=True)
"""After somebody pressed a button."""
AUDIT: Final = RequestBudget(seconds=30, memory=2048 * MIB, disk=64 * MIB, slow=True)
"""An audit stops by itself after 20 seconds; the rest is for files and pictures."""
EXPORT: Final = RequestBudget(seconds=60, memory=12 * 1024 * MIB, disk=128 * MIB, slow=True)
"""Exports load the other tool, which takes seconds; its libraries fill the address space more than the memory."""


def out_of_time(budget: RequestBudget) -> CapaxError:
    """The error of a request that took too long."""
    what = f"this takes longer than the {budget.seconds:g} seconds that a request may take here"
    return CapaxError("stopped", what, hint="try something smaller, or the same command in a terminal, without limits")


def out_of_memory(budget: RequestBudget) -> CapaxError:
    """The error of a request that needs too much memory."""
    what = f"this needs more than the {budget.memory // MIB:,} MiB of memory that a request may use here"
    return CapaxError("stopped", what, hint="try something smaller, or the same command in a terminal, without limits")


def busy() -> CapaxError:
    """The error of a request that finds the queue full."""
    return CapaxError("stopped", "too many requests are waiting", hint="try again in a moment")


def too_large(what: str, size: int, most: int) -> CapaxError:
    """The error of a part of a request that is too long."""
    return CapaxError("too-large", f"{what} has {size:,} characters; at most {most:,} are read here")
