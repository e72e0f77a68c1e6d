"""`capax stages`: what each pass of the compiler gives for a program, as text."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from capax.app.commands._compile_options import CompileRequest, with_settings
from capax.app.commands.compile import compile_to
from capax.app.options import PROGRAM, Json
from capax.app.process.output import print_json, print_text
from capax.display import parts

if TYPE_CHECKING:
    from capax.compiler.compiled import Stage

GROUP: Final = ("Models", 8)


@with_settings
def command(
    program: Annotated[str, typer.Argument(metavar="PROGRAM", help=PROGRAM)],
    request: CompileRequest,
    as_json: Json = False,
) -> None:
    """Compile a program and print every stage, from the source to the certificate.

    Example: capax stages reverse --alphabet abc --max-length 5
    """
    result = compile_to(program, split=request.split, **request.settings)
    listing = StageListing(result.program, result.compiled.stages)
    print_json(listing.to_json()) if as_json else print_text(listing.render())


@dataclass(frozen=True, slots=True)
class StageListing:
    """The stages of a compilation, in order."""

    program: str
    stages: "tuple[Stage, ...]"

    def to_json(self) -> dict[str, Any]:
        """The stages as plain data."""
        return parts(self)

    def render(self) -> str:
        """Every stage under its name."""
        return "\n\n".join(f"== {stage.name}\n{stage.text}" for stage in self.stages)
