"""The state of a page as a link, and back."""

import base64
import binascii
import zlib
from collections.abc import Mapping
from urllib.parse import urlencode

from capax.app.web.sandbox.request_budget import MOST_TEXT

PACKED = "code"
"""A program stands in the link in short, under this name."""


def link(path: str, state: Mapping[str, str]) -> str:
    """The link to a page in a state; texts that are empty are left out."""
    parts = {name: value for name, value in state.items() if value and name != "text"}
    if state.get("text"):
        parts[PACKED] = pack(state["text"])
    return f"{path}?{urlencode(parts)}" if parts else path


def pack(text: str) -> str:
    """A text in few characters that links can hold."""
    return base64.urlsafe_b64encode(zlib.compress(text.encode("utf-8", "replace"), 9)).decode("ascii").rstrip("=")


def unpack(code: str) -> str | None:
    """The text of a link; None if it is none, or a longer one than pages read."""
    try:
        data = base64.urlsafe_b64decode(code + "=" * (-len(code) % 4))
        text = zlib.decompressobj().decompress(data, 4 * MOST_TEXT + 1).decode("utf-8")
    except (ValueError, binascii.Error, zlib.error):
        return None
    return text if len(text) <= MOST_TEXT else None


def state_of(query: Mapping[str, str]) -> dict[str, str]:
    """The state that a link stands for."""
    state = {name: value for name, value in query.items() if name != PACKED}
    if PACKED in query:
        text = unpack(query[PACKED])
        if text is not None:
            state["text"] = text
    return state
