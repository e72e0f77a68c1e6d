"""`capax serve`: the playground in a browser."""

import io
import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Final

import typer

from capax.app.files.text_files import opened
from capax.app.process.output import say
from capax.app.web import hosts
from capax.errors import CapaxError
from capax.model.io.atomic import path_text

GROUP: Final = ("Start", 3)
LOCAL: Final = "127.0.0.1"
SHOWS_PROGRESS: Final = True


def command(
    host: Annotated[
        str, typer.Option("--host", help="The address to listen on; 0.0.0.0 for the whole network.")
    ] = LOCAL,
    port: Annotated[int, typer.Option("--port", help="The port.")] = 8765,
    workers: Annotated[
        int | None, typer.Option("--workers", metavar="N", help="Requests at once.", show_default="two for each core")
    ] = None,
    report: Annotated[
        str | None, typer.Option("--report", metavar="FILE", help="A report of the lab to show, as .html.")
    ] = None,
    for_class: Annotated[
        bool,
        typer.Option("--class", help="For a class: the whole network, a QR code, and a board of solved puzzles."),
    ] = False,
    show: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
    allow_host: Annotated[
        list[str] | None,
        typer.Option("--allow-host", metavar="NAME", help="Another host name to answer for, such as a proxy's."),
    ] = None,
    proxy: Annotated[
        str | None,
        typer.Option("--proxy", metavar="ADDRESS", help="A reverse proxy whose X-Forwarded-For is trusted."),
    ] = None,
) -> None:
    """Serve the playground: build programs, learn by puzzles, explore theorems, limits, languages and machines.

    Only this machine can reach it unless --host says otherwise. Stop it with Ctrl-C.

    Example: capax serve --port 8765
    """
    if for_class and host == LOCAL:
        host = "0.0.0.0"
    _check(host, port, workers, report)
    names = tuple(map(_name, allow_host or ()))
    if proxy is not None and hosts.address(proxy) is None:
        raise CapaxError("bad-option", f"--proxy is an address such as 127.0.0.1, not {proxy[:60]}")
    start = _server()
    urls = [_link(one, port) for one in _addresses(host)]

    def ready() -> None:
        say(f"the playground is at {' and '.join(urls)} (Ctrl-C stops it)")
        if not hosts.is_loopback(host):
            say(
                "others on the network can reach it; their programs run with limits, without access to files or network"
            )
        if for_class:
            say(_invitation(urls[-1]))
        if show:
            import threading
            import webbrowser

            threading.Thread(target=webbrowser.open, args=(urls[0],), daemon=True).start()

    say("starting the playground ...")
    links = tuple(urls) if for_class else ()
    start(host, port, workers=workers, report=report, names=names, links=links, proxy=proxy, ready=ready)


def _invitation(url: str) -> str:
    """The address of a class with its QR code, and where the board is."""
    import segno

    drawn = io.StringIO()
    segno.make(url, micro=False).terminal(drawn, compact=True)
    return f"{drawn.getvalue()}\nthe class opens {url}\nthe board, for the projector: {url}#/class"


def _name(text: str) -> hosts.Host:
    """A host of --allow-host."""
    name = hosts.parse(text)
    if name is None:
        hint = "for example --allow-host capax.example.org; with a port only that one is meant"
        raise CapaxError("bad-option", f"--allow-host is a name or an address, not {text[:60]}", hint=hint)
    return name


def _addresses(host: str) -> list[str]:
    """Where a browser finds a server that listens at `host`; at all addresses, also the one that others see."""
    address = hosts.address(host)
    if address is None or not address.is_unspecified:
        return ["localhost" if host == "127.0.0.1" else host]
    own = _own_address()
    return ["localhost"] if own is None else ["localhost", own]


def _own_address() -> str | None:
    """The address that others on the network see of this machine; None if it has none."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as route:
            route.connect(("192.0.2.1", 9))  # nothing is sent: the system only says by which address it would go
            own = str(route.getsockname()[0])
    except OSError:
        return None
    return None if hosts.is_loopback(own) else own


def _link(host: str, port: int) -> str:
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"


def _server() -> Callable[..., None]:
    """The function that serves, from the extra."""
    if not hasattr(os, "fork"):
        raise CapaxError("bad-option", "the playground needs a system that can fork processes: Linux or macOS")
    try:
        from capax.app.web.server import serve
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] == "capax":
            raise
        hint = "pip install 'capax[web]'"
        raise CapaxError("missing-extra", f"the playground needs the extra `web`: {error}", hint=hint) from None
    return serve


def _check_report(path: Path) -> None:
    """Refuses a report that is not a readable file."""
    try:
        with opened(path):
            pass
    except CapaxError as error:
        error.hint = "`capax report` writes one"
        raise
    if not path.is_file():
        raise CapaxError("file-unreadable", f"{path_text(path)} is not a file", hint="`capax report` writes one")


def _check(host: str, port: int, workers: int | None, report: str | None) -> None:
    """Refuses what could not work, before anything starts."""
    if not 1 <= port <= 65_535:
        raise CapaxError("bad-option", f"--port is a number from 1 to 65,535, not {port}")
    if workers is not None and not 1 <= workers <= 256:
        raise CapaxError("bad-option", f"--workers is a number from 1 to 256, not {workers}")
    if report is not None:
        _check_report(Path(report))
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
    except (OSError, UnicodeError) as error:
        why = getattr(error, "strerror", None) or error
        raise CapaxError("bad-option", f"cannot listen at {host}:{port}: {why}", hint="another --port?") from None
