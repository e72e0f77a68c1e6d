"""The settings of an export of which it is known what the stock classes make of them; all others are refused.

A class takes settings that no reader of its own would look for: `num_hidden_layers` is another name of GPT-2's
`n_layer`, and `is_causal` masks what BERT sees.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from capax.certify.refusal import Refusal
from capax.model.export.hf_tokens import named
from capax.model.vocabulary import Token

_SHARED: Final = {"architectures", "model_type", "dtype", "torch_dtype", "vocab_size", "id2label", "label2id"}
_IDS: Final = {"bos_token_id", "eos_token_id", "pad_token_id"}
_SIZES: Final = {
    "gpt2": {"n_embd", "n_layer", "n_head", "n_inner", "n_positions", "activation_function", "layer_norm_epsilon"}
    | {"scale_attn_weights", "tie_word_embeddings", "classifier_dropout"}
    | {"resid_pdrop", "embd_pdrop", "attn_pdrop", "summary_first_dropout"},
    "bert": {"hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size", "type_vocab_size"}
    | {"max_position_embeddings", "hidden_act", "layer_norm_eps", "classifier_dropout"}
    | {"hidden_dropout_prob", "attention_probs_dropout_prob"},
}
_CLASSES: Final = {
    ("gpt2", "text-generation"): "GPT2LMHeadModel",
    ("gpt2", "token-classification"): "GPT2ForTokenClassification",
    ("bert", "token-classification"): "BertForTokenClassification",
}
_BUFFERS: Final = (".attn.bias", ".attn.masked_bias", ".position_ids")
"""Masks and places, which some versions of the classes read from the file."""


def _need(holds: bool, why: str) -> None:
    if not holds:
        raise Refusal(f"the configuration is none of an export: {why}")


def check_settings(
    config: Mapping[str, Any], task: Any, numbers: str, values: Iterable[Token], tensors: Iterable[str]
) -> None:
    """Refuses settings that may have the class do something else than what is read from them.

    `values` are the answers in the order of the outputs, `tensors` the names of all tensors in the file.
    """
    kind: Any = config.get("model_type")
    _need(isinstance(kind, str) and (kind, task) in _CLASSES, f"a {kind!r:.40} for {task!r:.40}")
    _need(config.get("architectures") == [_CLASSES[kind, task]], "it names another class")
    known = _SHARED | _SIZES[kind]
    for name, value in config.items():
        _need(name in known | _IDS, f"it sets {name!r:.40}")
        _need(value is not None or name in _IDS, f"{name} is null")
    systems = {config[name] for name in ("dtype", "torch_dtype") if name in config}
    _need(systems == {numbers}, "it sets another number system than that of the weights")
    # with both maps in a file, versions of the library differ in which is taken
    _need(kind != "gpt2" or config.get("tie_word_embeddings") is False, "the last map is tied to the embedding")
    if task == "token-classification":
        labels = {str(i): name for i, name in enumerate(named(values))}
        _need(config.get("id2label") == labels, "its labels are not the answers")
    _need(not any(name.endswith(_BUFFERS) for name in tensors), "the weights have a mask or places of their own")
