"""`capax draw`: a program or a model on an input, as a picture in a file or in the terminal."""

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from capax.app.options import DASHES, PROGRAM, Budget, Split, Unchecked
from capax.app.process.output import say
from capax.rasp.text.interpreter import BUDGET

if TYPE_CHECKING:
    from capax.draw.view.view import Flow

GROUP: Final = ("Programs", 6)
SETTINGS: Final = DASHES
EXAMPLE: Final = "hello"
"""The input if there is none."""


def command(
    program: Annotated[
        str, typer.Argument(metavar="PROGRAM", help=f"{PROGRAM} Or FILE.safetensors: the attention of a model.")
    ],
    word: Annotated[str | None, typer.Argument(metavar="INPUT", help="The input; hello by default.")] = None,
    output: Annotated[
        str | None, typer.Option("-o", "--output", metavar="FILE", help="A .svg, .html, .png, .pdf or .txt file.")
    ] = None,
    split: Split = "chars",
    layer: Annotated[int | None, typer.Option("--layer", help="Only this layer.")] = None,
    head: Annotated[int | None, typer.Option("--head", help="Only this head of the layer.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Also the small element-wise steps.")] = False,
    unchecked: Unchecked = False,
    budget: Budget = BUDGET,
) -> None:
    """Draw a program or a model on an input: layers, heads, values; in the terminal, or to a file.

    Example: capax draw reverse hello -o reverse.svg
    """
    from capax.app.inputs import read_input
    from capax.app.process.output import colour_wanted
    from capax.app.resolve import resolve
    from capax.draw.ink.terminal import terminal
    from capax.draw.subjects.picture import Picture, check_file
    from capax.draw.view.loop_rounds import with_rounds
    from capax.draw.view.view import pick
    from capax.rasp.meaning.evaluation import fitting

    if output is not None:
        check_file(output)
    if program.lower().endswith(".safetensors"):
        view = pick(_model_flow(program, word, split, unchecked=unchecked), layer, head)
    else:
        chosen = resolve(program, split=split, budget=budget).program
        tokens: list[Any] = list(fitting(EXAMPLE, chosen.node)) if word is None else read_input(word, split)
        view = pick(with_rounds(chosen, tokens, everything=everything), layer, head)
    if output is None:
        width = shutil.get_terminal_size((100, 40)).columns
        typer.echo(terminal(view, width=width, colour=colour_wanted(sys.stdout)))
        return
    Picture(view).save(output)
    say(f"{output}: drawn")


def _model_flow(path: str, word: str | None, split: str, *, unchecked: bool) -> "Flow":
    """The attention of a model on an input; without one on a word of its own tokens."""
    from capax.app.files.models import given_model
    from capax.app.inputs import read_input
    from capax.draw.subjects.model_view import example_word, model_flow

    model = given_model(path, unchecked=unchecked)
    tokens = example_word(model) if word is None else read_input(word, split)
    return model_flow(model, tokens, title=Path(path).stem)
