"""What stands beside a program: a second one that nothing reads, and pairs of heads that cancel."""

import numpy as np

from capax.errors import CapaxError
from capax.model.interpretability.graph import head_name
from capax.model.interpretability.lens_model import LensModel
from capax.model.parts import Array
from capax.suite.levels.level_model import widened


def with_decoy(lens: LensModel, decoy: LensModel, seed: int) -> tuple[LensModel, tuple[str, ...]]:
    """The model with a second one beside it, in directions, heads and units of its own; and the decoy's nodes.

    The logits read the first alone. The decoy starts at a random layer that leaves it room.
    """
    if (lens.tokens, lens.prefix, lens.config["attention_dir"]) != (
        decoy.tokens,
        decoy.prefix,
        decoy.config["attention_dir"],
    ):
        raise CapaxError("bad-suite", "a decoy reads the same words as the program, and in the same direction")
    layers = max(lens.shape.layers, decoy.shape.layers)
    first = int(np.random.default_rng(seed).integers(0, layers - decoy.shape.layers + 1))
    own = {"width": lens.width, "heads": lens.shape.heads, "units": int(lens.config["d_mlp"])}
    size = max(int(lens.config["d_head"]), int(decoy.config["d_head"]))
    both = widened(
        _with_layers(lens, layers),
        width=decoy.width,
        heads=decoy.shape.heads,
        units=int(decoy.config["d_mlp"]),
        size=size - int(lens.config["d_head"]),
    )
    tensors = {name: array.copy() for name, array in both.tensors.items()}
    tensors["embed.W_E"][:, own["width"] :] = decoy.array("embed.W_E")
    tensors["pos_embed.W_pos"][:, own["width"] :] = decoy.array("pos_embed.W_pos")
    for layer in range(decoy.shape.layers):
        for name, array in decoy.tensors.items():
            if name.startswith(f"blocks.{layer}."):
                target = tensors[name.replace(f"blocks.{layer}.", f"blocks.{layer + first}.", 1)]
                target[_corner(name, array, own)] = array
    nodes = [head_name(layer, own["heads"] + h) for layer in range(layers) for h in range(decoy.shape.heads)]
    return both.changed(tensors), tuple(nodes)


def _corner(name: str, array: Array, own: dict[str, int]) -> tuple[slice, ...]:
    """Where a decoy's weight stands in the joined one: after the program's own."""
    w, h, u = own["width"], own["heads"], own["units"]
    starts = {
        **dict.fromkeys(("W_Q", "W_K", "W_V"), (h, w, 0)),
        **dict.fromkeys(("b_Q", "b_K", "b_V"), (h, 0)),
        "W_O": (h, 0, w),
        "b_O": (w,),
        "W_in": (w, u),
        "b_in": (u,),
        "W_out": (u, w),
        "b_out": (w,),
    }[name.rpartition(".")[2]]
    return tuple(slice(start, start + length) for start, length in zip(starts, array.shape, strict=True))


def _with_layers(lens: LensModel, layers: int) -> LensModel:
    """The model with further layers that do nothing, after its own."""
    more = {
        name.replace("blocks.0.", f"blocks.{layer}.", 1): np.zeros_like(array)
        for layer in range(lens.shape.layers, layers)
        for name, array in lens.tensors.items()
        if name.startswith("blocks.0.")
    }
    return lens.changed(more, n_layers=layers)


def with_cancelling(lens: LensModel, seed: int, loud: float = 1.0) -> tuple[LensModel, tuple[tuple[str, ...], ...]]:
    """The model with a pair of heads in each layer that attend alike and write opposite numbers; and the pairs.

    They read letters and write to directions that later parts read, numbers of about this size: each matters alone,
    and both together do not.
    """
    draw, old = np.random.default_rng(seed), lens.shape.heads
    tensors = {name: array.copy() for name, array in widened(lens, heads=2).tensors.items()}
    letters = (np.ptp(lens.array("embed.W_E")[lens.rows], axis=0) > 0).astype(np.float32)
    size, pairs = int(lens.config["d_head"]), []
    for layer in range(lens.shape.layers):
        live = _live(lens, layer)
        query, key = 0.05 * draw.normal(size=(2, lens.width, size))
        value = draw.normal(size=(lens.width, size)) * letters[:, None]
        output = loud * draw.normal(size=(size, lens.width)) * live
        for head, sign in ((old, 1.0), (old + 1, -1.0)):
            for letter, weight in (("Q", query), ("K", key), ("V", value), ("O", sign * output)):
                tensors[f"blocks.{layer}.attn.W_{letter}"][head] = weight
        pairs.append((head_name(layer, old), head_name(layer, old + 1)))
    return lens.changed(tensors, n_heads=old + 2), tuple(pairs)


def _live(lens: LensModel, layer: int) -> Array:
    """Which directions something reads after the heads of a layer."""
    reads = [lens.array("unembed.W_U")]
    reads += [lens.block(later, "mlp.W_in") for later in range(layer, lens.shape.layers)]
    for later in range(layer + 1, lens.shape.layers):
        reads += [lens.block(later, f"attn.W_{letter}").sum(0) for letter in "QKV"]
    return np.asarray(np.logical_or.reduce([(read != 0).any(1) for read in reads]))
