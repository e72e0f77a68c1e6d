"""`capax demo` on the command line."""

from typing import Annotated

import typer

from capax.app.process.output import print_json, print_text


def register(app: typer.Typer) -> None:
    """Adds the command to the command line."""
    app.command(name="demo")(_demo)


def _demo(
    output: Annotated[str, typer.Option("-o", "--output", metavar="FILE", help="The page.")] = "capax-demo.html",
    as_json: Annotated[bool, typer.Option("--json", help="Print the result alone, as JSON.")] = False,
) -> None:
    """Show what capax does: a program, its weights and proof, a theorem, a limit, the atlas; written as one page.

    Example: capax demo
    """
    from capax.app.demo.demo import demo, show_demo

    result = demo(output)
    print_json(result) if as_json else print_text(show_demo(result))
