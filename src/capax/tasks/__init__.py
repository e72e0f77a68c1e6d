"""Tasks, one in each file of this folder: what is to be computed, with a reference function and a sampler.

A file `match_two.py` defines `TASK`, whose name is `match-two`. Nothing else registers it.
"""

import sys
from typing import TYPE_CHECKING

from capax.tasks.base.listing import listed, member

if TYPE_CHECKING:
    from capax.tasks.base.task import Task


def names() -> tuple[str, ...]:
    """The names of all tasks, in order; none of them is imported."""
    return listed(sys.modules[__name__])


def task(name: str) -> "Task":
    """The task of a name."""
    found: Task = member(name, "TASK", sys.modules[__name__])
    return found
