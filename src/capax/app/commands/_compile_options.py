"""The options of commands that compile: made from the settings of the compiler, with their help and defaults.

A command takes a `CompileRequest` and is wrapped by `with_settings`, which puts the options in its place: those that
name an alphabet, and one for each further field of `CompileSettings`.
"""

import inspect
import json
import re
from collections.abc import Callable
from dataclasses import MISSING, Field, dataclass, fields
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, Final, get_type_hints

import typer

from capax.app.files.text_files import read_text
from capax.app.inputs import split_input
from capax.app.options import SPLITS, choice
from capax.app.resolve import resolve
from capax.compiler.domain import Certify, CompileSettings
from capax.errors import CapaxError

CERTIFY: Final[dict[str, Certify]] = {"yes": True, "no": False, "require": "require"}

_ALPHABET: Final = (
    ("alphabet", str | None, None, typer.Option("--alphabet", help="The tokens, split as --as says.")),
    (
        "alphabet_file",
        str | None,
        None,
        typer.Option("--alphabet-file", metavar="FILE", help="The tokens, one in each line, or a list in FILE.json."),
    ),
    (
        "split",
        str,
        "chars",
        choice("--as", choices=SPLITS, help="How --alphabet is split."),
    ),
)


@dataclass(frozen=True, slots=True)
class CompileRequest:
    """What is to be compiled for: how tokens are split, and the settings of `capax.compile`."""

    split: str
    settings: dict[str, Any]


def with_settings(command: Callable[..., None]) -> Callable[..., None]:
    """The command with the options of the compiler in place of its parameter `request`."""
    options = setting_options()

    @wraps(command)
    def run(**arguments: Any) -> None:
        chosen = {option.name: arguments.pop(option.name) for option in options}
        try:
            command(request=read_request(chosen), **arguments)
        except CapaxError as error:
            error.hint = None if error.hint is None else on_command_line(error.hint)
            error.what = on_command_line(error.what) if error.code == "bad-option" else error.what
            raise

    own = list(inspect.signature(command).parameters.values())
    at = [parameter.name for parameter in own].index("request")
    parameters = [p.replace(kind=p.KEYWORD_ONLY) for p in (*own[:at], *options, *own[at + 1 :])]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in parameters}
    del run.__wrapped__
    return run


def on_command_line(text: str) -> str:
    """A message of the compiler, in which settings are written as in Python, with the options of the command line.

    >>> on_command_line('compile with dtype="float64" or shorten max_length; certify=True, masks=False')
    'compile with --dtype float64 or shorten --max-length; --certify yes, --no-masks'
    """
    named = "|".join(setting.name for setting in fields(CompileSettings))
    text = re.sub(rf'(?<![\w-])({named})=(?:"([^"]*)"|(\w+))', _as_option, text)
    return re.sub(rf"(?<![\w-])(?=\w*_)({named})(?!\w)", lambda m: _flag(m[1]), text)


def _as_option(match: "re.Match[str]") -> str:
    """A setting with its value as an option."""
    name, value = match[1], match[2] or match[3]
    if name == "certify":
        value = next((word for word, one in CERTIFY.items() if str(one) == value), value)
    elif value in ("True", "False"):
        return _flag(name) if value == "True" else f"--no-{_flag(name)[2:]}"
    return f"{_flag(name)} {value}"


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def setting_options() -> list[inspect.Parameter]:
    """The parameters that typer makes options of: the alphabet's, and one for each further setting."""
    alphabet = [_parameter(name, Annotated[kind, info], default) for name, kind, default, info in _ALPHABET]
    settings = [_option(setting) for setting in fields(CompileSettings) if setting.name != "alphabet"]
    return [*settings[:1], *alphabet, *settings[1:]]


def _option(setting: "Field[Any]") -> inspect.Parameter:
    kind = get_type_hints(CompileSettings)[setting.name]
    choices, text = setting.metadata["choices"], setting.metadata["help"]
    flag = _flag(setting.name)
    default = inspect.Parameter.empty if setting.default is MISSING else setting.default
    if setting.name == "assume":
        kind = str | None  # read as a program is
    if choices:
        optional = setting.default is None
        kind = str | None if optional else str
        default = next((word for word, value in CERTIFY.items() if value is default), default)
    if kind is bool and default is True:
        flag = f"{flag}/--no-{flag[2:]}"
    metavar = "N" if kind in (int, int | None) else "SOP" if setting.name == "assume" else None
    info = choice(flag, choices=choices, help=text) if choices else typer.Option(flag, metavar=metavar, help=text)
    return _parameter(setting.name, Annotated[kind, info], default)


def _parameter(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def read_request(chosen: dict[str, Any]) -> CompileRequest:
    """The request that the options make."""
    text, file, split = (chosen.pop(name) for name in ("alphabet", "alphabet_file", "split"))
    if chosen["certify"] not in CERTIFY:
        raise CapaxError("bad-option", f"--certify is yes, no or require, not {chosen['certify']}")
    alphabet = read_tokens(text, file, split)
    assume = None if chosen["assume"] is None else resolve(chosen["assume"], split=split).program
    settings = chosen | {"alphabet": alphabet, "certify": CERTIFY[chosen["certify"]], "assume": assume}
    return CompileRequest("json" if (file or "").endswith(".json") else split, settings)


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
