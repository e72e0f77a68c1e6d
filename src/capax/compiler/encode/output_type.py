"""Whether a model is to compute the type of its answers beside their value."""

from dataclasses import replace

from capax.compiler.analysis.analysis import Facts
from capax.compiler.analysis.values import NEAR, Finite, bounds
from capax.compiler.rounding.check import check_rounding
from capax.errors import CapaxError
from capax.rasp.analysis.output_spec import OutputSpec
from capax.rasp.analysis.schedule import depths
from capax.rasp.ir.nodes import Const, SOpNode

LARGEST = 2**100
"""No number system has a place for a type beside values of this size."""


def with_types(answer: OutputSpec, facts: Facts) -> OutputSpec:
    """The answer with a shift, if its type differs from place to place and fits beside its value.

    It does not where strings stand beside numbers, or where the values are too many to list. Nor does a type cost a
    layer: it is left out where the value has been simplified and needs fewer layers than its type.
    """
    values = facts.values(answer.value)
    if not isinstance(answer.kind, SOpNode) or isinstance(answer.kind, Const):
        return answer
    if not isinstance(values, Finite) or not values.numeric:
        return answer
    if depths(answer.kind)[answer.kind] > depths(answer.value)[answer.value]:
        return answer
    greatest = max(abs(b) for b in bounds(values))
    if greatest > LARGEST:
        return answer
    shift = 1 << (2 * int(greatest) + 3).bit_length()
    numbers = [float(value) for value in values.values]
    if any(abs((x + shift) - shift - x) > NEAR * abs(x) for x in numbers):
        return answer  # a small number is lost beside a large shift
    shifted = replace(answer, shift=shift)
    noted = len(facts.possible)
    try:
        facts.learn(shifted.root)
        check_rounding(shifted.root, facts)
        fits = isinstance(facts.values(shifted.root), Finite)
    except CapaxError:
        fits = False
    del facts.possible[noted:]  # the type never fails where the value does not
    return shifted if fits else answer
