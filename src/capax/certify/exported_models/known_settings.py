"""The settings of an export of which it is known what the stock classes make of them; all others are refused.

A class takes settings that no reader of its own would look for: `is_causal` masks what RoBERTa sees, and the id of the
padding token says which of its tokens have no position.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from capax.certify.not_certified import NotCertified
from capax.model.export.hugging_face.tokens import named
from capax.model.vocabulary import Token

_SHARED: Final = {"architectures", "model_type", "dtype", "torch_dtype", "vocab_size", "id2label", "label2id"}
_IDS: Final = {"bos_token_id", "eos_token_id", "pad_token_id"}
_SIZES: Final = {
    "opt": {"hidden_size", "word_embed_proj_dim", "num_hidden_layers", "num_attention_heads", "ffn_dim"}
    | {"max_position_embeddings", "activation_function", "do_layer_norm_before", "tie_word_embeddings"}
    | {"dropout", "attention_dropout", "layerdrop"},
    "roberta": {"hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size", "type_vocab_size"}
    | {"max_position_embeddings", "hidden_act", "layer_norm_eps", "classifier_dropout", "is_decoder", "use_cache"}
    | {"hidden_dropout_prob", "attention_probs_dropout_prob"},
}
_CLASSES: Final = {
    ("opt", "text-generation"): "OPTForCausalLM",
    ("roberta", "token-classification"): "RobertaForTokenClassification",
}
_BUFFERS: Final = (".attn.bias", ".attn.masked_bias", ".position_ids")
"""Masks and positions, which some versions of the classes read from the file."""


def _need(holds: bool, why: str) -> None:
    if not holds:
        raise NotCertified(f"not the configuration of an export: {why}")


def check_settings(
    config: Mapping[str, Any], task: Any, numbers: str, values: Iterable[Token], tensors: Iterable[str], read: int
) -> None:
    """Refuses settings that may have the class do something else than what is read from them.

    `values` are the answers in the order of the outputs, `tensors` the names of all tensors in the file, and `read` is
    the number of tokens that a word may have, whose ids come first.
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
    _need(kind != "opt" or config.get("tie_word_embeddings") is False, "the last map is tied to the embedding")
    if kind == "roberta":  # a token that is taken for padding has no position
        pad = config.get("pad_token_id")
        _need(type(pad) is int and pad >= read, "the token for padding is one of the words'")
    if task == "token-classification":
        labels = {str(i): name for i, name in enumerate(named(values))}
        _need(config.get("id2label") == labels, "its labels are not the answers")
    _need(not any(name.endswith(_BUFFERS) for name in tensors), "the weights have a mask or positions of their own")
