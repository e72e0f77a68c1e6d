"""How long the words are that a theorem is checked on."""

from typing import Final

from capax.errors import CapaxError

MOST_TOKENS: Final = 20_001
"""Attention takes the square of this in time: about a minute for each word."""


def require_short(length: int, hint: str) -> None:
    """Raises an error where a word of so many tokens would take too long to run."""
    if length > MOST_TOKENS:
        what = f"words of {length:,} tokens are longer than the {MOST_TOKENS - 1:,} that are run"
        raise CapaxError("too-large", what, hint=hint)
