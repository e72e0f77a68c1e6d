"""`capax draw`: Draw a program or a model on an input: layers, heads, values; in the terminal, or to a file."""

from typing import Annotated, Final

import typer

from capax.app.options import DASHES, PROGRAM, SPLIT, Budget, Unchecked, refuse_option
from capax.rasp.text.interpreter import BUDGET

GROUP: Final = ("Programs", 6)


def register(app: typer.Typer) -> None:
    """Adds the command to the command line."""
    app.command(name="draw", context_settings=DASHES)(draw)


def draw(
    program: Annotated[
        str, typer.Argument(metavar="PROGRAM", help=f"{PROGRAM} Or FILE.safetensors: the attention of a model.")
    ],
    word: Annotated[str | None, typer.Argument(metavar="INPUT", help="The input; hello if none is given.")] = None,
    output: Annotated[
        str | None, typer.Option("-o", "--output", metavar="FILE", help="A .svg, .html, .png, .pdf or .txt file.")
    ] = None,
    split: Annotated[str, typer.Option("--as", help=SPLIT)] = "chars",
    layer: Annotated[int | None, typer.Option("--layer", help="Only this layer.")] = None,
    head: Annotated[int | None, typer.Option("--head", help="Only this head of the layer.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Also the small element-wise steps.")] = False,
    unchecked: Unchecked = False,
    budget: Budget = BUDGET,
) -> None:
    """Draw a program or a model on an input: layers, heads, values; in the terminal, or to a file.

    Example: capax draw reverse hello -o reverse.svg
    """
    from capax.app.draw_command import draw as draw_it

    refuse_option(word)
    draw_it(program, word, split, output, layer, head, everything, budget=budget, unchecked=unchecked)
