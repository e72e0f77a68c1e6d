"""Reductions as protocols that run on a model, one in each file of this folder; every bit that is sent is counted.

A file `two_parties.py` defines `PROTOCOL`, whose name is `two-parties`. Nothing else registers it.
"""

import sys
from typing import TYPE_CHECKING

from capax.tasks.base.listing import listed, member

if TYPE_CHECKING:
    from capax.limits.protocols.play.outcome import Protocol


def names() -> tuple[str, ...]:
    """The names of all protocols, in order; none of them is imported."""
    return listed(sys.modules[__name__])


def protocol(name: str) -> "Protocol":
    """The protocol of a name."""
    named: Protocol = member(name, "PROTOCOL", sys.modules[__name__])
    return named
