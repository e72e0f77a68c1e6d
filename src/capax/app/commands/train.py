"""`capax train`: a small network trained on a task, and what it has learned."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from capax.app.commands._discrete import train_discrete
from capax.app.commands._result import finish
from capax.app.options import PARAMETERS, Json, check_output, parameters_of
from capax.display import parts
from capax.errors import CapaxError
from capax.tasks.base.parameter import parameters_json

if TYPE_CHECKING:
    from capax.lab.settings import Settings
    from capax.tasks.base.training import Training

GROUP: Final = ("What they learn", 3)
SHOWS_PROGRESS: Final = True
SETTINGS: Final = PARAMETERS
FIGURES: Final = {
    "base_rate": "commonest answer",
    "kl": "KL to the truth",
    "error": "squared error",
    "longer_token_accuracy": "on longer words",
    "longer_sequence_accuracy": "... whole words",
}
"""What a run may measure besides accuracy, in words."""


def command(
    context: typer.Context,
    task: Annotated[str, typer.Argument(metavar="TASK", help="The task to learn; `capax train list` lists them.")],
    output: Annotated[
        str | None,
        typer.Option("-o", "--output", metavar="FILE", help="The .safetensors file to write; .rasp with --discrete."),
    ] = None,
    discrete: Annotated[
        bool, typer.Option("--discrete", help="Train a network that is a RASP program; compile and certify it.")
    ] = False,
    model: Annotated[
        str | None,
        typer.Option("--compile", metavar="FILE", help="With --discrete: the .safetensors file of the compiled model."),
    ] = None,
    minutes: Annotated[
        float, typer.Option("--minutes", metavar="N", help="With --discrete: stop after N CPU minutes.")
    ] = 15.0,
    checkpoint: Annotated[
        str | None, typer.Option("--checkpoint", metavar="FILE", help="Checkpoint to save to and resume from.")
    ] = None,
    results: Annotated[
        str | None, typer.Option("--results", metavar="FILE", help="Also write the result to this file.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Train a small network on a task and measure what it has learned. Without -o it only reports.

    Settings and the task's parameters are options: `--layers 2 --heads 1 --width 64 --steps 4000 --symbols 20`.

    With --discrete the network's heads and tables are discrete choices, so that it is a RASP program, which is printed
    and written to -o: `capax train reverse --discrete -o reverse.rasp`. The exit code is 1 if a held-out word is wrong,
    or the model is not certified.

    Example: capax train histogram --layers 1 --heads 1 --width 32 --marks bos --positions none -o hist.safetensors
    """
    from capax import tasks

    if task == "list":
        finish(
            TrainableTasks(tuple((name, tasks.task(name).what, tasks.training(name)) for name in tasks.trainable())),
            as_json=as_json,
        )
        return
    if discrete:
        _refuse(checkpoint=checkpoint, results=results)
        learned = train_discrete(task, parameters_of(context.args, "train"), output, model, minutes)
        finish(learned, as_json=as_json, yes=learned.yes, written=output)
        return
    _refuse(compile=model)
    check_output(output)
    trained = train(task, parameters_of(context.args, "train"), output, checkpoint, results)
    finish(trained, as_json=as_json, written=output)


def _refuse(**options: str | None) -> None:
    """Refuses options that go with the other kind of training."""
    for name, value in options.items():
        if value is not None:
            goes = "goes with --discrete" if name == "compile" else "does not go with --discrete"
            raise CapaxError("bad-option", f"--{name} {goes}", hint="capax train --help lists the options")


@dataclass(frozen=True, slots=True)
class TrainableTasks:
    """Every task that can be learned."""

    tasks: "tuple[tuple[str, str, Training], ...]"
    """Name, what is computed, and the training of each."""

    def to_json(self) -> list[dict[str, Any]]:
        """Each with its parameters."""
        return [
            {"name": name, "what": what, "kind": training.kind, "parameters": parameters_json(training.parameters)}
            for name, what, training in self.tasks
        ]

    def render(self) -> str:
        """A line for each task, and its parameters."""
        lines = []
        for name, what, training in self.tasks:
            lines.append(f"{name}: {what}")
            lines += [f"    --{p.name} {p.default}: {p.what}" for p in training.parameters]
        shared = "A parameter hides the setting of the same name; write --setting-rate or --setting-order for that one."
        return "\n".join([*lines, shared])


@dataclass(frozen=True, slots=True)
class TrainedNetwork:
    """What training on a task gave: the settings, the measures, the time, and the model's file if it was written."""

    settings: "Settings"
    result: Mapping[str, Any]
    """The measures, as they are stored."""
    seconds: float
    cpu_seconds: float
    file: str | None

    def to_json(self) -> dict[str, Any]:
        """All of it as plain data."""
        key = {"task": self.settings.task, "key": self.settings.key()}
        return key | parts(self, "settings", "result", "seconds", "cpu_seconds", "file")

    def render(self) -> str:
        """What was learned: accuracy, heads, probes, and bits."""
        result = self.result
        lines = [
            f"{self.settings.task}: {result['steps']} steps ({result['reason']}), {self.cpu_seconds:.0f} CPU s",
            f"parameters          {result['parameters']:,}",
            f"token accuracy      {result['token_accuracy']:.4f}",
            f"sequence accuracy   {result['sequence_accuracy']:.4f}",
        ]
        lines += [f"{text:<19} {result[name]:.4f}" for name, text in FIGURES.items() if result.get(name) is not None]
        if "certified" in result:
            lines.append(
                f"certified to length {result['certified']}, every word right to length {result['right_up_to']}; the "
                f"first certificate held to step {result['certified_until']}"
            )
        for head in result["heads"]:
            layer, number = head["best"]
            lines.append(
                f"head `{head['name']}`: agreement {head['agreement']:.3f} with the program's; nearest is layer "
                f"{layer}, head {number} with {head['best_agreement']:.3f}"
            )
        for probe in result["probes"]:
            after = " ".join(f"{share:.2f}" for share in probe["layers"])
            lines.append(f"value `{probe['name']}`: a linear probe reads {after} (commonest value {probe['base']:.2f})")
        bits = result["quantised"]
        if bits["enough"] is not None:
            lines.append(
                f"with weights of {bits['enough']} bits it is as accurate, up to 0.01: {bits['bits']:,} bits in all"
            )
        return "\n".join([*lines, *_flow(result)])


def _flow(result: Mapping[str, Any]) -> list[str]:
    """The time of a step, and how far gradients reach, in words."""
    lines = []
    if result.get("step_seconds") is not None:
        clock, processor = result["step_seconds"], result["step_cpu_seconds"]
        lines.append(f"a step takes {1000 * clock:.2g} ms, {1000 * processor:.2g} ms of the processor")
    start, end = (result["gradients"][when]["ratio"] for when in ("start", "end"))
    if start is not None and end is not None:
        what = "gradient of the last answer at the first position over that at the last"
        lines.append(f"{what}: {start:.2g} before training, {end:.2g} after")
    return lines


def train(
    task: str,
    options: dict[str, str],
    output: str | None = None,
    checkpoint: str | None = None,
    results: str | None = None,
) -> TrainedNetwork:
    """What training on a task gave; the model goes to `output`, the result to the file `results`, if they are named."""
    from capax.app.files.models import save_model
    from capax.app.sweeps.pace import Pace
    from capax.app.sweeps.progress import Bar
    from capax.app.sweeps.results_store import Store
    from capax.lab.engines.job import Done
    from capax.lab.training_run import check_model, run, warm_up
    from capax.model.io.atomic import check_writable, write_bytes

    settings = _read_settings(task, options)
    if output is not None:
        check_model(settings)
    for name in (output, checkpoint):
        if name is not None:
            check_writable(Path(name))
    store = None if results is None else Store(Path(results))
    path = None if checkpoint is None else Path(checkpoint)
    warm_up()
    began, cpu, pace = time.monotonic(), time.process_time(), Pace()
    with Bar() as bar:
        bar.begin(task)
        outcome = run(
            settings,
            watch=pace.watching(bar.show),
            keep=lambda state: None if path is None else write_bytes(path, state),
            resume=path.read_bytes() if path is not None and path.is_file() else None,
            threads=1,
        )
    seconds, cpu_seconds = time.monotonic() - began, time.process_time() - cpu
    result = {**outcome.result, **pace.to_json(settings.check_every)}
    if store is not None:
        done = Done(settings.key(), result, None, seconds, cpu_seconds)
        store.add(done, settings.to_json(), "train")
    if output is not None:
        assert outcome.model is not None
        save_model(outcome.model, output)
    if path is not None:
        path.unlink(missing_ok=True)  # last: if something could not be written, a rerun resumes from here
    return TrainedNetwork(settings, result, seconds, cpu_seconds, output)


def _read_settings(task: str, options: dict[str, str]) -> "Settings":
    """The settings of a command line; an option that is not a setting is a parameter of the task.

    Where a parameter has the name of a setting, such as `rate`, the option is the parameter, and `setting_rate` the
    setting.
    """
    from capax import tasks
    from capax.lab.settings import Settings, settings_of

    own = {p.name for p in tasks.training(task).parameters}
    known = {item.name: item for item in fields(Settings) if item.name not in ("task", "parameters")}
    plain: dict[str, object] = {"task": task}
    parameters: dict[str, str] = {}
    for option, text in options.items():
        name = option.removeprefix("setting_")
        if name in known and (option != name or name not in own):
            plain[name] = _read(name, text, known[name].type)
        elif option in own:
            parameters[name] = text
        else:
            plain[option] = text  # refused with the names that there are
    return settings_of(plain | {"parameters": parameters})


def _read(name: str, text: str, kind: Any) -> Any:
    try:
        if kind is bool:
            return {"yes": True, "true": True, "no": False, "false": False}[text.lower()]
        return kind(text)
    except (ValueError, KeyError):
        what = f"--{name.replace('_', '-')} cannot be {text!r:.60}"
        hint = {bool: "yes or no", int: "a whole number", float: "a number"}.get(kind)
        raise CapaxError("bad-settings", what, hint=hint) from None
