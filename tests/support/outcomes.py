"""How often the examples of a property test end each way, so that none is dropped in silence.

A test that may refuse an example says `count_outcome("refused")` or `count_outcome("built")`, and above it
`@least_share("built", 0.2)` holds the share of those that were looked at in full.
"""

from collections import Counter
from collections.abc import Callable
from functools import wraps
from typing import Any

from hypothesis import event

COUNTS: Counter[str] = Counter()
"""The outcomes of the property test that runs."""


def count_outcome(name: str) -> None:
    """Notes how an example ended; the statistics of hypothesis show it, too."""
    event(name)
    COUNTS[name] += 1


def least_share(name: str, share: float) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A property test that fails if fewer of its examples than this share have an outcome."""

    def around(test: Callable[..., None]) -> Callable[..., None]:
        @wraps(test)
        def counted(*arguments: Any, **named: Any) -> None:
            COUNTS.clear()
            test(*arguments, **named)
            assert COUNTS[name] >= share * COUNTS.total() > 0, f"of its examples, too few end as '{name}': {COUNTS}"

        return counted

    return around
