"""`capax task NAME`: random inputs of a task with their answers."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from capax.app.commands._result import finish
from capax.app.options import PARAMETERS, Json, parameters_of
from capax.errors import CapaxError

if TYPE_CHECKING:
    from capax.tasks.base.task import Task

GROUP: Final = ("What they learn", 2)
SETTINGS: Final = PARAMETERS
MOST_SIZE: Final = 500
MOST_WORDS: Final = 10_000
MOST_TEXT: Final = 100_000


def command(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="A task; `capax tasks` lists them.")],
    size: Annotated[int, typer.Option("-n", "--n", metavar="N", help="The size of the inputs.")] = 4,
    number: Annotated[int, typer.Option("--count", metavar="N", help="How many inputs.")] = 1,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="The seed of the inputs.")] = 0,
    text: Annotated[
        str | None, typer.Option("--text", metavar="TEXT", help="The answer to this question, for tasks of questions.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Print random inputs of a task with the right answers, for instance to test a language model.

    Its parameters are options of their own: `--name value`.

    Example: capax task spatial-directions -n 4 --seed 1
    """
    given = parameters_of(context.args, "task")
    samples = sample_task(name, size, number, seed, given) if text is None else answer_text(name, text, given)
    finish(samples, as_json=as_json)


@dataclass(frozen=True, slots=True)
class TaskSamples:
    """Random inputs of a task with their answers, the same for the same seed."""

    task: "Task"
    parameters: Mapping[str, Any]
    size: int
    seed: int
    samples: tuple[tuple[Any, Any], ...]

    def to_json(self) -> dict[str, Any]:
        """The task, the parameters and the samples."""
        samples = [{"word": word, "answer": answer} for word, answer in self.samples]
        return self.task.to_json() | {"at": self.parameters, "n": self.size, "seed": self.seed, "samples": samples}

    def render(self) -> str:
        """Each input with its answer."""
        return "\n".join(
            f"{word}\n-> {answer}" if isinstance(word, str) else f"{_listed(word)} -> {_listed(answer)}"
            for word, answer in self.samples
        )


def sample_task(name: str, size: int, number: int, seed: int, given: Mapping[str, Any]) -> TaskSamples:
    """Random inputs of a task with their answers, the same for the same seed."""
    for value, least, most, option in ((size, 1, MOST_SIZE, "-n"), (number, 1, MOST_WORDS, "--count")):
        if not least <= value <= most:
            hint = f"a whole number from {least} to {most:,}"
            raise CapaxError("bad-option", f"{option} cannot be {value}", hint=hint)
    if seed < 0:
        raise CapaxError("bad-option", f"the seed cannot be {seed}", hint="a whole number from 0")
    import numpy as np

    from capax import tasks

    task = tasks.task(name)
    at = task.settle(given)
    random = np.random.default_rng(seed)
    words = [task.sample(random, size, **at) for _ in range(number)]
    samples = tuple((_plain(word), _plain(task.reference(word, **at))) for word in words)
    return TaskSamples(task, at, size, seed, samples)


def answer_text(name: str, text: str, given: Mapping[str, Any]) -> TaskSamples:
    """The right answer to a question, for tasks whose inputs are questions in words."""
    import numpy as np

    from capax import tasks

    task = tasks.task(name)
    at = task.settle(given)
    if len(text) > MOST_TEXT:
        raise CapaxError("bad-option", f"the text has more than {MOST_TEXT:,} characters", hint="give a shorter one")
    if not isinstance(task.sample(np.random.default_rng(0), 1, **at), str):
        hint = "`capax task spatial-directions` has questions in words"
        raise CapaxError("bad-option", f"the inputs of {name} are lists, not texts", hint=hint)
    return TaskSamples(task, at, 1, 0, ((text, _plain(task.reference(text, **at))),))


def _plain(value: Any) -> Any:
    """A value of lists, numbers and texts alone."""
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    return value if isinstance(value, (str, int, float, bool)) or value is None else str(value)


def _listed(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_listed, value))}]"
    return str(value)
