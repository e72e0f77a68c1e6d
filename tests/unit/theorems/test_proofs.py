"""Proofs of theorems' models: right ones are proved, broken ones are not."""

from dataclasses import replace

import numpy as np
import pytest

from capax import theorems
from capax.auditor.model_proof import ModelProof
from capax.formal.languages.counted import majority
from capax.model.model import Model
from capax.tasks.equality import TASK
from capax.theorems.proofs import proved_inputs, proved_language, proved_size

QUICK = ("composition", "equality", "majority", "match2", "ngram-heads", "q-sparse-random", "turing-hash")


def negated(model: Model) -> Model:
    """A model whose answers are all different: its readout is turned around one half."""
    head = model.readout.map
    turned = replace(head, weight=-np.asarray(head.weight), bias=1 - np.asarray(head.bias))
    return replace(model, readout=replace(model.readout, map=turned))


@pytest.mark.parametrize("name", QUICK)
def test_a_proof_at_small_size(name: str) -> None:
    """A theorem of each family, with few inputs."""
    theorem = theorems.theorem(name)
    proof = theorem.proof(theorem.build(), least=50)
    assert proof is not None
    assert proof.holds, str(proof)
    assert proof.whole or proof.count >= 50
    assert proof.label.startswith("proved on ")


@pytest.mark.parametrize("name", ["majority", "equality", "match2"])
def test_a_wrong_model_is_not_proved(name: str) -> None:
    """And the counterexample is a word that the model reads."""
    theorem = theorems.theorem(name)
    model = negated(theorem.build())
    proof = theorem.proof(model, least=50)
    assert proof is not None
    assert not proof.holds
    assert model(proof.counterexample["word"])


def test_a_wrong_language_model_is_not_proved() -> None:
    """The model of another corpus has other probabilities."""
    theorem = theorems.theorem("ngram-heads")
    proof = theorem.proof(theorem.build(seed=1), least=50, seed=0)
    assert proof is not None
    assert not proof.holds


def test_a_wrong_decoder_is_not_proved() -> None:
    """The decoder of another machine takes other steps."""
    theorem = theorems.theorem("turing-machine")
    model = theorem.build(machine="random", seed=1, states=2, symbols=2)
    proof = theorem.proof(model, machine="random", seed=4, states=2, symbols=2, steps=20)
    assert proof is None or not proof.holds


def test_a_machine_with_letters() -> None:
    """Its words are all up to a length."""
    theorem = theorems.theorem("turing-machine")
    proof = theorem.proof(theorem.build(machine="increment"), least=7, machine="increment", steps=20)
    assert proof is not None
    assert (proof.holds, proof.whole) == (True, False)
    assert proof.inputs == "words of up to 2 letters, followed for up to 20 steps and the halt"
    assert proof.count == 7


def test_a_language_word_by_word() -> None:
    """Majority is counted, and a model of another language is refuted."""
    model = theorems.theorem("first").build()
    proof = proved_language(model, majority(), 20, least=30)
    assert proof is not None
    assert not proof.holds


def test_too_many_inputs() -> None:
    """Nothing is run, and there is no proof."""
    model = theorems.theorem("equality").build(n=40)
    assert proved_size(model, TASK, 40, "words", 4**40) is None


def test_an_input_that_is_left_out() -> None:
    """The number of inputs is compared with what was run."""
    model = theorems.theorem("equality").build(n=3)
    few = [[0] * 6, [1] * 6]
    proof = proved_inputs(model, lambda: few, TASK.reference, "words of equal bits", 2)
    assert proof == ModelProof("words of equal bits", 2, "float64", whole=True)
    with pytest.raises(AssertionError, match="left out"):
        proved_inputs(model, lambda: few, TASK.reference, "words of equal bits", 3)
