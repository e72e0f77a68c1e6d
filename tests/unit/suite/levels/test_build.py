"""The levels of a program: each is right on all words, and has the edges of the program."""

import numpy as np
import pytest

from capax.model.interpretability.lens_model import run, words_of_length
from capax.suite.case_files import inputs_for
from capax.suite.checks.check_level import knocked_out
from capax.suite.levels.build import BUILDERS, LevelInput, build_level
from capax.suite.levels.level_model import LevelModel, widened
from capax.suite.levels.superposed import superposed
from capax.suite.programs.suite_program import compiled_case, written_programs
from capax.suite.truth.features import dictionary, identity_error

PROGRAMS = {program.id: program for kind in ("library", "family") for program in written_programs(kind)}


@pytest.fixture(scope="module")
def given_case() -> LevelInput:
    """A small program."""
    return inputs_for(compiled_case(PROGRAMS["shift-right"]), seed=3)


def assert_copies_stand_in(model: LevelModel) -> None:
    """Each head alone can be ablated without a change of an answer; all of them together cannot."""
    (heads,) = model.joint
    words = [words_of_length(model.lens, 5, 300)]
    assert len(heads) == {"backup": 2, "voting": 3}[model.level]
    assert [knocked_out(model.lens, [head], words) for head in heads] == [0] * len(heads)
    assert knocked_out(model.lens, heads, words) > 0


@pytest.mark.parametrize("level", sorted(BUILDERS))
def test_a_level_is_right(given_case: LevelInput, level: str) -> None:
    """On all words; its edges are as many as the program's, but for those of copies, and its stream is its features."""
    model, sound = build_level(level, given_case)
    assert (sound.words, sound.wrong) == (9840, 0)
    assert all(edge.witness is not None for edge in model.edges)
    if level not in ("backup", "voting"):
        assert len(model.edges) == len(given_case.case.edges)
    else:
        assert_copies_stand_in(model)
    labels = [str(number) for number in range(model.plain.width)]
    error = identity_error(dictionary(model, given_case.case.variables, labels, 0), model.lens)
    assert error < (0.1 if level == "soft" else 1e-3)


def test_superposed_has_four_features_a_direction() -> None:
    """Over more letters, with the same edges as over few."""
    result = superposed(PROGRAMS["shift-right"], seed=1)
    assert result.ratio >= 4
    assert result.sound.sound
    assert len(result.level.edges) == 4


def test_widened_models_compute_the_same(given_case: LevelInput) -> None:
    """More directions, heads, numbers and units, all zeros, change nothing."""
    lens = given_case.case.lens
    rows = words_of_length(lens, 4, 50)
    wide = widened(lens, width=3, heads=2, size=1, units=5)
    np.testing.assert_array_equal(run(wide, rows).logits, run(lens, rows).logits)
