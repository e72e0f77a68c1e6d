"""The log: one line for what a client sent and no library could read; tracebacks of our own code stay."""

import logging

import pytest

from capax.app.web import hosts
from capax.app.web.server import LOGGERS, shorten


@pytest.fixture(autouse=True)
def _filters() -> object:
    shorten()
    yield
    for name in LOGGERS:
        logger = logging.getLogger(name)
        logger.filters = [one for one in logger.filters if getattr(one, "__module__", "") != shorten.__module__]


@pytest.mark.parametrize("name", LOGGERS)
def test_an_error_of_a_library(name: str, caplog: pytest.LogCaptureFixture) -> None:
    """It is one line, also if what the client sent has line breaks in it."""
    try:
        int("seven\nlines\x1b[2J")
    except ValueError:
        logging.getLogger(name).exception("Exception in %s\n", "something")
    lines = caplog.text.splitlines()
    assert len(lines) == 1
    assert "not understood (ValueError: invalid literal" in lines[0]
    assert "\x1b" not in lines[0]
    assert len(lines[0]) < 400


def test_an_error_of_ours(caplog: pytest.LogCaptureFixture) -> None:
    """A mistake of ours has its traceback."""
    try:
        hosts.parse(7)  # type: ignore[arg-type]
    except TypeError:
        logging.getLogger("uvicorn.error").exception("Exception in ASGI application")
    assert "Traceback" in caplog.text
    assert "hosts.py" in caplog.text


def test_a_plain_message(caplog: pytest.LogCaptureFixture) -> None:
    """What is no error stays as it is."""
    logging.getLogger("uvicorn.error").warning("it is %s", "late")
    assert "it is late" in caplog.text
