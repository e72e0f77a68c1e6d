"""Composition as one-way communication: the holder of g speaks once, and the rest is computed without g.

Statement: in a one-layer transformer that answers g(f(x)) at the last position of f(0) ... f(n-1) g(0) ... g(n-1) x,
what the tokens of g contribute is, for each head, a sum of weights times values and a sum of weights. A message with
these H (d + 1) numbers lets the holder of f and x answer g(y) for every y, since f(x) = y is unknown to the sender:
with fewer than n log2 n bits that is impossible for all g.
Idea: attention is a quotient of sums over tokens, and the sums of any split of the tokens add up.
Cite: Peng, Narayanan and Papadimitriou (2024), Theorem 1.
Scope: one layer, softmax or hard attention, any MLP; the query x is public.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from capax.errors import CapaxError
from capax.limits.protocols.play.instance import one_layer, read_word, require_known
from capax.limits.protocols.play.one_query import Referee, Speaker, attention_layer
from capax.limits.protocols.play.outcome import Message, Protocol, ProtocolOutcome, Seat, require_equal, whole_logits
from capax.limits.protocols.play.partial_bytes import paper_bits
from capax.limits.witnesses.claimed_task import integer_system
from capax.model.model import Model
from capax.tasks.composition import TASK

OPTIONS = {"input": "the prompt, as a JSON list"}


def play(model: Model, sizes: Mapping[str, Any], given: Mapping[str, str], seed: int) -> ProtocolOutcome:
    """The run of the protocol on a prompt."""
    require_known(given, OPTIONS)
    n = sizes["n"]
    one_layer(model.depth, "one-way communication")
    word = read_word(given) or TASK.samples(1, n, seed)[0]
    model.read(word)
    start = len(model.prefix)
    require_prompt(word, n)
    length = start + len(word)
    bits = integer_system(model).bits
    alice = Speaker("Alice", model, word[n : 2 * n], range(start + n, start + 2 * n), length)
    bob = Speaker("Bob", model, [*model.prefix, *word[:n]], range(start + n), length)
    referee = Referee("Referee", model, word[2 * n :], [start + 2 * n], length)
    messages = []
    for player in (alice, bob):
        data, exact = player.speak(word[-1], start + 2 * n)
        referee.receive(data)
        paper = paper_bits(model, model.blocks[attention_layer(model)], bits)
        messages.append(Message(1, player.name, referee.name, "sums of w v and of w, each head", data, exact, paper))
    logits = referee.decide([len(alice.at), len(bob.at)])
    whole = whole_logits(model, word)[-1:]
    compared = require_equal(logits, whole, "logits")
    return ProtocolOutcome(
        "composition",
        {"n": n, "numbers": model.numbers},
        (
            Seat("Alice", f"g(0) ... g({n - 1}), and the public query x"),
            Seat("Bob", f"f(0) ... f({n - 1}), and the public query x"),
            Seat("Referee", "the query x"),
        ),
        tuple(messages),
        model.decoding.decode(logits)[0],
        TASK.reference(word, functions=2),
        compared,
        "H (d + 1) p for each message",
        (
            f"Alice's message is all that the answer knows of g: {messages[0].bits} bits for n log2 n = "
            f"{n * math.log2(n):.1f} bits of g",
        ),
    )


def require_prompt(word: Sequence[Any], n: int) -> None:
    """Refuses a word that is not a prompt of two functions on 0 ... n-1."""
    if len(word) != 2 * n + 1 or not all(isinstance(v, int) and 0 <= v < n for v in word):
        raise CapaxError(
            "bad-input",
            f"a prompt has {2 * n + 1} numbers from 0 to {n - 1}: f, g and x",
            hint="such as [1, 0, 0, 1, 1] for n = 2",
        )


PROTOCOL = Protocol(
    "composition",
    "Composition of two functions as one-way communication",
    "Alice holds g, Bob holds f, x is public. Each sends, for every head, its sums of weights times values and of "
    "weights for the query; the referee adds, divides and goes on alone.",
    "Peng, Narayanan and Papadimitriou (2024), Theorem 1",
    "composition",
    play,
    OPTIONS,
)
