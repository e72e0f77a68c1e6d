"""Directions: what `A is to the west of B` says of the positions of A and B."""

from typing import Final

from capax.errors import CapaxError

STEPS: Final = {"west": (-1, 0), "east": (1, 0), "south": (0, -1), "north": (0, 1)}
"""A direction as signs: further east, further north."""
CORNERS: Final = {
    f"{vertical}{horizontal}": (STEPS[horizontal][0], STEPS[vertical][1])
    for vertical in ("north", "south")
    for horizontal in ("west", "east")
}
SIGNS: Final = {**STEPS, **CORNERS}
NAMED: Final = {signs: name for name, signs in SIGNS.items()}


def opposite(direction: str) -> str:
    """The direction the other way round."""
    east, north = SIGNS[direction]
    return NAMED[-east, -north]


def unread(what: str) -> CapaxError:
    """The error for a text that is not a question of the task."""
    return CapaxError("bad-input", what, hint="`capax task NAME` prints questions of the right form")
