"""`capax serve`: the playground in a browser."""

import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from capax.app.output import say
from capax.errors import CapaxError


def register(app: typer.Typer) -> None:
    """Adds the command to the command line."""
    app.command(name="serve")(_serve)


def _serve(
    host: Annotated[
        str, typer.Option("--host", help="The address to listen at; 0.0.0.0 lets others on the network in.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", help="The port.")] = 8765,
    workers: Annotated[
        int | None, typer.Option("--workers", metavar="N", help="Requests at once.", show_default="two for each core")
    ] = None,
    report: Annotated[
        str | None, typer.Option("--report", metavar="FILE", help="A report of the lab to show, as .html.")
    ] = None,
    show: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
) -> None:
    """Serve the playground: write programs, see them at work, compile them; theorems, limits and the atlas.

    Only this machine reaches it unless --host says otherwise. Stop it with Ctrl-C.

    Example: capax serve --port 8765
    """
    _check(host, port, workers, report)
    start = _server()
    url = f"http://{'localhost' if host in ('127.0.0.1', '0.0.0.0') else host}:{port}/"
    say(f"the playground is at {url} (Ctrl-C stops it)")
    if host not in ("127.0.0.1", "localhost", "::1"):
        say("others on the network can reach it; their programs run with limits, without files and network")
    if show:
        import webbrowser

        webbrowser.open(url)
    start(host, port, workers=workers, report=report)


def _server() -> Callable[..., None]:
    """The function that serves, from the extra."""
    if not hasattr(os, "fork"):
        raise CapaxError("bad-option", "the playground needs a system that can fork processes: Linux or macOS")
    os.environ.setdefault("MPLBACKEND", "agg")
    try:
        from capax.app.web.server import serve
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] == "capax":
            raise
        hint = "pip install 'capax[web]'"
        raise CapaxError("missing-extra", f"the playground needs the extra `web`: {error}", hint=hint) from None
    return serve


def _check(host: str, port: int, workers: int | None, report: str | None) -> None:
    """Refuses what could not work, before anything starts."""
    if not 1 <= port <= 65_535:
        raise CapaxError("bad-option", f"--port is a number from 1 to 65,535, not {port}")
    if workers is not None and not 1 <= workers <= 256:
        raise CapaxError("bad-option", f"--workers is a number from 1 to 256, not {workers}")
    if report is not None and not Path(report).is_file():
        raise CapaxError("file-not-found", f"there is no file {report}", hint="`capax report` writes one", path=report)
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
    except (OSError, UnicodeError) as error:
        why = getattr(error, "strerror", None) or error
        raise CapaxError("bad-option", f"cannot listen at {host}:{port}: {why}", hint="another --port?") from None
