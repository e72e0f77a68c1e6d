"""What several commands of the command line share: options, words of help, and checks of arguments."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Final, TypeAlias

import typer

from capax.errors import CapaxError, nearest

PROGRAM: Final = "A library name, FILE.rasp, FILE.rasp:NAME or an expression."
MODEL: Final = "A model file, FILE.safetensors."
SPLIT: Final = "How INPUT is split into tokens."
SPLITS: Final = ("chars", "words", "ints", "floats", "json")
DTYPES: Final = ("float32", "float64", "float16", "bfloat16")
DASHES: Final[dict[str, bool]] = {"ignore_unknown_options": True}
"""Lets an input start with a minus sign, as numbers do."""
PARAMETERS: Final[dict[str, bool]] = {"allow_extra_args": True, "ignore_unknown_options": True}
"""Lets a command take the parameters of a theorem or task as options; `parameters_of` reads them."""
ENDING: Final = ".safetensors"


def completed(*words: str) -> Callable[[str], list[str]]:
    """What the shell offers for an option or argument: the words that begin with what was typed."""
    return lambda incomplete: [word for word in words if word.startswith(incomplete)]


def choice(*flags: str, choices: Sequence[str], help: str, **settings: Any) -> Any:
    """An option whose value is one of some words, which its help shows and the shell completes."""
    return typer.Option(
        *flags, metavar=f"[{'|'.join(choices)}]", autocompletion=completed(*choices), help=help, **settings
    )


Json: TypeAlias = Annotated[bool, typer.Option("--json", help="Print only the result, as JSON.")]
Split: TypeAlias = Annotated[str, choice("--as", choices=SPLITS, help=SPLIT)]
Budget: TypeAlias = Annotated[
    int,
    typer.Option("--budget", metavar="N", help="How much work building the program may take, in units of 100 steps."),
]
ModelOutput: TypeAlias = Annotated[
    str | None, typer.Option("-o", "--output", metavar="FILE", help="The .safetensors file to write.")
]
Unchecked: TypeAlias = Annotated[
    bool, typer.Option("--unchecked", help="Read a model file even if its digest does not match its bytes.")
]
"""For commands that read a model file: goes to `given_model`."""
StoredBudget: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--budget",
        metavar="N",
        show_default="2000",
        help="How much work building the program in the file may take, in units of 100 steps.",
    ),
]
Results: TypeAlias = Annotated[str, typer.Option("--results", metavar="FILE", help="The file of results.")]


ELSEWHERE: Final = {
    "--draw": ("--output",),
    "--picture": ("--draw", "--output"),
    "--plot": ("--draw", "--output"),
    "--file": ("--output",),
    "--length": ("--max-length",),
}
"""What an option is called on a command that lacks it: tried before the nearest name."""
ARGUMENTS: Final = ("--input", "--word", "--text")
"""What is no option anywhere: an argument."""


def count(number: int, noun: str) -> str:
    """A number and its noun: `1 layer`, `1,200 words`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def check_output(output: str | None) -> None:
    """Refuses a model's file whose name does not end with .safetensors."""
    if output is not None and not output.endswith(ENDING):
        raise CapaxError("bad-option", f"a model is kept in a {ENDING} file, not in {output}", hint=f"-o NAME{ENDING}")


def no_option(option: str, known: Sequence[str], command: str, note: str | None = None) -> CapaxError:
    """The error for an option that a command does not have: the nearest one that it has, or where they are listed."""
    listed = f"`{command} --help` lists the options"
    near = next((one for one in ELSEWHERE.get(option, ()) if one in known), None)
    if option not in ARGUMENTS:
        near = near or nearest(option, [name for name in known if name.startswith("--")])
    if not near and option in ARGUMENTS:
        note = f"an input has no name: write it without {option}"
    hint = f"did you mean {near}? {listed}" if near else "; ".join(filter(None, (note, listed)))
    return CapaxError("bad-option", f"there is no option {option:.60}", hint=hint)


def parameters_of(words: list[str], command: str = "theorem") -> dict[str, str]:
    """The parameters of a command line: `--name value` and `--name=value`."""
    parameters: dict[str, str] = {}
    rest = list(words)
    while rest:
        word = rest.pop(0)
        name, equals, value = word.removeprefix("--").partition("=")
        if not word.startswith("--") or not name or (not equals and not rest):
            hint = f"parameters are written --name value; `capax {command} NAME --help` shows an example"
            raise CapaxError("bad-option", f"{word!r:.60} is not a parameter with a value", hint=hint)
        parameters[name.replace("-", "_")] = value if equals else rest.pop(0)
    return parameters
