"""Which models the stock Hugging Face classes can hold, and why not the others."""

from collections.abc import Iterator
from typing import Literal, TypeAlias

import numpy as np

from capax.model.export.hugging_face.answers import MOST_LABELS, answers_of
from capax.model.export.hugging_face.sizes import split_of
from capax.model.export.uniform import needed
from capax.model.model import Model
from capax.model.numbers import Float, parse
from capax.model.parts import Block, Head, Mlp

Shape: TypeAlias = Literal["bare", "gpt2", "bert"]
"""Without norms; with norms where GPT-2 has them; where BERT has them (the first block norms the embedding)."""


def is_causal(model: Model) -> bool:
    """Whether no position sees a later one; a model without heads says so in its domain, if at all."""
    heads = [head for block in model.blocks for head in block.heads]
    if heads:
        return all(head.mask == "causal" for head in heads)
    return model.provenance.causal


def shape_of(model: Model) -> Shape | None:
    """Where the norms of a model stand, if they stand as in one of the classes."""
    norms = [n for b in model.blocks for n in (b.attention_norm, b.mlp_norm)] + [model.readout.norm]
    present = [n for n in norms if n is not None]
    if not present:
        return "bare"
    if any(n.kind != "layer" for n in present) or len({n.epsilon for n in present}) > 1:
        return None
    if model.norm_place == "before":
        return "gpt2" if _as_in_gpt2(model) else None
    return "bert" if _as_in_bert(model) else None


def _as_in_gpt2(model: Model) -> bool:
    """Whether there is a norm before every sublayer and before the last map."""
    return model.readout.norm is not None and all(
        (b.attention_norm or not b.heads) and (b.mlp_norm or b.mlp is None) for b in model.blocks
    )


def _as_in_bert(model: Model) -> bool:
    """Whether the first block does nothing but norm the embedding, and all others have norms after both sublayers."""
    first, rest = model.blocks[0], model.blocks[1:]
    idle = not first.heads and first.mlp is None and first.mlp_norm is None and not np.any(first.bias)
    complete = model.readout.norm is None and all(b.attention_norm and b.mlp_norm for b in rest)
    return idle and first.attention_norm is not None and complete


def reason(model: Model) -> str | None:
    """Why the classes cannot hold a model, or None."""
    for why in _reasons(model):
        if why is not None:
            return why
    return None


def _reasons(model: Model) -> Iterator[str | None]:
    system = parse(model.numbers)
    if not isinstance(system, Float) or system.name not in ("float32", "float64"):
        yield f"it computes in {model.numbers:.60}, and exports are in float32 or float64"
    if model.input_mlp is not None:
        yield "it has an MLP before the first attention"
    for number, block in enumerate(model.blocks, 1):
        yield _block(block, number)
    masks = {head.mask for block in model.blocks for head in block.heads}
    if len(masks) > 1 or masks - {"causal", "none"}:
        yield f"its heads have masks of their own ({', '.join(sorted(masks))})"
    if len({b.mlp.activation for b in model.blocks if isinstance(b.mlp, Mlp)}) > 1:
        yield "its MLPs differ in their activation"
    if not np.array_equal(model.positions.values(8), model.positions.values(9)[:8]):
        yield "its positions depend on the length of the word"
    if model.output_weights != "softmax":
        yield f"its outputs are weighted by {model.output_weights}, but the classes use softmax"
    if model.decoding.outputs > MOST_LABELS:
        yield f"it has {model.decoding.outputs:,} answers; at most {MOST_LABELS:,} are labels"
    yield _norms(model)


def _block(block: Block, number: int) -> str | None:
    for head in block.heads:
        if not isinstance(head, Head):
            return f"layer {number} has a third-order head, or one with rotary positions"
        if head.attention != "softmax":
            return f"a head of layer {number} has {head.attention} attention"
        if head.sink is not None:
            return f"a head of layer {number} has a sink of its own"
    if block.mlp is not None and not isinstance(block.mlp, Mlp):
        return f"layer {number} has a gated MLP, or an arbitrary function in place of an MLP"
    if block.mlp is not None and block.mlp.depth != 1:
        return f"the MLP of layer {number} has {block.mlp.depth} hidden stages, but the classes have one"
    return None


def _norms(model: Model) -> str | None:
    shape, causal = shape_of(model), is_causal(model)
    if shape is None:
        return "its norms do not stand where GPT-2 or BERT have theirs"
    if shape == "bare":
        return None
    if (shape == "gpt2") != causal:
        return f"its norms stand as in {shape.upper()}, but it is {'causal' if causal else 'not causal'}"
    if split_of(model.width, *needed(model)) is None:
        return f"its heads do not fit a width of {model.width}"
    if shape == "gpt2" and answers_of(model, causal=True).task == "text-generation":
        complete = model.decoding.outputs == len(model.vocabulary)
        if not complete or np.any(model.readout.map.bias) or model.decoding.outputs == 1:
            return "its last map has a bias, or not one logit for each token, which the class cannot represent"
    return None
