"""Where kinds of transformers lie among the classes."""

from dataclasses import dataclass

from capax.atlas.inference.closure import above
from capax.atlas.inference.infer import bounds, contains
from capax.atlas.records import Atlas
from capax.atlas.setting import MODELS


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
