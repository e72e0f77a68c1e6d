"""The files of a case: those that all its levels share, and those of each level."""

from dataclasses import replace
from functools import lru_cache
from typing import Any, Final

from capax.errors import CapaxError
from capax.model.interpretability.interchange import all_words
from capax.model.interpretability.lens_model import LensModel
from capax.suite.files import LICENCE, json_bytes, model_files, settings_of, words_files
from capax.suite.levels.build import LevelInput, build_level, level_input
from capax.suite.levels.imitated import imitated, imitated_programs
from capax.suite.levels.level_model import LevelModel, Soundness, UnfitLevelError
from capax.suite.levels.superposed import superposed
from capax.suite.programs.suite_program import LENGTH, CompiledCase, compiled_case, written_programs
from capax.suite.truth.edge_files import edge_lists_json, graph_json, pickles
from capax.suite.truth.features import SHOWN, activations, dictionary, identity_error, without_atoms
from capax.suite.truth.level_truth import annotations_json, level_truth
from capax.suite.truth.pairs import METRIC, pairs_csv, word_pair_rows
from capax.suite.truth.realism import realism

DECOYS: Final = ("first-occurrence", "histogram", "how-often-before", "repeated", "shift-right")
"""The programs that stand beside others."""


def has_level(case: CompiledCase, level: str) -> bool:
    """Whether a level is meant for a program at all."""
    if level == "superposed":
        return case.program.wide
    return level != "imitated" or case.program.id in imitated_programs()


def case_json(case: CompiledCase) -> dict[str, Any]:
    """What a case is, as plain data, with the metric that its pairs of words are for."""
    metric = {**METRIC, "tokens_before_a_word": case.lens.start}
    return {**case.program.to_json(), "licence": LICENCE, "label": case.compiled.label, "metric": metric}


def program_text(case: CompiledCase) -> str:
    """The program as a file."""
    return f"# {case.program.what}\n{case.program.text}\n"


def case_files(case: CompiledCase, seed: int) -> dict[str, bytes]:
    """The files of a case that all its levels share."""
    return {
        "case.json": json_bytes(case_json(case), indent=1),
        "program.rasp": program_text(case).encode(),
        "variables.json": json_bytes([variable.to_json() for variable in case.variables], indent=1),
        "pairs.csv": pairs_csv(word_pair_rows(case.lens, seed, case.edges)).encode(),
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
        raise UnfitLevelError(f"no decoy reads words as {program.id} does")

    return level_input(case, all_words(case.lens, LENGTH), decoy, seed)


def level_files(given: LevelInput, level: str) -> dict[str, bytes]:
    """The files of a level."""
    if level == "superposed":
        wide = superposed(given.case.program, given.seed)
        pairs = pairs_csv(word_pair_rows(wide.case.lens, given.seed, wide.case.edges)).encode()
        files = files_of(wide.case, wide.level, wide.sound, given.seed, exhausted=False)
        return {**files, **words_files(wide.level.lens), "pairs.csv": pairs}
    model, sound = imitated(given.case, given) if level == "imitated" else build_level(level, given)
    return files_of(given.case, model, sound, given.seed, exhausted=True)


def files_of(
    case: CompiledCase, model: LevelModel, sound: Soundness, seed: int, *, exhausted: bool
) -> dict[str, bytes]:
    """The model, its truth in all forms, its features, and how it was checked."""
    truth, lens = level_truth(model, seed), model.lens
    if model.level == "imitated":
        features = without_atoms(dictionary(_plain_level(case), case.variables, case.model.names, seed), lens.width)
    else:
        labels = [*case.model.names, *(f"beside {n}" for n in range(model.plain.width - len(case.model.names)))]
        features = dictionary(model, case.variables, labels, seed)
    error = identity_error(features, lens)
    edges = [edge.edge for edge in truth.edges]
    check = checked_json(case, model, sound) | {
        "exhausted": exhausted,
        "features_per_direction": None if error is None else features.ratio,
        "identity_error": error,
    }
    return {
        **model_files(lens),
        "truth.json": json_bytes(truth.to_json()),
        "edges.json": json_bytes(graph_json(lens.shape, lens.width, truth.names(positions=False))),
        "edges_same_length.json": json_bytes(graph_json(lens.shape, lens.width, truth.names(same_length=True))),
        "edge_lists.json": json_bytes(edge_lists_json(edges, lens.shape.layers)),
        **pickles(edges, settings_of(lens)),
        "annotations.json": json_bytes(annotations_json(case, model), indent=1),
        "features.npz": features.to_bytes(activations(lens, features.tokens[-SHOWN:])),
        "check.json": json_bytes(check, indent=1),
    }


def _plain_level(case: CompiledCase) -> LevelModel:
    model, _ = build_level("plain", inputs_for(case, 0))
    return model


def checked_json(case: CompiledCase, model: LevelModel, sound: Soundness) -> dict[str, Any]:
    """How a model was made and checked: what was turned, words, margin, difference to float64, measures of realism.

    `certified` says whether this very model has a certificate, `plain_certified` whether the one behind it has.
    """
    certified = case.compiled.certified_length == LENGTH
    return {
        "turned": model.turned,
        "scores_times": float(model.scores),
        "words": sound.words,
        "wrong": sound.wrong,
        "margin": float(sound.margin),
        "float64_difference": sound.rounding,
        "certified": certified and model.level == "plain",
        "plain_certified": certified and model.level != "imitated",
        "realism": realism(model.lens).to_json(),
    }


def level_outcome(given: LevelInput, level: str) -> dict[str, bytes] | CapaxError:
    """The files of a level, or why there is none."""
    try:
        return level_files(given, level)
    except CapaxError as error:
        if error.code != "bad-suite":
            raise
        return error
