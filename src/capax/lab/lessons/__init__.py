"""Lessons, one in each file of this folder: a task as networks are trained on it, in batches of numbers.

A file `most_frequent.py` defines `LESSON`, whose name is `most-frequent`. Nothing else registers it.
"""

import sys
from typing import TYPE_CHECKING

from capax.tasks.base.listing import listed, member

if TYPE_CHECKING:
    from capax.lab.lessons.frame.lesson import Lesson


def names() -> tuple[str, ...]:
    """The names of all lessons, in order; none of them is imported."""
    return listed(sys.modules[__name__])


def lesson(name: str) -> "Lesson":
    """The lesson of a name."""
    found: Lesson = member(name, "LESSON", sys.modules[__name__])
    return found
