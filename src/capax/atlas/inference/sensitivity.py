"""Which change of one assumption makes a language possible, or impossible; and which cells of the table are open."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from capax.atlas.inference.infer import Answer, recognises
from capax.atlas.models import MODELS
from capax.atlas.records import Atlas
from capax.atlas.setting import FIELDS


@dataclass(frozen=True, slots=True)
class Turn:
    """A field set to a value, all else as asked, and the answer then."""

    field: str
    value: str
    answer: Answer


def turns(atlas: Atlas, where: Mapping[str, str], language: str) -> list[Turn]:
    """Every change of one field, with its answer."""
    return [
        Turn(name, value, recognises(atlas, {**where, name: value}, language, compare=False))
        for name, field in FIELDS.items()
        for value in field.values
        if value != where[name]
    ]


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
