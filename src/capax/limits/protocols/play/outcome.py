"""What a run of a protocol gives: the players, every message, and the output beside that of the whole model."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from capax.display import parts, plain
from capax.errors import CapaxError
from capax.limits.witnesses.claimed_task import LAYOUTS
from capax.model.model import Model
from capax.model.parts import Array
from capax.model.run.run import run_rows


@dataclass(frozen=True, slots=True)
class Message:
    """Bytes from one player to another in a round.

    `exact` is the number of bits before the last byte was filled; `counted` is what the
    formula says of the same message. A `free` message is one that the paper does not charge for.
    """

    round: int
    sender: str
    receiver: str
    what: str
    data: bytes
    exact: int
    counted: int
    free: bool = False

    @property
    def bits(self) -> int:
        """The length of the bytes, in bits."""
        return 8 * len(self.data)

    def to_json(self) -> dict[str, Any]:
        """The message as plain data, its bytes in hexadecimal digits."""
        return {
            "round": self.round,
            "from": self.sender,
            "to": self.receiver,
            **parts(self, "what", "bits"),
            "exact_bits": self.exact,
            "counted_bits": self.counted,
            "free": self.free,
            "bytes": self.data.hex(),
        }


@dataclass(frozen=True, slots=True)
class Seat:
    """A player as others see it: its name, and what it holds, in words."""

    name: str
    holds: str


@dataclass(frozen=True, slots=True)
class ProtocolOutcome:
    """A run whose output was that of the whole model, bit for bit (a run in which they differ is an error).

    `output` is what the players computed, `truth` what the task asks for. `compared` is the number of integers that
    were compared. `formula` counts the bits; it is the paper's, or `ours` where the paper has none.
    """

    protocol: str
    sizes: Mapping[str, Any]
    seats: tuple[Seat, ...]
    messages: tuple[Message, ...]
    output: Any
    truth: Any
    compared: int
    formula: str
    notes: tuple[str, ...] = ()
    ours: bool = False

    @property
    def charged(self) -> tuple[Message, ...]:
        """The messages that count."""
        return tuple(message for message in self.messages if not message.free)

    @property
    def bits(self) -> int:
        """The length of all bytes that count, in bits."""
        return sum(message.bits for message in self.charged)

    @property
    def exact_bits(self) -> int:
        """The bits that count before the last byte of each message was filled."""
        return sum(message.exact for message in self.charged)

    @property
    def counted_bits(self) -> int:
        """What the formula says of the same messages."""
        return sum(message.counted for message in self.charged)

    @property
    def free_bits(self) -> int:
        """The length of the bytes that the paper does not charge for."""
        return sum(message.bits for message in self.messages if message.free)

    def to_json(self) -> dict[str, Any]:
        """The run as plain data."""
        known = {"right": self.output == self.truth, "identical": True}
        return (
            parts(self, "protocol", "sizes")
            | {"players": plain(self.seats)}
            | parts(self, "messages", "bits", "exact_bits", "counted_bits", "formula")
            | {"counted_by": "capax" if self.ours else "paper"}
            | parts(self, "free_bits", "output", "truth")
            | known
            | parts(self, "compared", "notes")
        )


@dataclass(frozen=True, slots=True)
class Protocol:
    """A reduction that can be run: `play(model, sizes, given, seed)` gives an outcome.

    `task` is the layout that the model has to declare; `options` names what else can be given, with its meaning.
    """

    name: str
    title: str
    statement: str
    citation: str
    task: str
    play: Callable[[Model, Mapping[str, Any], Mapping[str, str], int], ProtocolOutcome]
    options: Mapping[str, str]

    def to_json(self) -> dict[str, Any]:
        """The protocol as plain data, with the layout that it needs."""
        facts = parts(self, "name", "title", "statement", "citation")
        return facts | {"layout": LAYOUTS[self.task], "options": dict(self.options)}


def whole_logits(model: Model, word: list[Any], trace: dict[str, Array] | None = None) -> Array:
    """The logits of the whole model on a word, prefix included."""
    return np.asarray(run_rows(model, np.array([model.read(word)]), trace)[0])


def require_equal(split: Array, whole: Array, what: str) -> int:
    """The number of integers compared; a difference between the players' result and the model's is an error."""
    if split.shape != whole.shape or not (split == whole).all():
        differing = (
            "" if split.shape != whole.shape else f" in {int((split != whole).sum()):,} of {whole.size:,} positions"
        )
        raise CapaxError(
            "protocol-differs",
            f"the players computed other {what} than the whole model{differing}",
            hint="this is a mistake in capax: please report it with the model",
        )
    return int(whole.size)
