"""Composition by layers and by steps of a chain of thought."""

from hypothesis import given
from hypothesis import strategies as st

from capax import theorems
from capax.tasks.composition import TASK as COMPOSITION


@given(st.integers(2, 6), st.integers(1, 5), st.integers(0, 10_000))
def test_layers_and_steps_agree(n: int, functions: int, seed: int) -> None:
    """K layers, and one layer with K generated tokens, find the same value."""
    word = COMPOSITION.samples(1, n, seed, functions=functions)[0]
    right = COMPOSITION.reference(word, functions=functions)
    for attention in ("softmax", "average-hard"):
        deep = theorems.theorem("composition").build(n=n, functions=functions, attention=attention)
        chain = theorems.theorem("composition-cot").build(n=n, functions=functions, attention=attention)
        assert deep(word)[-1] == chain.generate(word, functions)[-1] == right
