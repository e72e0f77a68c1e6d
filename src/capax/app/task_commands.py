"""`capax tasks` and `capax task NAME`: what is to be computed, with random inputs and their answers."""

from typing import Annotated, Any

import typer

from capax import tasks as shelf
from capax.app.process.output import print_json, print_text
from capax.app.theorem_commands import parameters_of
from capax.errors import CapaxError

MOST_SIZE, MOST_WORDS = 500, 10_000
Json = Annotated[bool, typer.Option("--json", help="Print the result alone, as JSON.")]


def list_tasks() -> list[dict[str, Any]]:
    """Every task: its name, what is computed, its domain, parameters and source."""
    return [_facts(name) for name in shelf.names()]


def sample_task(name: str, size: int, count: int, seed: int, given: dict[str, Any]) -> dict[str, Any]:
    """Random words of a task with their answers, the same for the same seed."""
    for value, least, most, option in ((size, 1, MOST_SIZE, "-n"), (count, 1, MOST_WORDS, "--count")):
        if not least <= value <= most:
            hint = f"a whole number from {least} to {most:,}"
            raise CapaxError("bad-option", f"{option} cannot be {value}", hint=hint)
    if seed < 0:
        raise CapaxError("bad-option", f"the seed cannot be {seed}", hint="a whole number from 0")
    import numpy as np  # listing the tasks needs none

    task = shelf.task(name)
    at = task.settle(given)
    random = np.random.default_rng(seed)
    words = [task.sample(random, size, **at) for _ in range(count)]
    found = [{"word": _plain(word), "answer": _plain(task.reference(word, **at))} for word in words]
    return _facts(name) | {"at": at, "n": size, "seed": seed, "samples": found}


def _facts(name: str) -> dict[str, Any]:
    task = shelf.task(name)
    parameters = {p.name: {"default": p.default, "what": p.what, "range": p.range} for p in task.parameters}
    facts = {"name": name, "what": task.what, "domain": task.domain, "citation": task.citation}
    return facts | {"parameters": parameters}


def _plain(value: Any) -> Any:
    """A value of lists, numbers and texts alone."""
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    return value if isinstance(value, (str, int, float, bool)) or value is None else str(value)


def register(app: typer.Typer) -> None:
    """Adds the two commands to the command line."""
    app.command(name="tasks")(_tasks)
    settings = {"allow_extra_args": True, "ignore_unknown_options": True}
    app.command(name="task", context_settings=settings)(_task)


def _tasks(as_json: Json = False) -> None:
    """List the tasks: what theorems and limits are about.

    Example: capax tasks
    """
    found = list_tasks()
    if as_json:
        print_json(found)
        return
    wide = max(len(item["name"]) for item in found)
    print_text("\n".join(f"{item['name'].ljust(wide)}  {item['what']}" for item in found))


def _task(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="A task; `capax tasks` lists them.")],
    size: Annotated[int, typer.Option("-n", "--n", metavar="N", help="The size of the inputs.")] = 4,
    count: Annotated[int, typer.Option("--count", metavar="N", help="How many inputs.")] = 1,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="The same seed gives the same inputs.")] = 0,
    as_json: Json = False,
) -> None:
    """Print random inputs of a task with the right answers, for instance to test a language model with.

    Its parameters are options of their own: `--name value`.

    Example: capax task spatial-directions -n 4 --seed 1
    """
    result = sample_task(name, size, count, seed, parameters_of(context.args, "task"))
    print_json(result) if as_json else print_text("\n".join(_shown(item) for item in result["samples"]))


def _shown(item: dict[str, Any]) -> str:
    word = item["word"]
    if isinstance(word, str):
        return f"{word}\n-> {item['answer']}"
    return f"{_listed(word)} -> {_listed(item['answer'])}"


def _listed(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_listed, value))}]"
    return str(value)
