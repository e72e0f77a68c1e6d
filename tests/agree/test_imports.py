"""Checkpoints of other libraries, made by those libraries, give the same logits as models of capax."""

from pathlib import Path

import numpy as np
import pytest

import capax
from capax.model.run.reference import define
from capax.model.run.run import logits
from tests.support.checkpoints import HF, IDS, LENSES, make


@pytest.mark.parametrize("name", [*HF, *LENSES])
def test_the_logits_are_those_of_the_library(name: str, tmp_path: Path) -> None:
    """Up to 1e-5 on words of several lengths; and a model's file keeps it."""
    expected = make(name, tmp_path / "checkpoint")
    model = capax.import_model(tmp_path / "checkpoint")
    found = logits(model, IDS)
    for one, two in zip(expected, found, strict=True):
        assert one.shape == two.shape
        assert np.abs(one).max() > 0.05
        assert np.abs(one - two).max() < 1e-5
    model.save(tmp_path / "kept.safetensors")
    assert capax.load_model(tmp_path / "kept.safetensors") == model


def test_the_definition_agrees(tmp_path: Path) -> None:
    """The slow definition of what a model computes gives the library's logits too."""
    expected = make("BERT, masked", tmp_path / "checkpoint")
    model = capax.import_model(tmp_path / "checkpoint")
    assert np.abs(np.array(define(model, IDS[0])) - expected[0]).max() < 1e-5
