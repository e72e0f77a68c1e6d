"""Triangles in a graph by a network whose nodes are the vertices: each layer is some rounds of a few bits an edge.

Statement: vertex i of a graph on N vertices holds row i of the adjacency matrix. In each layer its keys and values, H
(k + v) numbers, go to every other vertex; then each vertex computes its own next state. In the congested clique each
vertex sends them to all others, ceil(log2 N) bits an edge in a round. In another network (`--network`: the graph
itself, a path, ...) they go along the edges of a spanning tree, where an edge carries in each direction the messages of
all vertices on that side.
Idea: attention needs nothing of another token but its keys and values.
Cite: the poster of Sanford, Hsu and Telgarsky (2023), which simulates transformers in the CONGEST model.
Scope: the heads attend everywhere, whatever the network is, so a cut of it carries the messages of both sides in every
layer. `capax limit triangle-graph` has the bound that follows, and `triangle-disjointness` runs its two parties.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from capax.errors import CapaxError
from capax.limits.protocols.play.instance import read_word, require_known
from capax.limits.protocols.play.network import CommunicationNetwork, Delivery, bits_of, bytes_of, deliver, network_of
from capax.limits.protocols.play.outcome import Message, Protocol, ProtocolOutcome, Seat, require_equal, whole_logits
from capax.limits.protocols.play.partial_bytes import BitField, pack, pairwise_heads, unpack
from capax.limits.protocols.play.player import Player, after_layer, logits_of
from capax.limits.witnesses.claimed_task import integer_system
from capax.model.arithmetic.exact import log2_up
from capax.model.model import Model
from capax.model.run.split import Partial, integers, partial_of
from capax.tasks.tri_id_graph import TASK
from capax.tasks.tri_id_graph import rows as matrix_rows

OPTIONS = {
    "input": "the rows of the adjacency matrix, as a JSON list of texts",
    "network": "clique, graph, path, ring, star or tree: along which edges vertices send",
    "bandwidth": "the bits that an edge carries in a round; ceil(log2 N) if it is not given",
}
MOST_BANDWIDTH = 4096
EVERYONE = "everyone"


class Vertex(Player):
    """A vertex: it broadcasts the keys and values of its one token, and reads those of the others."""

    def shout(self, layer: int) -> tuple[bytes, int]:
        """The bytes of its keys and values in every head."""
        a, numbers = integers(self.model, self.length), []
        for head in self.heads(layer):
            numbers += [a.keep(a.affine(self.stream, head.key.weight, head.key.bias))]
            numbers += [a.keep_value(a.affine(self.stream, head.value.weight, head.value.bias))]
        row = np.concatenate(numbers, axis=1)
        fields = self.fields(layer) * len(self.at)
        return pack(row.reshape(1, -1), fields), sum(field.bits for field in fields)

    def fields(self, layer: int) -> list[BitField]:
        """The fields of one token's keys and values."""
        system = integer_system(self.model)
        return [
            BitField(bits, True)
            for head in self.heads(layer)
            for count, bits in ((head.key.outputs, system.bits), (head.value.outputs, system.value_bits))
            for _ in range(count)
        ]

    def advance(self, layer: int, senders_at: Sequence[int]) -> None:
        """Goes to its state after a layer, with the bytes that the vertices at those positions sent."""
        parts: list[list[Partial]] = []
        if self.heads(layer):
            fields = self.fields(layer)
            rows = np.concatenate([unpack(data, fields, 1) for data in self.received])
            own = self.partials(layer, self.stream, self.at, sink=True)
            at, start = np.array(senders_at, np.int64), 0
            for head, mine in zip(self.heads(layer), own, strict=True):
                k, v = head.key.outputs, head.value.outputs
                keys, values = rows[:, start : start + k], rows[:, start + k : start + k + v]
                start += k + v
                heard = partial_of(self.model, head, keys, values, self.stream, keys_at=at, queries_at=self.at)
                parts.append([mine, heard])
        self.stream = after_layer(self.model, layer, self.stream, parts)
        self.received.clear()


def play(model: Model, sizes: Mapping[str, Any], given: Mapping[str, str], seed: int) -> ProtocolOutcome:
    """The run of the protocol on a graph."""
    require_known(given, OPTIONS)
    pairwise_heads(model)
    n = sizes["n"]
    word: list[Any] = read_word({k: v for k, v in given.items() if k == "input"}) or _drawn(n, seed, given)
    require_graph(word, n)
    model.read(word)
    network = network_of(given.get("network", "clique"), word)
    bandwidth = bandwidth_of(given.get("bandwidth"), n)
    start, length = len(model.prefix), len(model.prefix) + n
    vertices = [Vertex(f"vertex {i}", model, [row], [start + i], length) for i, row in enumerate(word)]
    if model.prefix:
        vertices.insert(0, Vertex("prefix", model, model.prefix, range(start), length))
    require_single(vertices, network)
    messages, rounds = run_layers(model, vertices, network, bandwidth)
    logits = logits_of(model, np.concatenate([vertex.stream for vertex in vertices]))
    compared = require_equal(logits, whole_logits(model, word), "logits")
    return ProtocolOutcome(
        "triangle-graph",
        {"n": n, "network": network.name, "bandwidth": bandwidth, "rounds": rounds, "numbers": model.numbers},
        tuple(Seat(vertex.name, _holds(vertex)) for vertex in vertices),
        tuple(messages),
        model.decoding.decode(logits[start:]),
        TASK.reference(word),
        compared,
        "H (k + v) p for each vertex and layer" + (", once for each edge" if network.name != "clique" else ""),
        _notes(network, messages, rounds, bandwidth),
        ours=True,
    )


def _drawn(n: int, seed: int, given: Mapping[str, str]) -> list[Any]:
    """A random graph; where it is the network, too, its parts are joined."""
    word: list[Any] = TASK.samples(1, n, seed)[0]
    return joined_parts(word) if given.get("network") == "graph" else word


def joined_parts(word: Sequence[str]) -> list[Any]:
    """A graph made connected: an edge from vertex 0 to one vertex of each other part, which makes no triangle."""
    n, edges = len(word), {(i, j) for i, j in combinations(range(len(word)), 2) if word[i][j] == "1"}
    part = list(range(n))
    for i, j in edges:
        old, new = part[j], part[i]
        part = [new if one == old else one for one in part]
    for other in range(1, n):
        if part[other] not in (part[k] for k in range(other)):
            edges.add((0, other))
    return list(matrix_rows(n, edges))


def run_layers(
    model: Model, vertices: Sequence[Vertex], network: CommunicationNetwork, bandwidth: int
) -> tuple[list[Message], int]:
    """The messages of all layers and the rounds that they take; afterwards every vertex holds its last state."""
    messages: list[Message] = []
    at = [int(position) for vertex in vertices for position in vertex.at]
    tree = None if network.name == "clique" else network.spanning_tree()
    rounds = 0
    for layer, block in enumerate(model.blocks):
        if block.heads:
            shouted = [vertex.shout(layer) for vertex in vertices]
            counted = len(vertices[0].fields(layer)) * integer_system(model).bits
            if tree is None:
                rounds += -(-max(exact for _, exact in shouted) // bandwidth)
                for vertex, (data, exact) in zip(vertices, shouted, strict=True):
                    messages.append(Message(layer + 1, vertex.name, EVERYONE, "keys and values", data, exact, counted))
                for position, vertex in enumerate(vertices):
                    for data, _ in [*shouted[:position], *shouted[position + 1 :]]:
                        vertex.receive(data)
            else:
                delivery = deliver(tree, [bits_of(*one) for one in shouted], bandwidth)
                rounds += delivery.rounds
                messages += _along_edges(layer, vertices, delivery, counted, shouted[0][1])
        for position, vertex in enumerate(vertices):
            vertex.advance(layer, [*at[:position], *at[position + 1 :]])
    return messages, rounds


def _along_edges(layer: int, vertices: Sequence[Vertex], delivery: Delivery, counted: int, each: int) -> list[Message]:
    """A message for each edge and direction; every vertex gets the bytes that reached it, by their origin."""
    for vertex, heard in zip(vertices, delivery.received, strict=True):
        for origin in sorted(heard):
            vertex.receive(bytes_of(heard[origin]))
    messages = []
    for (sender, receiver), bits in sorted(delivery.carried.items()):
        behind = len(bits) // each
        what = f"keys and values of {behind} {'vertex' if behind == 1 else 'vertices'}"
        names = vertices[sender].name, vertices[receiver].name
        messages.append(Message(layer + 1, *names, what, bytes_of(bits), len(bits), behind * counted))
    return messages


def _notes(network: CommunicationNetwork, messages: Sequence[Message], rounds: int, bandwidth: int) -> tuple[str, ...]:
    """What the run took, in words."""
    if network.name == "clique":
        text = f"{rounds:,} rounds of {bandwidth} bits from every vertex to all others (the congested clique)"
        return (text, "along fewer edges: --network graph, path, ring, star or tree")
    layers: dict[int, list[int]] = {}
    for message in messages:
        layers.setdefault(message.round, []).append(message.exact)
    each = "; ".join(f"layer {k}: {min(bits):,} to {max(bits):,}" for k, bits in layers.items())
    return (
        f"{rounds:,} rounds in which an edge carries at most {bandwidth} bits each way",
        f"the network has {len(network.edges):,} edges; {network.size - 1:,} of them, a spanning tree, are used",
        f"bits on an edge in one direction, {each}",
    )


def bandwidth_of(text: str | None, n: int) -> int:
    """The bits that an edge carries in a round: the given ones, or ceil(log2 N)."""
    if text is None:
        return max(1, log2_up(n))
    if not (text.isascii() and text.isdigit()) or len(text) > 8 or not 1 <= int(text) <= MOST_BANDWIDTH:
        what = f"the bandwidth cannot be {text!r:.60}"
        raise CapaxError("bad-option", what, hint=f"a whole number from 1 to {MOST_BANDWIDTH:,}")
    return int(text)


def _holds(vertex: Player) -> str:
    return "the token before the word" if vertex.name == "prefix" else f"the row {vertex.tokens[0]:.40}"


def require_single(vertices: Sequence[Player], network: CommunicationNetwork) -> None:
    """Refuses a prefix of several tokens, which no vertex of a simple graph is; and any, where no edge leads to it."""
    if len(vertices) > network.size and network.name != "clique":
        what = "the model puts a token before a word, which is not a vertex of the network"
        raise CapaxError("not-splittable", what, hint="--network clique")
    if any(len(vertex.at) > 1 for vertex in vertices):
        raise CapaxError("not-splittable", "the model puts several tokens before a word", hint="a vertex has one token")


def require_graph(word: Sequence[Any], n: int) -> None:
    """Refuses a word that is not the adjacency matrix of a simple graph."""
    rows = len(word) == n and all(isinstance(row, str) and len(row) == n and not set(row) - set("01") for row in word)
    if not rows or any(word[i][j] != word[j][i] or word[i][i] == "1" for i in range(n) for j in range(n)):
        raise CapaxError(
            "bad-input",
            f"a graph is {n} texts of {n} bits, symmetric, with zeros on the diagonal",
            hint='such as ["011", "101", "110"], a triangle',
        )


PROTOCOL = Protocol(
    "triangle-graph",
    "Vertices in triangles, in a network of vertices",
    "Each vertex holds its row of the adjacency matrix. In each layer its keys and values go to all others, at once or "
    "along the edges of a network, a few bits an edge in a round; it computes its next state from what it heard.",
    "the poster of Sanford, Hsu and Telgarsky (2023), which simulates transformers in the CONGEST model",
    "triangle-graph",
    play,
    OPTIONS,
)
