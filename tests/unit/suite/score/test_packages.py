"""Methods of other packages: their names of edges, and what is said where they are not installed."""

from importlib.util import find_spec
from pathlib import Path

import pytest

from capax import CapaxError, suite
from capax.model.interpretability.graph import GraphShape
from capax.suite.score.packages import own_names


def test_edges_have_one_name_each() -> None:
    """As auto-circuit names them; every edge of the graph has one."""
    shape = GraphShape(2, 2)
    names = own_names(shape)
    assert names["Resid Start->A0.1.V"] == "input->a0.h1<v>"
    assert names["A0.1->MLP 1"] == "a0.h1->m1"
    assert names["MLP 1->Resid End"] == "m1->logits"
    assert sorted(names.values()) == sorted(edge.name for edge in shape.edges(positions=False))


def test_a_package_is_run_or_named(tmp_path: Path) -> None:
    """auto-circuit finds all edges of a soft model; where it cannot run, an error says why."""
    suite.make(tmp_path / "suite", programs=["first-equals-here"], levels=["soft"])
    if find_spec("auto_circuit") is None:
        with pytest.raises(CapaxError, match="auto-circuit cannot be used here"):
            suite.score(tmp_path / "suite", ["auto-circuit-eap"], pairs=4)
    else:
        scores = suite.score(tmp_path / "suite", ["auto-circuit-eap"], pairs=4)
        assert scores.edges[0].ranking.auroc == 1.0
        assert scores.edges[0].made_with.startswith("auto-circuit ")
