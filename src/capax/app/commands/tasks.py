"""`capax tasks`: what theorems and limits are about."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from capax.app.commands._result import finish
from capax.app.options import Json
from capax.plain import parts
from capax.tasks.base.parameter import parameters_json

if TYPE_CHECKING:
    from capax.tasks.base.task import Task

GROUP: Final = ("What they learn", 1)


def command(as_json: Json = False) -> None:
    """List the tasks that theorems and limits are about.

    Example: capax tasks
    """
    from capax import tasks

    finish(TaskList(tuple(tasks.task(name) for name in tasks.names())), as_json=as_json)


@dataclass(frozen=True, slots=True)
class TaskList:
    """Every task."""

    tasks: "tuple[Task, ...]"

    def to_json(self) -> list[dict[str, Any]]:
        """Each with its name, what is computed, its domain, parameters and source."""
        return [task_json(task) for task in self.tasks]

    def render(self) -> str:
        """A line for each."""
        wide = max(len(task.name) for task in self.tasks)
        return "\n".join(f"{task.name.ljust(wide)}  {task.what}" for task in self.tasks)


def task_json(task: "Task") -> dict[str, Any]:
    """A task as plain data."""
    return parts(task, "name", "what", "domain", "citation") | {"parameters": parameters_json(task.parameters)}
