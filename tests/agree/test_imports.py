"""Checkpoints of other libraries, made by those libraries, give the same logits as models of capax."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest

import capax
from capax.model.run.reference import define
from capax.model.run.run import logits
from tests.support.checkpoints import HF, IDS, LENSES, NANOGPTS, make, make_run


@pytest.mark.parametrize("name", [*HF, *LENSES, *NANOGPTS])
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


@pytest.mark.parametrize("name", ["GPT-2, labels", "BERT, labels", "TransformerLens", "Llama, labels", "nanoGPT"])
def test_an_audit_of_a_folder_says_what_the_library_answers(name: str, tmp_path: Path) -> None:
    """Token ids are the letters; at each length the verdict is that of all words, by the library's own answers."""
    checkpoint = tmp_path / "checkpoint"
    run = make_run(name, checkpoint)
    model = capax.import_model(checkpoint)
    outputs = [str(value) for value in getattr(model.decoding, "values", ())][:2]
    audit = capax.audit(
        str(checkpoint), "regex:(12)*", max_length=4, answers=dict(zip((False, True), outputs, strict=True))
    )
    for verdict in audit.lengths:
        words = [list(word) for word in product((1, 2), repeat=verdict.length)]
        right = [int(word == [1, 2] * (len(word) // 2)) for word in words]
        answers = [int(run(word)[-1].argmax()) for word in words]
        assert verdict.words == len(words)
        assert (verdict.outcome == "proved") == (answers == right)
