"""The autoregressive communication model: players in a row, an epoch for each layer, messages to later players.

Statement: a causal transformer of L layers on a prompt that is divided among players (first in the prompt: the one of
the highest number; last: player -1) is a protocol of L epochs. In epoch l every player i shows the state of its tokens;
every player j > i, who stands before i in the prompt, returns for each token of i and each head its sums of weights
times values and of weights; and i goes on to the state after layer l. Player -1 answers.
Idea: by causality nothing ever goes to an earlier player, so messages flow one way.
Cite: Chen, Peng and Wu (2024), arXiv 2412.02975. What i shows is free there, and j forgets it: only answers count, 2 H
d p bits for each token of i. (The sum over j < i or j <= i is harmless; here a token sees itself.)
Scope: these players keep the states of their own tokens alone, which is a special case of the paper's.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from capax.errors import CapaxError
from capax.limits.protocols.play.instance import read_word, require_known
from capax.limits.protocols.play.outcome import Message, Protocol, ProtocolOutcome, Seat, require_equal, whole_logits
from capax.limits.protocols.play.partial_bytes import pairwise_heads
from capax.limits.protocols.play.player import Player, after_layer, logits_of, stream_of
from capax.limits.witnesses.claimed_task import integer_system
from capax.model.model import Model
from capax.model.parts import Array
from capax.tasks.inputs.sequential_tables import SequentialLayout
from capax.tasks.sequential_composition import TASK, layout_of

OPTIONS = {"input": "the prompt, as a JSON list"}


class Station(Player):
    """A player of the model: it answers questions and forgets them, and takes its own tokens through the layers."""

    def reply(self, layer: int, question: bytes, at: Array) -> tuple[bytes, int]:
        """The bytes of its sums for the states that another player shows; nothing of them is kept."""
        return self.answer(layer, stream_of(self.model, question, len(at)), at)

    def advance(self, layer: int, keys: Sequence[int]) -> None:
        """Goes to the state after a layer, with the bytes received in this epoch from players with that many keys."""
        rows = len(self.at)
        parts = []
        if self.model.blocks[layer].heads:
            sums = [self.understand(layer, data, m, rows) for data, m in zip(self.received, keys, strict=True)]
            sums.append(self.partials(layer, self.stream, self.at, sink=True))
            parts = list(zip(*sums, strict=True))
        self.stream = after_layer(self.model, layer, self.stream, parts)
        self.received.clear()


def require_causal(model: Model) -> None:
    """Refuses a model whose heads look ahead: its messages would go both ways."""
    for heads in pairwise_heads(model):
        if any(head.mask not in ("causal", "strict past") for head in heads):
            raise CapaxError(
                "not-splittable",
                "the model has a head that sees later tokens, and this protocol is for causal models",
                hint="use a model whose heads have the mask causal or strict past",
            )


def blocks_of(layout: SequentialLayout) -> list[tuple[str, str, int]]:
    """For each player, first in the prompt first: its name, what it holds, and how many tokens."""
    blocks = [(str(step), f"the table z_{step}", layout.size(step - 1)) for step in range(layout.steps, 0, -1)]
    blocks.append(("0", "the start i_0", 1))
    if layout.steps > 1:
        what = "the query w_1" if layout.steps == 2 else f"the queries to w_{layout.steps - 1}"
        blocks.append(("-1", what + (", in one token" if layout.joined else ""), layout.query_tokens))
    return blocks


def run_epochs(model: Model, players: Sequence[Station]) -> list[Message]:
    """All messages of all epochs; afterwards every player holds the last state of its tokens."""
    bits, messages = integer_system(model).bits, []
    for layer, block in enumerate(model.blocks):
        states = [player.say_state() for player in players]
        paper = 2 * sum(head.output.shape[0] for head in block.heads) * bits
        for position, player in enumerate(players):
            if not block.heads:
                continue
            question, exact = states[position]
            for other in players[:position]:
                messages.append(
                    Message(layer + 1, player.name, other.name, "its states", question, exact, 0, free=True)
                )
                data, size = other.reply(layer, question, player.at)
                player.receive(data)
                what = "sums of w v and of w, each token and head"
                messages.append(Message(layer + 1, other.name, player.name, what, data, size, paper * len(player.at)))
        for position, player in enumerate(players):
            player.advance(layer, [len(other.at) for other in players[:position]] if block.heads else [])
    return messages


def play(model: Model, sizes: Mapping[str, Any], given: Mapping[str, str], seed: int) -> ProtocolOutcome:
    """The run of the protocol on a prompt."""
    require_known(given, OPTIONS)
    require_causal(model)
    queries = str(sizes["queries"])
    layout = layout_of(sizes["n"], queries)
    word = read_word(given) or TASK.samples(1, layout.m, seed, queries=queries)[0]
    require_prompt(word, layout)
    seats = [
        Seat(f"player {name}", f"{what}, {count:,} token{'s' * (count != 1)}")
        for name, what, count in blocks_of(layout)
    ]
    counts = [count for _, _, count in blocks_of(layout)]
    messages, logits, compared = split_run(model, word, counts, [seat.name for seat in seats])
    return ProtocolOutcome(
        "autoregressive",
        {**sizes, "tokens": len(word), "numbers": model.numbers},
        tuple(seats),
        tuple(messages),
        model.decoding.decode(logits)[0],
        TASK.reference(word, queries=queries),
        compared,
        "2 H d p for each token of the receiver, layer and earlier player",
        ("the states of all tokens after the last layer were compared, and the logits",),
    )


def split_run(
    model: Model, word: Sequence[Any], counts: Sequence[int], names: Sequence[str]
) -> tuple[list[Message], Array, int]:
    """The messages, the logits at the last position, and how many integers agreed, for a word divided by `counts`."""
    require_causal(model)
    model.read(word)
    start, length = len(model.prefix), len(model.prefix) + len(word)
    players, at = [], start
    for name, count in zip(names, counts, strict=True):
        tokens, positions = list(word[at - start : at - start + count]), range(at, at + count)
        if at == start:
            tokens, positions = [*model.prefix, *tokens], range(at + count)
        players.append(Station(name, model, tokens, positions, length))
        at += count
    assert at == length, "every token has a player"
    messages = run_epochs(model, players)
    logits = logits_of(model, players[-1].stream[-1:])
    trace: dict[str, Array] = {}
    whole = whole_logits(model, list(word), trace)
    compared = require_equal(np.concatenate([player.stream for player in players]), trace["resid_post"][0], "states")
    return messages, logits, compared + require_equal(logits, whole[-1:], "logits")


def require_prompt(word: Sequence[Any], layout: SequentialLayout) -> None:
    """Refuses a word that is not a prompt of the layout."""
    ranges = layout.ranges()
    if len(word) != len(ranges) or not all(
        isinstance(v, int) and 0 <= v < m for v, m in zip(word, ranges, strict=True)
    ):
        raise CapaxError(
            "bad-input",
            f"a prompt has {layout.length} numbers: the tables z_{layout.steps} ... z_1, i_0 and the queries",
            hint="leave --input out to have one drawn",
        )


PROTOCOL = Protocol(
    "autoregressive",
    "The autoregressive communication model of sequential composition",
    "Players L ... 1 hold the tables, player 0 the start, player -1 the queries. In the epoch of a layer each player "
    "shows the states of its tokens, every earlier player returns partial numerators and denominators, and it goes on.",
    "Chen, Peng and Wu (2024), arXiv 2412.02975",
    "sequential-composition",
    play,
    OPTIONS,
)
