"""The circuit by the weights alone: which edges carry something that varies to something that counts.

Backward from the logits, a unit of an MLP counts if its row of W_out meets a read that counts, and a number of a head's
value if its row of W_O does; a head with such a number counts with its queries and keys. Forward from the embedding and
the positions, what varies is what reads something that varies. An edge is in if what varies of its source meets what
counts of its target. Zeros are exact here: the weights of compiled models are aligned with the directions. So no value
that an edge that is out could carry changes any number that counts.
"""

from collections.abc import Mapping

import numpy as np

from capax.model.interpretability.graph import LOGITS, Edge, head_name, mlp_name, on_paths
from capax.model.interpretability.lens_model import LensModel
from capax.model.parts import Array


def structural_edges(lens: LensModel) -> list[Edge]:
    """The edges of the circuit, in the order of the graph; every value must have a direction of its own."""
    inside = on_paths(_edges(lens, counting_reads(lens)))
    return [edge for edge in lens.shape.edges() if edge in inside]


def counting_reads(lens: LensModel) -> dict[str, Array]:
    """For each reader the columns of its weights (d, columns) that lead to the logits."""
    reads: dict[str, Array] = {LOGITS: lens.array("unembed.W_U")}
    for layer in reversed(range(lens.shape.layers)):
        later = np.concatenate(list(reads.values()), axis=1)
        units = _meets(lens.block(layer, "mlp.W_out"), later)
        reads[mlp_name(layer)] = lens.block(layer, "mlp.W_in")[:, units]
        later = np.concatenate(list(reads.values()), axis=1)
        heads: dict[str, Array] = {}
        for head in range(lens.shape.heads):
            heads |= _head_reads(lens, layer, head, later)
        reads |= heads
    return reads


def _head_reads(lens: LensModel, layer: int, head: int, later: Array) -> dict[str, Array]:
    """What counts of the queries, keys and values of a head; a key that is a constant adds the same to all scores."""
    query, key, value, output = (lens.block(layer, f"attn.W_{letter}")[head] for letter in "QKVO")
    numbers = _meets(output, later)
    queries = (query != 0).any(0) | (lens.block(layer, "attn.b_Q")[head] != 0)
    keys = (key != 0).any(0)
    if not numbers.any():
        queries, keys = np.zeros_like(queries), np.zeros_like(keys)
    name = head_name(layer, head)
    return {f"{name}<q>": query[:, keys], f"{name}<k>": key[:, queries], f"{name}<v>": value[:, numbers]}


def _meets(rows: Array, reads: Array) -> Array:
    """Which rows some column reads."""
    if not reads.shape[1]:
        return np.zeros(len(rows), bool)
    return np.asarray((rows.astype(np.float64) @ reads.astype(np.float64) != 0).any(1))


def _edges(lens: LensModel, reads: Mapping[str, Array]) -> list[Edge]:
    """The edges from what varies to what counts."""
    writes, edges = root_writes(lens), list[Edge]()
    for layer in range(lens.shape.layers):
        new: dict[str, Array] = {}
        for head in range(lens.shape.heads):
            name = head_name(layer, head)
            into = [
                Edge(node, f"{name}<{z}>")
                for z in "qkv"
                for node, write in writes.items()
                if _joined(write, reads[f"{name}<{z}>"])
            ]
            output = lens.block(layer, "attn.W_O")[head]
            if into and output.any():
                new[name] = output
            edges += into
        writes |= new
        name, first = mlp_name(layer), lens.block(layer, "mlp.W_in")
        edges += [Edge(node, name) for node, write in writes.items() if _joined(write, reads[name])]
        varying = np.logical_or.reduce([_meets(first.T, write.T) for write in writes.values()])
        if varying.any() and reads[name].size:
            writes[name] = lens.block(layer, "mlp.W_out")[varying]
    return edges + [Edge(node, LOGITS) for node, write in writes.items() if _joined(write, reads[LOGITS])]


def root_writes(lens: LensModel) -> dict[str, Array]:
    """What the tokens and the positions of words write, less what all of them write."""
    tokens, table = lens.array("embed.W_E")[lens.rows], lens.array("pos_embed.W_pos")[lens.start :]
    return {"input": tokens - tokens[:1], "pos": table - table[:1]}


def _joined(write: Array, read: Array) -> bool:
    return bool(read.size) and bool(_meets(write, read).any())
