"""The table of the kinds of transformers that have a name: which languages they recognise, between which classes."""

from collections.abc import Iterator
from dataclasses import dataclass

from capax.atlas.inference.closure import above
from capax.atlas.inference.infer import Answer, bounds, contains, recognises
from capax.atlas.records import Atlas
from capax.atlas.setting import MODELS


@dataclass(frozen=True, slots=True)
class Cell:
    """A kind of models, a language, and the answer."""

    model: str
    language: str
    answer: Answer


def cells(atlas: Atlas) -> Iterator[Cell]:
    """The whole table of models and languages."""
    for model, setting in MODELS.items():
        for language in atlas.languages:
            yield Cell(model, language.id, recognises(atlas, setting.to_json(), language.id, compare=False))


def open_cells(atlas: Atlas) -> list[Cell]:
    """The cells that are unknown, or known only under a conjecture."""
    return [cell for cell in cells(atlas) if cell.answer.verdict in ("unknown", "conditional")]


@dataclass(frozen=True, slots=True)
class Placement:
    """A kind of models: the greatest classes that it contains, and the least that contain it."""

    model: str
    at_least: tuple[str, ...]
    at_most: tuple[str, ...]

    @property
    def exactly(self) -> str | None:
        """The class that it equals."""
        both = [cls for cls in self.at_least if cls in self.at_most]
        return both[0] if both else None


def placements(atlas: Atlas) -> list[Placement]:
    """Every kind of models that has a name, with its placement."""
    placed = []
    for model, setting in MODELS.items():
        where = setting.to_json()
        holds = [one.id for one in atlas.classes if contains(atlas, where, one.id).verdict == "yes"]
        bound = [one.id for one in atlas.classes if bounds(atlas, where, one.id)]
        greatest = [cls for cls in holds if not any(_below(atlas, cls, other) for other in holds)]
        least = [cls for cls in bound if not any(_below(atlas, other, cls) for other in bound)]
        placed.append(Placement(model, tuple(greatest), tuple(least)))
    return placed


def _below(atlas: Atlas, small: str, big: str) -> bool:
    return big in above(atlas, small) and small not in above(atlas, big)
