"""`capax serve` before anything is served: its options, and the addresses that it prints."""

import ipaddress
import os
import re
from typing import Any

import pytest

from capax.app.commands import serve as serve_command
from capax.app.web.hosts import Host
from tests.unit.app.outcome import Capax


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the server is started with; it says at once that it is ready."""
    found: dict[str, Any] = {}

    def serve(host: str, port: int, **named: Any) -> None:
        found.update(named, host=host, port=port)
        named["ready"]()

    monkeypatch.setattr(serve_command, "_server", lambda: serve)
    return found


@pytest.mark.parametrize(
    ("host", "address", "alone"),
    [
        ("127.0.0.1", "http://localhost:8799/", True),
        ("localhost", "http://localhost:8799/", True),
        ("127.0.0.2", "http://127.0.0.2:8799/", True),
        ("127.255.1.2", "http://127.255.1.2:8799/", True),
        ("0.0.0.0", "http://localhost:8799/", False),
    ],
)
def test_addresses(capax: Capax, served: dict[str, Any], host: str, address: str, alone: bool) -> None:
    """The address that works in a browser, and whether others reach it."""
    done = capax("serve", "--host", host, "--port", "8799")
    assert done.code == 0
    assert f"the playground is at {address}" in done.err
    assert ("others on the network" in done.err) is not alone


def test_the_address_of_the_machine(capax: Capax, served: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """At 0.0.0.0 others need the machine's own address."""
    monkeypatch.setattr(serve_command, "_own_address", lambda: "192.0.2.44")
    done = capax("serve", "--host", "0.0.0.0", "--port", "8799")
    assert "http://localhost:8799/ and http://192.0.2.44:8799/ (" in done.err


def test_own_address() -> None:
    """It is an address that is not loopback, or none."""
    found = serve_command._own_address()
    assert found is None or not ipaddress.ip_address(found).is_loopback


def test_an_address_in_brackets(monkeypatch: pytest.MonkeyPatch) -> None:
    """An IPv6 address has brackets in a link."""
    monkeypatch.setattr(serve_command, "_own_address", lambda: None)
    assert [serve_command._link(one, 80) for one in ("::1", "box.lan")] == ["http://[::1]:80/", "http://box.lan:80/"]
    assert serve_command._addresses("::") == ["localhost"]


def test_names_and_a_proxy(capax: Capax, served: dict[str, Any]) -> None:
    """They reach the server as it reads them."""
    options = ("--allow-host", "Capax.example.org", "--allow-host", "localhost:9000", "--proxy", "127.0.0.1")
    assert capax("serve", "--port", "8799", *options).code == 0
    assert served["names"] == (Host("capax.example.org"), Host("localhost", 9000))
    assert served["proxy"] == "127.0.0.1"


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--allow-host", "http://capax.example.org"), "--allow-host is a name or an address"),
        (("--allow-host", "a b"), "--allow-host is a name or an address"),
        (("--allow-host", "x:99999"), "--allow-host is a name or an address"),
        (("--proxy", "nginx"), "--proxy is an address"),
        (("--port", "0"), "--port is a number"),
    ],
)
def test_bad_options(capax: Capax, served: dict[str, Any], options: tuple[str, ...], told: str) -> None:
    """They are refused before anything starts."""
    done = capax("serve", *options)
    assert done.code == 2
    assert re.search(r"error\[bad-option\]|bad-option", done.err), done.err
    assert told in done.err
    assert not served


def test_a_report_that_is_no_file(capax: Capax, served: dict[str, Any]) -> None:
    os.mkfifo("pipe.html")
    for name, told in (
        ("pipe.html", "is a named pipe, not a file"),
        ("none.html", "there is no file"),
        (".", "folder"),
    ):
        done = capax("serve", "--report", name)
        assert (done.code, told in done.err, "capax report" in done.err) == (2, True, True), done.err
    assert not served


def test_a_class(capax: Capax, served: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole network, a QR code, and the address of the board; the server is told the links."""
    monkeypatch.setattr(serve_command, "_own_address", lambda: "192.0.2.44")
    done = capax("serve", "--class", "--port", "8799")
    assert done.code == 0
    assert "the class opens http://192.0.2.44:8799/\n" in done.err
    assert "http://192.0.2.44:8799/#/class" in done.err
    assert "█" in done.err
    assert served["host"] == "0.0.0.0"
    assert served["links"] == ("http://localhost:8799/", "http://192.0.2.44:8799/")
