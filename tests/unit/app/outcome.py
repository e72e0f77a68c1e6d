"""What a command leaves behind."""

import json
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True)
class Done:
    """A command that has run: its exit code, its standard output and its standard error."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The result of a command that was given --json and succeeded or said no."""
        assert self.code in (0, 1), self.err
        return json.loads(self.out)


class Capax(Protocol):
    """Runs a command line."""

    def __call__(self, *args: str, stdin: str = "") -> Done:
        """The outcome of `capax ARGS`."""
