"""`capax tasks`: what theorems and limits are about."""

from typing import Final

from capax.app.commands._result import Catalogue, finish
from capax.app.options import Json

GROUP: Final = ("What they learn", 1)


def command(as_json: Json = False) -> None:
    """List the tasks that theorems and limits are about.

    Example: capax tasks
    """
    from capax import tasks

    finish(Catalogue(tuple(tasks.task(name) for name in tasks.names()), "what"), as_json=as_json)
