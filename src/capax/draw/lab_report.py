"""The page of the lab."""

from collections.abc import Sequence
from typing import Any


def lab_report(parts: Sequence[Any]) -> str:
    """The page of sweeps."""
    return ""
