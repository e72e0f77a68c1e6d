"""The options of `capax compile` and `capax stages`: the settings of the compiler, with their help from one place."""

import json
from pathlib import Path
from typing import Annotated, Any, Final, TypeAlias

import typer

from capax.app.files.read import read_text
from capax.app.inputs import split_input
from capax.compiler.domain import HELP, Certify
from capax.errors import CapaxError

MaxLength: TypeAlias = Annotated[int, typer.Option("--max-length", metavar="N", help=HELP["max_length"])]
Alphabet: TypeAlias = Annotated[str | None, typer.Option("--alphabet", help="The tokens, split as --as says.")]
AlphabetFile: TypeAlias = Annotated[
    str | None,
    typer.Option("--alphabet-file", metavar="FILE", help="The tokens, one in each line, or a list in FILE.json."),
]
AlphabetSplit: TypeAlias = Annotated[
    str, typer.Option("--as", help="How --alphabet is split: chars, words, ints, floats or json.")
]
Causal: TypeAlias = Annotated[bool, typer.Option("--causal", help=HELP["causal"])]
DtypeName: TypeAlias = Annotated[str, typer.Option("--dtype", help=HELP["dtype"])]
Masks: TypeAlias = Annotated[bool, typer.Option("--masks/--no-masks", help=HELP["masks"])]
MlpDepth: TypeAlias = Annotated[int | None, typer.Option("--mlp-depth", metavar="N", help=HELP["mlp_depth"])]
KeepAll: TypeAlias = Annotated[bool, typer.Option("--keep-all", help=HELP["keep_all"])]
CompileBudget: TypeAlias = Annotated[int, typer.Option("--budget", metavar="N", help=HELP["budget"])]
CertifyChoice: TypeAlias = Annotated[str, typer.Option("--certify", help=HELP["certify"])]
Target: TypeAlias = Annotated[str | None, typer.Option("--target", help=HELP["target"])]

CERTIFY: Final[dict[str, Certify]] = {"yes": True, "no": False, "require": "require"}


def read_certify(text: str) -> Certify:
    """The setting that `--certify` names."""
    if text not in CERTIFY:
        raise CapaxError("bad-option", f"--certify is yes, no or require, not {text}")
    return CERTIFY[text]


def read_tokens(text: str | None, file: str | None, split: str) -> list[Any]:
    """The alphabet of a command line: split from a text as inputs are, or a file with a token in each line."""
    if (text is None) == (file is None):
        raise CapaxError("bad-option", "give either --alphabet or --alphabet-file", hint="for instance: --alphabet abc")
    if text is not None:
        return split_input(text, split)
    assert file is not None
    content = read_text(Path(file))
    if file.endswith(".json"):
        return _listed(content, file)
    lines = content.removesuffix("\n").split("\n")
    return [token for number, line in enumerate(lines, 1) for token in _line(line, number, file, split)]


def _listed(content: str, file: str) -> list[Any]:
    try:
        tokens = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise CapaxError("bad-alphabet", f"{file} is not JSON: {error}", hint="write a list of tokens") from None
    if not isinstance(tokens, list):
        raise CapaxError("bad-alphabet", f"{file} has no list of tokens", hint='write a list, such as ["a", "b"]')
    return tokens


def _line(line: str, number: int, file: str, split: str) -> list[Any]:
    if not line:
        hint = "remove the line; a file that ends in .json can have the empty string as a token"
        raise CapaxError("bad-alphabet", f"line {number} of {file} is empty", hint=hint)
    return split_input(line, split) if split in ("ints", "floats", "json") else [line]


def program_split(alphabet_file: str | None, split: str) -> str:
    """How the tokens that a program is for are read: as its alphabet is."""
    return "json" if (alphabet_file or "").endswith(".json") else split
