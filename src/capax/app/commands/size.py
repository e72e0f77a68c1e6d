"""`capax size`: what a model costs."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from capax.app.commands._answer_position import AnswerPosition, answer_position
from capax.app.commands._result import finish
from capax.app.options import MODEL, Json, Unchecked

if TYPE_CHECKING:
    from capax.model.size import Size

GROUP: Final = ("Models", 5)


def command(
    model: Annotated[str, typer.Argument(metavar="MODEL", help=MODEL)],
    unchecked: Unchecked = False,
    as_json: Json = False,
) -> None:
    """Show what a model costs: layers, heads, width, parameters, bits.

    Example: capax size previous.safetensors
    """
    finish(size(model, unchecked=unchecked), as_json=as_json)


@dataclass(frozen=True, slots=True)
class ModelSize:
    """What a model costs, and where its answer is read."""

    size: "Size"
    answer: AnswerPosition

    def to_json(self) -> dict[str, Any]:
        """Both as plain data."""
        return self.size.to_json() | self.answer.to_json()

    def render(self) -> str:
        """The table of sizes."""
        position = self.answer.in_words()
        return str(self.size) + ("" if position is None else f"\nread              {position}")


def size(path: str, *, unchecked: bool = False) -> ModelSize:
    """What the model in a file costs, and where its answer is read."""
    from capax.app.files.models import given_model

    model = given_model(path, unchecked=unchecked)
    return ModelSize(model.size, answer_position(model.provenance))
