"""Superposed: the same program over many letters, so that there are more features than directions, and turned."""

import string
from dataclasses import dataclass
from typing import Final

import numpy as np

from capax.model.interpretability.lens_model import mixed_words
from capax.suite.levels.build import TURNS, confirmed, unsound
from capax.suite.levels.level_model import LevelModel, Soundness, Turn, UnfitLevelError, soundness
from capax.suite.levels.rotate import rotated
from capax.suite.levels.soften import SOFTER, softened
from capax.suite.programs.suite_program import CompiledCase, SuiteProgram, compiled_case, program_answers
from capax.suite.truth.features import dictionary

LEAST: Final = 4.0
"""There are so many features for each direction, at least."""
LETTERS: Final = (16, 24, 32, 48, 62)
"""How many letters are tried."""
WORDS: Final = 1_250
"""How many words of each length are looked at; there are too many for all."""


@dataclass(frozen=True, slots=True, eq=False)
class SuperposedLevel:
    """The level, the program compiled for its letters, and how right it is on random words."""

    level: LevelModel
    case: CompiledCase
    sound: Soundness
    ratio: float


def superposed(program: SuiteProgram, seed: int) -> SuperposedLevel:
    """The level of a program: over the fewest letters that give enough features for each direction."""
    for count in LETTERS if program.wide else ():
        case = compiled_case(program, _letters(program, count))
        ratio = _ratio(case, seed)
        if ratio >= LEAST and case.confirmed:
            return _built(case, ratio, seed)
    raise UnfitLevelError(f"fewer than {LEAST:g} features for each direction, with up to {LETTERS[-1]} letters")


def _letters(program: SuiteProgram, count: int) -> str:
    """The letters of the program, and more."""
    more = [c for c in string.ascii_lowercase + string.ascii_uppercase + string.digits if c not in program.alphabet]
    return program.alphabet + "".join(more[: count - len(program.alphabet)])


def _ratio(case: CompiledCase, seed: int) -> float:
    lens = case.lens
    identity = np.eye(lens.width, dtype=np.float32)
    plain = LevelModel("superposed", lens, lens, identity, np.zeros(lens.width, np.float32), case.edges, {})
    return dictionary(plain, case.variables, case.model.names, seed).ratio


def _built(case: CompiledCase, ratio: float, seed: int) -> SuperposedLevel:
    lens = case.lens
    words = tuple(mixed_words(lens, n, WORDS, seed) for n in range(lens.min_length, lens.max_length + 1))
    answers = program_answers(case, lens, words)
    turns: tuple[Turn, ...] = (*TURNS, "none")
    for attempt, what in enumerate(turns):
        scores = SOFTER if attempt else 1.0
        turned, turn, order = rotated(softened(lens, scores), seed * 1_000 + attempt, what)
        sound = soundness(turned, words, answers)
        if not sound.sound:
            continue
        edges = tuple(type(e)(order.edge(e.edge), e.same_length, e.any) for e in case.edges)
        origins = {order.new_name(node): node for node in (*lens.shape.nodes(), "logits")}
        none = np.zeros(lens.width, np.float32)
        level = LevelModel(
            "superposed",
            turned,
            lens,
            turn.astype(np.float32),
            none,
            confirmed(turned, edges, seed),
            origins,
            order=order,
            turned=what,
            scores=scores,
        )
        return SuperposedLevel(level, case, sound, ratio)
    raise unsound("superposed", sound)
