"""Options of plain types, read without pydantic: importing it takes longer than a short command takes.

typer has pydantic convert every option. A string for a string, a truth value for a truth value and digits for an
integer need no converting; everything else, each error among it, is left to typer.
"""

import re
from typing import Any, Final, get_args

from typer.core import TyperCommand, TyperGroup

from capax.app.options import no_option

_OPTION: Final = re.compile(r"--[a-z][a-z-]*")
_TYPE: Final = re.compile(r"(\S+) <(?:list\[)?(str|int|float)\]?>")
_DIGITS: Final = re.compile(r"-?[0-9]{1,18}")


def options_of(context: Any) -> list[str]:
    """The options of a command, as they are typed."""
    parameters = context.command.get_params(context)
    return [text for one in parameters for text in (*one.opts, *one.secondary_opts) if text.startswith("-")]


class _PlainValue:
    """The conversion of one parameter: values that are of its type already, or digits; else that of typer."""

    def __init__(self, parameter: Any, kind: type) -> None:
        self.parameter, self.kind = parameter, kind

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """The value of the option."""
        if type(value) is self.kind or value is None:
            return value
        if self.kind is int and isinstance(value, str) and _DIGITS.fullmatch(value):
            return int(value)
        self.parameter._runtime_param = None  # typer makes its own
        return self.parameter.get_runtime_param().coerce(value, param=param, ctx=ctx)


def read_plainly(parameter: Any) -> None:
    """Has a parameter of a plain type converted without pydantic; other versions of typer have nothing to replace."""
    if getattr(parameter, "_runtime_param", "") is not None:
        return
    info, kind = parameter.type_descriptor.parameter_info, _plain_type(parameter.type_descriptor.annotation)
    special = (info.parser, info.min, info.max, info.clamp or None, info.path_type)
    if kind is not None and not parameter.multiple and parameter.nargs == 1 and special == (None,) * len(special):
        parameter._runtime_param = _PlainValue(parameter, kind)


def _plain_type(annotation: Any) -> type | None:
    """The type of an annotation such as `int` or `int | None`, if it is one of the plain ones."""
    kinds = [kind for kind in get_args(annotation) or (annotation,) if kind is not type(None)]
    return kinds[0] if len(kinds) == 1 and kinds[0] in (str, bool, int) else None


class PlainCommand(TyperCommand):
    """A command whose plain options are read without pydantic, and which takes no mistyped option for an input."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Reads the words of the command line; what looks like an option must be one, up to the word `--`."""
        if ctx.ignore_unknown_options and not ctx.allow_extra_args:
            known = options_of(ctx)
            for word in args[: args.index("--")] if "--" in args else args:
                option = word.partition("=")[0]
                if _OPTION.fullmatch(option) and option not in known:
                    raise no_option(option, known, ctx.command_path, f"for the input {word} write `-- {word}`")
        rest: list[str] = super().parse_args(ctx, args)
        return rest

    def get_params(self, ctx: Any) -> Any:
        """The parameters of the command, that for help among them."""
        params = super().get_params(ctx)
        for parameter in params:
            read_plainly(parameter)
        return params

    def get_help(self, ctx: Any) -> str:
        """The page of help, in which values are called by what they are and not by types of Python."""
        return _TYPE.sub(_value_name, super().get_help(ctx))


def _value_name(match: "re.Match[str]") -> str:
    """The name of a value in the help, as wide as the type that stood there."""
    name = "" if match[1].isupper() else {"int": "N", "float": "X"}.get(match[2], "TEXT")
    return f"{match[1]} {name}".ljust(len(match[0]))


class PlainGroup(TyperGroup):
    """A group of commands whose plain options are read without pydantic."""

    def get_params(self, ctx: Any) -> Any:
        """The parameters of the group, that for help among them."""
        params = super().get_params(ctx)
        for parameter in params:
            read_plainly(parameter)
        return params
