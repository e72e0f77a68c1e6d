"""Models that somebody brings along: what is read of them, and what is refused, with a way on."""

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save

from capax.app.web.examples import EXAMPLES
from capax.app.web.jobs.checkpoint_files import MOST_BYTES, checkpoint_model
from capax.errors import CapaxError

CONFIG = {
    "model_type": "gpt2",
    "architectures": ["GPT2LMHeadModel"],
    "vocab_size": 3,
    "n_embd": 4,
    "n_layer": 0,
    "n_head": 2,
    "n_positions": 5,
    "activation_function": "gelu_new",
    "layer_norm_epsilon": 1e-5,
}
SHAPES = {
    "transformer.wte.weight": (3, 4),
    "transformer.wpe.weight": (5, 4),
    "transformer.ln_f.weight": (4,),
    "transformer.ln_f.bias": (4,),
}
WEIGHTS = save({name: np.ones(shape, "float32") for name, shape in SHAPES.items()})
TOKENIZER = {"model": {"type": "WordLevel", "vocab": {"a": 0, "b": 1, "c": 2}, "unk_token": "a"}, "added_tokens": []}
OURS = next(iter(EXAMPLES.values())).path


def read(folder: Path, **files: Any) -> Any:
    """The model of some files; `_` stands for the dot of a name."""
    texts = {
        name.replace("_", "."): base64.b64encode(
            data if isinstance(data, bytes) else json.dumps(data).encode()
        ).decode()
        for name, data in files.items()
    }
    return checkpoint_model({"files": texts}, folder / "checkpoint")


def refused(folder: Path, **files: Any) -> CapaxError:
    """The error for some files."""
    with pytest.raises(CapaxError) as caught:
        read(folder, **files)
    assert str(folder) not in caught.value.render()
    return caught.value


def test_a_file_of_capax(tmp_path: Path) -> None:
    """It needs no other file, and any name."""
    assert read(tmp_path, any_safetensors=OURS.read_bytes()).size.attention_layers == 1


def test_a_checkpoint_of_another_library(tmp_path: Path) -> None:
    """Weights and settings, and the tokens of its tokenizer if that is there."""
    files = {"config_json": CONFIG, "weights_safetensors": WEIGHTS}
    (tmp_path / "plain").mkdir()
    assert read(tmp_path / "plain", **files).vocabulary.tokens == (0, 1, 2)
    assert read(tmp_path, **files, tokenizer_json=TOKENIZER).vocabulary.tokens == ("a", "b", "c")


@pytest.mark.parametrize("name", ["pytorch_bin", "model_pt", "model_pth", "m_CKPT", "m_pkl", "model_pickle"])
def test_pickles_are_refused_by_their_names(tmp_path: Path, name: str) -> None:
    """They are not decoded, not written, and a way to convert them is shown."""
    error = refused(tmp_path, **{name: b"cos\nsystem\n"})
    assert (error.code, "pickle" in error.what, "save_pretrained" in str(error.hint)) == ("bad-model-file", True, True)
    assert not (tmp_path / "checkpoint").exists()


@pytest.mark.parametrize("start", [b"PK\x03\x04", b"\x80\x02", b"\x80\x04\x95"])
def test_pickles_are_refused_by_their_first_bytes(tmp_path: Path, start: bytes) -> None:
    """A pickle that is called safetensors is none."""
    assert "is a pickle" in refused(tmp_path, model_safetensors=start + b"..." * 20).what
    assert not any((tmp_path / "checkpoint").iterdir())


@pytest.mark.parametrize(
    ("files", "what"),
    [
        ({}, "one .safetensors file, not 0"),
        ({"a_safetensors": b"", "b_safetensors": b""}, "one .safetensors file, not 2"),
        ({"model_safetensors": b""}, "is not a safetensors file"),
        ({"model_safetensors": WEIGHTS}, "not a model of capax"),
        ({"model_safetensors": OURS.read_bytes()[:-4]}, "model.safetensors"),
        ({"merges_txt": b""}, "'merges.txt' is not a checkpoint file"),
        ({"/etc/passwd": b""}, "is not a checkpoint file"),
        ({"config_json": {"model_type": "mamba"}, "a_safetensors": WEIGHTS}, "a model of the kind 'mamba'"),
        (
            {"config_json": CONFIG | {"architectures": ["GPT2DoubleHeadsModel"]}, "a_safetensors": WEIGHTS},
            "GPT2DoubleHeads",
        ),
        ({"config_json": b"[[[[", "a_safetensors": WEIGHTS}, "config.json"),
    ],
)
def test_what_is_not_read_is_named(tmp_path: Path, files: dict[str, Any], what: str) -> None:
    """Parts that are missing, damaged or not supported; the error says which."""
    assert what in refused(tmp_path, **files).what


def test_weights_alone_need_their_settings(tmp_path: Path) -> None:
    """The hint says which file is missing."""
    assert "config.json" in str(refused(tmp_path, model_safetensors=WEIGHTS).hint)


@pytest.mark.parametrize(
    "files",
    [None, [], "text", {"a.safetensors": 3}, {"a.safetensors": "?"}, {"../a.safetensors": "AAAA"}],
)
def test_odd_requests(tmp_path: Path, files: Any) -> None:
    """What is no object of texts in base64 is refused, and names are never paths."""
    with pytest.raises(CapaxError):
        checkpoint_model({"files": files}, tmp_path / "checkpoint")
    assert {path.name for path in tmp_path.rglob("*")} <= {"checkpoint", "model.safetensors"}


def test_too_many_bytes(tmp_path: Path) -> None:
    """They are counted before they are decoded."""
    with pytest.raises(CapaxError) as caught:
        checkpoint_model({"files": {"a.safetensors": "A" * (MOST_BYTES * 4 // 3 + 8)}}, tmp_path / "checkpoint")
    assert caught.value.code == "too-large"
