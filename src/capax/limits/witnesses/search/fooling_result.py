"""What a fooler says: a witness or none, whether one had to exist, and why."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from capax.limits.witnesses.search.decomposition import Decomposition

Used: TypeAlias = Callable[[], float]
"""The share of the time that is used up; above 1 the search has to end."""


@dataclass(frozen=True)
class Pair:
    """Two words whose messages from the positions `sender` are equal, and whose truths at `read_at` differ.

    `kind` is how that is to be checked: by one message, or, for several layers, by what the whole model makes of them.
    """

    one: list[Any]
    two: list[Any]
    sender: tuple[int, ...]
    read_at: int
    bits: int | None
    kind: str = "equal-transcripts"


@dataclass(frozen=True)
class Wrong:
    """A word that the model answers wrongly at `read_at`."""

    word: list[Any]
    read_at: int


@dataclass(frozen=True)
class FoolingResult:
    """`guaranteed`: two such words have to exist, for the reason `why`. `ruled_out`: every candidate was tried."""

    evidence: Pair | Wrong | None
    guaranteed: bool
    why: str
    method: str
    tried: tuple[str, ...]
    ruled_out: bool = False
    demonstration: Decomposition | None = None


def counted(messages: int, inputs: int, what: str) -> tuple[bool, str]:
    """Whether there are more inputs than messages, both counted exactly, and the sentence that says so."""
    said, known = f"{math.log2(messages):.1f} bits", f"{math.log2(inputs):.1f} bits"
    if messages < inputs:
        return (
            True,
            f"by counting: {what} can be {known}, and all that the answer knows of them is a message of at most {said}",
        )
    return False, f"no statement at this size: {what} can be {known}, and a message can have {said}"
