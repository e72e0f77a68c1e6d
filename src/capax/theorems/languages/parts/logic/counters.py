"""A simplified stateless counter machine as a transformer: one uniform head, and conditions by sign."""

from typing import Final

from capax.formal.counters.machine import ANY_MARK, ZERO_MARK, CounterMachine
from capax.formal.counters.text import printed_counters
from capax.model.model import Model
from capax.theorems.languages.parts.acceptance_head import recogniser
from capax.theorems.weights.signed import STEEP, SignedUnits, minus, opposite
from capax.theorems.weights.staged import staged
from capax.theorems.weights.stream import Stream, each, family

BITS: Final = {"float64": 53, "float32": 24}


def counting_model(machine: CounterMachine, *, sink: bool = True) -> Model:
    """The model of a machine; without the sink it has nothing to compare its counters with.

    The head gives every position and a sink the same weight, so that at position i it has each counter, and 1, divided
    by i + 2. Half of that 1 minus the size of a counter is above 0 exactly if the counter is zero.
    """
    steps, means = family("step", machine.counters), family("mean", machine.counters)
    stream = Stream((*steps, *means, "share", "accepted"))
    rows = {
        symbol: dict(zip(steps, map(float, step), strict=True))
        for symbol, step in zip(machine.alphabet, machine.steps, strict=True)
    }
    head = stream.head(
        query=[{}],
        key=[{}],
        value=[*each(steps), {}],
        into=[*means, "share"],
        sink=((0.0,), (*(0.0 for _ in steps), 1.0)) if sink else None,
        mask="causal",
        name="counters of the prefix, divided by its length plus 1",
    )
    signed = SignedUnits()
    half = {"share": 0.5}
    zero = [minus(half, signed.size({mean: 1.0})) for mean in means]
    patterns = [
        [zero[at] if mark == ZERO_MARK else opposite(zero[at]) for at, mark in enumerate(pattern) if mark != ANY_MARK]
        for pattern in machine.patterns
    ]
    value = signed.greatest([signed.least(conditions or [half]) for conditions in patterns])
    mlp = staged(stream, signed.units or {"unit": {"share": 1.0}}, {"accepted": value}, positive=("share",))
    text = printed_counters(machine)
    return recogniser(stream, rows, (stream.block(head, mlp=mlp),), {"": 0.5, "accepted": STEEP}, formula=text)


def exact_length(machine: CounterMachine, numbers: str) -> int:
    """A length up to which the model answers right in floating point, whichever the word.

    The sums of the head are whole numbers, and exact. Every number after it is at most u = largest update + 1, each of
    at most r operations rounds by u 2^-p, and a condition is 1 / (2 (i + 2)) from 0. So i + 2 < 2^p / (2 r u) will do.
    """
    conditions = sum(sum(mark != ANY_MARK for mark in pattern) for pattern in machine.patterns)
    operations = 4 * (conditions + len(machine.patterns) + 2)
    return int(2 ** BITS[numbers] // (2 * operations * (machine.largest + 1))) - 3
