"""Who asks: clients share by network first, and by session within a network."""

import ipaddress
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class Visitor:
    """A client: the network that it calls from, and one of the sessions there (an open page, or the interface).

    A person can open as many sessions as they like, but has few networks; so shares are by network first.
    """

    network: str = ""
    session: str = ""


@lru_cache(4096)
def network(address: str) -> str:
    """The network of an address: an IPv4 address by itself, and of an IPv6 address the 64 bits that one client has."""
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv4Address):
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.IPv6Network((parsed, 64), strict=False))
