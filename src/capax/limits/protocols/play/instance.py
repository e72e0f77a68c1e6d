"""The inputs of a protocol: given as text, or drawn with a seed."""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from capax.errors import CapaxError


def read_bits(given: Mapping[str, str], name: str, count: int, seed: int) -> list[int]:
    """The bits of a player: those given as a text of 0 and 1, or drawn with the seed."""
    text = given.get(name)
    if text is None:
        # Sparse enough that disjoint sets are as likely as others.
        random = np.random.default_rng((seed, sum(map(ord, name))))
        return [int(bit) for bit in random.random(count) < 1 / max(1.5, count**0.5)]
    if len(text) != count or set(text) - set("01"):
        raise CapaxError("bad-option", f"--{name} {text:.60} is not a text of {count} bits", hint="such as 0110")
    return [int(bit) for bit in text]


def read_word(given: Mapping[str, str]) -> list[Any] | None:
    """The word given as a JSON list, if there is one."""
    text = given.get("input")
    if text is None:
        return None
    try:
        word = json.loads(text)
    except (ValueError, RecursionError):
        word = None
    if not isinstance(word, list):
        raise CapaxError("bad-option", f"--input {text:.60} is not a JSON list of tokens", hint="such as [0, 2, 1]")
    return word


def require_known(given: Mapping[str, str], known: Mapping[str, str]) -> None:
    """Refuses an option that the protocol does not have."""
    for name in given:
        if name not in known:
            hint = f"it has {', '.join('--' + each for each in known)}" if known else "it has no options of its own"
            raise CapaxError("bad-option", f"the protocol has no option --{name:.60}", hint=hint)


def one_layer(depth: int, what: str) -> None:
    """Refuses a model of another depth than 1: the reduction says nothing about it."""
    if depth != 1:
        raise CapaxError(
            "not-splittable",
            f"the model has {depth} attention layers, and the reduction from {what} is for one",
            hint="after a second layer the players would need what others computed in the first",
        )
