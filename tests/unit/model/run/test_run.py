"""Running models as a person does: one word, several, with activations, with probabilities."""

import tracemalloc
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capax.errors import CapaxError
from capax.model.model import Model
from capax.model.parts import Affine, Block, Head, OracleMap, Readout, Sink, TensorHead
from capax.model.positions import Positions
from capax.model.run import third_order as pairs
from capax.model.run.run import answers, log_probabilities, probabilities, run, run_rows
from capax.model.vocabulary import Classes, Fractions, Nearest, Numbers, Vocabulary
from tests.support.models import Shape, models, with_heads, with_one_query, words


def _uniform(**options: object) -> Model:
    """A model whose one head gives at each place the share of a's among the places that it sees."""
    key = Affine(np.zeros((2, 1)), np.zeros(1))
    value = Affine(np.array([[1.0], [0.0]]), np.zeros(1))
    head = Head(key, key, value, np.array([[0.0, 1.0]]), **options)  # type: ignore[arg-type]
    return Model(
        Vocabulary(("a", "b")),
        np.array([[1.0, 0.0], [0.0, 0.0]]),
        Positions((), np.zeros((0, 2))),
        (Block((head,), np.zeros(2)),),
        Readout(Affine(np.array([[0.0], [1.0]]), np.zeros(1))),
        Numbers(),
        ("a?", "share"),
    )


def test_shares_under_every_mask() -> None:
    assert _uniform()("abba") == [0.5] * 4
    assert _uniform(mask="causal")("abba") == [1, 0.5, 1 / 3, 0.5]
    assert _uniform(mask="strict past")("abba") == [0, 1, 0.5, 1 / 3]
    assert _uniform(mask="future")("abba") == [0.5, 1 / 3, 0.5, 1]
    assert _uniform(mask="strict future")("abba") == [1 / 3, 0.5, 1, 0]


def test_a_sink_is_seen_under_every_mask() -> None:
    sink = Sink(np.zeros(1), np.array([3.0]))
    assert _uniform(mask="strict past", sink=sink)("ab") == [3, 2]
    assert _uniform(mask="strict past", sink=sink, attention="rightmost-hard")("ab") == [3, 3]
    assert _uniform(mask="strict past", sink=sink, attention="leftmost-hard")("ab") == [3, 1]


def test_hard_heads_pick_by_place() -> None:
    assert _uniform(attention="leftmost-hard")("abb") == [1, 1, 1]
    assert _uniform(attention="rightmost-hard")("abb") == [0, 0, 0]
    assert _uniform(attention="average-hard")("abbb") == [0.25] * 4
    assert _uniform(attention="sparsemax")("abbb") == [0.25] * 4


def test_words_of_different_lengths_run_together() -> None:
    model = _uniform()
    assert answers(model, ["a", "ab", "b"]) == [[1], [0.5, 0.5], [0]]
    assert model.batch(["ab", "a"]) == [[0.5, 0.5], [1]]


def test_one_word_or_several() -> None:
    model = _uniform()
    assert model.run("ab").answers == [0.5, 0.5]
    assert model.run(["a", "b"]).answers == [0.5, 0.5]
    assert model.run(["a", "b"], many=True).answers == [[1], [0]]
    assert model.run(["ab", "b"]).answers == [[0.5, 0.5], [0]]
    assert repr(model.run(["ab", "b"])) == "<run of 2 words>"
    with pytest.raises(CapaxError, match="not in the model's vocabulary"):
        model.run("abc")


def test_an_oracle_map_is_a_function_of_a_place() -> None:
    model = replace(_uniform(), input_mlp=OracleMap(lambda x: 2 * x, "triple"))
    assert model("ab") == [1.5, 1.5]
    assert model.to("fixed:16.8")("ab") == [1.5, 1.5]
    with pytest.raises(CapaxError, match="oracle map"):
        model.to("integer:8,10,8")


def test_an_oracle_map_gets_numbers_of_its_own_and_keeps_their_shape() -> None:
    def overwrite(x: np.ndarray) -> np.ndarray:
        x *= 0
        return x

    model = _uniform()
    assert replace(model, input_mlp=OracleMap(overwrite, "nothing"))("abba") == model("abba")
    with pytest.raises(CapaxError, match=r"the map 'first' makes \(1, 2, 1\)"):
        replace(model, input_mlp=OracleMap(lambda x: x[..., :1], "first"))("ab")


@pytest.mark.parametrize("decoding", [Classes(("x",)), Nearest((0.0,), ("x",)), Fractions(3)])
def test_no_answer_stands_for_what_is_not_a_number(decoding: Any) -> None:
    model = replace(_uniform(), decoding=decoding, input_mlp=OracleMap(lambda x: np.full_like(x, np.nan), "lost"))
    for ask in (model, lambda word: model.batch([word]), lambda word: model.run(word).answers):
        with pytest.raises(CapaxError, match="the logits at position 0 are nan") as caught:
            ask("ab")
        assert caught.value.code == "number-system"
    assert np.isnan(model.run("ab").logits[0]).all()
    assert np.isnan(replace(model, decoding=Numbers())("ab")).all()


def test_integer_models_answer_with_integers() -> None:
    assert _uniform().to("integer:8,10,8")("aab") == [1, 1, 1]


def test_weights_that_underflow_are_exactly_zero() -> None:
    # A score gap of 300 in float32: the mean over the selected keys alone is exact.
    head = _uniform().blocks[0].heads[0]
    assert isinstance(head, Head)
    query = Affine(np.zeros((2, 1)), np.array([300.0]))
    sharp = replace(head, query=query, key=Affine(np.array([[1.0], [0.0]]), np.zeros(1)))
    model = replace(_uniform(), blocks=(Block((sharp,), np.zeros(2)),)).to("float32")
    assert model("abba") == [1, 1, 1, 1]


def test_probabilities() -> None:
    model = replace(with_heads(Shape()), decoding=Classes(("x", "y")))
    found = run(model, "abc")
    assert found.probabilities.shape == (3, 2)
    assert np.allclose(found.probabilities.sum(axis=-1), 1)
    assert np.allclose(np.exp(found.log_probabilities), found.probabilities)
    sparse = run(replace(model, output_weights="sparsemax"), ["abc", "a"], many=True)
    assert [p.shape for p in sparse.probabilities] == [(3, 2), (1, 2)]
    assert np.allclose(sparse.probabilities[0].sum(axis=-1), 1)
    with pytest.raises(CapaxError, match="not with a distribution"):
        _ = run(_uniform(), "ab").probabilities


def test_sparse_probabilities_are_sparse() -> None:
    model = replace(with_heads(Shape()), output_weights="sparsemax")
    assert probabilities(model, np.array([3.0, 0.0])).tolist() == [1, 0]
    assert probabilities(model, np.array([0.5, 0.0])).tolist() == [0.75, 0.25]
    assert log_probabilities(model, np.array([3.0, 0.0])).tolist() == [0, -np.inf]


def test_the_table_of_places_ends() -> None:
    model = replace(_uniform(), positions=Positions((), np.zeros((0, 2)), np.zeros((3, 2))))
    assert len(model("aba")) == 3
    with pytest.raises(CapaxError, match="rows for 3 positions"):
        model("abab")


def test_a_run_of_no_words_is_empty() -> None:
    assert answers(_uniform(), []) == []
    assert run_rows(_uniform(), np.zeros((0, 4), int)).shape == (0, 4, 1)


def _peak(model: Model, ids: np.ndarray) -> int:
    """The most memory that arrays of a run take at a time, in bytes."""
    run_rows(model, ids)
    tracemalloc.start()
    run_rows(model, ids)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def test_memory_is_bounded_by_blocks() -> None:
    n = 1500
    assert _peak(_uniform(mask="causal"), np.zeros((4, n), int)) < 4 * n * n * 8 / 10


def test_pairs_are_streamed() -> None:
    model = with_heads(Shape(norms=False, pair_share=1, most_layers=1, table=False))
    assert any(isinstance(head, TensorHead) for head in model.blocks[0].heads)
    n = 60
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pairs, "PAIR_BYTES", 8 * n * 20)
        assert _peak(model, np.zeros((1, n), int)) < n * n * n * 8 / 8


@settings(max_examples=40, deadline=None)
@given(models(), st.lists(st.booleans(), min_size=1, max_size=4), st.lists(words(3, 3), min_size=1, max_size=4))
def test_heads_whose_queries_do_not_differ(found: Model, which: list[bool], batch: list[str]) -> None:
    """They have one mean, which is that of every position as a traced run works it out."""
    found = with_one_query(found, which)
    traced = run(found, batch, trace=True, many=True).logits
    for one, other in zip(run(found, batch, many=True).logits, traced, strict=True):
        assert np.allclose(one, other, rtol=1e-4, atol=1e-4)
