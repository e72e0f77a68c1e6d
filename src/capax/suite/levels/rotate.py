"""Rotated: the stream and the inside of heads turned at random, heads and units permuted; the answers stay the same."""

from collections.abc import Mapping
from typing import Final

import numpy as np

from capax.model.interpretability.lens_model import LensModel, run, words_of_length
from capax.model.parts import Array
from capax.suite.levels.level_model import HeadOrder, Turn

WRITES = ("embed.W_E", "pos_embed.W_pos", "attn.W_O", "attn.b_O", "mlp.W_out", "mlp.b_out")
READS = ("unembed.W_U", "attn.W_Q", "attn.W_K", "attn.W_V", "mlp.W_in")


def rotation(width: int, draw: np.random.Generator, *, keep_mean: bool = False) -> Array:
    """A random rotation; with `keep_mean` one that leaves (1, ..., 1) where it is, as a norm needs it."""
    if not keep_mean:
        q, r = np.linalg.qr(draw.normal(size=(width, width)))
        return np.asarray(q * np.sign(np.diag(r)))
    base, _ = np.linalg.qr(np.concatenate([np.ones((width, 1)), draw.normal(size=(width, width - 1))], axis=1))
    inner = np.eye(width)
    inner[1:, 1:] = rotation(width - 1, draw)
    return np.asarray(base @ inner @ base.T)


BLOCK: Final = 4
"""How many directions a block has."""


def rotated(lens: LensModel, seed: int, what: Turn = "whole") -> tuple[LensModel, Array, HeadOrder]:
    """The model turned at random, the rotation of its stream, and how its heads were permuted."""
    draw = np.random.default_rng(seed)
    normed = lens.config["normalization_type"] is not None
    turn = np.eye(lens.width)
    if what == "whole":
        turn = rotation(lens.width, draw, keep_mean=normed)
    elif what == "blocks":
        turn = _in_blocks(lens, draw, keep_mean=normed)
    double = {name: array.astype(np.float64) for name, array in lens.tensors.items()}
    orders = []
    for layer in range(lens.shape.layers):
        order = draw.permutation(lens.shape.heads)
        orders.append(tuple(int(head) for head in order))
        double |= _heads(double, f"blocks.{layer}.attn.", order, draw, turned=what != "none")
        double |= _units(double, f"blocks.{layer}.mlp.", draw, scaled=lens.config["act_fn"] == "relu")
    tensors = {name: _turned(name, array, turn).astype(np.float32) for name, array in double.items()}
    return lens.changed(tensors), turn, HeadOrder(tuple(orders))


def _in_blocks(lens: LensModel, draw: np.random.Generator, *, keep_mean: bool) -> Array:
    """A rotation of blocks of directions that hold numbers of about one size: large ones do not blur small ones."""
    rows = words_of_length(lens, lens.max_length, 200, seed=3)
    order = np.argsort(np.abs(run(lens, rows).streams[-1]).max((0, 1)), kind="stable")
    turn = np.zeros((lens.width, lens.width))
    for start in range(0, lens.width, BLOCK):
        block = order[start : start + BLOCK]
        turn[np.ix_(block, block)] = rotation(len(block), draw, keep_mean=keep_mean)
    return turn


def _turned(name: str, array: Array, turn: Array) -> Array:
    """A weight in the turned stream: what writes to it, and what reads from it."""
    if name.endswith(WRITES):
        return np.asarray(array @ turn)
    return np.asarray(turn.T @ array) if name.endswith(READS) else array


def _heads(
    tensors: Mapping[str, Array], place: str, order: Array, draw: np.random.Generator, *, turned: bool
) -> dict[str, Array]:
    """The heads of a layer in another order, queries and keys turned by one rotation, values and outputs by another."""
    names = [*(f"{place}W_{letter}" for letter in "QKVO"), *(f"{place}b_{letter}" for letter in "QKV")]
    own = {name: tensors[name][order] for name in names}
    size = own[f"{place}W_Q"].shape[-1]
    for head in range(len(order)):
        for letters in ("QK", "V"):
            turn = rotation(size, draw) if turned else np.eye(size)
            for letter in letters:
                own[f"{place}W_{letter}"][head] = own[f"{place}W_{letter}"][head] @ turn
                own[f"{place}b_{letter}"][head] = own[f"{place}b_{letter}"][head] @ turn
            if letters == "V":
                own[f"{place}W_O"][head] = turn.T @ own[f"{place}W_O"][head]
    return own


def _units(tensors: Mapping[str, Array], place: str, draw: np.random.Generator, *, scaled: bool) -> dict[str, Array]:
    """The units of an MLP in another order; ReLUs scaled by powers of two, which changes nothing."""
    first, bias, second = (tensors[f"{place}{name}"] for name in ("W_in", "b_in", "W_out"))
    order = draw.permutation(len(bias))
    scale = 2.0 ** draw.integers(-2, 3, len(bias)) if scaled else np.ones(len(bias))
    return {
        f"{place}W_in": first[:, order] * scale,
        f"{place}b_in": bias[order] * scale,
        f"{place}W_out": second[order] / scale[:, None],
    }
