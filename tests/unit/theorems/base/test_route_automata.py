"""The routes that claim an automaton."""

import pytest

from capax.formal.languages.catalogue import language
from capax.theorems.languages import log_depth, modular_counters, periodic_positions, solvable_group, star_free
from tests.support.all_words import disagreement

FILES = (log_depth, star_free, modular_counters, solvable_group, periodic_positions)


@pytest.mark.parametrize(
    ("name", "claimed"),
    [
        ("parity", {"log-depth", "modular-counters"}),
        ("mod-6", {"log-depth", "modular-counters"}),
        ("first", {"log-depth", "star-free"}),
        ("tomita-1", {"log-depth", "star-free"}),
        ("tomita-3", {"log-depth", "periodic-positions"}),
        ("tomita-4", {"log-depth", "star-free"}),
        ("tomita-5", {"log-depth", "modular-counters"}),
        ("tomita-7", {"log-depth", "star-free"}),
        ("bounded-dyck-1-3", {"log-depth", "star-free"}),
        ("word-problem-s3", {"log-depth", "solvable-group"}),
        ("word-problem-z2xz2", {"log-depth", "modular-counters"}),
    ],
)
def test_every_route_that_claims_a_language(name: str, claimed: set[str]) -> None:
    """The routes of known automata, and that each model is right on all words up to length 8."""
    dfa = language(name).automaton
    assert dfa is not None
    found = [route for file in FILES for route in file.routes(dfa, 20)]
    assert {route.theorem for route in found} == claimed
    for route in found:
        assert disagreement(route.build(), dfa.accepts, dfa.alphabet, 8) is None, route.what
