"""A model as a folder for another tool: written, loaded back and checked, and only then put in its place."""

import json
import os
import runpy
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from capax.certify.exported_models.exported import proof_json
from capax.compiler.node_meanings.recorded_meanings import recorded_meanings
from capax.compiler.target.fit_to_target import fit
from capax.errors import CapaxError
from capax.model.export.export_check import check
from capax.model.export.target import Files, Target, need, refuse, target
from capax.model.io.atomic import folder_beside, unwritable
from capax.model.loop import HAS_LOOP, unrolled_model
from capax.model.model import Model
from capax.notation.rounds import rounds_at, same_rounds
from capax.rasp.text.interpreter import limits_of
from capax.report import Report

RECORD: Final = "export.json"
"""Every export has this file: which model it is and how it was checked. Only what has it is ever replaced."""
REFUSING: Final = ("torch", "onnx", "transformer-lens")
"""The targets with a loader of ours, which refuses words of a wrong length."""
WORDS: Final = 300
"""How many words of each kind an export is tried on by default."""


@dataclass(frozen=True, slots=True)
class Export:
    """An export that was written: the report of its check, the names of its files, and what the target needed added.

    `limits` says which words it reads, where words may be too short for it.
    """

    report: Report
    files: tuple[str, ...]
    added: tuple[str, ...]
    limits: tuple[str, ...] = ()


def export_model(
    model: Model, directory: str | os.PathLike[str], to: str, *, force: bool = False, length: int | None = None
) -> Report:
    """The report of a check, after the model was written to a directory for another tool, such as "torch".

    With a `length`, the loop of a model is written out for words of that length.
    """
    return export(model, os.fspath(directory), target(to), force=force, length=length).report


def lens_of(model: Model) -> Any:
    """The model in TransformerLens, loaded from an export that is written and checked beside."""
    tool = target("transformer-lens")
    with TemporaryDirectory() as folder:
        path = Path(folder) / "lens"
        export(model, str(path), tool)
        return runpy.run_path(str(path / "load.py"))["load"](path).model


def export(
    model: Model,
    directory: str,
    tool: Target,
    *,
    force: bool = False,
    words: int = WORDS,
    seed: int = 0,
    budget: int | None = None,
    length: int | None = None,
) -> Export:
    """What was written to a directory for another tool.

    With a `length`, the loop of a model is written out for words of that length, and of those with as many rounds.

    The files are written beside the directory, loaded from there by the target's own loader and checked; only then are
    they moved into place. A directory that is not empty is refused; one that is an export itself is replaced with
    `force`. `budget` is for building the program in the model's file, if need be.
    """
    if words < 1:
        raise CapaxError("bad-option", f"--words is a positive number, not {words}")
    if budget is not None:
        limits_of(budget)  # refuses a bad budget, also where no program is built
    need(tool.extra, tool.packages)
    if length is not None and model.loop is None:
        raise CapaxError("bad-option", "--length is for models with a loop, and this one has none")
    written_out = [] if length is None else [_written_out(model, length, tool)]
    first = model if length is None else unrolled_model(model, length)
    model, added = fitted(first, tool, budget=budget)
    added = [*written_out, *added]
    with _beside(directory, force) as folder:
        _write(folder, tool.write(model, folder, *_asked(model, tool, budget)))
        report = check(model, tool.load(folder), words=words, seed=seed, first=first)
        record = {"target": tool.name, "model": first.key(), "added": added, "check": report.to_json()}
        _write(folder, {RECORD: (json.dumps(record, indent=2) + "\n").encode()})
        files = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    return Export(report, tuple(files), tuple(added), tuple(_limits(model, tool)))


def _asked(model: Model, tool: Target, budget: int | None) -> list[Any]:
    """What rooms above the targets know, for a target that asks for it."""
    if tool.proves:
        return [partial(proof_json, budget=budget)]
    return [recorded_meanings(model, budget=budget)] if tool.meant else []


def fitted(model: Model, tool: Target, *, budget: int | None = None) -> tuple[Model, list[str]]:
    """The model as the target can represent it, and what was added for that; an error if it cannot."""
    reason = tool.refuse(model)
    if reason is None:
        return tool.prepare(model), []
    if not tool.needs_plain or (model.loop is not None and not isinstance(model.loop.rounds, int)):
        raise refuse(model, tool, reason if model.loop is None else tool.refuse_any_form(model) or HAS_LOOP)
    plain = fit(model, tool.name, budget=budget)
    reason = tool.refuse(plain.model)
    if reason is not None:
        raise refuse(model, tool, reason)
    return tool.prepare(plain.model), list(plain.added)


_WITHOUT_LENGTH: Final = (
    "nothing says what the heads of these blocks compute, so that the answers are not proved: without --length "
    "the program is compiled again without its loop, and they may be"
)


def _written_out(model: Model, length: int, tool: Target) -> str:
    """What was made of a loop, in words."""
    assert model.loop is not None
    rounds = rounds_at(model.loop.rounds, length)
    low, high = same_rounds(model.loop.rounds, length)
    lengths = "all lengths" if high is None else f"length {low}" if low == high else f"lengths {low} to {high}"
    note = f"the loop written out: {rounds} times the same {model.loop.end - model.loop.first} block(s), for {lengths}"
    again = isinstance(model.loop.rounds, int) and model.provenance.program is not None
    return f"{note}; {_WITHOUT_LENGTH}" if tool.proves and again else note


def _limits(model: Model, tool: Target) -> list[str]:
    """Which words an export reads, and what it does with others, if it has a least length."""
    if model.min_length <= 1:
        return []
    longest = model.max_length
    upper = "" if longest == model.min_length else " or more" if longest is None else f" to {longest}"
    others = "words of other lengths are refused"
    if tool.name not in REFUSING:
        others = "the stock class does not refuse shorter words: its answers on them are wrong, without a warning"
    return [f"words of {model.min_length}{upper} tokens only; {others}"]


def _write(folder: Path, files: Files) -> None:
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


@contextmanager
def _beside(directory: str, force: bool) -> Iterator[Path]:
    """An empty folder that replaces a directory when all went well, and is removed when not."""
    try:
        path = Path(directory).resolve()
        _refuse_taken(path, directory, force)
        path.parent.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError, RuntimeError) as error:
        raise unwritable(directory, error) from None
    try:
        with folder_beside(path) as folder:
            yield folder
    except OSError as error:
        raise unwritable(directory, error) from None


def _refuse_taken(path: Path, directory: str, force: bool) -> None:
    if path == Path.cwd() or path in Path.cwd().parents:  # it would be replaced under the feet of the shell
        what = f"{directory} is the folder you are in" if directory else "the folder has no name"
        raise CapaxError("bad-option", what, hint="an export is a folder of its own: name a new one")
    if not path.exists():
        return
    if not path.is_dir():
        raise CapaxError("bad-option", f"{directory} is a file", hint="an export is a folder: name one with -o")
    if any(path.iterdir()) and not (force and (path / RECORD).is_file()):
        ours = (path / RECORD).is_file()
        hint = "name another folder" + (", or replace this export with --force" if ours else "")
        raise CapaxError("bad-option", f"the folder {directory} is not empty", hint=hint)
