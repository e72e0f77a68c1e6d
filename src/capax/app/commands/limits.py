"""`capax limits`: the lower bounds."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from capax import limits
from capax.app.commands._columns import columns
from capax.app.commands._result import finish
from capax.app.options import Json
from capax.app.process.output import print_text

if TYPE_CHECKING:
    from capax.limits.base.limit import Limit

GROUP: Final = ("What they cannot", 1)


@dataclass(frozen=True, slots=True)
class LimitList:
    """All limits."""

    limits: tuple["Limit", ...]

    def to_json(self) -> list[dict[str, Any]]:
        """Each limit with its statement, assumptions, parameters and source, as plain data."""
        return [limit.to_json() for limit in self.limits]

    def render(self) -> str:
        """A line for each."""
        return "\n".join(columns([[limit.name, limit.title] for limit in self.limits]))


def command(
    page: Annotated[bool, typer.Option("--page", help="Run all of them and print the reference page.")] = False,
    as_json: Json = False,
) -> None:
    """List the negative results: what transformers cannot do, as calculators.

    Example: capax limits
    """
    listed = LimitList(tuple(limits.limit(name) for name in limits.names()))
    if page:
        from capax.limits.base.page import page as page_of

        print_text(page_of(limit.run() for limit in listed.limits).removesuffix("\n"))
    else:
        finish(listed, as_json=as_json)
