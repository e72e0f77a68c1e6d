"""A Llama directory's model as a GGUF file, read back by the package that wrote it and run by the stock class.

The file has the tensors and the settings of the Llama that `capax export --to llama` writes. Queries and keys are kept
in the order that the format asks for, in which the two dimensions of a rotary plane stand beside each other. Rotary
positions are divided by 1e30, the format's numbers being float32: sines are below 1e-27, and change no sum.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from capax.model.export.hugging_face.run import load as load_directory
from capax.model.export.llama.target import final_reason, prepared
from capax.model.export.llama.target import reason as llama_reason
from capax.model.export.llama.target import write as write_llama
from capax.model.export.target import ExportOutput, Files, Runner, Target, Word
from capax.model.io.container import Stored, pack, unpack
from capax.model.model import Model
from capax.model.parts import Array
from capax.model.provenance import Record

FILE: Final = "model.gguf"
BESIDE: Final = "capax.json"
"""What the outputs stand for; the rest of the directory of a Llama is put together again from the GGUF file."""
ROTATES_HARDLY: Final = 1e30
_NAMES: Final = {
    "model.embed_tokens": "token_embd",
    "model.norm": "output_norm",
    "lm_head": "output",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
}
_RUN: Final = (
    "In llama.cpp switch flash attention off and keep keys and values in float32 (`--flash-attn off --cache-type-k f32 "
    "--cache-type-v f32`): in half precision, its default, answers are wrong without a warning. Do not quantise it.",
    "llama.cpp may keep keys and values in half precision, its default. Do not quantise it.",
)
"""What to know before a runtime takes the file, in float32 and in bfloat16."""
_KEPT: Final = ("tokenizer.json", "tokenizer_config.json", "generation_config.json", BESIDE)


def reason(model: Model) -> str | None:
    """Why a GGUF file cannot hold a model, or None."""
    from capax.model.export.hugging_face.answers import answers_of

    why = llama_reason(model)
    if why is None and answers_of(model, causal=True).task != "text-generation":
        why = "its answers are not tokens, and the format has no class for others"
    return why


def gguf_name(name: str) -> str:
    """What the format calls a tensor of the stock class."""
    bare = name.removesuffix(".weight")
    if bare.startswith("model.layers."):
        number, part = bare.removeprefix("model.layers.").split(".", 1)
        return f"blk.{number}.{_NAMES[part]}.weight"
    return f"{_NAMES[bare]}.weight"


def interleaved(weight: Array, heads: int) -> Array:
    """Rows of queries or keys with the two dimensions of a rotary plane beside each other."""
    size = len(weight) // heads
    return weight.reshape(heads, 2, size // 2, -1).swapaxes(1, 2).reshape(weight.shape)


def in_halves(weight: Array, heads: int) -> Array:
    """Rows of queries or keys as the stock class has them."""
    size = len(weight) // heads
    return weight.reshape(heads, size // 2, 2, -1).swapaxes(1, 2).reshape(weight.shape)


def write(model: Model, directory: Path) -> Files:
    """The GGUF file, and what is needed to read its outputs and to write its inputs."""
    import gguf

    files = write_llama(model, directory)
    config, tokenizer = json.loads(files["config.json"]), json.loads(files["tokenizer.json"])
    half = config["dtype"] == "bfloat16"
    out = gguf.GGUFWriter(str(directory / FILE), "llama")
    out.add_name(model.provenance.name or "a transformer made by capax")
    out.add_file_type(gguf.LlamaFileType.MOSTLY_BF16 if half else gguf.LlamaFileType.ALL_F32)
    _add_settings(out, config)
    _add_tokens(out, config, tokenizer["model"]["vocab"], prefix=bool(model.prefix))
    for name, array in _arrays(files["model.safetensors"]).items():
        if ".q_proj." in name or ".k_proj." in name:
            array = interleaved(array, config["num_attention_heads" if ".q_proj." in name else "num_key_value_heads"])
        if half and array.ndim > 1:  # runtimes multiply by a norm's gain in float32 alone
            bits = (np.ascontiguousarray(array, np.float32).view(np.uint32) >> 16).astype(np.uint16)
            kind = gguf.GGMLQuantizationType.BF16
            out.add_tensor(gguf_name(name), bits.view(np.uint8), raw_shape=bits.view(np.uint8).shape, raw_dtype=kind)
        else:
            out.add_tensor(gguf_name(name), np.ascontiguousarray(array, np.float32))
    out.write_header_to_file()
    out.write_kv_data_to_file()
    out.write_tensors_to_file()
    out.close()
    kept = {name: files[name] for name in _KEPT if name in files}
    return kept | {"config.json": files["config.json"], "README.md": _page(model, half=half).encode()}


def _add_settings(out: Any, config: Record) -> None:
    out.add_context_length(config["max_position_embeddings"])
    out.add_embedding_length(config["hidden_size"])
    out.add_block_count(config["num_hidden_layers"])
    out.add_feed_forward_length(config["intermediate_size"])
    out.add_head_count(config["num_attention_heads"])
    out.add_head_count_kv(config["num_key_value_heads"])
    out.add_key_length(config["head_dim"])
    out.add_value_length(config["head_dim"])
    out.add_rope_dimension_count(config["head_dim"])
    out.add_rope_freq_base(config["rope_theta"])
    out.add_string("llama.rope.scaling.type", "linear")
    out.add_float32("llama.rope.scaling.factor", ROTATES_HARDLY)
    out.add_layer_norm_rms_eps(config["rms_norm_eps"])
    out.add_vocab_size(config["vocab_size"])


def _add_tokens(out: Any, config: Record, vocabulary: dict[str, int], *, prefix: bool) -> None:
    names = sorted(vocabulary, key=lambda name: vocabulary[name])
    special = [config[key] for key in ("bos_token_id", "eos_token_id", "pad_token_id")]
    out.add_tokenizer_model("llama")
    out.add_token_list(names)
    out.add_token_scores([0.0] * len(names))
    out.add_token_types([3 if i in special else 1 for i in range(len(names))])  # 3: a control token
    for add, number in zip((out.add_bos_token_id, out.add_eos_token_id, out.add_pad_token_id), special, strict=True):
        if number is not None:
            add(number)
    out.add_add_bos_token(prefix)
    out.add_add_eos_token(False)
    out.add_add_space_prefix(False)


def _arrays(data: bytes) -> dict[str, Array]:
    """The tensors of a safetensors file in float32."""
    arrays = {}
    for name, tensor in unpack(data, "the export")[1].items():
        flat = np.frombuffer(tensor.data, "<u2" if tensor.dtype == "BF16" else "<f4")
        single = (flat.astype("<u4") << 16).view("<f4") if tensor.dtype == "BF16" else flat
        arrays[name] = single.reshape(tensor.shape)
    return arrays


def read(path: Path) -> dict[str, Array]:
    """The tensors of a GGUF file by the names of the stock class, in float32, read by the package."""
    import gguf

    reader = gguf.GGUFReader(str(path))
    counts = {part: int(reader.fields[f"llama.attention.head_count{part}"].contents()) for part in ("", "_kv")}
    back = {short: long for long, short in _NAMES.items()}
    arrays = {}
    for tensor in reader.tensors:
        shape = tuple(int(n) for n in reversed(tensor.shape))
        array = gguf.quants.dequantize(tensor.data, tensor.tensor_type).reshape(shape)
        bare = tensor.name.removesuffix(".weight")
        name = back.get(bare, "")
        if bare.startswith("blk."):
            _, number, part = bare.split(".", 2)
            name = f"model.layers.{number}.{back[part]}"
            if part in ("attn_q", "attn_k"):
                array = in_halves(array, counts["" if part == "attn_q" else "_kv"])
        arrays[f"{name}.weight"] = np.ascontiguousarray(array, np.float32)
    return arrays


def load(directory: Path) -> Runner:
    """A runner of the tensors in the GGUF file, in the stock class: a directory is put together for it."""
    import tempfile

    def run(words: Sequence[Word]) -> list[ExportOutput]:
        return runner(words)

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for kept in (*_KEPT, "config.json"):
            if (directory / kept).is_file():
                (folder / kept).write_bytes((directory / kept).read_bytes())
        half = json.loads((directory / "config.json").read_bytes())["dtype"] == "bfloat16"
        tensors = {key: _stored(array, half=half) for key, array in sorted(read(directory / FILE).items())}
        (folder / "model.safetensors").write_bytes(pack(tensors, {"format": "pt"}))
        runner = load_directory(folder)
    return run


def _stored(array: Array, *, half: bool) -> Stored:
    if half:
        bits = np.ascontiguousarray(array, "<f4").view("<u4") >> 16
        return Stored("BF16", array.shape, bits.astype("<u2").tobytes())
    return Stored("F32", array.shape, array.astype("<f4").tobytes())


def _page(model: Model, *, half: bool) -> str:
    return (
        f"# {model.provenance.name or 'A transformer'}, as a GGUF file\n\n"
        f"`{FILE}` holds the model for runtimes that read GGUF. It was read back by the `gguf` package and run in the "
        f"stock Llama class, and gave the model's answers on the words tried. {_RUN[half]}\n\n"
        f'```python\nfrom gguf import GGUFReader\n\nfor tensor in GGUFReader("{FILE}").tensors:\n'
        "    print(tensor.name, tensor.shape)\n```\n\n"
        "`config.json` and the tokenizer are those of the Llama directory, for comparison; `capax.json` says what the "
        "tokens and the outputs stand for.\n"
    )


TARGET = Target(
    name="gguf",
    what="a GGUF file of the Llama that holds the model",
    extra="gguf",
    packages=("gguf", "torch", "transformers"),
    refuse=reason,
    write=write,
    load=load,
    needs_plain=True,
    prepare=prepared,
    refuse_any_form=final_reason,
)
