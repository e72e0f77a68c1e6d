"""`capax theorems`: the positive results."""

from typing import Annotated, Final

import typer

from capax.app.commands._result import Catalogue, finish
from capax.app.options import Json
from capax.app.process.output import print_text

GROUP: Final = ("What transformers can do", 1)


def command(
    page: Annotated[bool, typer.Option("--page", help="Run all of them and print the reference page.")] = False,
    labels: Annotated[
        bool, typer.Option("--labels", help="Prove their models and print the reference page of the labels.")
    ] = False,
    as_json: Json = False,
) -> None:
    """List the positive results: what transformers can do, as code that builds and checks it.

    Example: capax theorems
    """
    from capax import theorems
    from capax.theorems.base.page import labels_page
    from capax.theorems.base.page import page as page_of

    listed = tuple(theorems.theorem(name) for name in theorems.names())
    if page:
        print_text(page_of(theorem.run() for theorem in listed).removesuffix("\n"))
    elif labels:
        print_text(labels_page(listed).removesuffix("\n"))
    else:
        finish(Catalogue(listed, "title"), as_json=as_json)
