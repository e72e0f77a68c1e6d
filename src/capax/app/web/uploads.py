"""Files that people bring along: kept in memory while their page is open, with bounds on how much there is of them."""

import base64
from collections import Counter
from collections.abc import Mapping
from typing import Final

from capax.app.files.checkpoints import ENDING
from capax.app.web.jobs.checkpoint_files import MB, check_size
from capax.app.web.sandbox.fair_queue import Visitor
from capax.errors import CapaxError

MOST_OF_A_NETWORK: Final = 80 * MB
"""Bytes of one network, in all its pages."""
MOST_IN_ALL: Final = 400 * MB
"""Bytes of all pages."""


class Uploads:
    """The files of all open pages, by page, as the text that requests carry them as."""

    def __init__(self, of_a_network: int = MOST_OF_A_NETWORK, in_all: int = MOST_IN_ALL) -> None:
        self._of_a_network, self._in_all = of_a_network, in_all
        self._files: dict[Visitor, dict[str, str]] = {}

    def files(self, visitor: Visitor) -> Mapping[str, str]:
        """The files of a page, by name, in base64."""
        return dict(self._files.get(visitor, {}))

    def add(self, visitor: Visitor, files: Mapping[str, bytes]) -> None:
        """Adds files to those of a page; other weights than before are another checkpoint, and replace all."""
        before = self._files.get(visitor, {})
        fresh = any(name.endswith(ENDING) for name in files) and any(name.endswith(ENDING) for name in before)
        sizes = {name: _size(text) for name, text in before.items() if not fresh}
        sizes |= {name: len(data) for name, data in files.items()}
        check_size(len(sizes), sizes.values())
        if self._full(visitor, sum(sizes.values())):
            raise CapaxError("stopped", "too many uploads are open here", hint="close other pages, or try again later")
        after = {} if fresh else dict(before)
        self._files[visitor] = after | {name: base64.b64encode(data).decode("ascii") for name, data in files.items()}

    def drop(self, visitor: Visitor) -> None:
        """Forgets the files of a page."""
        self._files.pop(visitor, None)

    def _full(self, visitor: Visitor, size: int) -> bool:
        """Whether there is no room for so many bytes of a page, in place of those that it has."""
        used: Counter[str] = Counter()
        for other, files in self._files.items():
            if other != visitor:
                used[other.network] += sum(map(_size, files.values()))
        return used[visitor.network] + size > self._of_a_network or used.total() + size > self._in_all


def _size(text: str) -> int:
    """The bytes that a text in base64 stands for."""
    return len(text) * 3 // 4 - text[-2:].count("=")
