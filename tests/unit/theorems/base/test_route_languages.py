"""The routes that claim a named language."""

import pytest

from capax import theorems
from capax.formal.languages.catalogue import language
from capax.theorems.base.route import Route
from tests.support.all_words import disagreement


def routes_of(thing: object, length: int) -> list[Route]:
    """The routes of all theorems for an object."""
    found: list[Route] = []
    for name in theorems.names():
        file = theorems.theorem_module(name)
        found += list(file.routes(thing, length)) if hasattr(file, "routes") else []
    return found


@pytest.mark.parametrize(
    ("name", "claimed"),
    [
        ("parity", {"parity"}),
        ("majority", {"majority"}),
        ("first", {"first"}),
        ("dyck-1", {"dyck1", "dyck"}),
        ("dyck-2", {"dyck"}),
        ("bounded-dyck-2-2", {"bounded-dyck"}),
        ("bounded-dyck-1-3", {"bounded-dyck"}),
        ("shuffle-dyck-1", {"shuffle-dyck"}),
        ("shuffle-dyck-2", {"shuffle-dyck"}),
        ("anbn", set()),
        ("palindrome", set()),
    ],
)
def test_routes_of_named_languages(name: str, claimed: set[str]) -> None:
    """Which theorems build a model for a language, and that each is right on all words up to length 8 or 6."""
    thing = language(name)
    found = routes_of(thing, 10)
    assert {route.theorem for route in found} == claimed
    for route in found:
        model = route.build()
        assert disagreement(model, thing.accepts, thing.alphabet, 8 if len(thing.alphabet) == 2 else 6) is None
        assert route.lengths in (None, 10)
        assert not model.size.oracles


def test_no_route_for_other_things() -> None:
    """A text, a number, None."""
    assert not [route for thing in ("a*", 3, None) for route in routes_of(thing, 10)]
