"""`capax compile`: Make a transformer of a program, check it, and write it to a file. Without -o it only reports."""

from typing import Annotated, Any, Final

import typer

from capax.app.options import PROGRAM, Json, ModelOutput
from capax.app.process.output import print_json, print_text, say
from capax.rasp.text.interpreter import BUDGET

GROUP: Final = ("Models", 1)


def register(app: typer.Typer) -> None:
    """Adds the command to the command line."""
    app.command(name="compile")(compile)


def compile(
    program: Annotated[str, typer.Argument(metavar="PROGRAM", help=PROGRAM)],
    max_length: Annotated[int, typer.Option("--max-length", metavar="N", help="The length of the longest words.")],
    alphabet: Annotated[str | None, typer.Option("--alphabet", help="The tokens, split as --as says.")] = None,
    alphabet_file: Annotated[
        str | None,
        typer.Option("--alphabet-file", metavar="FILE", help="The tokens, one in each line, or a list in FILE.json."),
    ] = None,
    split: Annotated[
        str, typer.Option("--as", help="How --alphabet is split: chars, words, ints, floats or json.")
    ] = "chars",
    output: ModelOutput = None,
    causal: Annotated[bool, typer.Option("--causal", help="No position sees a later one.")] = False,
    dtype: Annotated[str, typer.Option("--dtype", help="float32 or float64.")] = "float32",
    masks: Annotated[bool, typer.Option("--masks/--no-masks", help="Heads may have masks of their own.")] = True,
    mlp_depth: Annotated[
        int | None, typer.Option("--mlp-depth", metavar="N", help="The most stages of an MLP.")
    ] = None,
    keep_all: Annotated[bool, typer.Option("--keep-all", help="Every value keeps a direction of its own.")] = False,
    budget: Annotated[
        int,
        typer.Option("--budget", metavar="N", help="How much work compiling may take, in units of 100 steps."),
    ] = BUDGET,
    certify: Annotated[
        str, typer.Option("--certify", help="yes, no, or require: refuse a model that cannot be certified.")
    ] = "yes",
    target: Annotated[
        str | None, typer.Option("--target", help="The tool that the model is for: transformer-lens, hf or plain.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Make a transformer of a program, check it, and write it to a file. Without -o it only reports.

    Example: capax compile reverse --alphabet abc --max-length 20 -o reverse.safetensors
    """
    from capax.app.compile_command import compile_to, read_certify, read_tokens
    from capax.app.show_compile import show_compiled

    tokens = read_tokens(alphabet, alphabet_file, split)
    domain: dict[str, Any] = {"alphabet": tokens, "max_length": max_length, "causal": causal, "dtype": dtype}
    domain |= {"masks": masks, "mlp_depth": mlp_depth, "keep_all": keep_all, "budget": budget, "target": target}
    kind = "json" if (alphabet_file or "").endswith(".json") else split
    result = compile_to(program, output, split=kind, **domain, certify=read_certify(certify))
    print_json(result) if as_json else print_text(show_compiled(result))
    if output is not None and not as_json:
        say(f"written to {output}")
