"""What the players of sequential composition say to each other on many prompts, and the transcripts of the proof.

The message Pi from player j to an earlier-numbered player i in epoch e is what the keys of j say about the tokens of i
in layer e: numerators and denominators, exact integers. It depends on the inputs of the players i ... L alone. Three
transcripts of the proof (Chen, Peng and Wu 2024) are sets of such messages:

- Lambda, at level l: all messages from players >= l to players < l in epochs 1 ... l. They are *frozen*: for each input
  of the players below l they are the same for all inputs that are kept of the others.
- Phi, for an input z_l of player l: messages from players > l to player l in epochs 1 ... l + 1. A candidate.
- Psi, for an input z_l: messages from players > l to players < l in epoch l + 1, for all inputs that are kept of those.
  A candidate: inputs of players > l with equal Phi and Psi are kept, and the two become part of the next Lambda.

Which of the two candidates is called Phi and which Psi is our reading of notes about the paper.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Final, Literal, TypeAlias

import numpy as np

from capax.errors import CapaxError
from capax.limits.protocols.autoregressive import blocks_of, require_causal
from capax.limits.protocols.play.partial_bytes import fields_of, pairwise_heads, width
from capax.limits.witnesses.claimed_task import integer_system
from capax.limits.witnesses.search.decomposition import sums
from capax.model.model import Model
from capax.model.parts import Array
from capax.model.run.run import run_rows
from capax.tasks.inputs.sequential_tables import SequentialLayout

BLOCK: Final = 20_000
"""So many prompts are run at once."""
TranscriptName: TypeAlias = Literal["Lambda", "Phi", "Psi"]


@dataclass(frozen=True, slots=True)
class FrozenMessage:
    """A message that is the same for all inputs that are kept: who says it to whom, in which epoch, with what input.

    `given` are the inputs of the receiver and of the frozen players before it; `digest` stands for the numbers.
    """

    transcript: TranscriptName
    epoch: int
    sender: int
    receiver: int
    given: str
    bits: int
    digest: str

    def to_json(self) -> dict[str, Any]:
        """The message as plain data."""
        return {
            "transcript": self.transcript,
            "epoch": self.epoch,
            "from": self.sender,
            "to": self.receiver,
            "given": self.given,
            "bits": self.bits,
            "digest": self.digest,
        }


@dataclass(frozen=True)
class Exchange:
    """A model and a layout: which player has which positions, and what they say on prompts."""

    model: Model
    layout: SequentialLayout

    def __post_init__(self) -> None:
        require_causal(self.model)
        model, steps = self.model, self.layout.steps
        soft = all(h.attention == "softmax" and h.sink is None for heads in pairwise_heads(model) for h in heads)
        if steps > 1 and model.depth != steps:
            layers = f"{model.depth} layer{'' if model.depth == 1 else 's'}"
            raise CapaxError(
                "no-layout",
                f"the model has {layers}, and its task {steps} tables: the induction is for as many layers as tables",
                hint=f"make the model with --layers {steps} (k numbers in --queries mean k + 1 tables)",
            )
        if steps < 2 or len(model.blocks) != steps or model.depth != steps or model.prefix or not soft:
            raise CapaxError(
                "no-layout",
                f"the induction is for models of L layers of softmax heads without a sink, and L = {steps} tables",
                hint="capax make-model sequential-composition --n 2 --queries 1,2 --layers 3 -o toy.safetensors",
            )

    @property
    def positions(self) -> dict[int, Array]:
        """The positions of each player, L ... 0, -1."""
        at, start = {}, 0
        for name, _, count in blocks_of(self.layout):
            at[int(name)] = np.arange(start, start + count)
            start += count
        return at

    def messages(self, words: Array, wanted: Sequence[tuple[int, int, int]]) -> dict[tuple[int, int, int], Array]:
        """The messages (epoch, from, to) on prompts (count, length): numbers (count, tokens of the receiver, ...)."""
        at = self.positions
        parts: dict[tuple[int, int, int], list[Array]] = {key: [] for key in wanted}
        for block in _blocks(words):
            rows = np.array([self.model.read(word) for word in block.tolist()])
            trace: dict[str, Array] = {}
            run_rows(self.model, rows, trace)
            for epoch, sender, receiver in wanted:
                x = np.asarray(trace[f"blocks.{epoch - 1}.resid_pre"]).astype(np.int64)
                one = sums(self.model, epoch - 1, x[:, at[sender]], at[sender], x[:, at[receiver]], at[receiver])
                parts[epoch, sender, receiver].append(one)
        return {key: np.concatenate(arrays) for key, arrays in parts.items()}

    def logits(self, words: Array) -> Array:
        """The logits at the last position of prompts."""
        parts = [
            run_rows(self.model, np.array([self.model.read(word) for word in block.tolist()]))[:, -1]
            for block in _blocks(words)
        ]
        return np.concatenate(parts)

    def bits(self, epoch: int, sender: int, receiver: int) -> int:
        """The exact bits of a message: the fields of the sums, for each token of the receiver."""
        system, at = integer_system(self.model), self.positions
        heads = pairwise_heads(self.model)[epoch - 1]
        each = sum(width(fields_of(system, head, len(at[sender]), self.layout.length)) for head in heads)
        return each * len(at[receiver])


def _blocks(words: Array) -> Iterator[Array]:
    for start in range(0, len(words), BLOCK):
        yield words[start : start + BLOCK]


def digest_of(numbers: Array) -> str:
    """Eight hexadecimal digits that stand for some numbers."""
    return blake2b(np.ascontiguousarray(numbers, np.int64).tobytes(), digest_size=4).hexdigest()
