"""The graph of a transformer: its nodes, its edges with q, k and v, and their names as discovery tools write them.

Nodes are `input` (the token embedding), `pos` (the table of positions), `a0.h1` (a head), `m0` (an MLP) and `logits`.
An edge goes from a node to what reads it: `a0.h0->m1`, `input->a1.h0<k>`. Every head and MLP of a layer reads the input
and everything of earlier layers; an MLP also reads the heads of its own layer; the logits read all.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from capax.errors import CapaxError

INPUT, POSITIONS, LOGITS = "input", "pos", "logits"
ROOTS = (INPUT, POSITIONS)


@dataclass(frozen=True, slots=True, order=True)
class Edge:
    """A node and what reads it: the queries, keys or values of a head (`a0.h0<q>`), an MLP, or the logits."""

    source: str
    target: str

    @property
    def name(self) -> str:
        """The name that discovery tools give it."""
        return f"{self.source}->{self.target}"

    @property
    def reader(self) -> str:
        """The node that the target belongs to."""
        return self.target.partition("<")[0]


@dataclass(frozen=True, slots=True)
class GraphShape:
    """How many layers there are, and heads in each."""

    layers: int
    heads: int

    def nodes(self, *, positions: bool = True) -> list[str]:
        """Everything that writes to the stream, in the order of computation."""
        roots = [INPUT, POSITIONS] if positions else [INPUT]
        return roots + [node for layer in range(self.layers) for node in self._layer(layer)]

    def edges(self, *, positions: bool = True) -> list[Edge]:
        """All edges, by what they lead to; without those from the table of positions if asked."""
        return [Edge(source, target) for target, sources in self.readers(positions=positions) for source in sources]

    def readers(self, *, positions: bool = True) -> Iterator[tuple[str, list[str]]]:
        """Everything that reads the stream, with what it reads."""
        before = [INPUT, POSITIONS] if positions else [INPUT]
        for layer in range(self.layers):
            heads = [head_name(layer, head) for head in range(self.heads)]
            for head in heads:
                for letter in "qkv":
                    yield f"{head}<{letter}>", list(before)
            yield mlp_name(layer), before + heads
            before += [*heads, mlp_name(layer)]
        yield LOGITS, before

    def _layer(self, layer: int) -> list[str]:
        return [*(head_name(layer, head) for head in range(self.heads)), mlp_name(layer)]


def head_name(layer: int, head: int) -> str:
    """The name of a head."""
    return f"a{layer}.h{head}"


def mlp_name(layer: int) -> str:
    """The name of an MLP."""
    return f"m{layer}"


_HEAD = re.compile(r"a(\d+)\.h(\d+)(?:<([qkv])>)?")
_MLP = re.compile(r"m(\d+)")


def head_of(name: str) -> tuple[int, int] | None:
    """The layer and number of a head, by its name or that of one of its inputs; None for what is no head."""
    match = _HEAD.fullmatch(name)
    return None if match is None else (int(match[1]), int(match[2]))


def letter_of(target: str) -> str | None:
    """Which of q, k and v of a head a target is; None for other targets."""
    match = _HEAD.fullmatch(target)
    return None if match is None else match[3]


def layer_of(name: str) -> int | None:
    """The layer of a head or an MLP; None for the input, the positions and the logits."""
    head, mlp = head_of(name), _MLP.fullmatch(name)
    return head[0] if head is not None else int(mlp[1]) if mlp is not None else None


def read_edge(name: str) -> Edge:
    """The edge of a name."""
    source, arrow, target = name.partition("->")
    known = source in ROOTS or (layer_of(source) is not None and letter_of(source) is None)
    aimed = target == LOGITS or letter_of(target) is not None or _MLP.fullmatch(target) is not None
    if not (arrow and known and aimed):
        raise CapaxError(
            "bad-circuit", f"{name!r:.60} is not an edge", hint="edges are as input->a0.h0<q> or m0->logits"
        )
    return Edge(source, target)


def on_paths(edges: Iterable[Edge]) -> set[Edge]:
    """The edges that lie on a path from the input or the positions to the logits."""
    left = set(edges)
    while True:
        reached = {*ROOTS, *(edge.reader for edge in left)}
        used = {LOGITS, *(edge.source for edge in left)}
        kept = {edge for edge in left if edge.source in reached and edge.reader in used}
        if kept == left:
            return kept
        left = kept
