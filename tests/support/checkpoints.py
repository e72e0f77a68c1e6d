"""Small checkpoints made by the real libraries, with the logits that those libraries give."""

import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

IDS = [[1, 4, 2, 6, 0], [3], [5, 5, 5, 2], [2, 1, 0, 6, 4, 3, 3, 2]]
"""Words as ids, none of them the id that fills up words."""

GPT2 = {
    "vocab_size": 7,
    "n_embd": 12,
    "n_layer": 2,
    "n_head": 3,
    "n_positions": 9,
    "bos_token_id": 0,
    "eos_token_id": 0,
}
BERT = {
    "vocab_size": 7,
    "hidden_size": 12,
    "num_hidden_layers": 2,
    "num_attention_heads": 3,
    "intermediate_size": 20,
    "max_position_embeddings": 9,
    "bos_token_id": 0,
    "eos_token_id": 0,
}
DISTILBERT = {"vocab_size": 7, "dim": 12, "n_layers": 2, "n_heads": 3, "hidden_dim": 20, "max_position_embeddings": 9}
ROBERTA = {**BERT, "max_position_embeddings": 17, "pad_token_id": 7, "vocab_size": 8}
OPT = {
    "vocab_size": 7,
    "hidden_size": 12,
    "num_hidden_layers": 2,
    "num_attention_heads": 3,
    "ffn_dim": 20,
    "max_position_embeddings": 9,
    "bos_token_id": 0,
    "eos_token_id": 0,
}
LLAMA = {
    "vocab_size": 7,
    "hidden_size": 12,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 6,
    "intermediate_size": 20,
    "max_position_embeddings": 9,
    "sliding_window": None,
}
NANOGPT = {"vocab_size": 7, "n_embd": 12, "n_layer": 2, "n_head": 3, "block_size": 9}
LENS = {"n_layers": 2, "d_model": 8, "d_head": 3, "n_heads": 2, "d_mlp": 10, "n_ctx": 9, "d_vocab": 7, "seed": 1}

HF: dict[str, tuple[str, str, dict[str, Any]]] = {
    "GPT-2": ("GPT2Config", "GPT2LMHeadModel", GPT2),
    "GPT-2, untied": ("GPT2Config", "GPT2LMHeadModel", {**GPT2, "tie_word_embeddings": False, "n_inner": 5}),
    "GPT-2, scaled by layer": ("GPT2Config", "GPT2LMHeadModel", {**GPT2, "scale_attn_by_inverse_layer_idx": True}),
    "GPT-2, unscaled": (
        "GPT2Config",
        "GPT2LMHeadModel",
        {**GPT2, "scale_attn_weights": False, "activation_function": "relu"},
    ),
    "GPT-2, labels": ("GPT2Config", "GPT2ForTokenClassification", {**GPT2, "num_labels": 3}),
    "GPT-2, without a head": ("GPT2Config", "GPT2Model", GPT2),
    "BERT, masked": ("BertConfig", "BertForMaskedLM", BERT),
    "BERT, masked, relu": ("BertConfig", "BertForMaskedLM", {**BERT, "hidden_act": "relu"}),
    "BERT, labels": ("BertConfig", "BertForTokenClassification", {**BERT, "id2label": {0: "no", 1: "yes", 2: "maybe"}}),
    "BERT, without a head": ("BertConfig", "BertModel", {**BERT, "hidden_act": "gelu_new"}),
    "DistilBERT, masked": ("DistilBertConfig", "DistilBertForMaskedLM", DISTILBERT),
    "DistilBERT, labels": ("DistilBertConfig", "DistilBertForTokenClassification", {**DISTILBERT, "num_labels": 4}),
    "DistilBERT, without a head": ("DistilBertConfig", "DistilBertModel", {**DISTILBERT, "activation": "relu"}),
    "OPT": ("OPTConfig", "OPTForCausalLM", OPT),
    "OPT, untied": ("OPTConfig", "OPTForCausalLM", {**OPT, "tie_word_embeddings": False, "ffn_dim": 5}),
    "Llama": ("LlamaConfig", "LlamaForCausalLM", LLAMA),
    "Llama, tied, with biases": (
        "LlamaConfig",
        "LlamaForCausalLM",
        {**LLAMA, "tie_word_embeddings": True, "attention_bias": True, "mlp_bias": True},
    ),
    "Llama, slower positions": (
        "LlamaConfig",
        "LlamaForCausalLM",
        {**LLAMA, "rope_parameters": {"rope_type": "linear", "rope_theta": 500.0, "factor": 4.0}},
    ),
    "Llama, labels": ("LlamaConfig", "LlamaForTokenClassification", {**LLAMA, "num_labels": 3}),
    "Mistral": ("MistralConfig", "MistralForCausalLM", LLAMA),
    "Qwen2": ("Qwen2Config", "Qwen2ForCausalLM", {**LLAMA, "num_key_value_heads": 4}),
    "RoBERTa, masked": ("RobertaConfig", "RobertaForMaskedLM", ROBERTA),
    "RoBERTa, labels": ("RobertaConfig", "RobertaForTokenClassification", {**ROBERTA, "num_labels": 5}),
}  # fmt: skip

LENSES: dict[str, dict[str, Any]] = {
    "TransformerLens": {**LENS, "act_fn": "gelu_new", "normalization_type": "LN"},
    "TransformerLens, folded norms": {**LENS, "act_fn": "gelu", "normalization_type": "LNPre"},
    "TransformerLens, no norms": {**LENS, "act_fn": "relu", "normalization_type": None, "use_attn_scale": False},
    "TransformerLens, the last norm RMS": {**LENS, "act_fn": "relu", "normalization_type": "LN", "final_rms": True},
    "TransformerLens, folded, the last norm RMS": {**LENS, "act_fn": "relu", "normalization_type": "LNPre",
                                                   "final_rms": True},
    "TransformerLens, RMS norms": {**LENS, "act_fn": "relu", "normalization_type": "RMS"},
    "TransformerLens, both ways": {**LENS, "act_fn": "relu", "normalization_type": "LN",
                                   "attention_dir": "bidirectional"},
    "TransformerLens, attention only": {**LENS, "attn_only": True, "normalization_type": "LN"},
}  # fmt: skip


NANOGPTS = {"nanoGPT": True, "nanoGPT, without biases": False}
"""Whether its maps and norms have biases."""


def make(name: str, folder: Path) -> list[np.ndarray[Any, Any]]:
    """Writes a checkpoint to a folder, and gives the logits of its library for each word of `IDS`."""
    run = make_run(name, folder)
    return [run(ids) for ids in IDS]


def make_run(name: str, folder: Path) -> Callable[[list[int]], Any]:
    """Writes a checkpoint to a folder, and gives what runs it in its library: from ids to logits (ids, outputs)."""
    if name in NANOGPTS:
        return _nanogpt(folder, bias=NANOGPTS[name])
    return _hf(*HF[name], folder) if name in HF else _lens(LENSES[name], folder)


def _shaken(module: Any) -> None:
    """Gives every weight a size that shows: fresh biases are zero, and fresh norms are the same."""
    import torch

    source = torch.Generator().manual_seed(3)
    with torch.no_grad():
        for weight in module.parameters():
            weight.add_(torch.randn(weight.shape, generator=source) * 0.3)


def _hf(config: str, kind: str, settings: dict[str, Any], folder: Path) -> Callable[[list[int]], Any]:
    import torch
    import transformers

    torch.manual_seed(0)  # not what tests before this one left
    module = getattr(transformers, kind)(getattr(transformers, config)(**settings)).eval()
    _shaken(module)
    if kind.endswith(("ForMaskedLM", "LMHeadModel", "ForCausalLM")):
        module.tie_weights()
    module.save_pretrained(folder)

    def run(ids: list[int]) -> Any:
        with torch.inference_mode():
            found = module(torch.tensor([ids]))
        if kind == "GPT2Model":
            return found.last_hidden_state[0].numpy() @ module.wte.weight.detach().numpy().T
        return (found.last_hidden_state if kind.endswith("tModel") else found.logits)[0].numpy()

    return run


def _nanogpt(folder: Path, *, bias: bool) -> Callable[[list[int]], Any]:
    """A model of nanoGPT's shape, whose names and layouts are as its own checkpoints have them."""
    import torch
    from safetensors.torch import save_file
    from torch import nn
    from torch.nn import functional

    d, heads = NANOGPT["n_embd"], NANOGPT["n_head"]

    def layer() -> nn.ModuleDict:
        attention = nn.ModuleDict({"c_attn": nn.Linear(d, 3 * d, bias=bias), "c_proj": nn.Linear(d, d, bias=bias)})
        mlp = nn.ModuleDict({"c_fc": nn.Linear(d, 4 * d, bias=bias), "c_proj": nn.Linear(4 * d, d, bias=bias)})
        norms = {f"ln_{i}": nn.LayerNorm(d, bias=bias) for i in (1, 2)}
        return nn.ModuleDict({**norms, "attn": attention, "mlp": mlp})

    torch.manual_seed(0)
    stack = nn.ModuleDict(
        {
            "wte": nn.Embedding(NANOGPT["vocab_size"], d),
            "wpe": nn.Embedding(NANOGPT["block_size"], d),
            "h": nn.ModuleList([layer() for _ in range(NANOGPT["n_layer"])]),
            "ln_f": nn.LayerNorm(d, bias=bias),
        }
    )
    _shaken(stack)
    folder.mkdir(exist_ok=True)
    state = {f"transformer.{name}": tensor.contiguous() for name, tensor in stack.state_dict().items()}
    save_file({**state, "lm_head.weight": state["transformer.wte.weight"].clone()}, str(folder / "model.safetensors"))
    (folder / "config.json").write_text(json.dumps({**NANOGPT, "bias": bias, "dropout": 0.0}))

    def run(ids: list[int]) -> Any:
        with torch.inference_mode():
            x = stack["wte"](torch.tensor([ids])) + stack["wpe"](torch.arange(len(ids)))
            for block in stack["h"]:
                parts = block["attn"]["c_attn"](block["ln_1"](x)).split(d, dim=2)
                q, k, v = (part.view(1, len(ids), heads, d // heads).transpose(1, 2) for part in parts)
                mixed = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
                x = x + block["attn"]["c_proj"](mixed.transpose(1, 2).reshape(1, len(ids), d))
                x = x + block["mlp"]["c_proj"](functional.gelu(block["mlp"]["c_fc"](block["ln_2"](x))))
            return (stack["ln_f"](x) @ stack["wte"].weight.T)[0].numpy()

    return run


def _lens(settings: dict[str, Any], folder: Path) -> Callable[[list[int]], Any]:
    import torch
    from safetensors.torch import save_file
    from transformer_lens import HookedTransformer, HookedTransformerConfig

    config = HookedTransformerConfig(**settings)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        module = HookedTransformer(config)
    _shaken(module)
    folder.mkdir(exist_ok=True)
    state = {name: tensor.contiguous() for name, tensor in module.state_dict().items()}
    save_file(state, str(folder / "model.safetensors"))
    plain = {k: v for k, v in config.to_dict().items() if isinstance(v, str | int | float | bool | None)}
    (folder / "config.json").write_text(json.dumps(plain))

    def run(ids: list[int]) -> Any:
        with torch.inference_mode():
            return module(torch.tensor([ids]), return_type="logits")[0].numpy()

    return run
