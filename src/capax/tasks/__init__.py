"""Tasks, one in each file of this folder: what is to be computed, with a reference function and a sampler.

A file `match_two.py` defines `TASK`, whose name is `match-two`. Nothing else registers it. A task with a `training`
can also be learned by networks.
"""

import sys
from typing import TYPE_CHECKING

from capax.errors import CapaxError, nearest
from capax.tasks.base.listing import listed, member

if TYPE_CHECKING:
    from capax.tasks.base.task import Task
    from capax.tasks.base.training import Training


def names() -> tuple[str, ...]:
    """The names of all tasks, in order; none of them is imported."""
    return listed(sys.modules[__name__])


def task(name: str) -> "Task":
    """The task of a name."""
    entry: Task = member(name, "TASK", sys.modules[__name__])
    return entry


def trainable() -> tuple[str, ...]:
    """The names of the tasks that networks can be trained on, in order."""
    return tuple(name for name in names() if task(name).training is not None)


def training(name: str) -> "Training":
    """The training of the task of a name; a task without one is an error."""
    of_task = task(name).training if name in names() else None
    if of_task is None:
        near = nearest(str(name), list(trainable()))
        hint = f"did you mean {near}?" if near else f"known are {', '.join(trainable())}"
        what = "training for the task" if name in names() else "task called"
        raise CapaxError("unknown-task", f"there is no {what} {name!r:.60}", hint=hint, name=name)
    return of_task
