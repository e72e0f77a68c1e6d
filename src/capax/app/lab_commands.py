"""`capax train`, `sweep`, `results` and `report`: options."""

from typing import Annotated, Any

import typer

from capax.app.process.output import print_json, print_text, say
from capax.errors import CapaxError

Json = Annotated[bool, typer.Option("--json", help="Print the result alone, as JSON.")]
Results = Annotated[str, typer.Option("--results", metavar="FILE", help="The file of results.")]
ENDING = ".safetensors"


def register(app: typer.Typer) -> None:
    """Adds the commands to the command line."""
    settings = {"allow_extra_args": True, "ignore_unknown_options": True}
    app.command(name="train", context_settings=settings)(_train)
    app.command(name="sweep")(_sweep)
    app.command(name="results")(_results)
    app.command(name="report")(_report)


def _train(
    context: typer.Context,
    task: Annotated[str, typer.Argument(metavar="TASK", help="What is learned; `capax train list` lists the tasks.")],
    output: Annotated[
        str | None, typer.Option("-o", "--output", metavar="FILE", help="The .safetensors file to write.")
    ] = None,
    checkpoint: Annotated[
        str | None, typer.Option("--checkpoint", metavar="FILE", help="Kept while training, and gone on from.")
    ] = None,
    results: Annotated[
        str | None, typer.Option("--results", metavar="FILE", help="Write the result there too.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Train a small network on a task and measure what it has learned. Without -o it only reports.

    Settings and the task's parameters are options: `--layers 2 --heads 1 --width 64 --steps 4000 --symbols 20`.

    Example: capax train histogram --layers 1 --heads 1 --width 32 --marks bos --positions none -o hist.safetensors
    """
    from capax.app.lab.train import list_trainable, show_trainable, show_trained, train
    from capax.app.theorem_commands import parameters_of

    if task == "list":
        print_json(list_trainable()) if as_json else print_text(show_trainable(list_trainable()))
        return
    if output is not None and not output.endswith(ENDING):
        raise CapaxError("bad-option", f"a model is kept in a {ENDING} file, not in {output}", hint=f"-o NAME{ENDING}")
    result = train(task, parameters_of(context.args, "train"), output, checkpoint, results)
    print_json(result) if as_json else print_text(show_trained(result))
    if output is not None and not as_json:
        say(f"written to {output}")


def _sweep(
    spec: Annotated[str, typer.Argument(metavar="SPEC.toml", help="The sweep.")],
    engine: Annotated[str, typer.Option("--engine", help="serial, pool (several processes) or ray.")] = "serial",
    preset: Annotated[str, typer.Option("--preset", help="Which of the sweep's presets.")] = "quick",
    address: Annotated[
        str | None, typer.Option("--address", metavar="HOST:PORT", help="With ray: an existing cluster.")
    ] = None,
    workers: Annotated[int | None, typer.Option("--workers", metavar="N", help="With pool: processes.")] = None,
    limit: Annotated[int | None, typer.Option("--limit", metavar="N", help="Do at most so many runs now.")] = None,
    results: Results = "lab.sqlite",
    as_json: Json = False,
) -> None:
    """Do the runs of a sweep that are not finished, and say what they show. Exit code 1 if a run failed.

    Example: capax sweep experiments/reverse.toml --engine pool
    """
    from capax.app.lab.sweep import sweep
    from capax.app.show_lab import show_sweep

    found: dict[str, Any] = sweep(
        spec, preset=preset, engine=engine, results=results, workers=workers, address=address, limit=limit
    )
    print_json(found) if as_json else print_text(show_sweep(found))
    if found["failed"]:
        raise typer.Exit(1)


def _results(results: Results = "lab.sqlite", as_json: Json = False) -> None:
    """Show what is in a file of results: each sweep with its verdict, and how many of its runs are done.

    Example: capax results
    """
    from capax.app.lab.results import results_of
    from capax.app.show_lab import show_results

    found = results_of(results)
    print_json(found) if as_json else print_text(show_results(found))


def _report(
    output: Annotated[str, typer.Option("-o", "--output", metavar="FILE", help="The .html file to write.")],
    results: Results = "lab.sqlite",
    as_json: Json = False,
) -> None:
    """Write a page with every sweep of a file of results: question, prediction, plots, attention and verdict.

    Example: capax report -o report.html
    """
    from capax.app.lab.results import write_report

    found = write_report(results, output)
    count = len(found["experiments"])
    print_json(found) if as_json else print_text(f"{count} {'experiment' if count == 1 else 'experiments'} in {output}")
