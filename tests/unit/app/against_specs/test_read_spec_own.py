"""What a model's file says that it computes, for the models of theorems."""

import pytest

import capax
from capax import theorems

UNSAID = (
    *("automaton-thoughts", "turing-chance", "turing-hash", "turing-machine"),  # chains of thought
    *("ngram-heads", "ngram-layers", "ngram-one-head"),  # distributions
    *("circuit", "threshold-circuit", "counter-machine", "composition-cot", "fixed-precision-formula"),
    *("q-sparse-honest", "q-sparse-moment", "q-sparse-random", "q-sparse-separation", "rip"),  # real numbers
)
SMALL = {"match3-local": {"length": 4}, "equality": {"n": 3}, "index-lookup": {"n": 4}, "tri-id-graph": {"n": 4}}


def test_which_theorems_say_what_they_compute() -> None:
    """All whose statement is about a language or a task that a text can name."""
    assert {name for name in theorems.names() if theorems.theorem(name).computes is None} == set(UNSAID)


@pytest.mark.parametrize("name", [name for name in theorems.names() if name not in UNSAID])
def test_a_theorem_model_is_what_it_says(name: str) -> None:
    """On all short words, without a specification from outside."""
    model = theorems.theorem(name).build(**SMALL.get(name, {}))
    audit = capax.audit(model, max_length=max(3, model.min_length))
    assert audit.proved, audit.summary()
    assert sum(verdict.words or 0 for verdict in audit.lengths) >= 14
