"""Match3 as set disjointness: whoever answers Match3 by one layer has said whether two sets meet.

Statement: Alice holds a, Bob holds b, n bits each. The word has for each bit a_i the token 2n + i, or 0 (written M)
where the bit is 0; for b_i the token M - 1 - 2n - i, or 0; and the token 1. With M >= 8n the sum 1 + x_j + x_k is
0 mod M for some j and k exactly if a_i = b_i = 1 for some i. So a one-layer model that computes Match3 decides with
Alice's sums for the token 1 alone whether the sets meet, which takes n bits.
Idea: 1 + (2n + i) + (M - 1 - 2n - k) = M + i - k.
Cite: Sanford, Hsu and Telgarsky (2023); the tokens are ours: as x_j = x_k = x_i is allowed, 0 always matches, so the
query is 1 and not 0.
Scope: one layer of pairwise heads. The order of the tokens plays no part in Match3; the query stands last, so that
causal models can be asked too.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from capax.errors import CapaxError
from capax.limits.protocols.play.instance import one_layer, read_bits, require_known
from capax.limits.protocols.play.one_query import Referee, Speaker, attention_layer
from capax.limits.protocols.play.outcome import Message, Protocol, ProtocolOutcome, Seat, require_equal, whole_logits
from capax.limits.protocols.play.partial_bytes import paper_bits
from capax.limits.witnesses.claimed_task import integer_system
from capax.model.model import Model

OPTIONS = {"a": "Alice's n bits, such as 0110", "b": "Bob's n bits"}


def require_modulus(n: int, modulus: int) -> None:
    """Refuses a modulus for which the tokens do not encode sets."""
    if modulus < 8 * n:
        raise CapaxError(
            "no-layout", f"for {n} bits the modulus is at least {8 * n}, and {modulus} was declared", hint="take 8n"
        )


def alice_tokens(bits: Sequence[int], modulus: int) -> list[int]:
    """The tokens of Alice's set, as residues 1 ... M."""
    n = len(bits)
    return [2 * n + i if bit else modulus for i, bit in enumerate(bits)]


def bob_tokens(bits: Sequence[int], modulus: int) -> list[int]:
    """The tokens of Bob's set, as residues 1 ... M."""
    n = len(bits)
    return [modulus - 1 - 2 * n - i if bit else modulus for i, bit in enumerate(bits)]


def play(model: Model, sizes: Mapping[str, Any], given: Mapping[str, str], seed: int) -> ProtocolOutcome:
    """The run of the protocol on two sets."""
    require_known(given, OPTIONS)
    n, modulus = sizes["n"], sizes["modulus"]
    require_modulus(n, modulus)
    one_layer(model.depth, "set disjointness")
    a, b = read_bits(given, "a", n, seed), read_bits(given, "b", n, seed)
    hers, his = alice_tokens(a, modulus), bob_tokens(b, modulus)
    word = [*hers, *his, 1]
    model.read(word)
    start = len(model.prefix)
    length = start + len(word)
    alice = Speaker("Alice", model, hers, range(start, start + n), length)
    bob_at = [*range(start), *range(start + n, length)]
    bob = Referee("Bob", model, [*model.prefix, *his, 1], bob_at, length)
    data, exact = alice.speak(1, length - 1)
    bob.receive(data)
    paper = paper_bits(model, model.blocks[attention_layer(model)], integer_system(model).bits)
    logits = bob.decide([n])
    compared = require_equal(logits, whole_logits(model, word)[-1:], "logits")
    return ProtocolOutcome(
        "match3",
        {"n": n, "modulus": modulus, "a": _text(a), "b": _text(b), "numbers": model.numbers},
        (Seat("Alice", f"{n} tokens for her set a"), Seat("Bob", f"{n} tokens for his set b, and the token 1")),
        (Message(1, "Alice", "Bob", "sums of w v and of w, each head", data, exact, paper),),
        model.decoding.decode(logits)[0],
        int(any(x and y for x, y in zip(a, b, strict=True))),
        compared,
        "H (d + 1) p",
        ("1 says that the sets meet, 0 that they are disjoint", f"deciding that takes {n} bits"),
    )


def _text(bits: Sequence[int]) -> str:
    return "".join(map(str, bits))


PROTOCOL = Protocol(
    "match3",
    "Match3 as set disjointness",
    "Alice and Bob hold sets, written as tokens that sum to 0 mod M with the token 1 exactly if the sets meet. Alice "
    "sends her partial sums for the token 1; Bob adds his own, and the answer says whether the sets meet.",
    "Sanford, Hsu and Telgarsky (2023); the tokens are ours",
    "match3",
    play,
    OPTIONS,
)
