"""Messages: bytes that one player hands to another, and what is known about them."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Message:
    """Bytes from one player to another in a round.

    `exact` is the number of bits before the last byte was filled; `paper` is the count of the paper for the same
    message. A `free` message is one that the paper does not charge for.
    """

    round: int
    sender: str
    receiver: str
    what: str
    data: bytes
    exact: int
    paper: int
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
            "what": self.what,
            "bits": self.bits,
            "exact_bits": self.exact,
            "paper_bits": self.paper,
            "free": self.free,
            "bytes": self.data.hex(),
        }
