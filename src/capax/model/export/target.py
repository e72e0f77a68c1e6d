"""What a target of an export is: how a model becomes files, and how the target's own loader runs them.

The targets are the folders beside this file whose `target.py` defines `TARGET`, or several as `TARGETS`.
"""

import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, TypeAlias

import capax.model.export as folder
from capax.errors import CapaxError, nearest
from capax.model.model import Model
from capax.model.parts import Array
from capax.model.positions import is_predicate
from capax.model.vocabulary import Token

Word: TypeAlias = Sequence[Token]


@dataclass(frozen=True, slots=True, eq=False)
class ExportOutput:
    """What a loaded export makes of a word: a decoded answer for each token, and the logits (n, outputs) behind them.

    Both are without the prefix, and the logits are in the order of the model's own outputs.
    """

    answers: list[Token]
    logits: Array


Runner: TypeAlias = Callable[[Sequence[Word]], list[ExportOutput]]
"""Runs words, which may differ in length, in a model that the target's own loader has read from its files."""

Files: TypeAlias = Mapping[str, bytes]
"""The files of an export by name; a name may have folders in it, as in `onnx/model.onnx`."""

Prover: TypeAlias = Callable[[Files, Mapping[str, Any], Sequence[int], float], Mapping[str, Any]]
"""Tells of files whether the answers of the model in them are proved, given the provenance as JSON, the ids before
every word, and a length that no row of the stream is to pass."""


@dataclass(frozen=True, slots=True)
class Meanings:
    """What the parts of a model stand for, as the program in its file says.

    `notes` tell of heads, by their names in circuits such as `a0.h1`; `variables` are those of the stream as plain
    data, and `why_not` says why they are not known.
    """

    notes: Mapping[str, str] = field(default_factory=dict)
    variables: tuple[Mapping[str, Any], ...] = ()
    why_not: str | None = None


NOT_ASKED: Final = Meanings(why_not="the program in the model's file was not looked at")


@dataclass(frozen=True, slots=True)
class Target:
    """A tool that models are exported to.

    `extra` is the extra of capax that brings the `packages` which the target imports; none of them is imported before
    `write` or `load` is called. `refuse` says why the target cannot hold a model, or gives None. `write` gives the
    files; a library that can only save by itself saves in the directory, which exists and is empty. `load` runs what
    stands in a directory, and nothing else: no object of `write` is kept for it.

    `needs_plain` says that the target lacks masks per head, sinks, an input MLP or deep MLPs: a model that it refuses
    is made plain or compiled again from its program, for this target. `proves` says that `write` takes a prover, too,
    `meant` that it takes the meanings of the model's parts. `prepare` gives the model as `write` takes it, which is the
    one that answers are compared with. `refuse_any_form` says what no change of form helps against, such as writing a
    loop out: it is said before anything is asked for.
    """

    name: str
    what: str
    extra: str
    packages: tuple[str, ...]
    refuse: Callable[[Model], str | None]
    write: Callable[..., Files]
    load: Callable[[Path], Runner]
    needs_plain: bool = False
    proves: bool = False
    meant: bool = False
    prepare: Callable[[Model], Model] = lambda model: model
    refuse_any_form: Callable[[Model], str | None] = lambda _: None


@cache
def targets() -> dict[str, Target]:
    """The targets by name, in the order of their names."""
    packages = [f"{folder.__name__}.{info.name}" for info in pkgutil.iter_modules(folder.__path__) if info.ispkg]
    modules = [import_module(f"{name}.target") for name in packages if find_spec(f"{name}.target") is not None]
    known = [target for module in modules for target in getattr(module, "TARGETS", (module.TARGET,))]
    return {target.name: target for target in sorted(known, key=lambda target: target.name)}


def target(name: str) -> Target:
    """The target of a name; a name that names none is an error."""
    known = targets()
    if name not in known:
        near = nearest(name, list(known))
        hint = f"did you mean {near}?" if near else f"known are {', '.join(known)}"
        raise CapaxError("bad-option", f"unknown export target {name!r:.60}", hint=hint)
    return known[name]


def need(extra: str, packages: tuple[str, ...]) -> None:
    """Raises an error that names the extra when one of its packages is not installed."""
    for package in packages:
        if find_spec(package) is None:
            raise CapaxError(
                "missing-extra",
                f"this needs the package {package}, which the extra `{extra}` installs",
                hint=f"pip install 'capax[{extra}]'",
                extra=extra,
            )


def predicate_refused(model: Model) -> str | None:
    """Why an export that computes position functions anew cannot hold a model: a predicate is one that it has not."""
    name = next((name for name in model.positions.functions if is_predicate(name)), None)
    return None if name is None else f"the position function {name:.60} is a predicate, which the export does not have"


def refuse(model: object, target: Target, reason: str) -> CapaxError:
    """The error for a model that a target cannot hold."""
    return CapaxError(
        "not-exportable",
        f"the export to {target.name} cannot hold this model: {reason}",
        hint="the export to torch holds most models" if target.name != "torch" else None,
        target=target.name,
    )
