"""What is read of a checkpoint beside its weights, and how hostile or damaged ones are refused."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import save

import capax
from capax import CapaxError
from capax.model.imports.checkpoint_tokens import prefix_of, tokens_of
from capax.model.imports.read_checkpoint import read_checkpoint
from tests.support.checkpoints import make
from tests.support.outcomes import count_outcome, least_share

CONFIG: dict[str, Any] = {
    "model_type": "gpt2",
    "architectures": ["GPT2LMHeadModel"],
    "vocab_size": 3,
    "n_embd": 4,
    "n_layer": 1,
    "n_head": 2,
    "n_positions": 5,
    "n_inner": 6,
    "activation_function": "gelu_new",
    "layer_norm_epsilon": 1e-5,
}
SHAPES = {
    "transformer.wte.weight": (3, 4),
    "transformer.wpe.weight": (5, 4),
    "transformer.h.0.attn.c_attn.weight": (4, 12),
    "transformer.h.0.attn.c_attn.bias": (12,),
    "transformer.h.0.attn.c_proj.weight": (4, 4),
    "transformer.h.0.attn.c_proj.bias": (4,),
    "transformer.h.0.mlp.c_fc.weight": (4, 6),
    "transformer.h.0.mlp.c_fc.bias": (6,),
    "transformer.h.0.mlp.c_proj.weight": (6, 4),
    "transformer.h.0.mlp.c_proj.bias": (4,),
    **{f"transformer.h.0.ln_{i}.{part}": (4,) for i in (1, 2) for part in ("weight", "bias")},
    **{f"transformer.ln_f.{part}": (4,) for part in ("weight", "bias")},
}


def tensors(dtype: str = "float32") -> dict[str, Any]:
    """Weights of the configuration's sizes."""
    source = np.random.default_rng(0)
    return {name: source.normal(size=shape).astype(dtype) for name, shape in SHAPES.items()}


def folder(path: Path, config: Any = CONFIG, weights: dict[str, Any] | None = None) -> Path:
    """A folder with a checkpoint."""
    (path / "config.json").write_text(config if isinstance(config, str) else json.dumps(config))
    (path / "model.safetensors").write_bytes(save(weights or tensors()))
    return path


def refused(path: Path) -> CapaxError:
    """The error for a folder."""
    with pytest.raises(CapaxError) as caught:
        capax.import_model(path)
    return caught.value


def test_a_checkpoint_becomes_a_model(tmp_path: Path) -> None:
    """Its norms, its head sizes and its lengths are those of the settings; without a tokenizer ids are tokens."""
    model = capax.import_model(folder(tmp_path))
    assert model.vocabulary.tokens == (0, 1, 2)
    assert model.max_length == 5
    assert model.size.heads == (2,)
    assert model.blocks[0].attention_norm is not None
    assert {head.mask for head in model.blocks[0].heads} == {"causal"}
    assert len(model([2, 0, 1])) == 3


@pytest.mark.parametrize(("dtype", "numbers"), [("float16", "float32"), ("float32", "float32"), ("float64", "float64")])
def test_the_numbers_of_the_file_are_kept(tmp_path: Path, dtype: str, numbers: str) -> None:
    """Half precision is held in float32, bit for bit."""
    given_weights = tensors(dtype)
    model = capax.import_model(folder(tmp_path, weights=given_weights))
    assert model.numbers == numbers
    assert np.array_equal(model.embedding, given_weights["transformer.wte.weight"].astype(numbers))


def test_a_tokenizer_names_the_tokens(tmp_path: Path) -> None:
    """A vocab.json does, and a tokenizer.json before it; ids without a token have a name all the same."""
    folder(tmp_path)
    (tmp_path / "vocab.json").write_text(json.dumps({"a": 0, "b": 2}))
    assert capax.import_model(tmp_path).vocabulary.tokens == ("a", "<unused 1>", "b")
    added = [{"id": 2, "content": "<bos>"}]
    template = {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "<bos>"}}, {"Sequence": {"id": "A"}}]}
    whole = {"model": {"vocab": {"x": 0, "y": 1}}, "added_tokens": added, "post_processor": template}
    (tmp_path / "tokenizer.json").write_text(json.dumps(whole))
    model = capax.import_model(tmp_path)
    assert model.vocabulary.tokens == ("x", "y", "<bos>")
    assert model.prefix == ("<bos>",)
    assert model.max_length == 4
    assert len(model("xyx")) == 3


def test_a_prefix_leaves_room_for_words(tmp_path: Path) -> None:
    """A tokenizer that fills all places by itself is refused, and so is one that wants more than there are."""
    folder(tmp_path)
    for count in (5, 6):
        single = [{"SpecialToken": {"id": "x"}}] * count + [{"Sequence": {"id": "A"}}]
        whole = {"model": {"vocab": {"x": 0}}, "post_processor": {"type": "TemplateProcessing", "single": single}}
        (tmp_path / "tokenizer.json").write_text(json.dumps(whole))
        assert refused(tmp_path).code == "not-importable"


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("RoBERTa, masked", {"pad_token_id": -5}),
        ("RoBERTa, masked", {"pad_token_id": 10**6}),
        ("RoBERTa, masked", {"tie_word_embeddings": False}),
        ("BERT, masked", {"tie_word_embeddings": False}),
        ("OPT", {"tie_word_embeddings": False}),
        ("OPT", {"do_layer_norm_before": False}),
        ("OPT", {"_remove_final_layer_norm": True}),
        ("OPT", {"word_embed_proj_dim": 6}),
        ("OPT", {"architectures": ["OPTForSequenceClassification"]}),
        ("TransformerLens, folded norms", {"normalization_type": ...}),
        ("TransformerLens, folded norms", {"final_rms": 1}),
    ],
)
def test_settings_that_weights_do_not_tell_are_not_guessed(tmp_path: Path, name: str, change: dict[str, Any]) -> None:
    """A checkpoint of which they are missing or mean nothing is refused, though its tensors would fit."""
    make(name, tmp_path)
    capax.import_model(tmp_path)
    config = json.loads((tmp_path / "config.json").read_text()) | change
    folder_config = {key: value for key, value in config.items() if value is not ...}
    (tmp_path / "config.json").write_text(json.dumps(folder_config))
    assert refused(tmp_path).code in ("not-importable", "bad-model-file")


def test_damage_is_not_blamed_on_capax(tmp_path: Path) -> None:
    """The files are of another library, and the hint says so."""
    folder(tmp_path)
    whole = (tmp_path / "model.safetensors").read_bytes()
    (tmp_path / "model.safetensors").write_bytes(whole[:-7])
    assert refused(tmp_path).hint == "is it whole, as the other library has written it?"
    folder(tmp_path, "{")
    assert refused(tmp_path).hint == "is it whole, as the other library has written it?"


def test_the_other_commands_take_it(tmp_path: Path) -> None:
    """A model from elsewhere is drawn, explained, measured and kept."""
    from capax.app.commands.explain import explain
    from capax.app.commands.size import size
    from capax.draw.subjects.model_view import example_word, model_flow

    model = capax.import_model(folder(tmp_path))
    flow = model_flow(model, example_word(model))
    assert [len(box.heads) for box in flow.layers] == [2]
    model.save(tmp_path / "m.safetensors")
    assert explain(str(tmp_path / "m.safetensors")).parts["attention_layers"] == 1
    assert size(str(tmp_path / "m.safetensors")).to_json()["heads"] == [2]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"model_type": "mamba"}, "not-importable"),
        ({"model_type": None}, "bad-model-file"),
        ({"model_type": ["gpt2"]}, "not-importable"),
        ({"architectures": ["GPT2ForSequenceClassification"]}, "not-importable"),
        ({"architectures": [{}]}, "not-importable"),
        ({"activation_function": "swish"}, "not-importable"),
        ({"activation_function": 3}, "bad-model-file"),
        ({"add_cross_attention": True}, "not-importable"),
        ({"n_head": 3}, "bad-model-file"),
        ({"n_head": 0}, "bad-model-file"),
        ({"n_embd": -4}, "bad-model-file"),
        ({"n_embd": 8}, "bad-model-file"),
        ({"n_embd": True}, "bad-model-file"),
        ({"n_layer": 2}, "bad-model-file"),
        ({"n_layer": 0}, "not-importable"),
        ({"n_layer": 10**9}, "bad-model-file"),
        ({"vocab_size": 10**12}, "bad-model-file"),
        ({"vocab_size": 2.0}, "bad-model-file"),
        ({"layer_norm_epsilon": "x"}, "bad-model-file"),
        ({"layer_norm_epsilon": -1.0}, "bad-model-file"),
        ({"layer_norm_epsilon": 10**400}, "bad-model-file"),
        ({"tie_word_embeddings": False}, "bad-model-file"),  # and there is no other last map
    ],
)
def test_wrong_settings_are_refused(tmp_path: Path, change: dict[str, Any], code: str) -> None:
    """With an error that says so, and never another exception."""
    assert refused(folder(tmp_path, CONFIG | change)).code == code


@pytest.mark.parametrize(
    "text", ["", "[]", "{", "[" * 100_000, '{"model_type": NaN}', "\ud800x".encode("utf-8", "replace").decode()]
)
def test_settings_that_are_no_json_are_refused(tmp_path: Path, text: str) -> None:
    """A list, half a text, and a text that is nested without end."""
    assert refused(folder(tmp_path, text)).code == "bad-model-file"


def test_wrong_tensors_are_refused(tmp_path: Path) -> None:
    """One missing, one too many, one of integers, one of another shape, one that is not finite; and a damaged file."""
    name = "transformer.ln_f.bias"
    for change in ({name: None}, {name: np.zeros(4, np.int64)}, {name: np.zeros(5, np.float32)},
                   {name: np.full(4, np.nan, np.float32)}):  # fmt: skip
        weights = {k: v for k, v in (tensors() | change).items() if v is not None}
        error = refused(folder(tmp_path, weights=weights))
        assert error.code == "bad-model-file"
        assert name in error.what
    error = refused(folder(tmp_path, weights=tensors() | {"adapter.weight": np.zeros(3, np.float32)}))
    assert error.code == "not-importable"
    whole = save(tensors())
    (tmp_path / "model.safetensors").write_bytes(whole[:-7])
    assert refused(tmp_path).code == "bad-model-file"


def test_pickles_are_not_read(tmp_path: Path) -> None:
    """A folder without safetensors is refused, and so are weights in several files, and folders that are none."""
    (tmp_path / "config.json").write_text(json.dumps(CONFIG))
    (tmp_path / "pytorch_model.bin").write_bytes(b"\x80\x04K\x01.")
    error = refused(tmp_path)
    assert error.code == "file-not-found"
    assert error.hint is not None
    assert "run code" in error.hint
    for number in (1, 2):
        (tmp_path / f"model-0000{number}-of-00002.safetensors").write_bytes(save(tensors()))
    assert refused(tmp_path).code == "not-importable"
    assert refused(tmp_path / "nowhere").code == "file-not-found"
    (tmp_path / "empty").mkdir()
    assert refused(tmp_path / "empty").code == "file-not-found"


@given(st.binary(max_size=300))
def test_no_bytes_do_harm(data: bytes) -> None:
    """Whatever stands in the weights' file, the only exception is our own."""
    with pytest.raises(CapaxError):
        read_checkpoint(CONFIG, data, {}, "x")


_KEYS = ["model", "vocab", "added_tokens", "id", "content", "a", "post_processor", "type", "single", "Sequence"]
_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(_KEYS), inner, max_size=4),
    max_leaves=12,
)


@least_share("tokens", 0.2)
@given(_json, _json)
def test_no_tokenizer_does_harm(whole: Any, vocabulary: Any) -> None:
    """Tokens come out, all different; or our own exception."""
    for files in (
        {"tokenizer.json": whole},
        {"vocab.json": vocabulary},
        {"tokenizer.json": {"model": {"vocab": whole}}},
    ):
        try:
            tokens = tokens_of(files, 4, "x")
        except CapaxError:
            count_outcome("refused")
            continue
        count_outcome("tokens")
        assert len(set(tokens)) == 4
        prefix_of(files, tokens)


_SETTINGS = [*CONFIG, "id2label", "tie_word_embeddings", "scale_attn_weights"]
_values = st.sampled_from([1, 2, 4, 5, True, False, 1e-3, "relu"]) | _json


@least_share("read", 0.1)
@given(st.dictionaries(st.sampled_from(_SETTINGS), _values, max_size=2))
def test_no_settings_do_harm(change: dict[str, Any]) -> None:
    """A model comes out, or our own exception."""
    try:
        model = read_checkpoint(CONFIG | change, save(tensors()), {}, "x")
    except CapaxError:
        count_outcome("refused")
        return
    count_outcome("read")
    assert model.width == 4
