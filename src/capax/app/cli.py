"""The command line. Each command reads its arguments, calls `commands` and prints."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from capax.app import (
    atlas_command,
    commands,
    demo_command,
    fool_command,
    lab_commands,
    limit_commands,
    ngram_commands,
    recognise_command,
    serve_command,
    task_commands,
    theorem_commands,
    tm_command,
)
from capax.app.files.read import read_text, write_stdout, write_text
from capax.app.help_screen import HelpScreen
from capax.app.options import Json, ModelOutput, StoredBudget, Unchecked
from capax.app.process.main import run as run_process
from capax.app.process.output import print_json, print_text, say
from capax.app.process.streams import read_stdin
from capax.errors import CapaxError
from capax.rasp.text.interpreter import BUDGET, limits_of
from capax.rasp.text.stored import BUDGET as STORED

app = typer.Typer(
    name="capax",
    cls=HelpScreen,
    help="What can a transformer compute, and what can it not? A workbench for RASP programs.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

PROGRAM = "A library name, FILE.rasp, FILE.rasp:NAME or an expression."
MODEL = "A model file, FILE.safetensors."
SPLIT = "How INPUT is split into tokens: chars, words, ints, floats or json."
Budget = Annotated[
    int,
    typer.Option("--budget", metavar="N", help="How much work building the program may take, in units of 100 steps."),
]


DASHES = {"ignore_unknown_options": True}
"""Lets an input start with a minus sign, as numbers do."""


def _refuse_option(word: str | None) -> None:
    """Refuses an input that is a mistyped option; after `--` anything is an input."""
    if word is not None and word.startswith("--") and "--" not in sys.argv:
        hint = f"for the input {word} write `-- {word}`; options are listed by --help"
        raise CapaxError("bad-option", f"there is no option {word}", hint=hint)


def _version(value: bool) -> None:
    if value:
        from importlib.metadata import version

        typer.echo(f"capax {version('capax')}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    pass


@app.command()
def repl(
    files: Annotated[list[str] | None, typer.Argument(metavar="FILE", help="Files to load first.")] = None,
    classic: Annotated[bool, typer.Option("--classic", help="Print what the reference REPL prints.")] = False,
    budget: Budget = BUDGET,
) -> None:
    """The RASP prompt, also from a pipe.

    Example: echo 'reverse = aggregate(select(indices, length-1-indices, ==), tokens);' | capax repl
    """
    from capax.app.repl.repl import repl as start

    if not start(classic=classic, files=tuple(files or ()), limits=limits_of(budget)):
        raise typer.Exit(2)


@app.command(context_settings=DASHES)
def run(
    program: Annotated[str, typer.Argument(metavar="PROGRAM", help=PROGRAM)],
    word: Annotated[str | None, typer.Argument(metavar="INPUT", help="The input; - reads standard input.")] = None,
    split: Annotated[str, typer.Option("--as", help=SPLIT)] = "chars",
    trace: Annotated[bool, typer.Option("--trace", help="Show every named step.")] = False,
    plan: Annotated[bool, typer.Option("--plan", help="Show how the selectors are evaluated on long inputs.")] = False,
    batch: Annotated[
        str | None, typer.Option("--batch", metavar="FILE", help="Run on every line of a file; - reads standard input.")
    ] = None,
    stop: Annotated[bool, typer.Option("--stop", help="With --batch: stop at the first bad line.")] = False,
    budget: Budget = BUDGET,
    as_json: Json = False,
) -> None:
    """Run a program on an input, or on every line of a file.

    Example: capax run reverse hello
    """
    from capax.app.resolve import resolve
    from capax.app.run_command import run_batch, run_once, show_plan

    _refuse_option(word)
    if stop and batch is None:
        raise CapaxError("bad-option", "--stop goes with --batch FILE")
    if trace and (batch is not None or plan):
        raise CapaxError("bad-option", "--trace goes with one INPUT")
    if not plan and (batch is None) == (word is None):
        hint = "for instance: capax run reverse hello"
        raise CapaxError("bad-option", "give either INPUT or --batch FILE", hint=hint)
    found = resolve(program, split=split, budget=budget)
    if plan:
        show_plan(found, as_json=as_json)
    elif batch is not None:
        run_batch(found, batch, split, stop=stop, as_json=as_json)
    elif word is not None:
        run_once(found, word, split, trace=trace, as_json=as_json)


@app.command(name="list")
def list_(as_json: Json = False) -> None:
    """List the library, a line for each program.

    Example: capax list
    """
    entries = commands.list_library()
    if as_json:
        print_json(entries)
        return
    from capax.app.show import show_library

    print_text(show_library(entries))


@app.command()
def check(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The file to check; - checks standard input.")],
    budget: Budget = BUDGET,
    as_json: Json = False,
) -> None:
    """Check a file: errors, warnings, and what it defines. Exit code 1 if there are errors.

    Example: capax check program.rasp
    """
    named, text = ("standard input", read_stdin()) if file == "-" else (file, None)
    result = commands.check(named, text, limits=limits_of(budget))
    if as_json:
        print_json(result)
    else:
        found = [(f, "error") for f in result["errors"]] + [(f, "warning") for f in result["warnings"]]
        for finding, style in sorted(found, key=lambda item: item[0].get("line", 0)):
            say(finding["text"], style)
        errors, warnings = len(result["errors"]), len(result["warnings"])
        print_text(f"{result['file']}: {_count(errors, 'error')}, {_count(warnings, 'warning')}")
    if not result["ok"]:
        raise typer.Exit(1)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


@app.command()
def fmt(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The file to format in place; - formats standard input.")],
    only_check: Annotated[
        bool, typer.Option("--check", help="Change nothing; exit code 1 if it would change.")
    ] = False,
    stdout: Annotated[bool, typer.Option("--stdout", help="Print the formatted text and change nothing.")] = False,
    as_json: Json = False,
) -> None:
    """Put a file into canonical form; comments are kept.

    Example: capax fmt program.rasp
    """
    before = read_stdin() if file == "-" else read_text(Path(file))
    result = commands.fmt(before, "standard input" if file == "-" else file)
    after, changed = result["text"], result["changed"]
    for warning in result["warnings"]:
        say(warning["text"], "warning")
    if as_json:
        print_json(result)
    elif stdout or file == "-":
        write_stdout(after)
    if file != "-" and changed and not only_check and not stdout:
        write_text(Path(file), after)
    if not as_json and not stdout and file != "-":
        say(f"{file}: {('would change' if only_check else 'formatted') if changed else 'already in order'}")
    if only_check and changed:
        raise typer.Exit(1)


@app.command(context_settings=DASHES)
def layers(
    program: Annotated[str, typer.Argument(metavar="PROGRAM", help=PROGRAM)],
    word: Annotated[str, typer.Argument(metavar="INPUT", help="An input to try the heads on.")] = "hello",
    split: Annotated[str, typer.Option("--as", help=SPLIT)] = "chars",
    budget: Budget = BUDGET,
    as_json: Json = False,
) -> None:
    """Show what a program costs as a transformer: layers, heads, and why.

    Example: capax layers reverse
    """
    from capax.app.inputs import read_input
    from capax.app.layers import layers as cost_of
    from capax.app.layers import show_layers
    from capax.app.resolve import resolve

    _refuse_option(word)
    result = cost_of(resolve(program, split=split, budget=budget), read_input(word, split))
    if as_json:
        print_json(result)
    else:
        print_text(show_layers(result, word))


@app.command(context_settings=DASHES)
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

    _refuse_option(word)
    draw_it(program, word, split, output, layer, head, everything, budget=budget, unchecked=unchecked)


@app.command(context_settings=DASHES)
def apply(
    model: Annotated[str, typer.Argument(metavar="MODEL", help=MODEL)],
    word: Annotated[str, typer.Argument(metavar="INPUT", help="The input; - reads standard input.")],
    split: Annotated[str, typer.Option("--as", help=SPLIT)] = "chars",
    logits: Annotated[bool, typer.Option("--logits", help="Show the numbers behind the answers.")] = False,
    unchecked: Unchecked = False,
    as_json: Json = False,
) -> None:
    """Apply a model to an input.

    Example: capax apply previous.safetensors abcab
    """
    from capax.app.inputs import read_input
    from capax.app.model_commands import apply as apply_it
    from capax.app.show_model import show_answers

    _refuse_option(word)
    result = apply_it(model, read_input(word, split), logits=logits, unchecked=unchecked)
    note = result.pop("note")
    if as_json:
        print_json(result if logits else result["values"])
    else:
        print_text(show_answers(result))
    if note is not None:
        say(note)


@app.command()
def size(
    model: Annotated[str, typer.Argument(metavar="MODEL", help=MODEL)],
    unchecked: Unchecked = False,
    as_json: Json = False,
) -> None:
    """Show what a model costs: layers, heads, width, parameters, bits.

    Example: capax size previous.safetensors
    """
    from capax.app.model_commands import size as size_of
    from capax.app.show_model import show_size

    found = size_of(model, unchecked=unchecked)
    text = show_size(found)
    print_json({key: found[key] for key in found if key != "text"}) if as_json else print_text(text)


@app.command()
def explain(
    model: Annotated[str, typer.Argument(metavar="MODEL", help=MODEL)],
    unchecked: Unchecked = False,
    as_json: Json = False,
) -> None:
    """Show what each head and MLP of a model reads, writes and is for, layer by layer.

    Example: capax explain previous.safetensors
    """
    from capax.app.model_commands import explain as explain_it
    from capax.app.show_model import show_explanation

    told = explain_it(model, unchecked=unchecked)
    print_json(told) if as_json else print_text(show_explanation(model, told))


@app.command()
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


@app.command()
def export(
    model: Annotated[str, typer.Argument(metavar="MODEL", help=MODEL)],
    to: Annotated[str, typer.Option("--to", metavar="TARGET", help="torch, onnx, transformer-lens or hf.")],
    output: Annotated[str, typer.Option("-o", "--output", metavar="DIR", help="The folder to write.")],
    force: Annotated[bool, typer.Option("--force", help="Replace an export that stands there.")] = False,
    words: Annotated[int, typer.Option("--words", metavar="N", help="Words of each kind to try.")] = 300,
    seed: Annotated[int, typer.Option("--seed", help="The seed of the random words.")] = 0,
    budget: StoredBudget = STORED,
    unchecked: Unchecked = False,
    as_json: Json = False,
) -> None:
    """Write a model for another tool, load it back with that tool, and compare the answers. Exit code 1 if they differ.

    Example: capax export reverse.safetensors --to torch -o reverse-torch
    """
    from capax.app.export_command import export_file, show_export

    try:
        settings: dict[str, Any] = {"force": force, "words": words, "seed": seed, "budget": budget}
        result = export_file(model, to, output, unchecked=unchecked, **settings)
    except CapaxError as error:
        if error.code != "export-differs":
            raise
        say(error.render(), "error")
        raise typer.Exit(1) from None
    print_json(result) if as_json else print_text(show_export(result))


@app.command()
def verify(
    model: Annotated[str, typer.Argument(metavar="MODEL", help=MODEL)],
    words: Annotated[int, typer.Option("--words", metavar="N", help="Words of each kind to try.")] = 2000,
    seed: Annotated[int, typer.Option("--seed", help="The seed of the random words.")] = 0,
    certificate: Annotated[
        bool, typer.Option("--certificate", help="Check its certificate again, or that of an exported folder.")
    ] = False,
    budget: StoredBudget = STORED,
    unchecked: Unchecked = False,
    as_json: Json = False,
) -> None:
    """Compare the answers of a compiled model with its program's. Exit code 1 if they differ.

    With --certificate: check again that its certificate follows from the weights. Exit code 1 if it does not.

    Example: capax verify reverse.safetensors
    """
    if certificate:
        from capax.app.certificate_command import verify_certificate
        from capax.app.show_certificate import show_rechecked

        found = verify_certificate(model, unchecked=unchecked, budget=budget)
        print_json(found) if as_json else print_text(show_rechecked(found))
        if not found["follows"]:
            raise typer.Exit(1)
        return
    from capax.app.compile_command import verify as verify_it
    from capax.app.show_compile import show_verified

    result = verify_it(model, words=words, seed=seed, unchecked=unchecked, budget=budget)
    print_json(result) if as_json else print_text(show_verified(result))
    if not result["right"]:
        raise typer.Exit(1)


@app.command(name="import-model")
def import_model(
    directory: Annotated[
        str, typer.Argument(metavar="DIR", help="A folder with config.json and model.safetensors, of another library.")
    ],
    output: ModelOutput = None,
    as_json: Json = False,
) -> None:
    """Read a GPT-2, BERT or TransformerLens model that was made elsewhere. Without -o it only reports.

    Example: capax import-model gpt2-tiny -o tiny.safetensors
    """
    from capax.app.import_command import import_to, show_imported

    result = import_to(directory, output)
    print_json(result) if as_json else print_text(show_imported(result))
    if output is not None and not as_json:
        say(f"written to {output}")


theorem_commands.register(app)
limit_commands.register(app)
fool_command.register(app)
task_commands.register(app)
ngram_commands.register(app)
tm_command.register(app)
recognise_command.register(app)
atlas_command.register(app)
demo_command.register(app)
serve_command.register(app)
lab_commands.register(app)


def main() -> None:
    """Runs the command line: exit code 0 done, 1 the answer is no, 2 the input was wrong."""
    run_process(app)
