"""All routes to models for a formal object, from the theorems that claim it."""

from capax import theorems
from capax.theorems.base.route import Route


def routes(things: tuple[object, ...], max_length: int) -> list[Route]:
    """The routes that theorems offer for one of several forms of one language, each once."""
    found: dict[tuple[str, str], Route] = {}
    for name in theorems.names():
        module = theorems.theorem_module(name)
        offered = getattr(module, "routes", None)
        if offered is None:
            continue
        for thing in things:
            for route in offered(thing, max_length):
                found.setdefault((route.theorem, route.what), route)
    return list(found.values())
