"""The meaning of Tracr's expressions when no query sees a later key."""

from collections.abc import Sequence
from typing import Any

from capax.compat.lowering.interpret import interpret
from capax.compat.tracr.annotations import RASPExpr
from capax.compat.tracr.evaluation import to_core


def evaluate(expr: RASPExpr, xs: Sequence[Any]) -> list[Any]:
    """The value of an expression on a word, with selectors that see no later key."""
    return interpret(to_core(expr), xs, causal=True)
