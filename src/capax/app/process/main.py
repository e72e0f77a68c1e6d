"""The command line as a process: streams, signals, and exit codes with a message for whatever goes wrong."""

import os
import re
import signal
import sys
from collections.abc import Callable
from typing import Any, Final, cast

import typer

from capax.app.options import no_option
from capax.app.plain_options import options_of
from capax.app.process.interrupts import INTERRUPTED
from capax.app.process.output import say
from capax.app.process.streams import abandon_output, open_streams, read_arguments
from capax.errors import CapaxError

WRONG: Final = 2
"""The exit code of a command whose input was wrong."""
BAD_USE: Final = cast(type[Exception], typer.BadParameter.__mro__[2])
"""What the reader of the command line raises for words that it does not understand."""


def run(command: Callable[..., Any]) -> None:
    """Runs a command line and leaves: exit code 0 done, 1 the answer is no, 2 the input was wrong, 130 interrupted."""
    sys.set_int_max_str_digits(100_000)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # what is half written is taken away, as after Ctrl-C
    # numpy reads this when it is first imported; several threads only wait for each other on matrices this small
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    before = signal.getsignal(signal.SIGINT)
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        code = _outcome(command)
    except KeyboardInterrupt:
        code = INTERRUPTED
    signal.signal(signal.SIGINT, before)
    if code == INTERRUPTED:
        abandon_output()
        _last_word("interrupted")
    sys.exit(code)


def _outcome(command: Callable[..., Any]) -> int:
    """The exit code of a command; errors have been said."""
    open_streams()
    try:
        try:
            read_arguments()
            left = command(standalone_mode=False)
        finally:
            sys.stdout.flush()
        return left if isinstance(left, int) else 0
    except CapaxError as error:
        return _wrong(_as_typed(error))
    except BrokenPipeError:
        abandon_output()
        return 0
    except SystemExit as left:  # the reader of the command line makes this of a broken pipe
        if not isinstance(left.__context__, BrokenPipeError):
            raise
        abandon_output()
        return 0
    except OSError as error:
        abandon_output()
        return _wrong(_unusable(error))
    except MemoryError:
        return _wrong(CapaxError("too-large", "not enough memory for this", hint="give something smaller"))
    except typer.Abort:
        return INTERRUPTED
    except BAD_USE as error:
        return _bad_use(error)


def _as_typed(error: CapaxError) -> CapaxError:
    """An error about a parameter that does not exist, with the name as an option; any other as it is."""
    name, known = error.data.get("parameter"), error.data.get("parameters")
    if name is None or known is None:
        return error
    options = [f"--{one.replace('_', '-')}" for one in known]
    note = f"the parameters are {', '.join(options) or 'none'}"
    return no_option(f"--{str(name).replace('_', '-')}", options, f"capax {' '.join(sys.argv[1:3])}", note)


def _unusable(error: OSError) -> CapaxError:
    what = "the output" if error.filename is None else repr(str(error.filename)[:200])
    verb = "write" if error.filename is None else "use"
    return CapaxError("file-unreadable", f"cannot {verb} {what}: {error.strerror or error}")


NO_NUMBER: Final = re.compile(r"Input should be a valid (integer|number)\b.*")
EXPECTED: Final = {"integer": "a whole number", "number": "a number"}


def _bad_use(error: Any) -> int:
    """Says which word of the command line is not understood, and how the command is used."""
    context = getattr(error, "ctx", None)
    message = NO_NUMBER.sub(lambda m: f"{EXPECTED[m[1]]} is expected", str(error.format_message()))
    if "\n" in message or not message:  # no command at all: the page of help
        error.show()
        return WRONG
    option = getattr(error, "option_name", None)
    if context is not None and option is not None and hasattr(error, "possibilities"):
        return _wrong(unknown_option(option, context))
    hint = "`capax COMMAND --help` lists the options of a command"
    if context is not None:
        usage = context.get_usage().removeprefix("Usage: ")
        hint = f"{' '.join(usage.split())}; `{context.command_path} --help` explains it"
    return _wrong(CapaxError("bad-option", message[:1].lower() + message[1:].removesuffix("."), hint=hint))


def unknown_option(option: str, context: Any) -> CapaxError:
    """The error for an option that a command does not have."""
    return no_option(option, options_of(context), context.command_path)


def _wrong(error: CapaxError) -> int:
    _last_word(error.render(), "error")
    return WRONG


def _last_word(text: str, style: str | None = None) -> None:
    """Says something although the streams may be gone."""
    try:
        say(text, style)
    except (OSError, ValueError):
        abandon_output()
