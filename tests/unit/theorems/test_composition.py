"""Composition, hops and lookups: the models against their tasks on words that hypothesis draws, and their parts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from capax import CapaxError, theorems
from capax.model.run.reference import define
from capax.tasks.composition import TASK as COMPOSITION
from capax.tasks.equality import TASK as EQUALITY
from capax.tasks.index_lookup import TASK as LOOKUP
from capax.tasks.k_hop import TASK as K_HOP
from capax.theorems.weights.bits import digits, sign_names, signs
from capax.theorems.weights.square import square
from capax.theorems.weights.stream import Stream


@given(st.integers(1, 40), st.lists(st.integers(0, 3), min_size=1, max_size=40))
def test_hops(hops: int, word: list[int]) -> None:
    """Any number of hops, with as many layers as the theorem says."""
    model = theorems.theorem("k-hop").build(hops=hops, symbols=4, length=40)
    assert model.depth == int(np.log2(hops)) + 2
    assert {len(block.heads) for block in model.blocks} == {1}
    assert model(word) == K_HOP.reference(word, hops=hops, symbols=4)


def test_hops_in_the_definition() -> None:
    """The slow definition answers the same."""
    model = theorems.theorem("k-hop").build(hops=5, symbols=2, length=8, attention="average-hard")
    word = [0, 1, 0, 0, 1, 1, 0, 1]
    slow = model.decoding.decode(np.array(define(model, word)))
    assert slow == model(word) == K_HOP.reference(word, hops=5, symbols=2)


def test_scores_that_are_not_exact_are_refused() -> None:
    """Too many symbols for the number system."""
    with pytest.raises(CapaxError, match="not exact in float32"):
        theorems.theorem("k-hop").run(symbols=1_000, length=100, numbers="float32")


@given(st.integers(2, 6), st.integers(1, 5), st.integers(0, 10_000))
def test_layers_and_steps_agree(n: int, functions: int, seed: int) -> None:
    """K layers, and one layer with K generated tokens, find the same value."""
    word = COMPOSITION.samples(1, n, seed, functions=functions)[0]
    right = COMPOSITION.reference(word, functions=functions)
    for attention in ("softmax", "average-hard"):
        deep = theorems.theorem("composition").build(n=n, functions=functions, attention=attention)
        chain = theorems.theorem("composition-cot").build(n=n, functions=functions, attention=attention)
        assert deep(word)[-1] == chain.generate(word, functions)[-1] == right


@given(st.integers(3, 40), st.integers(0, 10_000))
def test_lookup_and_equality(n: int, seed: int) -> None:
    """Random words of any length, in dimensions that grow with the logarithm."""
    word = LOOKUP.samples(1, n, seed, symbols=5)[0]
    model = theorems.theorem("index-lookup").build(n=n, symbols=5)
    assert model.size.head_dimension == digits(n)
    assert model(word)[-1] == LOOKUP.reference(word, symbols=5)
    pair = EQUALITY.samples(1, n, seed)[0]
    assert theorems.theorem("equality").build(n=n)(pair)[-1] == EQUALITY.reference(pair)


@pytest.mark.parametrize("bits", [1, 2, 5, 12])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_squares_are_exact(bits: int, dtype: type) -> None:
    """The square of every integer of so many bits, by ReLU units, without an error in the last place."""
    stages, total = square({"x": 1.0}, bits, "square")
    mlp = Stream(("x", "y")).mlp(stages, {"y": total})
    assert mlp.depth == bits
    x = np.arange(2**bits)
    values = np.stack([x, np.zeros_like(x)], axis=1).astype(dtype)
    for stage in mlp.maps[:-1]:
        values = np.maximum(values @ stage.weight.astype(dtype) + stage.bias.astype(dtype), 0)
    last = mlp.maps[-1]
    assert ((values @ last.weight.astype(dtype) + last.bias.astype(dtype))[:, 1] == x * x).all()


@given(st.integers(2, 500), st.data())
def test_signs_tell_numbers_apart(n: int, data: st.DataObject) -> None:
    """The product is the number of digits on equal numbers and at least 2 less on others."""
    names = sign_names("b", n)
    a, b = (data.draw(st.integers(0, n - 1)) for _ in range(2))
    product = sum(signs(a, names)[name] * signs(b, names)[name] for name in names)
    assert product == digits(n) if a == b else product <= digits(n) - 2


def test_one_hop_breaks_and_a_million_hops_end() -> None:
    """A single hop fails without its second layer; hops go back or stay, so that a word of n tokens knows at most n."""
    theorem = theorems.theorem("k-hop")
    assert not theorem.broken(hops=1, length=10).holds
    word = [0, 0, 1, 0, 1, 1, 0, 2, 0]
    assert K_HOP.reference(word, hops=9, symbols=3) == K_HOP.reference(word, hops=1 << 20, symbols=3)
    assert theorem.run(hops=1 << 20, length=12).check.holds


@pytest.mark.parametrize(
    ("name", "at"),
    [
        ("composition", {"n": 10_000, "functions": 64}),
        ("composition-cot", {"n": 5_000, "functions": 64}),
        ("iterated-composition", {"steps": 16, "choices": 1_000}),
    ],
)
def test_prompts_that_nobody_waits_for_are_refused(name: str, at: dict[str, int]) -> None:
    """Before a token of them is made."""
    for run in (theorems.theorem(name).run, theorems.theorem(name).broken):
        with pytest.raises(CapaxError) as raised:
            run(**at)
        assert raised.value.code == "too-large"
