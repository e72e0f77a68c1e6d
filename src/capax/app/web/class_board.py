"""The board of a class: how many have solved each puzzle, without names."""

from collections import defaultdict
from typing import Any, Final

from capax.app.web.puzzles import PUZZLES
from capax.app.web.sandbox.fair_queue import Visitor

MOST_VISITORS: Final = 2_000
"""Pages that are counted; further ones are not."""


class ClassBoard:
    """Counts pages that have solved puzzles, while the server runs; kept in memory alone."""

    def __init__(self, links: tuple[str, ...] = ()) -> None:
        self.links = links
        """The addresses that a class opens; none outside of class mode."""
        self._solved: dict[Visitor, set[str]] = defaultdict(set)

    def solved(self, puzzle: str, visitor: Visitor) -> None:
        """A page has solved a puzzle."""
        if self.links and (visitor in self._solved or len(self._solved) < MOST_VISITORS):
            self._solved[visitor].add(puzzle)

    def to_json(self) -> dict[str, Any]:
        """The links, how many have solved something, and how many each puzzle."""
        counts = {puzzle.name: 0 for puzzle in PUZZLES}
        for names in self._solved.values():
            for name in names:
                counts[name] += 1
        return {"links": list(self.links), "people": len(self._solved), "solved": counts}
