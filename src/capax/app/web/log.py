"""The log of the playground: a message of a client that the libraries cannot read is one line, not a traceback."""

import logging
import traceback
from pathlib import Path
from typing import Final

LOGGERS: Final = ("asyncio", "uvicorn.error", "nicegui", "engineio.server", "socketio.server")
"""Whose errors are shortened."""
OURS: Final = str(Path(__file__).parents[2])
PASSED: Final = str(Path(__file__).parent / "middleware.py")
"""Every request passes the middleware, so its frame does not show where an error comes from."""
LONGEST: Final = 200


def shorten() -> None:
    """Has errors that no code of capax is part of logged in one line."""
    for name in LOGGERS:
        logging.getLogger(name).addFilter(_shorten)


def _shorten(record: logging.LogRecord) -> bool:
    error = record.exc_info[1] if record.exc_info else None
    if error is not None and not _is_ours(error):
        what = f"{type(error).__name__}: {error}".encode("unicode_escape").decode("ascii")
        record.msg, record.args = f"a message of a client was not understood ({what[:LONGEST]})", None
        record.exc_info = record.exc_text = None
    return True


def _is_ours(error: BaseException) -> bool:
    """Whether code of capax was at work when an error came up: then it may be a mistake of ours."""
    files = {frame.f_code.co_filename for frame, _ in traceback.walk_tb(error.__traceback__)}
    return any(file.startswith(OURS) and file != PASSED for file in files)
