"""Negative results, one in each file of this folder: a lower bound, evaluated at given sizes.

A file `match_two.py` defines `LIMIT`, whose name is `match-two`. Nothing else registers it. What several limits
share stands in folders, as do the protocols that run a reduction on a model and the foolers that search for a witness.
"""

import sys
from typing import TYPE_CHECKING

from capax.tasks.base.listing import listed, member

if TYPE_CHECKING:
    from capax.limits.base.limit import Limit


def names() -> tuple[str, ...]:
    """The names of all limits, in order; none of them is imported."""
    return listed(sys.modules[__name__])


def limit(name: str) -> "Limit":
    """The limit of a name."""
    named: Limit = member(name, "LIMIT", sys.modules[__name__])
    return named
