"""Settings of exports: those of which it is known what a class makes of them, and no others."""

import json
from typing import Any

import pytest

from capax.certify.exported_models.exported import recheck_export
from capax.model.io.container import Stored, pack, unpack
from tests.support.proved_exports import certificate_of, exported

SETTINGS: list[tuple[str, dict[str, Any]]] = [
    ("induction", {"num_hidden_layers": 1}),
    ("induction", {"num_attention_heads": 3}),
    ("induction", {"do_layer_norm_before": False}),
    ("induction", {"_remove_final_layer_norm": True}),
    ("induction", {"enable_bias": False}),
    ("induction", {"word_embed_proj_dim": 4}),
    ("induction", {"tie_word_embeddings": None}),
    ("induction", {"tie_word_embeddings": True}),
    ("induction", {"torch_dtype": "bfloat16"}),
    ("induction", {"architectures": None}),
    ("induction", {"architectures": ["OPTModel"]}),
    ("induction", {"architectures": ["RobertaForTokenClassification"]}),
    ("induction", {"architectures": ["OPTForCausalLM", "OPTModel"]}),
    ("induction", {"architectures": ["OPTForCausalLMWithMore"]}),
    ("induction", {"architectures": []}),
    ("flip", {"is_causal": True}),
    ("flip", {"is_decoder": True}),
    ("flip", {"position_embedding_type": None}),
    ("flip", {"id2label": {"0": "b", "1": "a", "2": "c"}}),
    ("flip", {"model_type": "bert"}),
    ("flip", {"pad_token_id": 0}),
    ("flip", {"pad_token_id": None}),
    ("flip", {"quantization_config": {}}),
    ("flip", {"dtype": "float16"}),
]


@pytest.mark.parametrize(("name", "change"), SETTINGS)
def test_settings_that_a_class_may_take_otherwise_are_refused(name: str, change: dict[str, Any]) -> None:
    """Other names of settings, settings that an export does not have, and labels that are other answers."""
    files = exported(name, "float32")
    config = {**json.loads(files["config.json"]), **change}
    claimed = certificate_of(files)["answers"]
    assert recheck_export(files, claimed)[0] is None
    wrong, found = recheck_export({**files, "config.json": json.dumps(config).encode()}, claimed)
    assert wrong is not None
    assert found is not None
    assert found.length == 0


def test_a_token_of_words_cannot_be_the_one_for_padding() -> None:
    """RoBERTa gives it no position: the answers would be others, though weights and positions are what they were."""
    files = exported("flip", "float32")
    config = json.loads(files["config.json"])
    _, tensors = unpack(files["model.safetensors"], "test")
    name, more = "roberta.embeddings.position_embeddings.weight", config["pad_token_id"]
    table = tensors[name]
    rows, width = table.shape
    cut = Stored(table.dtype, (rows - more, width), table.data[more * width * 4 :])
    config |= {"pad_token_id": 0, "max_position_embeddings": rows - more}
    weights = pack({**tensors, name: cut}, {"format": "pt"})
    again = {**files, "model.safetensors": weights, "config.json": json.dumps(config).encode()}
    wrong, found = recheck_export(again, certificate_of(files)["answers"])
    assert wrong is not None
    assert found is not None
    assert "token for padding" in str(found.breaks)


def test_masks_and_positions_among_the_weights_are_refused() -> None:
    """Old versions of the classes read them."""
    files = exported("flip", "float32")
    _, tensors = unpack(files["model.safetensors"], "test")
    tensors = {**tensors, "roberta.embeddings.position_ids": Stored("F32", (1, 7), bytes(28))}
    again = {**files, "model.safetensors": pack(tensors, {"format": "pt"})}
    wrong, found = recheck_export(again, certificate_of(files)["answers"])
    assert wrong is not None
    assert found is not None
    assert "positions of their own" in str(found.breaks)
