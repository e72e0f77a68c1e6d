"""Positive results, one in each file of this folder: statement, construction, check, sizes, and a way to break it.

A file `match_two.py` defines `THEOREM`, whose name is `match-two`. Nothing else registers it. What several theorems
share stands in folders.
"""

import sys
from typing import TYPE_CHECKING

from capax.tasks.frame.listing import listed, member

if TYPE_CHECKING:
    from capax.theorems.frame.theorem import Theorem


def names() -> tuple[str, ...]:
    """The names of all theorems, in order; none of them is imported."""
    return listed(sys.modules[__name__])


def theorem(name: str) -> "Theorem":
    """The theorem of a name."""
    found: Theorem = member(sys.modules[__name__], name, "THEOREM")
    return found
