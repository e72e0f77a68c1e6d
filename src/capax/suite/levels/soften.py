"""Softer scores, and smooth units with norms: models nearer to trained ones, right on all words all the same."""

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from capax.model.export.export_check import random_words, short_words
from capax.model.export.hugging_face.norm_bounds import longest_row
from capax.model.export.hugging_face.norms import PairedCoordinates, with_norms
from capax.model.export.hugging_face.sizes import sizes_for
from capax.model.interpretability.lens_model import LensModel, lens_model
from capax.model.model import Model
from capax.model.parts import Array
from capax.suite.levels.level_model import wrong_words

ROOM: Final = 1.5
"""Scores are this much larger than the least with which all answers are right."""
SOFTER: Final = 48 / 256
"""What scores of a model with norms are multiplied by."""


def softened(lens: LensModel, factor: float) -> LensModel:
    """The model with all scores times a factor."""
    changed = {
        name: (array * factor).astype(array.dtype)
        for name, array in lens.tensors.items()
        if name.endswith(("attn.W_Q", "attn.b_Q"))
    }
    return lens.changed(changed)


def softest(lens: LensModel, words: Sequence[Array], answers: Sequence[Array]) -> float:
    """The factor for scores: a little above the least that was found right; then right on all words given."""
    few = [slice(None, None, max(1, len(rows) // 500)) for rows in words]
    some = [rows[part] for rows, part in zip(words, few, strict=True)]
    expected = [codes[part] for codes, part in zip(answers, few, strict=True)]
    low, high = 0.0, 1.0
    for _ in range(9):
        middle = high / 2 if low == 0 else (low + high) / 2
        if wrong_words(softened(lens, middle), some, expected)[0]:
            low = middle
        else:
            high = middle
        if low > 0.8 * high:
            break
    factor = min(1.0, ROOM * high)
    while factor < 1 and wrong_words(softened(lens, factor), words, answers)[0]:
        factor = min(1.0, 1.3 * factor)
    return factor


def smooth(lens: LensModel, steep: float) -> LensModel:
    """The model with GELUs in place of ReLUs: a GELU of many times a number is the number's positive part, nearly."""
    changed = {}
    for layer in range(lens.shape.layers):
        for name, factor in (("W_in", steep), ("b_in", steep), ("W_out", 1 / steep)):
            changed[f"blocks.{layer}.mlp.{name}"] = lens.block(layer, f"mlp.{name}") * np.float32(factor)
    return lens.changed(changed, act_fn="gelu_new")


def with_layer_norms(model: Model, above: int) -> tuple[LensModel, Array, Array]:
    """A plain model with LayerNorms, their gains folded into what reads; the basis of the stream, and the constant.

    The pinned numbers stand so many powers of two above the longest row of the stream.
    """
    words = [*short_words(model, 150)[0], *random_words(model, 60, 0)]
    pin = 2.0 ** (math.ceil(math.log2(max(longest_row(model, words), 1.0))) + above)
    sizes = sizes_for(model, whole_root=False)
    lens = folded(lens_model(with_norms(model, sizes, "float32", pin, after=False, soften=SOFTER), heads=2))
    pairs = PairedCoordinates(model, sizes, "float32", pin)
    return lens, pairs.write(np.eye(model.width)), pairs.pinned()


def folded(lens: LensModel) -> LensModel:
    """The model with gain 1 and bias 0 in all norms: what they had is in the maps that read them."""
    changed: dict[str, Array] = {}
    for layer in range(lens.shape.layers):
        gain, bias = lens.block(layer, "ln1.w"), lens.block(layer, "ln1.b")
        for letter in "QKV":
            weight = lens.block(layer, f"attn.W_{letter}")
            changed[f"blocks.{layer}.attn.b_{letter}"] = lens.block(layer, f"attn.b_{letter}") + bias @ weight
            changed[f"blocks.{layer}.attn.W_{letter}"] = gain[:, None] * weight
        gain, bias, weight = (lens.block(layer, name) for name in ("ln2.w", "ln2.b", "mlp.W_in"))
        changed[f"blocks.{layer}.mlp.b_in"] = lens.block(layer, "mlp.b_in") + bias @ weight
        changed[f"blocks.{layer}.mlp.W_in"] = gain[:, None] * weight
    last, bias, weight = (lens.array(name) for name in ("ln_final.w", "ln_final.b", "unembed.W_U"))
    changed["unembed.b_U"] = lens.array("unembed.b_U") + bias @ weight
    changed["unembed.W_U"] = last[:, None] * weight
    for name, array in lens.tensors.items():
        if name.endswith((".ln1.w", ".ln2.w", "ln_final.w")):
            changed[name] = np.ones_like(array)
        elif name.endswith((".ln1.b", ".ln2.b", "ln_final.b")):
            changed[name] = np.zeros_like(array)
    return lens.changed(changed)
