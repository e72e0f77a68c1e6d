"""Plain models: what tools hold that have no sinks, no masks of single heads, no input MLP and no deep MLPs.

A plain model has ordinary softmax heads that all see everything or all look back, MLPs of one hidden stage and one
activation, a row of a table for every position, and no input MLP. A token that the model puts before every word (its
`prefix`) may do the work of sinks. `capax.compiler.target.target` makes models plain.
"""

from typing import Literal

from capax.model.model import Model
from capax.model.parts import Head, Mask, Mlp


def why_not_plain(model: Model) -> str | None:
    """What keeps a model from being plain; None for a plain one."""
    if model.input_mlp is not None:
        return "it has an input MLP"
    if model.positions.functions or model.positions.table is None:
        return "its positions are not a table"
    if model.max_length is None:
        return "it reads words of any length, and a table of positions has an end"
    if any(isinstance(h, Head) and h.sink is not None for b in model.blocks for h in b.heads):
        return "some head has a sink"
    if any(isinstance(b.mlp, Mlp) and b.mlp.depth > 1 for b in model.blocks):
        return "an MLP has more than one hidden stage"
    return never_plain(model) or mixed_masks(model)


def never_plain(model: Model) -> str | None:
    """What no change of form makes plain: other kinds of attention, oracle maps, other numbers; None if nothing."""
    if model.numbers not in ("float32", "float64"):
        return f"it computes in {model.numbers}, not in float32 or float64"
    for block in model.blocks:
        if any(not isinstance(h, Head) for h in block.heads):
            return "it has a third-order head"
        kinds = {h.attention for h in block.heads if isinstance(h, Head)} - {"softmax"}
        if kinds:
            return f"it has {min(kinds)} attention, not softmax"
    mlps = [m for m in (model.input_mlp, *(b.mlp for b in model.blocks)) if m is not None]
    if any(not isinstance(m, Mlp) for m in mlps):
        return "it has an oracle map, which is not a network"
    if len({m.activation for m in mlps if isinstance(m, Mlp)}) > 1:
        return "its MLPs have different activations"
    return None


def mixed_masks(model: Model) -> str | None:
    """What is said of masks other than none for all heads or causal for all; None if there are no others."""
    masks = {h.mask for b in model.blocks for h in b.heads}
    odd = masks - {"none", "causal"}
    if odd:
        return f"a head has the mask `{min(odd)}`"
    return "some heads look back and others see everything" if len(masks) > 1 else None


def direction(model: Model) -> Literal["causal", "none"]:
    """The mask that all heads of a plain model have; a model without heads looks back."""
    masks: set[Mask] = {h.mask for b in model.blocks for h in b.heads}
    return "none" if masks == {"none"} else "causal"
