"""Pass: whether a model computes the type of its answers beside their value."""

from dataclasses import replace

from capax.budget import Budget
from capax.certify.recheck.recheck import MOST_SHIFT
from capax.compiler.analysis.analyse import extended
from capax.compiler.analysis.analysis import Analysis
from capax.compiler.analysis.value_sets import NEAR, Finite, bounds
from capax.compiler.rounding.rounding_check import check_rounding
from capax.errors import CapaxError
from capax.rasp.analysis.output_spec import OutputSpec
from capax.rasp.analysis.schedule import depths
from capax.rasp.ir.nodes import Const, SOpNode

LARGEST = 2**100
"""No number system has room for a type beside values of this size."""


def with_types(spec: OutputSpec, analysis: Analysis, budget: Budget) -> tuple[OutputSpec, Analysis]:
    """The spec with a shift, and the analysis of its root, if the type of the answers varies and fits beside the value.

    It does not fit where strings stand beside numbers, or where the values are too many to list. Nor does a type cost a
    layer: it is left out where the value has been simplified and needs fewer layers than its type.
    """
    shift = _shift(spec, analysis)
    if shift is None:
        return spec, analysis
    shifted = replace(spec, shift=shift)
    try:
        wider = extended(analysis, shifted.root, budget)
        check_rounding(shifted.root, wider, budget)
    except CapaxError:
        return spec, analysis
    return (shifted, wider) if isinstance(wider.values(shifted.root), Finite) else (spec, analysis)


def _shift(spec: OutputSpec, analysis: Analysis) -> int | None:
    """The distance between the types of the answers: more than twice any value; None where types are left out."""
    values = analysis.values(spec.value)
    if not isinstance(spec.kind, SOpNode) or isinstance(spec.kind, Const):
        return None
    if not isinstance(values, Finite) or not values.numeric:
        return None
    if depths(spec.kind)[spec.kind] > depths(spec.value)[spec.value]:
        return None
    greatest = max(abs(b) for b in bounds(values))
    if greatest > LARGEST:
        return None
    shift = 1 << (2 * int(greatest) + 3).bit_length()
    numbers = [float(value) for value in values.values]
    lost = any(abs((x + shift) - shift - x) > NEAR * abs(x) for x in numbers)  # a small number beside a large shift
    return None if lost else shift


def certified_spec(spec: OutputSpec) -> OutputSpec:
    """The spec that a certificate is about: a shift that a file cannot name is left out, and with it the type."""
    return spec if spec.shift is None or spec.shift < MOST_SHIFT else replace(spec, shift=None)
