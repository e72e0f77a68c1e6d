"""Directed triangles as set disjointness: two parties run a model of any depth on a graph that holds their sets.

Statement: with k = floor(N / 3), Alice's k^2 bits are the edges u_i to v_j, Bob's the edges v_j to w_i, and w_i to u_i
is always there. Alice runs the model on the tokens u, Bob on v; the others are public and both run them. Before each
layer a party sends the keys and values of its k tokens; before the last one Bob alone does. Alice then has the answers
at u, and the sets meet exactly if one of them is 1. So a model that finds directed triangles sends at least k^2 bits.
Idea: a token's next state depends on the keys and values of the others alone.
Cite: derived here, for the bound that the poster of Sanford, Hsu and Telgarsky (2023) states.
Scope: pairwise heads in exact integers. `capax limit triangle-graph` evaluates the bound.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from capax.errors import CapaxError
from capax.limits.base.triangle_gadget import gadget, side
from capax.limits.protocols.play.instance import read_bits, require_known
from capax.limits.protocols.play.network import bits_of, bytes_of
from capax.limits.protocols.play.outcome import Message, Protocol, ProtocolOutcome, Seat, require_equal, whole_logits
from capax.limits.protocols.play.partial_bytes import BitField, pack, pairwise_heads, unpack
from capax.limits.protocols.play.player import logits_of
from capax.limits.protocols.triangle_graph import Vertex
from capax.limits.witnesses.claimed_task import integer_system
from capax.model.model import Model

OPTIONS = {"a": "Alice's k^2 bits for k = floor(n / 3), such as 0110", "b": "Bob's k^2 bits"}


class GadgetParty:
    """A party: it runs the vertices whose rows it knows, its own and the public ones."""

    __slots__ = ("name", "own", "public", "received")

    def __init__(self, name: str, own: Sequence[Vertex], public: Sequence[Vertex]) -> None:
        self.name = name
        self.own = own
        self.public = public
        self.received: list[tuple[bytes, int]] = []

    def say(self, layer: int) -> tuple[bytes, int]:
        """The bytes of the keys and values of its own vertices, one after the other, and their exact bits."""
        bits = "".join(bits_of(*vertex.shout(layer)) for vertex in self.own)
        return bytes_of(bits), len(bits)

    def advance(self, layer: int, others_at: Sequence[int]) -> None:
        """Takes all vertices that it runs through a layer, with the bytes of the other party's at those positions."""
        runs = [*self.own, *self.public]
        if runs and runs[0].heads(layer):
            fields = runs[0].fields(layer)
            heard = _one_by_one(self.received.pop(), fields, len(others_at))
            shouted = [(vertex, vertex.shout(layer)[0]) for vertex in runs]
            for vertex in runs:
                for data in [*(data for other, data in shouted if other is not vertex), *heard]:
                    vertex.receive(data)
        at = [int(vertex.at[0]) for vertex in runs]
        for position, vertex in enumerate(runs):
            vertex.advance(layer, [*at[:position], *at[position + 1 :], *others_at])


def _one_by_one(data: tuple[bytes, int], fields: Sequence[BitField], count: int) -> list[bytes]:
    """The bytes of each of `count` vertices, from those of all of them."""
    return [pack(row[None, :], fields) for row in unpack(data[0], fields, count)]


def play(model: Model, sizes: Mapping[str, Any], given: Mapping[str, str], seed: int) -> ProtocolOutcome:
    """The run of the protocol on two sets."""
    require_known(given, OPTIONS)
    pairwise_heads(model)
    if model.prefix:
        raise CapaxError("not-splittable", "the model puts tokens before a word", hint="a vertex has one token")
    n = sizes["n"]
    k = side(n)
    a, b = read_bits(given, "a", k * k, seed), read_bits(given, "b", k * k, seed)
    word: list[Any] = gadget(a, b, n)
    model.read(word)
    alice, bob = parties(model, word, k)
    messages = _run(model, alice, bob)
    states = np.concatenate([vertex.stream for vertex in alice.own])
    logits = logits_of(model, states)
    compared = require_equal(logits, whole_logits(model, word)[:k], "logits")
    answers = model.decoding.decode(logits)
    width = sum(message.exact for message in messages)
    return ProtocolOutcome(
        "triangle-disjointness",
        {"n": n, "k": k, "a": _text(a), "b": _text(b), "numbers": model.numbers},
        (
            Seat("Alice", f"the rows of u_1 ... u_{k}, which hold her {k * k} bits"),
            Seat("Bob", f"the rows of v_1 ... v_{k}, which hold his {k * k} bits"),
            Seat("both", f"the other {n - 2 * k} rows, which are public"),
        ),
        tuple(messages),
        int(any(answer == 1 for answer in answers)),
        int(any(x and y for x, y in zip(a, b, strict=True))),
        compared,
        "k H (k + v) p for each message",
        (
            "1 says that the sets meet, 0 that they are disjoint",
            f"deciding that takes {k * k} bits; {width:,} were sent in {model.depth} layers, one way in the last one",
        ),
        ours=True,
    )


def parties(model: Model, word: Sequence[str], k: int) -> tuple[GadgetParty, GadgetParty]:
    """Alice and Bob; each runs copies of the public vertices of its own."""
    n = len(word)

    def run(positions: Sequence[int]) -> list[Vertex]:
        return [Vertex(f"vertex {i}", model, [word[i]], [i], n) for i in positions]

    public = range(2 * k, n)
    return GadgetParty("Alice", run(range(k)), run(public)), GadgetParty("Bob", run(range(k, 2 * k)), run(public))


def _run(model: Model, alice: GadgetParty, bob: GadgetParty) -> list[Message]:
    """All messages; afterwards Alice's vertices hold their last states."""
    bits, messages, k = integer_system(model).bits, [], len(alice.own)
    with_heads = [layer for layer, block in enumerate(model.blocks) if block.heads]
    for layer, block in enumerate(model.blocks):
        last = not with_heads or layer >= with_heads[-1]
        speakers = ((bob, alice),) if last else ((alice, bob), (bob, alice))
        if block.heads:
            counted = k * len(alice.own[0].fields(layer)) * bits
            for speaker, listener in speakers:
                data, exact = speaker.say(layer)
                listener.received.append((data, exact))
                messages.append(
                    Message(
                        layer + 1, speaker.name, listener.name, "keys and values of k vertices", data, exact, counted
                    )
                )
        for _, listener in speakers:
            listener.advance(layer, [int(v.at[0]) for v in (bob if listener is alice else alice).own])
    return messages


def _text(bits: Sequence[int]) -> str:
    return "".join(map(str, bits))


PROTOCOL = Protocol(
    "triangle-disjointness",
    "Directed triangles as set disjointness",
    "Alice's and Bob's sets of k^2 bits are edges between k vertices each; a third class is public. Before each layer "
    "they send the keys and values of their k vertices, before the last one Bob alone; Alice's answers say whether the "
    "sets meet.",
    "derived here, for the bound on the poster of Sanford, Hsu and Telgarsky (2023)",
    "triangle-graph",
    play,
    OPTIONS,
)
