"""A search that can be taken up again: its sample, its bank and its programs as arrays and one JSON text."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np

from capax.errors import CapaxError
from capax.synthesis.bank import Entries, ProgramBank, SearchStep
from capax.synthesis.grammar import ValueKind
from capax.synthesis.placement import StepPlacement
from capax.synthesis.sample import Word
from capax.synthesis.sketch import ProgramSketch

Array: TypeAlias = Any
VERSION: Final = 1
COLUMNS: Final = ("rows", "kinds", "steps", "parts", "sizes", "ats", "heads", "literal")


@dataclass(frozen=True, slots=True)
class SearchState:
    """What an earlier run stored, if it did, and what stores the arrays after each size."""

    stored: Mapping[str, Array] | None
    save: Callable[[dict[str, Array]], None]


@dataclass(frozen=True, slots=True)
class StoredSearch:
    """A search as it was after a size was completed."""

    words: tuple[Word, ...]
    exhausted: int
    clean: int
    goals: int
    rounds: int
    programs: tuple[ProgramSketch, ...]


def question_key(*parts: object) -> str:
    """A digest of what a search is for; a state of another search is refused by it."""
    return hashlib.sha256(json.dumps(parts, default=str, sort_keys=True).encode()).hexdigest()


def to_arrays(key: str, stored: StoredSearch, bank: ProgramBank, place: StepPlacement) -> dict[str, Array]:
    """A search as arrays that `numpy.savez` writes."""
    header = {
        "version": VERSION,
        "key": key,
        "words": [list(word) for word in stored.words],
        "exhausted": stored.exhausted,
        "clean": stored.clean,
        "goals": stored.goals,
        "rounds": stored.rounds,
        "programs": [_sketch_json(sketch) for sketch in stored.programs],
        "candidates": bank.candidates,
        "head_sets": [sorted(heads) for heads in place.sets],
    }
    arrays: dict[str, Array] = {"header": np.array(json.dumps(header))}
    for name, entries in (("sops", bank.sops), ("selectors", bank.selectors)):
        arrays |= {f"{name}_{column}": getattr(entries, column) for column in COLUMNS}
    return arrays


def header_of(arrays: Mapping[str, Array], key: str) -> StoredSearch:
    """What was stored but for the bank; the state of another search is refused."""
    try:
        header = json.loads(str(arrays["header"]))
        known = header["version"] == VERSION and all(f"sops_{column}" in arrays for column in COLUMNS)
    except (KeyError, ValueError, TypeError):
        known = False
    if not known:
        raise CapaxError("bad-state", "the file is not the state of a search", hint="name a file that is not there yet")
    if header["key"] != key:
        what = "the state is that of another search: its specification, grammar, hints, limits or seed differ"
        raise CapaxError("bad-state", what, hint="the size and the seconds may be changed, and nothing else")
    return StoredSearch(
        tuple(tuple(word) for word in header["words"]),
        header["exhausted"],
        header["clean"],
        header["goals"],
        header["rounds"],
        tuple(_sketch_of_json(data) for data in header["programs"]),
    )


def restore(arrays: Mapping[str, Array], bank: ProgramBank, place: StepPlacement) -> None:
    """Puts the entries that were stored into an empty bank."""
    header = json.loads(str(arrays["header"]))
    bank.candidates = header["candidates"]
    place.restore([frozenset(heads) for heads in header["head_sets"]])
    for name, entries in (("sops", bank.sops), ("selectors", bank.selectors)):
        _fill(entries, {column: arrays[f"{name}_{column}"] for column in COLUMNS})
    bank.remember()


def _fill(entries: Entries, columns: Mapping[str, Array]) -> None:
    for column, values in columns.items():
        setattr(entries, column, values)


def _sketch_json(sketch: ProgramSketch) -> list[Any]:
    kind = None if sketch.kind is None else int(sketch.kind)
    return [int(sketch.step), sketch.leaf, sketch.default, kind, [_sketch_json(part) for part in sketch.parts]]


def _sketch_of_json(data: Sequence[Any]) -> ProgramSketch:
    step, leaf, default, kind, parts = data
    inner = tuple(_sketch_of_json(part) for part in parts)
    return ProgramSketch(SearchStep(step), inner, leaf, default, None if kind is None else ValueKind(kind))
