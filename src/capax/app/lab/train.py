"""`capax train` as a function: plain data in, plain data out."""

import time
from dataclasses import fields
from pathlib import Path
from typing import Any

from capax.app.files.models import save_model
from capax.app.lab.progress import Bar
from capax.app.lab.store import Store
from capax.errors import CapaxError
from capax.lab import lessons
from capax.lab.engines.job import Done
from capax.lab.run import check_model, run, warm_up
from capax.lab.settings import Settings, settings_of
from capax.model.io.atomic import check_writable, write_bytes


def list_lessons() -> list[dict[str, Any]]:
    """Every task that can be learned, with its parameters."""
    found = [lessons.lesson(name) for name in lessons.names()]
    return [
        {
            "name": lesson.name,
            "what": lesson.what,
            "kind": lesson.kind,
            "parameters": {p.name: {"default": p.default, "what": p.what, "range": p.range} for p in lesson.parameters},
        }
        for lesson in found
    ]


def show_lessons(found: list[dict[str, Any]]) -> str:
    """A line for each task, and its parameters."""
    lines = []
    for item in found:
        lines.append(f"{item['name']}: {item['what']}")
        lines += [f"    --{name} {p['default']}: {p['what']}" for name, p in item["parameters"].items()]
    shared = "A parameter with the name of a setting hides it: --setting-rate, --setting-order are the settings then."
    return "\n".join([*lines, shared])


def read_settings(task: str, given: dict[str, str]) -> Settings:
    """The settings of a command line; an option that is no setting is a parameter of the task.

    Where a parameter has the name of a setting, such as `rate`, the option is the parameter, and `setting_rate` the
    setting.
    """
    lesson = lessons.lesson(task)
    own = {p.name for p in lesson.parameters}
    known = {item.name: item for item in fields(Settings) if item.name not in ("task", "parameters")}
    plain: dict[str, Any] = {"task": task}
    parameters: dict[str, Any] = {}
    for option, text in given.items():
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


def train(
    task: str,
    given: dict[str, str],
    output: str | None = None,
    checkpoint: str | None = None,
    results: str | None = None,
) -> dict[str, Any]:
    """What training on a task gave; the model goes to `output`, the result to the file `results`, if they are named."""
    settings = read_settings(task, given)
    if output is not None:
        check_model(settings)
    for name in (output, checkpoint):
        if name is not None:
            check_writable(Path(name))
    store = None if results is None else Store(Path(results))
    path = None if checkpoint is None else Path(checkpoint)
    warm_up()
    began, cpu = time.monotonic(), time.process_time()
    with Bar() as bar:
        bar.begin(task)
        outcome = run(
            settings,
            watch=bar.show,
            keep=lambda state: None if path is None else write_bytes(path, state),
            resume=path.read_bytes() if path is not None and path.is_file() else None,
            threads=1,
        )
    seconds, cpu_seconds = time.monotonic() - began, time.process_time() - cpu
    if store is not None:
        done = Done(settings.key(), outcome.result, None, seconds, cpu_seconds)
        store.add(done, settings.to_json(), "train")
    if output is not None:
        assert outcome.model is not None
        save_model(outcome.model, output)
    if path is not None:
        path.unlink(missing_ok=True)  # last: what could not be written is soon there again
    return {
        "task": task,
        "key": settings.key(),
        "settings": settings.to_json(),
        "result": outcome.result,
        "seconds": seconds,
        "cpu_seconds": cpu_seconds,
        "file": output,
    }


def show_trained(found: dict[str, Any]) -> str:
    """What was learned, in lines."""
    result = found["result"]
    lines = [
        f"{found['task']}: {result['steps']} steps ({result['reason']}), {found['cpu_seconds']:.0f} CPU s",
        f"parameters          {result['parameters']:,}",
        f"token accuracy      {result['token_accuracy']:.4f}",
        f"sequence accuracy   {result['sequence_accuracy']:.4f}",
    ]
    names = {
        "base_rate": "commonest answer",
        "kl": "KL to the truth",
        "error": "squared error",
        "longer_token_accuracy": "on longer words",
        "longer_sequence_accuracy": "... whole words",
    }
    lines += [f"{text:<19} {result[name]:.4f}" for name, text in names.items() if result.get(name) is not None]
    for head in result["heads"]:
        layer, number = head["best"]
        lines.append(
            f"head `{head['name']}`: agreement {head['agreement']:.3f} with the program's; nearest is layer {layer}, "
            f"head {number} with {head['best_agreement']:.3f}"
        )
    for probe in result["probes"]:
        after = " ".join(f"{share:.2f}" for share in probe["layers"])
        lines.append(f"value `{probe['name']}`: a linear probe reads {after} (commonest value {probe['base']:.2f})")
    bits = result["quantised"]
    if bits["enough"] is not None:
        lines.append(
            f"with weights of {bits['enough']} bits it is as accurate, up to 0.01: {bits['bits']:,} bits in all"
        )
    return "\n".join(lines)
