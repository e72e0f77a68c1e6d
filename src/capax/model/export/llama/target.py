"""A model for the stock Llama class: a directory that `AutoModelForCausalLM.from_pretrained` opens."""

from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from capax.model.adapt.make_plain import why_not_plain
from capax.model.adapt.sink_token import with_sink_token
from capax.model.adapt.summed_positions import without_summed_positions
from capax.model.export.hugging_face.answers import MOST_LABELS, answers_of, with_logits
from capax.model.export.hugging_face.convert import Converted
from capax.model.export.hugging_face.run import load
from capax.model.export.hugging_face.shape import is_causal
from capax.model.export.hugging_face.target import (
    description_json,
    generation_json,
    json_file,
    low_logit,
    output_rows,
    special_ids,
    weights_file,
)
from capax.model.export.hugging_face.tokens import TokenIds, named, tokenizer_config_json, tokenizer_json, tokens_of
from capax.model.export.llama.card import llama_card, llama_certificate_json
from capax.model.export.llama.families import CLASSES as CLASSES_LIKE_IT
from capax.model.export.llama.families import writer
from capax.model.export.llama.weights import (
    PIN,
    LlamaWeights,
    first_direction,
    has_positions,
    over_width,
    rows_of_table,
    translate,
)
from capax.model.export.target import Files, Prover, Target
from capax.model.io.storage import is_exact, storage_of
from capax.model.model import Model
from capax.model.parts import Affine, Array
from capax.model.provenance import RecordedDomain
from capax.model.vocabulary import token_key

ROTATES_NOT: Final = 1e45
"""Rotary positions are divided by this, after which the frequencies are 0 in float32: cosines are 1 and sines 0."""
CLASSES: Final = {"text-generation": "LlamaForCausalLM", "token-classification": "LlamaForTokenClassification"}


def prepared(model: Model) -> Model:
    """The model with a first token before every word, from which positions are counted: its own, or one more.

    The token is in no word, which the tokenizer sees to. Directions of the position that are sums of others are left
    out where the class is narrower without them.
    """
    if not model.prefix and has_positions(model):
        model = with_sink_token(model, selective=model.provenance.heads is not None) or model
    model = _narrowed(model)
    before = {token_key(token) for token in model.prefix}
    domain = model.provenance.domain or RecordedDomain(model.vocabulary.tokens, model.max_length, True)
    letters = domain.alphabet or model.vocabulary.tokens
    if not any(token_key(token) in before for token in letters):
        return model
    words = replace(domain, alphabet=tuple(token for token in letters if token_key(token) not in before))
    return replace(model, provenance=replace(model.provenance, domain=words))


def _narrowed(model: Model) -> Model:
    """The model with fewer directions, if the width of the class, a power of 4, is smaller then."""
    if model.numbers != "float32" or len(model.prefix) != 1 or not has_positions(model):
        return model
    first = first_direction(model)
    if first is None:
        return model
    narrower = without_summed_positions(model, over_width(model.width), first)
    return narrower if over_width(model.width) == model.width - narrower.width else model


def final_reason(model: Model) -> str | None:
    """Why the class cannot hold a model in any form, or None: its numbers, or what its heads see."""
    if model.numbers not in ("float32", "bfloat16"):
        return f"it computes in {model.numbers:.40}, and a Llama holds models in float32 or bfloat16"
    if not is_causal(model):
        why = "its heads see later positions, and those of the class look back: compile it with --causal"
        growing = model.loop is not None and not isinstance(model.loop.rounds, int)
        return f"{why}, and a constant number of rounds in its loop" if growing else why
    return None


def reason(model: Model) -> str | None:
    """Why the class cannot hold a model, or None."""
    why = final_reason(model) or why_not_plain(model)
    if why is not None:
        return why
    norms = [model.readout.norm, *(n for b in model.blocks for n in (b.attention_norm, b.mlp_norm))]
    if any(norm is not None for norm in norms):
        return "it has norms of its own"
    if any(b.mlp is not None and getattr(b.mlp, "activation", "relu") != "relu" for b in model.blocks):
        return "its MLPs are not of ReLUs"
    if model.output_weights != "softmax" or model.decoding.outputs > MOST_LABELS:
        return f"its outputs are weighted by sparsemax, or are more than {MOST_LABELS:,}"
    return _front(model)


def _front(model: Model) -> str | None:
    """Why positions cannot be counted, or None."""
    if not has_positions(model):
        return _rounded(model) if len(model.prefix) <= 1 else "several tokens stand before every word"
    model = prepared(model)
    if len(model.prefix) != 1:
        return "several tokens stand before every word, or no token can be hidden from its heads"
    if first_direction(model) is None:
        return "no direction tells its first token from the others"
    if rows_of_table(model) is None:
        return f"its positions are too many to be counted in {model.numbers}, or no sum gives their numbers exactly"
    return _rounded(model)


def _rounded(model: Model) -> str | None:
    """Which weights of the class bfloat16 would round, or None; a model's own weights are numbers of its system."""
    if model.numbers != "bfloat16":
        return None
    map, storage = with_logits(model).readout.map, storage_of("bfloat16")
    if not (is_exact(map.weight, storage) and is_exact(map.bias, storage)):
        return (
            f"the logits of its {map.outputs:,} answers need weights of more than the 8 binary digits of bfloat16: "
            "compile it in float32"
        )
    tensors = tensors_of(translate(model, map, len(model.vocabulary.tokens)), generates=True)
    name = next((name for name, array in tensors.items() if not is_exact(array, storage)), None)
    return None if name is None else f"bfloat16 would round numbers of {name}: compile it in float32"


def write(model: Model, directory: Path, prove: Prover | None = None) -> Files:
    """The files of a model: configuration, weights, tokenizer, certificate, card, and what `load` needs to know."""
    answers = answers_of(model, causal=True)
    converted = Converted(with_logits(model), answers, "llama", True)
    tokens = tokens_of(model.vocabulary.tokens, model.vocabulary.rows(model.prefix), answers.end)
    rows = output_rows(converted, tokens, model)
    weights = translate(converted.model, _readout(converted, tokens, rows, model), len(tokens.names))
    generates = answers.task == "text-generation"
    longest = model.max_length or 1
    config = config_json(weights, longest + len(model.prefix), answers.task, model.numbers) | {
        "vocab_size": len(tokens.names),
        **special_ids(tokens),
    }
    if not generates:
        labels = named(answers.values) if answers.values else ["value"]
        config |= {"id2label": dict(enumerate(labels)), "label2id": {label: i for i, label in enumerate(labels)}}
    files = {
        "config.json": json_file(config),
        "model.safetensors": weights_file(tensors_of(weights, generates=generates), half=model.numbers == "bfloat16"),
        "tokenizer.json": json_file(tokenizer_json(tokens, longest)),
        "tokenizer_config.json": json_file(tokenizer_config_json(tokens, left=generates)),
        "capax.json": json_file(description_json(converted, tokens, model, rows)),
    }
    proved = prove(files, model.provenance.to_json(), tokens.prefix, PIN) if prove is not None else None
    known = llama_certificate_json(converted, config, proved)
    files["certificate.json"] = json_file(known)
    files["README.md"] = llama_card(converted, tokens, model, config, known).encode()
    if generates:
        most = {"max_length": longest + len(model.prefix)}  # positions after it mean nothing
        files["generation_config.json"] = json_file(special_ids(tokens) | generation_json(model) | most)
    return files


def _readout(converted: Converted, tokens: TokenIds, rows: list[int], model: Model) -> Affine:
    """The last map: one output for each token of a text generator, else one for each label."""
    map = converted.model.readout.map
    if converted.answers.task != "text-generation":
        return map
    weight: Array = np.zeros((map.inputs, len(tokens.names)))
    bias: Array = np.full(len(tokens.names), low_logit(converted, model))
    weight[:, rows], bias[rows] = map.weight, map.bias
    return Affine(weight, bias)


def config_json(weights: LlamaWeights, positions: int, task: str, numbers: str) -> dict[str, Any]:
    """The configuration of the stack of layers."""
    sizes = weights.sizes
    return {
        "architectures": [CLASSES[task]],
        "model_type": "llama",
        "dtype": numbers,
        "torch_dtype": numbers,
        "hidden_size": sizes.width,
        "intermediate_size": sizes.hidden,
        "num_hidden_layers": sizes.layers,
        "num_attention_heads": sizes.heads,
        "num_key_value_heads": sizes.groups,
        "head_dim": sizes.dimension,
        "hidden_act": "silu",
        "max_position_embeddings": positions,
        "rms_norm_eps": 1e-6,
        "rope_theta": 10000.0,
        "rope_scaling": {"rope_type": "linear", "factor": ROTATES_NOT},
        "attention_bias": False,
        "attention_dropout": 0.0,
        "mlp_bias": False,
        "tie_word_embeddings": False,
    }


def tensors_of(weights: LlamaWeights, *, generates: bool) -> dict[str, Array]:
    """The tensors by the names that the class has for them, kept as (outputs, inputs)."""
    tensors: dict[str, Array] = {"model.embed_tokens.weight": weights.embedding, "model.norm.weight": weights.gain}
    for number, layer in enumerate(weights.layers):
        name = f"model.layers.{number}"
        for part, array in (("q", layer.query), ("k", layer.key), ("v", layer.value), ("o", layer.output)):
            tensors[f"{name}.self_attn.{part}_proj.weight"] = array.T
        for part, array in (("gate", layer.gate), ("up", layer.up), ("down", layer.down)):
            tensors[f"{name}.mlp.{part}_proj.weight"] = array.T
        for norm in ("input_layernorm", "post_attention_layernorm"):
            tensors[f"{name}.{norm}.weight"] = weights.gain
    tensors["lm_head.weight" if generates else "score.weight"] = weights.readout.T
    if not generates:
        tensors["score.bias"] = np.zeros(weights.readout.shape[1])
    return {name: _single(array) for name, array in tensors.items()}


def _single(array: Array) -> Array:
    single = np.ascontiguousarray(array, np.float32)
    assert np.isfinite(single).all(), "weights are far from the ends of float32"
    return single


TARGET = Target(
    name="llama",
    what="a Hugging Face directory for the stock Llama class, with a tokenizer and no code",
    extra="hf",
    packages=("torch", "transformers"),
    refuse=reason,
    write=write,
    load=load,
    needs_plain=True,
    proves=True,
    prepare=prepared,
    refuse_any_form=final_reason,
)


def _family(name: str) -> Target:
    """The target of a class that is built as Llama is."""
    what = f"a Hugging Face directory for the stock {CLASSES_LIKE_IT[name]} class, built as for Llama; without a proof"
    return replace(TARGET, name=name, what=what, write=writer(name, write), proves=False)


TARGETS = (TARGET, *(_family(name) for name in CLASSES_LIKE_IT))
