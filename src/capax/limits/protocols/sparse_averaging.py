"""q-sparse averaging as set disjointness: the embedding of one token has to hold a set of q bits.

Statement: Alice holds a, Bob holds b, q bits each, N = 2q + 1. The last position names the positions 2i + a_i; the
vectors there are -1 at 2i, and +1 at 2i + 1 where b_i = 1, else -1. The mean is -1 if no i has a_i = b_i = 1, and at
least -1 + 2/q otherwise. Alice knows one token alone, and sends its embedding, m p bits; Bob runs the model. So a model
within less than 1/q of the mean has m p >= q.
Idea: Bob's tokens do not depend on a, and Alice's enters the model by its embedding alone.
Cite: Sanford, Hsu and Telgarsky (2023). With p-bit embeddings the constant is 1 and every q counts (derived here). The
whole embedding is sent and not the query alone, since Bob needs Alice's key and value too.
Scope: any number of layers, as Bob computes all of them.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from capax.errors import CapaxError
from capax.limits.protocols.play.instance import read_bits, require_known
from capax.limits.protocols.play.outcome import Message, Protocol, ProtocolOutcome, Seat, require_equal, whole_logits
from capax.limits.protocols.play.partial_bytes import pairwise_heads
from capax.limits.protocols.play.player import Player, after_layer, logits_of, stream_of
from capax.limits.witnesses.claimed_task import integer_system
from capax.model.model import Model
from capax.model.parts import Array

OPTIONS = {"a": "Alice's q bits, such as 0110", "b": "Bob's q bits"}


def alice_set(bits: Sequence[int]) -> tuple[int, ...]:
    """The q positions that Alice's token names."""
    return tuple(2 * i + bit for i, bit in enumerate(bits))


def signs(bits: Sequence[int]) -> list[int]:
    """The signs at Bob's 2q positions."""
    return [sign for bit in bits for sign in (-1, 1 if bit else -1)]


def token(sign: int, positions: Sequence[int]) -> str:
    """The token of a sign and the positions that it names."""
    return f"{'+' if sign > 0 else '-'}e1 {','.join(map(str, positions))}"


def bob_tokens(signs_: Sequence[int], q: int) -> list[str]:
    """Bob's tokens; what his positions name plays no part in the answer, and is the first q positions."""
    return [token(sign, range(q)) for sign in signs_]


class Bob(Player):
    """The player with all tokens but the last, who runs the model once he has the last one's embedding."""

    def finish(self) -> Array:
        """The logits at Alice's position, from the bytes of her embedding."""
        hers = stream_of(self.model, self.received[0], 1)
        x = np.concatenate([self.stream, hers])
        at = np.append(self.at, self.length - 1)
        for layer, block in enumerate(self.model.blocks):
            self.stream, self.at = x, at
            parts = [[part] for part in self.partials(layer, x, at, sink=True)] if block.heads else []
            x = after_layer(self.model, layer, x, parts)
        return logits_of(self.model, x[-1:])


def play(model: Model, sizes: Mapping[str, Any], given: Mapping[str, str], seed: int) -> ProtocolOutcome:
    """The run of the protocol on two sets."""
    require_known(given, OPTIONS)
    pairwise_heads(model)
    q = sizes["q"]
    a, b = read_bits(given, "a", q, seed), read_bits(given, "b", q, seed)
    hers, his = token(-1, alice_set(a)), bob_tokens(signs(b), q)
    word: list[Any] = [*his, hers]
    model.read(word)
    start = len(model.prefix)
    length = start + len(word)
    alice = Player("Alice", model, [hers], [length - 1], length)
    bob = Bob("Bob", model, [*model.prefix, *his], range(length - 1), length)
    data, exact = alice.say_state()
    bob.receive(data)
    logits = bob.finish()
    compared = require_equal(logits, whole_logits(model, word)[-1:], "logits")
    mean = answer_of(model, logits)
    bits = integer_system(model).bits
    return ProtocolOutcome(
        "sparse-averaging",
        {"q": q, "a": _text(a), "b": _text(b), "numbers": model.numbers},
        (Seat("Alice", f"the last token, which names {q} positions"), Seat("Bob", f"the other {2 * q} tokens")),
        (Message(1, "Alice", "Bob", "the embedding of her token", data, exact, model.width * bits),),
        int(mean > -1 + 1 / q),
        int(any(x and y for x, y in zip(a, b, strict=True))),
        compared,
        "m p",
        (
            "1 says that the sets meet, 0 that they are disjoint",
            f"the model's mean is {mean:g}; above the threshold -1 + 1/q = {-1 + 1 / q:g} the sets meet",
        ),
    )


def answer_of(model: Model, logits: Array) -> float:
    """The mean that a model answers: its decoded number times the unit that its file declares (1 if none)."""
    value = model.decoding.decode(logits)[0]
    unit = 1.0 if model.provenance.unit is None else model.provenance.unit
    if isinstance(value, str) or not isinstance(unit, (int, float)):
        raise CapaxError(
            "no-layout",
            f"the model answers {value!r:.60}, which is not a number",
            hint="a model of sparse averaging answers numbers; its provenance says what 1 stands for (unit)",
        )
    return float(value) * float(unit)


def _text(bits: Sequence[int]) -> str:
    return "".join(map(str, bits))


PROTOCOL = Protocol(
    "sparse-averaging",
    "q-sparse averaging as set disjointness",
    "Alice's set is written as the positions that the last token names, Bob's as signs at the other positions. Alice "
    "sends the embedding of her token, m p bits; Bob runs the model, and the mean says whether the sets meet.",
    "Sanford, Hsu and Telgarsky (2023); with p-bit embeddings the constant is 1",
    "sparse-averaging",
    play,
    OPTIONS,
)
