"""The settings of a Llama directory of which it is known what the stock class makes of them; all others are refused."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from capax.certify.not_certified import NotCertified
from capax.model.export.hugging_face.tokens import named
from capax.model.vocabulary import Token

LEAST_FACTOR: Final = 1e45
"""Frequencies that are divided by this are 0 in float32: the greatest is 1, and the least number is about 1e-45."""
_FIXED: Final[dict[str, Any]] = {
    "model_type": "llama",
    "hidden_act": "silu",
    "attention_bias": False,
    "attention_dropout": 0.0,
    "mlp_bias": False,
    "tie_word_embeddings": False,
    "rope_theta": 10000.0,
}
_SIZES: Final = (
    "hidden_size",
    "intermediate_size",
    "num_hidden_layers",
    "num_attention_heads",
    "num_key_value_heads",
    "head_dim",
    "max_position_embeddings",
    "vocab_size",
)
_OTHERS: Final = {"dtype", "torch_dtype", "architectures", "rms_norm_eps", "rope_scaling", "id2label", "label2id"}
_IDS: Final = {"bos_token_id", "eos_token_id", "pad_token_id"}
_MOST: Final = 10**6


@dataclass(frozen=True, slots=True)
class LlamaSettings:
    """The sizes of a directory; `outputs` is the number of logits."""

    width: int
    hidden: int
    layers: int
    heads: int
    groups: int
    dimension: int
    positions: int
    vocabulary: int
    outputs: int
    generates: bool
    numbers: str


def _need(holds: bool, why: str) -> None:
    if not holds:
        raise NotCertified(f"not the configuration of an export: {why}")


def llama_settings(config: Mapping[str, Any], task: Any, values: Sequence[Token], read: int) -> LlamaSettings:
    """The sizes, where every setting is one whose meaning is known.

    `values` are the answers, and `read` is the number of tokens that a word may have.
    """
    classes = {"text-generation": "LlamaForCausalLM", "token-classification": "LlamaForTokenClassification"}
    _need(task in classes and config.get("architectures") == [classes[task]], "it names another class")
    known = {*_FIXED, *_SIZES, *_OTHERS, *_IDS}
    for name in config:
        _need(name in known, f"it sets {name!r:.40}")
    for name, value in _FIXED.items():
        _need(type(config.get(name)) is type(value) and config[name] == value, f"{name} is not {value}")
    numbers = config.get("dtype")
    _need(numbers in ("float32", "bfloat16") and config.get("torch_dtype") == numbers, "its number system")
    sizes = [config.get(name) for name in _SIZES]
    _need(all(type(size) is int and 0 < size <= _MOST for size in sizes), "a size is none")
    whole = [int(size) for size in sizes if size is not None]
    epsilon, rope = config.get("rms_norm_eps"), config.get("rope_scaling")
    _need(type(epsilon) is float and 0 <= epsilon <= 1e-3, "what norms add to a mean square is too much")
    factor = rope.get("factor") if isinstance(rope, dict) else None
    linear = rope == {"rope_type": "linear", "factor": factor}
    _need(linear and type(factor) is float and factor >= LEAST_FACTOR, "rotary positions are not switched off")
    heads, groups, dimension = whole[3:6]
    _need(heads % groups == 0, "heads are not divided by groups")
    _need(dimension.bit_count() == 1 and dimension.bit_length() % 2 == 1, "the size of heads is not a power of 4")
    generates = task == "text-generation"
    _need(read <= whole[7], "there are tokens without a row")
    if not generates:
        labels = {str(i): name for i, name in enumerate(named(values))}
        _need(config.get("id2label") == labels, "its labels are not the answers")
    width, hidden, layers, _, _, _, positions, vocabulary = whole
    outputs = vocabulary if generates else len(values)
    return LlamaSettings(
        width, hidden, layers, heads, groups, dimension, positions, vocabulary, outputs, generates, str(numbers)
    )
