"""Which hook of TransformerLens is which activation, head, unit and direction of capax."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from capax.model.export.target import NOT_ASKED, Meanings
from capax.model.export.transformer_lens.weights import config_json
from capax.model.interpretability.graph import GraphShape, head_name
from capax.model.model import REUSED, Model
from capax.model.parts import Mlp
from capax.model.vocabulary import Classes, Nearest

GLOBAL = {"hook_embed": "embed", "hook_pos_embed": "pos_embed"}
IN_BLOCKS = {
    "hook_resid_pre": "resid_pre",
    "attn.hook_q": "attn.q",
    "attn.hook_k": "attn.k",
    "attn.hook_v": "attn.v",
    "attn.hook_z": "attn.z",
    "attn.hook_attn_scores": "attn.scores",
    "attn.hook_pattern": "attn.pattern",
    "hook_attn_out": "attn.out",
    "hook_resid_mid": "resid_mid",
    "mlp.hook_pre": "mlp.pre.0",
    "mlp.hook_post": "mlp.post.0",
    "hook_mlp_out": "mlp.out",
    "hook_resid_post": "resid_post",
}
"""TransformerLens' name in a block, and that of `capax.model.run.trace`.

The numbers are the same. Of queries, keys, values and what heads average, its axes are batch, position, head, feature
where those of capax are batch, head, position, feature; patterns and scores have the same axes.
"""


def names_json(model: Model, meanings: Meanings = NOT_ASKED) -> dict[str, Any]:
    """The names of a model's parts, and the hooks at which they are seen."""
    heads, units = [], []
    for layer, block in enumerate(model.blocks):
        for number, head in enumerate(block.heads):
            heads.append(
                {
                    "layer": layer,
                    "head": number,
                    "hook": f"blocks.{layer}.attn.hook_pattern",
                    "name": head.name,
                    "does": meanings.notes.get(head_name(layer, number)) or (head.origin and head.origin.what),
                    "location": None if head.origin is None else head.origin.location,
                }
            )
        if isinstance(block.mlp, Mlp) and block.mlp.units:
            purposes = [origin.what for origin in block.mlp.units[0]]
            units.append({"layer": layer, "hook": f"blocks.{layer}.mlp.hook_post", "units": purposes})
    return {
        "heads": heads,
        "units": units,
        "directions": list(model.names),
        "writers": _writers(model),
        "uses": _uses_json(model),
        "variables": _variables_json(meanings),
        "hooks": _hooks(model),
        "circuit": _circuit_json(model, meanings.notes),
        "empty": f"heads beyond these, up to {config_json(model)['n_heads']} in a layer, and further units, are zeros",
    }


def _writers(model: Model) -> list[list[str]]:
    """For each direction the heads and MLPs that write to it: which layer each name of a reused one belongs to.

    They are named as in the circuit, `a0.h1` and `m0`; a direction without any is written by the embedding alone.
    """
    writers: list[list[str]] = [[] for _ in model.names]
    for layer, block in enumerate(model.blocks):
        parts = [(f"a{layer}.h{number}", head.output) for number, head in enumerate(block.heads)]
        if isinstance(block.mlp, Mlp):
            parts.append((f"m{layer}", block.mlp.maps[-1].weight))
        for name, rows in parts:
            for direction in np.flatnonzero(np.any(rows, axis=0)).tolist():
                writers[direction].append(name)
    return writers


def _uses_json(model: Model) -> Any:
    """For each direction what it stands for in turn, from which hook of the stream to which; or why it is not known."""
    from capax.model.interpretability.lens_model import lens_model
    from capax.model.interpretability.lens_stream import direction_uses

    if config_json(model)["normalization_type"] is not None:
        return {"why_not": "the model has norms"}
    return [[use.to_json() for use in uses] for uses in direction_uses(lens_model(model), model.names)]


def _variables_json(meanings: Meanings) -> Any:
    """The variables that directions tell of, with the numbers that stand for each value; or why they are not known."""
    return list(meanings.variables) if meanings.why_not is None else {"why_not": meanings.why_not}


MOST_EDGES = 400
"""The circuit of a graph with more edges is not sought when a model is exported."""


def _circuit_json(model: Model, notes: Mapping[str, str]) -> dict[str, Any]:
    """The nodes and edges that matter, each edge with a word and a donor that show it; or why they are not known."""
    from capax.model.interpretability.circuit import circuit_of
    from capax.model.interpretability.interchange import ExchangePlan

    config = config_json(model)
    shape = GraphShape(int(config["n_layers"]), int(config["n_heads"]))
    if any(REUSED in name for name in model.names):
        return {"why_not": "the model reuses directions; compile it with keep_all=True, or --keep-all"}
    if config["normalization_type"] is not None or len(shape.edges()) > MOST_EDGES:
        return {"why_not": "the model has norms, or too many edges"}
    if not isinstance(model.decoding, Classes | Nearest):
        return {"why_not": "the answers are numbers that are computed"}
    return circuit_of(model, notes, ExchangePlan(lengths=(2, 3, 5), count=60)).to_json()


def _hooks(model: Model) -> dict[str, str]:
    """The names of capax by those of TransformerLens, for what the model has."""
    hooks = dict(GLOBAL)
    for layer, block in enumerate(model.blocks):
        for hook, name in IN_BLOCKS.items():
            absent = (name.startswith("attn.") and name != "attn.out" and not block.heads) or (
                name.startswith("mlp.") and block.mlp is None
            )
            if not absent:
                hooks[f"blocks.{layer}.{hook}"] = f"blocks.{layer}.{name}"
    return hooks
