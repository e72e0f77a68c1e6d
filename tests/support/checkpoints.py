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


def make(name: str, folder: Path) -> list[np.ndarray[Any, Any]]:
    """Writes a checkpoint to a folder, and gives the logits of its library for each word of `IDS`."""
    run = make_run(name, folder)
    return [run(ids) for ids in IDS]


def make_run(name: str, folder: Path) -> Callable[[list[int]], Any]:
    """Writes a checkpoint to a folder, and gives what runs it in its library: from ids to logits (ids, outputs)."""
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
