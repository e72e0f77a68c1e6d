"""Whether two inputs with one message had to exist, worked out again: inputs and messages are counted exactly."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from capax.limits.witnesses.check.plain_message import (
    entered,
    position_vector,
    scaled_query,
    scored,
    to_attention,
    weighed,
)
from capax.model.model import Model
from capax.model.numbers import Integer
from capax.model.parts import Head

PARITY = "no statement: parity takes one bit of communication, so counting messages rules nothing out"
SEQUENTIAL = "no statement: the theorem speaks at astronomical sizes alone"
ARGUMENTS = {
    "equal-transcripts": ("composition", "match3", "parity", "sparse-averaging"),
    "indistinguishable": ("sequential-composition",),
}
"""The tasks for which there is an argument with two inputs, by the kind of witness that it gives."""


@dataclass(frozen=True)
class CountingReason:
    """Whether two such inputs had to exist, the sentence that says why, who speaks, and the bits of a message."""

    guaranteed: bool
    why: str
    sender: list[int]
    message_bits: int | None


def reason(model: Model, system: Integer, task: str, sizes: Mapping[str, Any], word: Sequence[Any]) -> CountingReason:
    """The argument about an input of a task and its like, for a model whose sizes fit the argument."""
    match task:
        case "composition":
            n = sizes["n"]
            functions = {at: list(range(n)) for at in range(n, 2 * n)}
            return _counted(model, system, functions, word, "the values of g")
        case "match3":
            n, modulus = sizes["n"], sizes["modulus"]
            sets = {at: [modulus, 2 * n + at] for at in range(n)}
            return _counted(model, system, sets, word, "Alice's set")
        case "parity":
            sender = list(range(sizes["n"] - 1))
            return CountingReason(False, PARITY, sender, width(model, system, len(sender), len(word)))
        case "sparse-averaging":
            q, bits = sizes["q"], model.width * system.bits
            guaranteed, why = _compared(1 << bits, max(1, _sets(model, q)), "the set that the last token names")
            return CountingReason(guaranteed, why, [2 * q], bits)
        case _:
            queries = [int(part) for part in sizes["queries"].split(",") if part.strip()]
            return CountingReason(False, SEQUENTIAL, list(range(sizes["n"] * math.prod(queries))), None)


def _counted(
    model: Model, system: Integer, choices: Mapping[int, Sequence[Any]], word: Sequence[Any], what: str
) -> CountingReason:
    """The argument for a sender whose tokens may be any of these, and the query that is an input's last token."""
    bits = width(model, system, len(choices), len(word))
    guaranteed, why = _compared(
        min(1 << bits, most_sums(model, system, choices, word) or 1 << bits),
        math.prod(len(tokens) for tokens in choices.values()),
        what,
    )
    return CountingReason(guaranteed, why, sorted(choices), bits)


def _compared(messages: int, inputs: int, what: str) -> tuple[bool, str]:
    known, said = f"{what} can be {math.log2(inputs):.1f} bits", f"{math.log2(messages):.1f} bits"
    if inputs > messages:
        return True, f"by counting: {known}, and all that the answer knows of them is a message of at most {said}"
    return False, f"no statement at this size: {known}, and a message can have {said}"


def _sets(model: Model, q: int) -> int:
    """How many sets of q of the first 2q positions the model has a token -e1 for, positions in ascending order."""
    sets = set()
    for token in model.vocabulary.tokens:
        sign, _, named = str(token).partition(" ")
        parts = named.split(",")
        if sign != "-e1" or len(parts) != q or not all(part.isascii() and part.isdigit() for part in parts):
            continue
        numbers = [int(part) for part in parts]
        if numbers == sorted(set(numbers)) and numbers[-1] < 2 * q and parts == [str(number) for number in numbers]:
            sets.add(named)
    return len(sets)


def width(model: Model, system: Integer, keys: int, length: int) -> int:
    """The bits of a message about that many keys of an input of that length, in fields that hold every sum."""
    more, total = _up(keys), 0
    for head in _heads(model):
        outputs = head.value.outputs
        if head.attention == "softmax":
            total += outputs * (system.weight_bits + system.value_bits + more) + system.weight_bits + 1 + more
            continue
        score = 2 * (system.bits - 1) + int(abs(head.scale)).bit_length() + _up(head.query.outputs) + 2
        total += outputs * (system.value_bits + more) + _up(keys + 1) + score
        if head.attention in ("leftmost-hard", "rightmost-hard"):
            total += _up(length + len(model.prefix) + 1)
    return total


def _up(count: int) -> int:
    """The least k with 2^k at least a number from 1 on."""
    return (count - 1).bit_length()


def _heads(model: Model) -> list[Head]:
    return [head for block in model.blocks for head in block.heads if isinstance(head, Head)]


def most_sums(model: Model, system: Integer, choices: Mapping[int, Sequence[Any]], word: Sequence[Any]) -> int | None:
    """An upper bound of the number of messages of softmax heads; None for others, whose messages are no sums.

    Every number of a message is a sum over the sender's tokens. It runs from the sum of the least to that of the
    greatest terms, in steps of the greatest common divisor of all differences: a product over the numbers.
    """
    if not all(head.attention == "softmax" for head in _heads(model)):
        return None
    terms = _terms(model, system, choices, word)
    total = 1
    for number in range(len(terms[0][0])):
        least = [min(row[number] for row in rows) for rows in terms]
        most = [max(row[number] for row in rows) for rows in terms]
        step = math.gcd(*(row[number] - low for rows, low in zip(terms, least, strict=True) for row in rows))
        total *= (sum(most) - sum(least)) // step + 1 if step else 1
    return total


def _terms(
    model: Model, system: Integer, choices: Mapping[int, Sequence[Any]], word: Sequence[Any]
) -> list[list[list[int]]]:
    """What each token at each of the sender's positions adds to the message: all heads' numbers, in a row."""
    start, query_at = len(model.prefix), len(word) - 1
    length = start + len(word)
    own = entered(model, system, word[query_at], position_vector(model, system, length, start + query_at))
    query = to_attention(model, system, own)[1]
    heads = [(head, scaled_query(system, head, query)) for head in _heads(model)]
    table: list[list[list[int]]] = []
    for at, tokens in choices.items():
        position = position_vector(model, system, length, start + at)
        rows = []
        for token in tokens:
            x = to_attention(model, system, entered(model, system, token, position))[1]
            row: list[int] = []
            for head, q in heads:
                seen = scored(system, head, q, {at: x}, query_at)
                row += weighed(system, seen[0]) if seen else [0] * (head.value.outputs + 1)
            rows.append(row)
        table.append(rows)
    return table
