"""The second look at witnesses against networks that are not transformers, from the texts of both files."""

import hashlib
import json
import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from capax.errors import CapaxError
from capax.limits.witnesses.check.fooling_check import errs, part, report_of, same
from capax.limits.witnesses.check.read_witness import NOT_CHECKED, bad_witness, read_json, require_fields
from capax.report import Report

KINDS = {"equal-states": "recurrent", "null-vector": "fully-connected"}
FIELDS = ("format", "version", "kind", "task", "model", "inputs", "guaranteed", "why", "method", "seed")
"""What such a witness says, and nothing else."""
MOST_BITS = 64
"""A state's numbers have at most this many bits: beyond, its bounds alone would fill the memory."""
_FRACTION = re.compile(r"-?[0-9]{1,4300}(/[0-9]{1,4300})?")
_LONG = re.compile(r"(-?0x[0-9a-f]{1,100000})/(0x[0-9a-f]{1,100000})")


def is_net_witness(text: str) -> bool:
    """Whether a text is a witness against such a network."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(data, dict) and str(data.get("kind")) in KINDS


def check_net_witness(witness: str, net: str, name: str) -> Report:
    """Whether a witness holds against a network; one for another network, or none at all, is an error."""
    witness_data = read_json(witness, name)
    if witness_data.get("kind") not in tuple(KINDS):
        raise bad_witness(name, f"its kind is {witness_data.get('kind')!r:.60}, not one of {', '.join(KINDS)}")
    require_fields(witness_data, FIELDS, name)
    try:
        model = json.loads(net)
        digest = hashlib.sha256(json.dumps(model, sort_keys=True).encode()).hexdigest()
        if model["format"] != "capax-net":
            raise ValueError("no network")
        if witness_data["model"] != digest:
            what, hint = "the witness is for another network", "give the file with which it was made"
            raise CapaxError("bad-witness", what, hint=hint)
        one, two = witness_data["inputs"]
        if model["kind"] != KINDS[witness_data["kind"]]:
            raise ValueError("a witness of another kind of network")
        check = _states if witness_data["kind"] == "equal-states" else _units
        parts = [*_claims(witness_data, model), *check(model, one, two)]
        return report_of(parts, dict.fromkeys(NOT_CHECKED, ""))
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError) as problem:
        what = f"{name} does not fit the network"
        raise CapaxError(
            "bad-witness", what, hint="`capax fool NET.json --task sparse-averaging` writes one"
        ) from problem


def _claims(witness: Mapping[str, Any], net: Mapping[str, Any]) -> list[Report]:
    """That the task, the reason and whether a witness had to exist are those of the network, worked out again."""
    n = net["length"]
    if witness["kind"] == "equal-states":
        size = net["bits"] * len(net["start"])
        sure = f"by counting: {n} bits are read, and a state has {size} bits"
        silent = f"no statement at this size: {n} bits are read, and a state can have {size} bits"
    else:
        size = len(net["vectors"])
        sure = f"by the null space: the first layer has {size} units for {n} numbers"
        silent = f"no statement at this size: the first layer has {size} units for {n} numbers"
    guaranteed, why = size < n, sure if size < n else silent
    task = {"task": "sparse-averaging", "q": 1, "n": n}
    had = "had to exist" if guaranteed else "need not exist, as far as is known"
    return [
        part(f"the task is sparse-averaging of {n} numbers, with q = 1", same(witness["task"], task)),
        part(f"such inputs {had}, as it records", same(witness["guaranteed"], guaranteed)),
        part(f"the reason is the one that it records: {why}", same(witness["why"], why)),
    ]


def _exact(value: Any) -> Fraction:
    """A number of a file, exactly: a JSON number, or a text such as -1/2 or 0x1/0xa (no powers of ten)."""
    if isinstance(value, str) and (digits := _LONG.fullmatch(value)):
        return Fraction(int(digits[1], 16), int(digits[2], 16))
    if type(value) not in (int, float) and not (isinstance(value, str) and _FRACTION.fullmatch(value)):
        raise ValueError("no number")
    return Fraction(value)


def _states(net: Mapping[str, Any], one: list[int], two: list[int]) -> list[Report]:
    n, at = net["length"], one[-1]
    if not 1 <= net["bits"] <= MOST_BITS:
        raise ValueError("numbers of too many bits")
    inputs = len(one) == len(two) == n + 1 and all(type(v) is int for v in one + two)
    inputs = inputs and all(bit in (0, 1) for bit in one[:-1] + two[:-1])
    inputs = inputs and at == two[-1] and 0 <= at < n
    states = [_run(net, word[:-1]) for word in (one, two)]
    answers = [int(sum(a * b for a, b in zip(h, net["read"][at], strict=True)) > 0) for h in states]
    wrong = [answer != word[at] for answer, word in zip(answers, (one, two), strict=True)]
    return [
        part(f"the inputs are {n} bits each, with the same question", inputs),
        part(f"the right answers {one[at]} and {two[at]} differ", one[at] != two[at]),
        part("the states after the bits are equal", states[0] == states[1]),
        errs("the network", wrong, [str(answer) for answer in answers], [str(one[at]), str(two[at])]),
    ]


def _run(net: Mapping[str, Any], bits: list[int]) -> list[int]:
    half = 2 ** (net["bits"] - 1)
    h = list(net["start"])
    for bit in bits:
        moved = [sum(h[i] * net["state"][i][j] for i in range(len(h))) for j in range(len(h))]
        h = [
            max(-half, min(half - 1, m + e + b)) for m, e, b in zip(moved, net["input"][bit], net["bias"], strict=True)
        ]
    return h


def _units(net: Mapping[str, Any], one: list[Any], two: list[Any]) -> list[Report]:
    n, at = net["length"], one[-1]
    numbers = [[_exact(v) for v in word[:-1]] for word in (one, two)]
    inputs = len(one) == len(two) == n + 1 and same(at, two[-1]) and type(at) is int and 0 <= at < n
    inputs = inputs and all(abs(v) <= 1 for z in numbers for v in z)
    units = [_first(net, z, at) for z in numbers]
    answers = [_rest(net, x) for x in units]
    truths = [z[at] for z in numbers]
    half = abs(truths[0] - truths[1]) / 2
    wrong = [abs(a - t) >= half > 0 for a, t in zip(answers, truths, strict=True)]
    return [
        part(f"the inputs are {n} numbers of size at most 1, with the same question", inputs),
        part(f"the right answers {_short(truths[0])} and {_short(truths[1])} differ", truths[0] != truths[1]),
        part("all units of the first layer are equal, exactly", units[0] == units[1]),
        part(f"the network answers the same for both, {_short(answers[0])}", answers[0] == answers[1]),
        errs("the network", wrong, [_short(a) for a in answers], [_short(t) for t in truths]),
    ]


def _short(value: Fraction) -> str:
    """A fraction as people read it; one whose digits fill lines is shortened."""
    if max(abs(value.numerator), value.denominator).bit_length() <= 64:
        return str(value)
    try:
        return f"about {float(value):g}"
    except OverflowError:
        return f"a number of {value.numerator.bit_length() - value.denominator.bit_length():,} bits"


def _first(net: Mapping[str, Any], z: list[Fraction], at: int) -> list[Fraction]:
    units = []
    for row, position, bias in zip(net["vectors"], net["positions"], net["bias"], strict=True):
        total = _exact(position[at]) + _exact(bias)
        for w, v in zip(row, z, strict=True):
            total += _exact(w) * v
        units.append(total)
    return units


def _rest(net: Mapping[str, Any], x: list[Fraction]) -> Fraction:
    for layer in net["layers"]:
        x = [v if v > 0 else Fraction(0) for v in x]
        x = [
            sum((_exact(w) * v for w, v in zip(row, x, strict=True)), _exact(b))
            for row, b in zip(layer["weight"], layer["bias"], strict=True)
        ]
    return x[0]
