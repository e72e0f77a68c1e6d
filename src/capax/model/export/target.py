"""What a target of an export is: how a model becomes files, and how the target's own loader runs them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from capax.model.model import Model
from capax.model.parts import Array
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
class Target:
    """A tool that models are exported to.

    `extra` is the extra of capax that brings the `packages` which the target imports; none of them is imported before
    `write` or `load` is called. `refuse` says why the target cannot hold a model, or gives None. `write` gives the
    files; a library that can only save by itself saves in the directory, which exists and is empty. `load` runs what
    stands in a directory, and nothing else: no object of `write` is kept for it.

    `needs_plain` says that the target lacks masks per head, sinks, an input MLP or deep MLPs: a model that it refuses
    is made plain or compiled again from its program, for this target. `proves` says that `write` takes a prover, too.
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
