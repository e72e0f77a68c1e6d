"""GGUF files: read back by the package that wrote them, tensor by tensor, and run by the stock class."""

import json
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load as load_safetensors

from capax.app.files.exports import export
from capax.errors import CapaxError
from capax.model.export.gguf.target import FILE, gguf_name, in_halves, interleaved, read
from capax.model.export.target import target
from tests.support.llama_exports import llama, model_of

pytestmark = pytest.mark.xdist_group("libraries")  # one process loads transformers and the like


def test_every_tensor_is_read_back_as_it_was(tmp_path: Path) -> None:
    """By the names of the stock class, each number the same."""
    target("gguf").write(model_of("induction"), tmp_path)
    again, tensors = read(tmp_path / FILE), load_safetensors(llama("induction")["model.safetensors"])
    assert again.keys() == tensors.keys()
    assert all(np.array_equal(again[name], tensors[name]) for name in tensors)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_the_file_gives_the_answers_of_the_model(dtype: str, tmp_path: Path) -> None:
    """What the package reads, in the stock class."""
    done = export(model_of("induction", dtype), str(tmp_path / "out"), target("gguf"), words=40)
    assert done.report.holds
    assert FILE in done.files
    config = json.loads((tmp_path / "out" / "config.json").read_bytes())
    assert config["dtype"] == dtype


def test_settings_and_tokens_are_in_the_file(tmp_path: Path) -> None:
    """The sizes, the factor of rotary positions, and the names of tokens."""
    import gguf

    target("gguf").write(model_of("induction"), tmp_path)
    fields = gguf.GGUFReader(str(tmp_path / FILE)).fields
    config = json.loads(llama("induction")["config.json"])
    assert fields["llama.block_count"].contents() == config["num_hidden_layers"]
    assert fields["llama.rope.scaling.factor"].contents() == np.float32(1e30)
    assert fields["tokenizer.ggml.tokens"].contents()[:4] == ["a", "b", "c", "<bos>"]
    assert fields["tokenizer.ggml.bos_token_id"].contents() == 3


def test_gains_of_norms_are_float32_in_bfloat16_too(tmp_path: Path) -> None:
    """Runtimes multiply by them in float32 alone; the other tensors have two bytes a number."""
    import gguf

    target("gguf").write(model_of("induction", "bfloat16"), tmp_path)
    kinds = {tensor.name: tensor.tensor_type.name for tensor in gguf.GGUFReader(str(tmp_path / FILE)).tensors}
    assert {name: kind for name, kind in kinds.items() if kind != "BF16"} == {
        name: "F32" for name in kinds if name.endswith("_norm.weight")
    }


def test_planes_are_put_side_by_side_and_back() -> None:
    """Row m and row m + half of a head stand next to each other in the format."""
    rows = np.arange(16.0).reshape(8, 2)
    mixed = interleaved(rows, 2)
    assert mixed[:, 0].tolist() == [0, 4, 2, 6, 8, 12, 10, 14]
    assert np.array_equal(in_halves(mixed, 2), rows)
    assert gguf_name("model.layers.3.mlp.up_proj.weight") == "blk.3.ffn_up.weight"


def test_answers_that_are_no_tokens_are_refused(tmp_path: Path) -> None:
    """The format has no class for labels."""
    with pytest.raises(CapaxError) as raised:
        export(model_of("histogram"), str(tmp_path / "out"), target("gguf"))
    assert "not tokens" in raised.value.what
