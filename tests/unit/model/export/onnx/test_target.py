"""The ONNX graph in onnxruntime: equal to the numpy runtime, for any batch and length."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capax.model.export.onnx.graph.layers import onnx_model
from capax.model.export.onnx.target import load, refused, write
from capax.model.model import Model
from capax.model.parts import AttentionKind, Head, Sink
from capax.model.run import run
from capax.model.run.run import run_rows
from tests.support.exported import model
from tests.support.models import Draw, Shape, models, with_heads, with_one_query, words

pytestmark = pytest.mark.xdist_group("libraries")  # one process loads PyTorch and the like

SOFT = Shape(("softmax",), pairs=False, activations=("relu", "gelu-tanh"), epsilons=(0.125,))
HARD = Shape(norms=False, pairs=False, grain=1, most_layers=1, scales=(1.0, 2.0))


def outputs(found: Model, batch: list[str], folder: Path) -> list[np.ndarray]:
    """The logits of an export."""
    for file, data in write(found, folder).items():
        (folder / file).write_bytes(data)
    return [output.logits for output in load(folder)(batch)]


@pytest.mark.parametrize("kind", ["softmax", "average-hard", "leftmost-hard", "rightmost-hard"])
@settings(max_examples=12, deadline=None)
@given(st.data())
def test_logits_equal_the_runtime(
    kind: AttentionKind, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """Masks, sinks, norms and MLPs, on words of different lengths in one batch."""
    shape = replace(SOFT if kind == "softmax" else HARD, kinds=(kind,))
    found = data.draw(models(shape)).to(data.draw(st.sampled_from(["float64", "float32"])))
    batch = data.draw(st.lists(words(1, 7), min_size=1, max_size=4))
    assert refused(found) is None
    limit = 2000 * np.finfo(found.numbers).eps
    for expected, logits in zip(
        run.logits(found, batch), outputs(found, batch, tmp_path_factory.mktemp("o")), strict=True
    ):
        assert logits.dtype == expected.dtype
        assert np.abs(expected - logits).max() <= limit * max(1, np.abs(expected).max())


@settings(max_examples=15, deadline=None)
@given(models(SOFT), st.lists(st.booleans(), min_size=1, max_size=4), st.lists(words(1, 7), min_size=1, max_size=4))
def test_heads_whose_queries_do_not_differ(
    tmp_path_factory: pytest.TempPathFactory, found: Model, which: list[bool], batch: list[str]
) -> None:
    """They have one mean, beside heads that have many and by themselves."""
    found = with_one_query(found, which)
    limit = 2000 * np.finfo(found.numbers).eps
    logits = outputs(found, batch, tmp_path_factory.mktemp("o"))
    for expected, one in zip(run.logits(found, batch), logits, strict=True):
        assert np.abs(expected - one).max() <= limit * max(1, np.abs(expected).max())


def test_gelu_in_float32(tmp_path: Path) -> None:
    """The error function is there in float32 alone."""
    drawn = (Draw(replace(SOFT, activations=("gelu",)), seed).model() for seed in range(100))
    found = next(m for m in drawn if m.input_mlp is not None and m.depth)
    assert "error function" in (refused(found) or "")
    single = found.to("float32")
    for expected, logits in zip(run.logits(single, ["abc"]), outputs(single, ["abc"], tmp_path), strict=True):
        assert np.allclose(expected, logits, rtol=1e-4, atol=1e-4)


def test_what_cannot_be_held_is_refused() -> None:
    """Third-order and sparsemax heads, and systems that ONNX does not have."""
    assert "third-order" in (refused(with_heads(Shape(("softmax",), pair_share=1.0))) or "")
    assert "sparsemax" in (refused(with_heads(Shape(("sparsemax",), pairs=False))) or "")
    assert "bfloat16" in (refused(model("reverse").to("bfloat16")) or "")


def test_heads_and_stages_without_coordinates(tmp_path: Path) -> None:
    """A product over no terms is 0, in every batch: empty keys, empty values, empty stages."""
    base = with_heads(Shape(("softmax",), ("none",), pairs=False, norms=False))

    def emptied(head: Head, keys: bool) -> Head:
        none = [head.query, head.key] if keys else [head.value]
        cut = [replace(m, weight=m.weight[:, :0], bias=m.bias[:0]) for m in none]
        sink = Sink(np.zeros(0), np.ones(head.value.outputs)) if keys else None
        if keys:
            return replace(head, query=cut[0], key=cut[1], sink=sink)
        return replace(head, value=cut[0], output=head.output[:0], sink=sink)

    for keys in (True, False):
        blocks = tuple(replace(b, heads=tuple(emptied(h, keys) for h in b.heads)) for b in base.blocks)
        found = replace(base, blocks=blocks)
        batch = ["ab", "abca", "c", "bca"] * 5
        for expected, logits in zip(run.logits(found, batch), outputs(found, batch, tmp_path), strict=True):
            assert np.allclose(expected, logits, rtol=1e-12, atol=1e-12)


def test_batch_and_length_are_free(tmp_path: Path) -> None:
    """The graph names them; its names of weights are the model's."""
    for file, data in write(model("reverse"), tmp_path).items():
        (tmp_path / file).write_bytes(data)
    graph = onnx.load(tmp_path / "model.onnx").graph
    dims = [d.dim_param for d in graph.input[0].type.tensor_type.shape.dim]
    assert dims == ["batch", "position"]
    assert "blocks.1.heads.0.query.weight" in {w.name for w in graph.initializer}
    assert write(model("reverse"), tmp_path)["model.onnx"] == (tmp_path / "model.onnx").read_bytes()


@pytest.mark.parametrize("kind", ["softmax", "average-hard", "rightmost-hard"])
@settings(max_examples=6, deadline=None)
@given(st.data())
def test_attention_as_an_output(kind: AttentionKind, data: st.DataObject) -> None:
    """The weights of every head, sinks last, are those of the runtime; queries that see no key have none."""
    shape = replace(SOFT if kind == "softmax" else HARD, kinds=(kind,))
    found = data.draw(models(shape))
    word = data.draw(words(1, 7))
    proto = onnx_model(found, {}, patterns=True)
    session = onnxruntime.InferenceSession(proto.SerializeToString())
    rows = np.array([found.read(word)])
    names = [output.name for output in session.get_outputs()]
    given = dict(zip(names, session.run(None, {"ids": rows, "lengths": np.array([rows.shape[1]])}), strict=True))
    trace: dict[str, np.ndarray] = {}
    run_rows(found, rows, trace)
    heads = 0
    for name in names[1:]:
        block, group = re.fullmatch(r"blocks\.(\d+)\.heads\.(.+)", name).groups()  # type: ignore[union-attr]
        for at, head in enumerate(map(int, group.split("+"))):
            expected = trace[f"blocks.{block}.attn.pattern"][0, head]
            weights = given[name][0, at]
            assert np.allclose(weights, expected[:, : weights.shape[1]], atol=1e-5)
            heads += 1
    assert heads == sum(len(block.heads) for block in found.blocks)
