"""`capax theorems`: the positive results."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from capax.app.commands._result import finish
from capax.app.options import Json
from capax.app.process.output import print_text

if TYPE_CHECKING:
    from capax.theorems.base.theorem import Theorem

GROUP: Final = ("What transformers can do", 1)


def command(
    page: Annotated[bool, typer.Option("--page", help="Run all of them and print the reference page.")] = False,
    as_json: Json = False,
) -> None:
    """List the positive results: what transformers can do, as code that builds and checks it.

    Example: capax theorems
    """
    from capax import theorems

    if page:
        print_text(theorems_page().removesuffix("\n"))
    else:
        finish(TheoremList(tuple(theorems.theorem(name) for name in theorems.names())), as_json=as_json)


@dataclass(frozen=True, slots=True)
class TheoremList:
    """Every theorem."""

    theorems: "tuple[Theorem, ...]"

    def to_json(self) -> list[dict[str, Any]]:
        """Each with its name, statement, assumptions, parameters and source."""
        return [theorem.to_json() for theorem in self.theorems]

    def render(self) -> str:
        """A line for each."""
        wide = max((len(theorem.name) for theorem in self.theorems), default=0)
        return "\n".join(f"{theorem.name.ljust(wide)}  {theorem.title}" for theorem in self.theorems)


def theorems_page() -> str:
    """The reference page, from running every theorem at its defaults."""
    from capax import theorems
    from capax.theorems.base.page import page

    return page(theorems.theorem(name).run() for name in theorems.names())
