"""Hugging Face: a directory that stock classes (OPT, RoBERTa; GPT-2, BERT) load, with no code of its own."""

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from capax.model.export.export_check import random_words, short_words
from capax.model.export.hugging_face.bert import bert_config_json, bert_tensors, roberta_config_json, roberta_tensors
from capax.model.export.hugging_face.card import card
from capax.model.export.hugging_face.certificate import certificate_json
from capax.model.export.hugging_face.convert import Converted, convert
from capax.model.export.hugging_face.gpt2 import gpt2_config_json, gpt2_tensors, lm_head
from capax.model.export.hugging_face.opt import opt_config_json, opt_tensors
from capax.model.export.hugging_face.run import load
from capax.model.export.hugging_face.shape import reason
from capax.model.export.hugging_face.tokens import TokenIds, named, tokenizer_config_json, tokenizer_json, tokens_of
from capax.model.export.target import Files, Prover, Target
from capax.model.io.container import Stored, pack
from capax.model.io.storage import storage_of
from capax.model.io.storage import stored as as_stored
from capax.model.model import Model
from capax.model.parts import Array
from capax.model.provenance import Json
from capax.model.run.run import logits as logits_of
from capax.model.vocabulary import token_key


def write(model: Model, directory: Path, prove: Prover | None = None) -> Files:
    """The files of a model: configuration, weights, tokenizer, certificate, card, and what `load` needs to know.

    `prove` tells of the answers of the files whether they are proved; without it they are only tested.
    """
    converted = convert(model)
    generates = converted.answers.task == "text-generation"
    native = converted.norms is None
    tokens = tokens_of(
        model.vocabulary.tokens,
        model.vocabulary.rows(model.prefix),
        converted.answers.end,
        own_pad=not (native and generates),
    )
    rows = output_rows(converted, tokens, model)
    config, tensors = _stack(converted, tokens, model, rows)
    files = {
        "config.json": json_file(config),
        "model.safetensors": weights_file(tensors),
        "tokenizer.json": json_file(tokenizer_json(tokens, _longest(converted.model) - len(model.prefix))),
        "tokenizer_config.json": json_file(tokenizer_config_json(tokens, left=generates)),
        "capax.json": json_file(description_json(converted, tokens, model, rows)),
    }
    proved = None
    if prove is not None and converted.norms is not None:
        proved = prove(files, model.provenance.to_json(), tokens.prefix, converted.norms.error.reach)
    known = certificate_json(converted, config, proved)
    files["certificate.json"] = json_file(known)
    files["README.md"] = card(converted, tokens, model, config, known).encode()
    if generates:
        files["generation_config.json"] = json_file(
            special_ids(tokens)
            | generation_json(model)
            | {"max_length": _longest(converted.model)}  # there are no positions after it
        )
    return files


def _longest(model: Model) -> int:
    assert model.positions.table is not None
    return len(model.positions.table)


def output_rows(converted: Converted, tokens: TokenIds, model: Model) -> list[int]:
    """The ids of the answers of a text generator, in the order of the model's outputs."""
    if converted.answers.task != "text-generation":
        return []
    row = {token_key(token): i for i, token in enumerate(model.vocabulary.tokens)}
    return [row.get(token_key(value), tokens.end or 0) for value in converted.answers.values]


def special_ids(tokens: TokenIds) -> dict[str, int | None]:
    """The ids of the special tokens; what there is none of is said too, since the classes have ids of their own."""
    first = tokens.prefix[0] if tokens.prefix else None
    return {"bos_token_id": first, "eos_token_id": tokens.end, "pad_token_id": tokens.pad}


def generation_json(model: Model) -> dict[str, Any]:
    """How tokens are chosen unless the user says otherwise: a program has one answer, which is the best token.

    Some versions of the library's pipeline sample whatever `do_sample` says here, but keep a `top_k`: of one token
    there is nothing to sample. A model without a program may be sampled from.
    """
    return {"do_sample": True, "top_k": 1} if model.provenance.program is not None else {"do_sample": False}


def _stack(
    converted: Converted, tokens: TokenIds, model: Model, rows: list[int]
) -> tuple[dict[str, Json], dict[str, Array]]:
    """The configuration and the tensors."""
    count, whole = len(tokens.names), converted.norms is not None
    config, tensors = _layers(converted, tokens)
    shared: dict[str, Json] = {
        "dtype": converted.model.numbers,
        "torch_dtype": converted.model.numbers,
        "vocab_size": count,
        **special_ids(tokens),
    }
    if converted.answers.task == "text-generation":
        tensors["lm_head.weight"] = lm_head(
            converted.model, rows, count, low_logit(converted, model) if whole else None
        )
        return {"architectures": [_CLASSES[converted.family][0]], **config, **shared}, tensors
    labels = named(converted.answers.values) if converted.answers.values else ["value"]
    shared |= {"id2label": dict(enumerate(labels)), "label2id": {label: i for i, label in enumerate(labels)}}
    if converted.family == "gpt2":
        map = converted.model.readout.map
        tensors |= {"classifier.weight": map.weight.T, "classifier.bias": map.bias}
        config["classifier_dropout"] = 0.0
    return {"architectures": [_CLASSES[converted.family][1]], **config, **shared}, tensors


_CLASSES = {
    "opt": ("OPTForCausalLM", ""),
    "roberta": ("", "RobertaForTokenClassification"),
    "gpt2": ("GPT2LMHeadModel", "GPT2ForTokenClassification"),
    "bert": ("", "BertForTokenClassification"),
}
"""By family: the class that generates text, and the one that labels tokens."""


def _layers(converted: Converted, tokens: TokenIds) -> tuple[dict[str, Json], dict[str, Array]]:
    """The configuration and the tensors of the stack of layers."""
    count = len(tokens.names)
    match converted.family:
        case "opt":
            return opt_config_json(converted.model), opt_tensors(converted.model, count)
        case "gpt2":
            return gpt2_config_json(converted.model), gpt2_tensors(converted.model, count)
        case "roberta":
            assert tokens.pad is not None, "its positions are counted over what is not padding"
            config = roberta_config_json(converted.model, tokens.pad, causal=converted.causal)
            return config, roberta_tensors(converted.model, count, tokens.pad)
        case "bert" | "llama":  # a Llama is written by a target of its own
            assert converted.family == "bert"
            return bert_config_json(converted.model, whole_root=False), bert_tensors(
                converted.model, count, whole_root=False
            )


def low_logit(converted: Converted, model: Model) -> float:
    """The logit of tokens that are not answers: far below those of answers on the words that are tried."""
    words = [*short_words(model, 150)[0], *random_words(model, 60, 0)]
    most = max((float(np.abs(out).max(initial=0.0)) for out in logits_of(converted.model, words)), default=0.0)
    return -(2.0 ** math.ceil(math.log2(8 * most + 64)))


def description_json(converted: Converted, tokens: TokenIds, model: Model, rows: list[int]) -> dict[str, Any]:
    """What is needed to read the outputs as the model's answers."""
    return {
        "task": converted.answers.task,
        "dtype": converted.model.numbers,
        "tokens": [[name, token] for name, token in zip(tokens.names, model.vocabulary.tokens, strict=False)],
        "characters": tokens.chars,
        "prefix": len(model.prefix),
        "min_length": model.min_length,
        "max_length": model.max_length,
        "rows": rows,
        "decoding": model.decoding.to_json(),
    }


TARGET = Target(
    name="hf",
    what="a Hugging Face directory for stock classes (OPT, RoBERTa), with a tokenizer and no code",
    extra="hf",
    packages=("torch", "transformers"),
    refuse=reason,
    write=write,
    load=load,
    needs_plain=True,
    proves=True,
)


_DTYPES = {"float32": ("F32", "<f4"), "float64": ("F64", "<f8")}


def weights_file(tensors: Mapping[str, Array], *, half: bool = False) -> bytes:
    """The tensors as a safetensors file, in the order that loaders like: by name; as bfloat16 where `half` is set."""
    stored = {}
    for name in sorted(tensors):
        if half:
            stored[name] = as_stored(tensors[name], storage_of("bfloat16"))
            continue
        array = np.ascontiguousarray(tensors[name])
        kind, order = _DTYPES[str(array.dtype)]
        stored[name] = Stored(kind, array.shape, array.astype(order).tobytes())
    return pack(stored, {"format": "pt"})


def json_file(data: Mapping[str, Any]) -> bytes:
    """Plain data as the bytes of a JSON file."""
    return (json.dumps(data, indent=2, ensure_ascii=False) + "\n").encode()
