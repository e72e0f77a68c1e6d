"""The names and addresses that the playground answers for, read from `--host`, `--allow-host` and the Host header."""

import ipaddress
import re
from dataclasses import dataclass
from typing import Final, TypeAlias

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address

HOST: Final = re.compile(r"(?:\[([0-9A-Fa-f:.]{2,45})\]|([A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*))(?::([0-9]{1,5}))?")
"""An IPv6 address in brackets or a name without a dot at its end, and a port; nothing encoded, and no user."""


@dataclass(frozen=True, slots=True)
class Host:
    """A host as a Host header has it: a name in small letters, or an address; and the port if it has one."""

    name: str | Address
    port: int | None = None


def parse(text: str) -> Host | None:
    """The host that a text stands for; None if it is none."""
    match = HOST.fullmatch(text)
    if match is None:
        return None
    bracketed, plain, port = match.groups()
    try:
        if bracketed is not None:
            name: str | Address = _unmapped(ipaddress.IPv6Address(bracketed))
        elif plain.replace(".", "").isdigit():  # the last part of a name has a letter; addresses have four numbers
            name = ipaddress.IPv4Address(plain)
        else:
            name = plain.lower()
    except ValueError:
        return None
    number = None if port is None else int(port)
    return None if number is not None and not 1 <= number <= 65_535 else Host(name, number)


def address(text: str) -> Address | None:
    """The address that a text stands for, without brackets, as `--host` has it; None if it is none."""
    try:
        return _unmapped(ipaddress.ip_address(text))
    except ValueError:
        return None


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches a server that listens at `host`."""
    parsed = address(host)
    return host.lower() == "localhost" if parsed is None else parsed.is_loopback


def _unmapped(one: Address) -> Address:
    return (one.ipv4_mapped or one) if isinstance(one, ipaddress.IPv6Address) else one


class Allowed:
    """The hosts that a server answers for.

    A page elsewhere can have its own name stand for this machine (DNS rebinding), but not an address or `localhost`:
    so names must be known, while addresses are safe. On loopback only addresses of loopback are let in.
    """

    def __init__(self, host: str, port: int, further: tuple[Host, ...] = ()) -> None:
        self._local, self._port, self._further = is_loopback(host), port, set(further)
        self._own = address(host) or host.lower()

    def has(self, header: str) -> bool:
        """Whether a request with this Host header is answered."""
        host = parse(header)
        if host is None:
            return False
        if host in self._further or Host(host.name) in self._further:
            return True
        if (host.port or 80) != self._port:
            return False
        if isinstance(host.name, str):
            return host.name in ("localhost", self._own)
        return host.name.is_loopback or not self._local
