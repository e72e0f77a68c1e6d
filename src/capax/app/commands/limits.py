"""`capax limits`: the lower bounds."""

from typing import Annotated, Final

import typer

from capax import limits
from capax.app.commands._result import Catalogue, finish
from capax.app.options import Json
from capax.app.process.output import print_text

GROUP: Final = ("What they cannot", 1)


def command(
    page: Annotated[bool, typer.Option("--page", help="Run all of them and print the reference page.")] = False,
    as_json: Json = False,
) -> None:
    """List the negative results: what transformers cannot do, as calculators.

    Example: capax limits
    """
    listed = tuple(limits.limit(name) for name in limits.names())
    if page:
        from capax.limits.base.page import page as page_of

        print_text(page_of(limit.run() for limit in listed).removesuffix("\n"))
    else:
        finish(Catalogue(listed, "title"), as_json=as_json)
