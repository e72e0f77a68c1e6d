"""The work that a certificate may take."""

import math

import pytest

from capax.certify.budget import AT_ONCE, MOST, Effort
from capax.certify.not_certified import Refusal


def test_work_is_counted_and_what_is_beyond_is_not_begun() -> None:
    """For one length and for a whole verdict; all that is left may be spent."""
    assert (MOST, AT_ONCE) == (64_000_000, 40_000_000), "verdicts depend on them: a change is seen in certificates"
    effort = Effort()
    assert (effort.left, effort.here, effort.beyond) == (MOST, AT_ONCE, math.inf)
    effort.spend(AT_ONCE - 5)
    effort.spend(3)
    with pytest.raises(Refusal, match="too many combinations") as caught:
        effort.spend(3)
    assert caught.value.too_many
    effort.spend(2)
    assert (effort.left, effort.here) == (MOST - AT_ONCE, 0)
    effort.begin()
    assert (effort.left, effort.here) == (MOST - AT_ONCE, AT_ONCE)
    with pytest.raises(Refusal):
        effort.spend(MOST - AT_ONCE + 1)
    effort.spend(MOST - AT_ONCE)
    with pytest.raises(Refusal):
        effort.spend(1)
    effort.next_system()
    effort.begin()
    effort.spend(1)
    assert (effort.left, effort.here) == (MOST - 1, AT_ONCE - 1)
