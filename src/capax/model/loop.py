"""A loop of a model: some of its blocks are run again and again, with the same weights, as often as the length asks.

This is the Universal Transformer with a number of rounds that the length of the word decides. The blocks before the
loop are the prelude, those after it the coda.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from capax.errors import CapaxError
from capax.model.validate import require
from capax.notation.rounds import Rounds, is_rule, rounds_at, same_rounds

if TYPE_CHECKING:
    from capax.model.model import Model
    from capax.model.parts import Block

HAS_LOOP = "it has a loop; `--length N` writes it out for words of that length"
"""Why a tool that takes blocks one after the other cannot hold a model."""

MOST_BLOCKS = 4096
"""A model with more blocks is not written out."""


@dataclass(frozen=True, slots=True)
class ModelLoop:
    """The blocks from `first` up to `end`, without it, are run for a number of rounds."""

    first: int
    end: int
    rounds: Rounds

    def __post_init__(self) -> None:
        require(0 <= self.first < self.end, f"a loop over the blocks from {self.first} to {self.end} has no block")
        require(is_rule(self.rounds), f"{self.rounds!r:.60} is not a number of rounds")

    def to_json(self) -> dict[str, Any]:
        """The loop as plain data, as model files have it."""
        return {"first": self.first, "end": self.end, "rounds": self.rounds}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "ModelLoop":
        """The loop of plain data; other data is refused."""
        sound = isinstance(data, Mapping) and set(data) == {"first", "end", "rounds"}
        require(sound and all(type(data[k]) is int for k in ("first", "end")), "a loop has first, end and rounds")
        return cls(data["first"], data["end"], data["rounds"])


def block_order(model: "Model", length: int) -> Iterator[tuple[str, "Block"]]:
    """The blocks that a word of a length goes through, in order, with the names of their activations.

    The activations of a block inside a loop are named by the round: `rounds.2.blocks.1` is block 1 in round 2.
    """
    loop, blocks = model.loop, model.blocks
    first, end = (len(blocks), len(blocks)) if loop is None else (loop.first, loop.end)
    for number in range(first):
        yield f"blocks.{number}", blocks[number]
    for count in range(0 if loop is None else rounds_at(loop.rounds, length)):
        for number in range(first, end):
            yield f"rounds.{count}.blocks.{number}", blocks[number]
    for number in range(end, len(blocks)):
        yield f"blocks.{number}", blocks[number]


def unrolled_model(model: "Model", length: int) -> "Model":
    """The model without its loop: the blocks of the loop stand in it once for each round of a length.

    It reads words of the lengths that have as many rounds. Its blocks are the same values, so that weights are equal.
    """
    if model.loop is None:
        return model
    loop = model.loop
    low, high = same_rounds(loop.rounds, length)
    low = max(low, model.min_length)
    longest = model.max_length if high is None else high if model.max_length is None else min(high, model.max_length)
    if longest is not None and not low <= length <= longest:
        what = f"the model is not made for words of length {length}"
        raise CapaxError("word-length", what, hint=f"give a length from {model.min_length} to {model.max_length}")
    blocks = tuple(block for _, block in block_order(model, length))
    if len(blocks) > MOST_BLOCKS:
        raise CapaxError("too-large", f"the model would have {len(blocks):,} blocks; at most {MOST_BLOCKS:,} are made")
    about = replace(model.provenance, heads=None, certificate=None, plan=None, loop=None, program=None, check=None)
    return replace(model, blocks=blocks, loop=None, min_length=low, max_length=longest, provenance=about)


def refuse_loop(model: "Model", what: str) -> None:
    """Refuses a model with a loop, for something that takes its blocks one after the other."""
    if model.loop is not None:
        hint = "write the loop out for words of one length first: capax.model.loop.unrolled_model(model, length)"
        raise CapaxError("has-loop", f"{what} of a model with a loop is not supported", hint=hint)
