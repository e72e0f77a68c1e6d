"""Generation: greedy and sampled, where it ends, and which models it refuses."""

from collections import Counter
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest

from capax.errors import CapaxError
from capax.model.model import Model
from capax.model.parts import Affine, OracleMap, Readout
from capax.model.positions import Positions
from capax.model.run.cache import ArrayStore, Cache, array_store
from capax.model.run.generate import generate, stream
from capax.model.vocabulary import Classes, Numbers, Vocabulary
from tests.support.models import LETTERS, Draw, Shape, with_heads

CAUSAL = Shape(masks=("causal", "strict past"), decoding=LETTERS, table=False, prefix=False)


def _coin(share: float, **options: object) -> Model:
    """A model that says a with a probability, whatever came before."""
    bias = np.log([share, 1 - share])
    return Model(
        Vocabulary(("a", "b")),
        np.zeros((2, 1)),
        Positions((), np.zeros((0, 1))),
        (),
        Readout(Affine(np.zeros((1, 2)), bias)),
        Classes(("a", "b")),
        ("nothing",),
        **options,  # type: ignore[arg-type]
    )


def test_sampling_follows_the_distribution_and_the_seed() -> None:
    one = generate(_coin(0.25), "a", 4000, temperature=1, seed=3)
    assert one == generate(_coin(0.25), "a", 4000, temperature=1, seed=3)
    assert one != generate(_coin(0.25), "a", 4000, temperature=1, seed=4)
    assert abs(Counter(one)["a"] / 4000 - 0.25) < 0.03
    # At temperature 1/2 the odds are squared: 1 to 9.
    cold = generate(_coin(0.25), "a", 4000, temperature=0.5, seed=3)
    assert abs(Counter(cold)["a"] / 4000 - 0.1) < 0.03


def test_sparse_outputs_are_never_drawn_without_weight() -> None:
    model = _coin(0.05, output_weights="sparsemax")
    assert set(generate(model, "a", 500, temperature=1, seed=0)) == {"b"}


def test_a_tiny_temperature_is_nearly_greedy() -> None:
    for options in ({}, {"output_weights": "sparsemax"}):
        assert generate(_coin(0.25, **options), "a", 3, temperature=1e-320, seed=0) == ["b", "b", "b"]


def test_what_is_not_a_number_has_no_next_token() -> None:
    lost = replace(_coin(0.25), input_mlp=OracleMap(lambda x: np.full_like(x, np.nan), "lost"))
    for options in ({}, {"temperature": 1.0, "seed": 0}):
        with pytest.raises(CapaxError, match="the logits at position 1 are nan"):
            generate(lost, "ab", 3, **options)  # type: ignore[arg-type]


def test_greedy_takes_the_best() -> None:
    assert generate(_coin(0.25), "a", 3) == ["b", "b", "b"]
    assert generate(_coin(0.5), "b", 2) == ["a", "a"]
    assert generate(_coin(0.5), "b", 0) == []


def test_where_a_stream_ends() -> None:
    assert list(islice(stream(_coin(0.25), "a"), 50)) == ["b"] * 50
    assert list(stream(_coin(0.25), "a", stop="b")) == ["b"]
    assert list(stream(_coin(0.25, max_length=4), "aa")) == ["b"] * 3
    with pytest.raises(CapaxError, match="more than the model is made for") as caught:
        generate(_coin(0.25, max_length=4), "aa", 4)
    assert caught.value.hint == "ask for at most 3"


def test_a_store_of_another_kind_can_be_given() -> None:
    made: list[str] = []

    def make(head: object, arithmetic: object) -> object:
        made.append(head.attention)  # type: ignore[attr-defined]
        return array_store(head, arithmetic)  # type: ignore[arg-type]

    model = with_heads(replace(CAUSAL, pairs=False))
    assert generate(model, "ab", 5, make_store=make) == generate(model, "ab", 5)  # type: ignore[arg-type]
    assert len(made) == sum(len(block.heads) for block in model.blocks)


def test_an_empty_store_gives_zeros() -> None:
    from capax.model.arithmetic.select import arithmetic

    for numbers in ("float32", "fixed:16.8"):
        store = ArrayStore(arithmetic(numbers), "softmax", 2, 3)
        assert store.attend(np.zeros(2, arithmetic(numbers).dtype)).tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("model", "what"),
    [
        (with_heads(replace(CAUSAL, masks=("none",))), "later positions"),
        (with_heads(replace(CAUSAL, functions=("i/n",) * 20)), "depends on the length"),
        (replace(_coin(0.5), decoding=Classes(("a", "c"))), "may answer 'c'"),
        (
            replace(_coin(0.5), decoding=Numbers(), readout=Readout(Affine(np.zeros((1, 1)), np.zeros(1)))),
            "one number, not with a token",
        ),
    ],
)
def test_models_that_cannot_generate(model: Model, what: str) -> None:
    with pytest.raises(CapaxError, match=what) as caught:
        generate(model, "ab", 3)
    assert caught.value.code == "not-generative"


def test_functions_of_the_position_alone_are_causal() -> None:
    model = Draw(replace(CAUSAL, functions=("sin(i*0.5)", "cos(i*0.5)", "1/(i+1)")), 3).model()
    assert Cache(model).feed([0, 1]).shape == (2, 3)


@pytest.mark.parametrize("options", [{"temperature": 1.0}, {"temperature": -1.0}, {"temperature": float("nan")}])
def test_options_that_make_no_sense(options: dict[str, float]) -> None:
    with pytest.raises(CapaxError) as caught:
        generate(_coin(0.5), "a", 3, **options)  # type: ignore[arg-type]
    assert caught.value.code == "bad-option"
