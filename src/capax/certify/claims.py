"""What a certificate claims beyond one that was found from the weights."""

import math
from collections.abc import Mapping
from typing import Any

CLOSE = 1e-9
"""Figures that differ by less, relatively, are the same: sums are taken in other orders on other machines."""

HEAD = {"gap": 1, "spread": -1, "leak": -1, "error": -1}
STAGE = {"margin": 1, "error_in": -1, "error_out": -1}
"""For each figure whether a greater one (1) or a smaller one (-1) claims more."""


class Damaged(Exception):  # noqa: N818 - it is an answer, not an error
    """The certificate is not of the form that certificates have."""


def claims_too_much(claimed: Mapping[str, Any], found: Mapping[str, Any]) -> str | None:
    """What a certificate claims beyond one that was found, in words; None if nothing.

    >>> claims_too_much({"version": 1, "verdicts": 7}, {"version": 1, "verdicts": []})
    'it is damaged: its verdicts are no list'
    """
    try:
        for name in ("version", "assumptions"):
            if claimed.get(name) != found.get(name):
                return f"its {name} is not the one of this check" if name == "version" else "its assumptions differ"
        if not isinstance(claimed.get("verdicts"), list):
            raise Damaged("its verdicts are no list")
        if claimed.get("types") is not False and not found.get("types"):
            return "it claims the types of the answers"
        known = {v["numbers"]: v for v in found["verdicts"]}
        if len(claimed["verdicts"]) != len(known):
            raise Damaged("it has no verdict, or several for one number system")
        for one in claimed["verdicts"]:
            wrong = _verdict(_mapping(one), known)
            if wrong is not None:
                return wrong
    except Damaged as damage:
        return f"it is damaged: {damage}"
    return None


def _verdict(one: Mapping[str, Any], known: Mapping[str, Any]) -> str | None:
    """What a verdict claims too much."""
    system, length = one.get("numbers"), one.get("length")
    if not isinstance(system, str) or type(length) is not int:
        raise Damaged("a verdict has no number system or no length")
    mine = known.get(system)
    most = 0 if mine is None else mine["length"]
    if mine is None or length > most:
        why = "" if mine is None or mine["breaks"] is None else f": {mine['breaks']}"
        return f"it claims length {length} in {system}; found was {most}{why}"
    if one.get("whole") is not False and not mine["whole"]:
        return f"it claims the whole length in {system}; found was {most}"
    for part, figures, names in (("heads", HEAD, ("where", "computes")), ("stages", STAGE, ("where", "units"))):
        claims, truths = one.get(part), mine[part]
        if not isinstance(claims, (list, tuple)) or len(claims) != len(truths):
            raise Damaged(f"in {system} it does not have {len(truths)} {part}")
        for a, b in zip(claims, truths, strict=True):
            wrong = _figures(_mapping(a), b, figures, names)
            if wrong is not None:
                return wrong
    return _more(one, mine, "decoding_margin", 1, "decoding")


def _figures(
    one: Mapping[str, Any], mine: Mapping[str, Any], figures: Mapping[str, int], names: tuple[str, ...]
) -> str | None:
    """What the figures of a head or a stage claim too much."""
    for name in names:
        if one.get(name) != mine[name]:
            raise Damaged(f"it has nothing for {mine['where']}, or something else")
    if "underflows" in mine and one.get("underflows") is not False and not mine["underflows"]:
        return f"it claims that the leak of {mine['where']} is zero in floats"
    for name, sign in figures.items():
        wrong = _more(one, mine, name, sign, mine["where"])
        if wrong is not None:
            return wrong
    return None


def _more(one: Mapping[str, Any], mine: Mapping[str, Any], name: str, sign: int, where: str) -> str | None:
    """Whether one figure claims more than was found."""
    if name not in one:
        raise Damaged(f"it has no {name} for {where}")
    claim, truth = one[name], mine[name]
    if (claim is None) != (truth is None):
        return f"it claims a {name} of {claim} for {where}; found was {truth}"
    if claim is None:
        return None
    if isinstance(claim, bool) or not isinstance(claim, (int, float)) or math.isnan(claim):
        raise Damaged(f"the {name} of {where} is no number")
    slack = CLOSE * abs(truth) if math.isfinite(truth) else 0.0
    if sign * claim > sign * truth + slack:
        return f"it claims a {name} of {claim} for {where}; found was {truth}"
    return None


def _mapping(part: object) -> Mapping[str, Any]:
    if not isinstance(part, Mapping):
        raise Damaged("a part of it is no table")
    return part
