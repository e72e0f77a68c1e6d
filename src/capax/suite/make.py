"""Making a suite: programs, their models on every level, the truth of each, and the files."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from capax.errors import CapaxError
from capax.model.circuit.interchange import all_words
from capax.model.circuit.lens_model import LensModel
from capax.model.io.atomic import unwritable
from capax.suite.files import FORMAT, LICENCE, Suite, digest, json_bytes, load_suite, model_files, no_clock, words_files
from capax.suite.levels.build import LevelInput, build_level, level_input
from capax.suite.levels.imitated import imitated, imitated_programs
from capax.suite.levels.level_model import LEVELS, LevelModel, Soundness
from capax.suite.levels.superposed import superposed
from capax.suite.programs.random_programs import random_programs
from capax.suite.programs.suite_program import LENGTH, CompiledCase, SuiteProgram, compiled_case, written_programs
from capax.suite.truth.edge_files import edge_lists_json, graph_json, pickles
from capax.suite.truth.features import SHOWN, activations, dictionary, identity_error
from capax.suite.truth.level_truth import annotations_json, level_truth
from capax.suite.truth.pairs import pairs_csv, word_pair_rows
from capax.suite.truth.realism import realism

SHARES: Final = (0.2, 0.3)
"""The shares of programs of the library and of families; the others are random."""
DECOYS: Final = ("first-occurrence", "histogram", "how-often-before", "repeated", "shift-right")
"""The programs that stand beside others."""


@dataclass(slots=True)
class Made:
    """What was made: the suite, how long each level took, and which models were refused and why."""

    folder: Path
    cases: int = 0
    models: int = 0
    size: int = 0
    seconds: dict[str, float] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """The figures as plain data."""
        seconds = {name: round(value, 1) for name, value in self.seconds.items()}
        figures = {"programs": self.cases, "models": self.models, "bytes": self.size, "cpu_seconds": seconds}
        return {"folder": str(self.folder), **figures, "refused": self.refused}

    def render(self) -> str:
        """The figures as text."""
        total = sum(self.seconds.values())
        lines = [f"{self.models} models of {self.cases} programs in {self.folder}: {self.size / 1e6:.1f} MB"]
        lines.append(f"{total:.0f} CPU s: " + ", ".join(f"{n} {s:.0f}" for n, s in self.seconds.items()))
        lines += [f"refused: {reason}" for reason in self.refused]
        return "\n".join(lines)


def suite_programs(count: int, seed: int) -> Iterator[SuiteProgram]:
    """So many programs: a fifth of the library, three tenths of families, the others random."""
    library, family = (round(share * count) for share in SHARES)
    written = [*written_programs("library")[:library], *written_programs("family")[:family]]
    yield from written[:count]
    yield from random_programs(count - len(written), seed)


def make(
    folder: Path | str,
    *,
    programs: int | Sequence[str] = 120,
    levels: Iterable[str] = LEVELS,
    seed: int = 0,
    say: Callable[[str], None] | None = None,
    clock: Callable[[], float] = no_clock,
) -> Made:
    """Makes a suite in a folder that is empty or new; the same arguments give the same bytes.

    `programs` is how many, or the ids of some of the library and of families. A model that is not right on all words
    is refused, and the result says so. `clock`, such as `time.process_time`, is for the times in it.
    """
    root, made, chosen = Path(folder), Made(Path(folder)), _levels(levels)
    _start(root)
    files: dict[str, str] = {}
    entries = []
    for number, program in enumerate(_chosen(programs, seed)):
        started = clock()
        case = compiled_case(program)
        case_seed = seed * 10_000 + number
        _put(root / program.id, case_files(case, case_seed), files, made)
        made.seconds["compile"] = made.seconds.get("compile", 0.0) + clock() - started
        done = []
        for level in chosen:
            started = clock()
            done += [level] * _make_level(root, case, level, case_seed, files, made)
            made.seconds[level] = made.seconds.get(level, 0.0) + clock() - started
        entries.append({**program.to_json(), "levels": done, "edges": len(case.edges), "label": case.compiled.label})
        made.cases += 1
        made.models += len(done)
        if say is not None:
            say(f"{program.id}: {len(done)} levels, {len(case.edges)} edges")
    _finish(root, entries, files, seed)
    return made


def _levels(levels: Iterable[str]) -> tuple[str, ...]:
    chosen = tuple(levels)
    for level in chosen:
        if level not in LEVELS:
            raise CapaxError("bad-suite", f"there is no level {level!r:.40}", hint=f"levels are {', '.join(LEVELS)}")
    return tuple(level for level in LEVELS if level in chosen)


def _chosen(programs: int | Sequence[str], seed: int) -> Iterable[SuiteProgram]:
    if isinstance(programs, int):
        if programs < 1:
            raise CapaxError("bad-option", f"a suite has at least one program, not {programs}")
        return suite_programs(programs, seed)
    known = {p.id: p for kind in ("library", "family") for p in written_programs(kind)}
    for name in programs:
        if name not in known:
            raise CapaxError("bad-suite", f"there is no program {name!r:.40}", hint=f"known are {', '.join(known)}")
    return [known[name] for name in programs]


def _start(root: Path) -> None:
    """Makes the folder; one that has something in it is left alone."""
    try:
        root.mkdir(parents=True, exist_ok=True)
        if any(root.iterdir()):
            raise CapaxError("bad-option", f"the folder {root} is not empty", hint="give a new one")
    except OSError as error:
        raise unwritable(root, error) from None


def _put(folder: Path, contents: dict[str, bytes], files: dict[str, str], made: Made) -> None:
    """Writes files, and notes their digests."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in contents.items():
            (folder / name).write_bytes(data)
            files[(folder / name).relative_to(made.folder).as_posix()] = digest(data)
            made.size += len(data)
    except OSError as error:
        raise unwritable(folder, error) from None


def _finish(root: Path, entries: list[Any], files: dict[str, str], seed: int) -> None:
    """Writes the list of cases, with a digest of all files."""
    whole = digest("".join(f"{name} {files[name]}\n" for name in sorted(files)).encode())
    about = {"format": FORMAT, "version": version("capax"), "seed": seed, "licence": LICENCE, "max_length": LENGTH}
    data = {**about, "digest": whole, "cases": entries, "files": dict(sorted(files.items()))}
    try:
        (root / "suite.json").write_bytes(json_bytes(data, indent=1))
    except OSError as error:
        raise unwritable(root, error) from None


def case_files(case: CompiledCase, seed: int) -> dict[str, bytes]:
    """The files of a case that all its levels share."""
    about = {**case.program.to_json(), "licence": LICENCE, "label": case.compiled.label}
    return {
        "case.json": json_bytes(about, indent=1),
        "program.rasp": f"# {case.program.what}\n{case.program.text}\n".encode(),
        "variables.json": json_bytes([variable.to_json() for variable in case.variables], indent=1),
        "pairs.csv": pairs_csv(word_pair_rows(case.lens, seed)).encode(),
        **words_files(case.lens),
    }


@lru_cache(maxsize=64)
def decoy_case(name: str, alphabet: str, causal: bool) -> CompiledCase:
    """A decoy, compiled for the words of another program."""
    known = {p.id: p for kind in ("library", "family") for p in written_programs(kind)}
    return compiled_case(replace(known[name], alphabet=alphabet, causal=causal))


def inputs_for(case: CompiledCase, seed: int) -> LevelInput:
    """What the levels of a case are made from."""
    program = case.program
    direction = case.lens.config["attention_dir"]
    others = [name for name in DECOYS if name != program.id]

    def decoy() -> LensModel:
        for name in others[seed % len(others) :] + others:
            lens = decoy_case(name, program.alphabet, direction == "causal").lens
            if lens.config["attention_dir"] == direction:
                return lens
        raise CapaxError("bad-suite", f"no decoy reads words as {program.id} does")

    return level_input(case, all_words(case.lens, LENGTH), decoy, seed)


def _make_level(root: Path, case: CompiledCase, level: str, seed: int, files: dict[str, str], made: Made) -> bool:
    """Makes a level of a case; false if it is not for this program or was refused."""
    if level == "superposed" and not case.program.wide:
        return False
    if level == "imitated" and case.program.id not in imitated_programs():
        return False
    try:
        contents = level_files(case, level, seed)
        _put(root / case.program.id / level, contents, files, made)
        return True
    except CapaxError as error:
        if error.code != "bad-suite":
            raise
        made.refused.append(f"{case.program.id} {level}: {error.what}")
        return False


def level_files(case: CompiledCase, level: str, seed: int) -> dict[str, bytes]:
    """The files of a level."""
    if level == "superposed":
        wide = superposed(case.program, seed)
        more = {**words_files(wide.level.lens), "pairs.csv": pairs_csv(word_pair_rows(wide.case.lens, seed)).encode()}
        return {**files_of(wide.case, wide.level, wide.sound, seed, exhausted=False), **more}
    given = inputs_for(case, seed)
    model, sound = imitated(case, given) if level == "imitated" else build_level(level, given)
    return files_of(case, model, sound, seed, exhausted=True)


def files_of(
    case: CompiledCase, model: LevelModel, sound: Soundness, seed: int, *, exhausted: bool
) -> dict[str, bytes]:
    """The model, its truth in all forms, its features, and how it was checked."""
    truth, lens = level_truth(model, seed), model.lens
    labels = [*case.model.names, *(f"beside {n}" for n in range(model.plain.width - len(case.model.names)))]
    features = dictionary(model, case.variables, labels, seed)
    check = checked_json(case, model, sound) | {
        "exhausted": exhausted,
        "features_per_direction": features.ratio,
        "identity_error": identity_error(features, lens),
    }
    edges = [edge.edge for edge in truth.edges]
    return {
        **model_files(lens),
        "truth.json": json_bytes(truth.to_json()),
        "edges.json": json_bytes(graph_json(lens.shape, lens.width, truth.names(positions=False))),
        "edges_same_length.json": json_bytes(graph_json(lens.shape, lens.width, truth.names(same_length=True))),
        "edge_lists.json": json_bytes(edge_lists_json(edges, lens.shape.layers)),
        **pickles(edges, lens.config),
        "annotations.json": json_bytes(annotations_json(case, model), indent=1),
        "features.npz": features.to_bytes(activations(lens, features.tokens[-SHOWN:])),
        "check.json": json_bytes(check, indent=1),
    }


def checked_json(case: CompiledCase, model: LevelModel, sound: Soundness) -> dict[str, Any]:
    """How a model was checked: words, wrong answers, margin, the difference to float64, and measures of realism."""
    certified = model.level == "plain" and case.compiled.certified_length == LENGTH
    return {
        "words": sound.words,
        "wrong": sound.wrong,
        "margin": float(sound.margin),
        "float64_difference": sound.rounding,
        "certified": certified,
        "realism": realism(model.lens).to_json(),
    }


def made_suite(folder: Path | str, **settings: Any) -> Suite:
    """Makes a suite, and gives it back as it is read."""
    make(folder, **settings)
    return load_suite(folder)
