"""Triangles in a graph by a network whose nodes are the vertices: each layer is a few rounds of broadcast.

Statement: vertex i of a graph on N vertices holds row i of the adjacency matrix. In each layer it sends its keys and
values to every other vertex, H (k + v) numbers of p bits, cut into rounds of ceil(log2 N) bits; then each vertex
computes its own next state. So D layers take about D H m p / log2 N rounds, and a lower bound for the rounds that
triangle detection takes is one for D H m.
Idea: attention needs nothing of another token but its keys and values.
Cite: the poster of Sanford, Hsu and Telgarsky (2023): D H m = Omega(N / log N) by CONGEST (cited, constant not
checked).
Scope: these heads attend everywhere, so vertices speak to all and not to neighbours alone: the network is the
congested clique with broadcast. A bound for messages along the graph's own edges does not carry over by itself.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from capax.errors import CapaxError
from capax.limits.protocols.play.instance import require_known, word_given
from capax.limits.protocols.play.outcome import Message, Protocol, ProtocolOutcome, Seat, require_equal, whole_logits
from capax.limits.protocols.play.partial_bytes import BitField, pack, pairwise_heads, unpack
from capax.limits.protocols.play.player import Player, after_layer, logits_of
from capax.limits.witnesses.claimed_task import integer_system
from capax.model.arithmetic.exact import log2_up
from capax.model.model import Model
from capax.model.run.split import Partial, integers, partial_of
from capax.tasks.tri_id_graph import TASK

OPTIONS = {"input": "the rows of the adjacency matrix, as a JSON list of texts"}
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
    word: list[Any] = word_given(given) or TASK.samples(1, n, seed)[0]
    require_graph(word, n)
    model.read(word)
    start, length = len(model.prefix), len(model.prefix) + n
    vertices = [Vertex(f"vertex {i}", model, [row], [start + i], length) for i, row in enumerate(word)]
    if model.prefix:
        vertices.insert(0, Vertex("prefix", model, model.prefix, range(start), length))
    messages, at = [], [int(position) for vertex in vertices for position in vertex.at]
    require_single(vertices)
    rounds = 0
    for layer, block in enumerate(model.blocks):
        if block.heads:
            shouted = [vertex.shout(layer) for vertex in vertices]
            paper = len(vertices[0].fields(layer)) * integer_system(model).bits
            for vertex, (data, exact) in zip(vertices, shouted, strict=True):
                messages.append(Message(layer + 1, vertex.name, EVERYONE, "keys and values", data, exact, paper))
            rounds += -(-max(exact for _, exact in shouted) // max(1, log2_up(n)))
        for position, vertex in enumerate(vertices):
            for data, _ in [*shouted[:position], *shouted[position + 1 :]] if block.heads else []:
                vertex.receive(data)
            vertex.advance(layer, [*at[:position], *at[position + 1 :]])
    logits = logits_of(model, np.concatenate([vertex.stream for vertex in vertices]))
    compared = require_equal(logits, whole_logits(model, word), "logits")
    return ProtocolOutcome(
        "triangle-graph",
        {"n": n, "numbers": model.numbers},
        tuple(Seat(vertex.name, _holds(vertex)) for vertex in vertices),
        tuple(messages),
        model.decoding.decode(logits[start:]),
        TASK.reference(word),
        compared,
        "H (k + v) p for each vertex and layer",
        (
            f"{rounds:,} rounds of {max(1, log2_up(n))} bits from every vertex to all others (broadcast in the "
            "congested clique, since these heads attend everywhere)",
            "that D H m = Omega(N / log N) is cited from the poster; its constant is not checked here",
        ),
    )


def _holds(vertex: Player) -> str:
    return "the token before the word" if vertex.name == "prefix" else f"the row {vertex.tokens[0]:.40}"


def require_single(vertices: Sequence[Player]) -> None:
    """Refuses a prefix of several tokens, which no vertex of a simple graph is."""
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
    "Vertices in triangles, in a network that broadcasts",
    "Each vertex holds its row of the adjacency matrix. In each layer it sends its keys and values to all others and "
    "computes its next state from what it heard; the bits make rounds of ceil(log2 N) bits.",
    "the poster of Sanford, Hsu and Telgarsky (2023), not checked here",
    "triangle-graph",
    play,
    OPTIONS,
)
