"""`capax export` as a function: a model becomes a folder for another tool, checked before it stands in its place."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from capax.app.files.models import given_model
from capax.certify.exports.exported import proof
from capax.compiler.target.fit import fit
from capax.errors import CapaxError
from capax.model.claim import claim
from capax.model.export.check import check
from capax.model.export.registry import need, refuse, target
from capax.model.export.target import Files, Target
from capax.model.io.atomic import folder_beside, unwritable
from capax.model.model import Model
from capax.rasp.text.interpreter import limits_of
from capax.report import Report

RECORD = "export.json"
"""Every export has this file: which model it is and how it was checked. Only what has it is ever replaced."""
WORDS = 300
"""How many words of each kind an export is tried on, unless something else is asked for."""


def export_file(path: str, to: str, directory: str, *, unchecked: bool = False, **settings: Any) -> dict[str, Any]:
    """What exporting the model in a file gave: the files, the check and what was added to the model."""
    wanted = target(to)
    model = given_model(path, unchecked=unchecked)
    report, files, notes = export(model, directory, wanted, **settings)
    return {
        "model": path,
        "target": wanted.name,
        "directory": directory,
        "files": files,
        "added": notes,
        "difference": report.figures["difference"],
        "claim": claim(model.provenance),
        **_certified(Path(directory)),
        "check": report.to_json(),
    }


def _certified(folder: Path) -> dict[str, Any]:
    """What the certificate of an export says is proved and not, where it has one."""
    if not (folder / "certificate.json").is_file():
        return {}
    known = json.loads((folder / "certificate.json").read_text(encoding="utf-8"))
    return {"proved": known["proved"], "not_proved": known.get("not_proved", [])}


def export_model(model: Model, directory: str | os.PathLike[str], to: str, *, force: bool = False) -> Report:
    """The report of a check, after the model was written to a directory for another tool, such as "torch".

    The export is loaded back by that tool and compared on words before it stands in its place; `force` replaces an
    export that is there already.
    """
    return export(model, os.fspath(directory), target(to), force=force)[0]


def export(
    model: Model,
    directory: str,
    wanted: Target,
    *,
    force: bool = False,
    words: int = WORDS,
    seed: int = 0,
    budget: int | None = None,
) -> tuple[Report, list[str], list[str]]:
    """The report of the check, the names of the files, and what was added to the model for the target.

    The files are written beside the directory, loaded from there by the target's own loader and checked; only then do
    they come into place. A directory that is not empty is refused; one that is an
    export itself is replaced with `force`. `budget` is for building the program in the model's file, if need be.
    """
    if words < 1:
        raise CapaxError("bad-option", f"--words is a positive number, not {words}")
    if budget is not None:
        limits_of(budget)  # refuses what is no budget, also where no program is built
    need(wanted.extra, wanted.packages)
    first = model
    model, notes = fitted(first, wanted, budget=budget)
    with _beside(directory, force) as folder:
        _write(
            folder,
            wanted.write(model, folder, partial(proof, budget=budget))
            if wanted.proves
            else wanted.write(model, folder),
        )
        report = check(model, wanted.load(folder), words=words, seed=seed, first=first)
        record = {"target": wanted.name, "model": first.key(), "added": notes, "check": report.to_json()}
        _write(folder, {RECORD: (json.dumps(record, indent=2) + "\n").encode()})
        files = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    return report, files, notes


def fitted(model: Model, wanted: Target, *, budget: int | None = None) -> tuple[Model, list[str]]:
    """The model as the target can hold it, and what was added for that; a model that it cannot hold is an error."""
    reason = wanted.refuse(model)
    if reason is None:
        return model, []
    if not wanted.plain:
        raise refuse(model, wanted, reason)
    found = fit(model, wanted.name, budget=budget)
    reason = wanted.refuse(found.model)
    if reason is not None:
        raise refuse(model, wanted, reason)
    return found.model, list(found.added)


def _write(folder: Path, files: Files) -> None:
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


@contextmanager
def _beside(directory: str, force: bool) -> Iterator[Path]:
    """An empty folder that takes the place of a directory when all went well, and is gone when not."""
    try:
        place = Path(directory).resolve()
        _refuse_taken(place, directory, force)
        place.parent.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError, RuntimeError) as error:
        raise unwritable(directory, error) from None
    try:
        with folder_beside(place) as folder:
            yield folder
    except OSError as error:
        raise unwritable(directory, error) from None


def _refuse_taken(place: Path, directory: str, force: bool) -> None:
    if place == Path.cwd() or place in Path.cwd().parents:  # it would be replaced under the feet of the shell
        what = f"{directory} is the folder you are in" if directory else "the folder has no name"
        raise CapaxError("bad-option", what, hint="an export is a folder of its own: name a new one")
    if not place.exists():
        return
    if not place.is_dir():
        raise CapaxError("bad-option", f"{directory} is a file", hint="an export is a folder: name one with -o")
    if any(place.iterdir()) and not (force and (place / RECORD).is_file()):
        ours = (place / RECORD).is_file()
        hint = "name another folder" + (", or replace this export with --force" if ours else "")
        raise CapaxError("bad-option", f"the folder {directory} is not empty", hint=hint)


def show_export(result: dict[str, Any]) -> str:
    """The printed form of `capax export`."""
    lines = [f"{result['directory']}: {', '.join(result['files'])}"]
    lines += [f"added: {note}" for note in result["added"]]
    for part in result["check"]["parts"]:
        count = f"{part['count']:,} word{'' if part['count'] == 1 else 's'}"
        seed = f", seed {part['seed']}" if part["seed"] is not None else ""
        lines.append(f"yes {part['statement']} ({part['evidence']}, {count}{seed})")
    lines += [f"proved: {line}" for line in result.get("proved", [])]
    lines += [f"not proved: {line}" for line in result.get("not_proved", [])]
    lines += [f"causal: {result['claim']}"] if result["claim"] is not None else []
    lines.append(f"greatest difference of a logit: {result['difference']:.3g}")
    return "\n".join(lines)
