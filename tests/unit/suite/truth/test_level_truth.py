"""Notes on components: of a model that was trained nothing is said that is true of the compiled one alone."""

import numpy as np

from capax.model.interpretability.circuit import CircuitEdge
from capax.model.interpretability.graph import read_edge
from capax.suite.levels.imitated import imitation
from capax.suite.levels.level_model import LevelModel, without_order
from capax.suite.programs.suite_program import compiled_case, written_programs
from capax.suite.truth.level_truth import annotations_json


def test_nobody_wrote_what_a_trained_head_computes() -> None:
    """Components with an edge are unknown, the others were not seen to matter; no note is the program's."""
    case = compiled_case(next(one for one in written_programs("library") if one.id == "shift-right"))
    lens = imitation(case)
    edges = (CircuitEdge(read_edge("a0.h1->logits"), None, None),)
    basis, constant = np.eye(lens.width, dtype=np.float32), np.zeros(lens.width, np.float32)
    level = LevelModel("imitated", lens, lens, basis, constant, edges, without_order(lens))
    notes = annotations_json(case, level)["components"]
    tags = {note["id"]: note["role"]["tag"] for note in notes}
    assert tags.pop("L0H1_ATTN") == "UNKNOWN"
    assert set(tags.values()) == {"NONE"}
    assert len(tags) == 2 * 4 + 2 - 1
    assert not any(note["labels"] or "averages" in note["role"]["note"] for note in notes)
