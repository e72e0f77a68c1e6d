"""What a certificate claims beyond one that was found from the weights.

Every field of a certificate is looked at: it claims no more than what was found, or it is a text that claims nothing
(`breaks`, `where` and `help` of a verdict), or the certificate is damaged.
"""

import math
from collections.abc import Mapping, Set
from typing import Any, Final

CLOSE = 1e-9
"""Figures that differ by less, relatively, are the same: sums are taken in other orders on other machines."""

HEAD = {"gap": 1, "spread": -1, "leak": -1, "error": -1}
STAGE = {"margin": 1, "error_in": -1, "error_out": -1}
"""For each figure whether a greater one (1) or a smaller one (-1) claims more."""

FIELDS: Final = {"version", "assumptions", "types", "min_length", "verdicts"}
TEXTS: Final = {"breaks", "where", "help"}
"""What a verdict says of greater lengths: words that are not checked."""
VERDICT: Final = {"numbers", "length", "whole", "heads", "stages", "decoding_margin", *TEXTS}


class Damaged(Exception):  # noqa: N818 - it is an answer, not an error
    """The certificate is not of the form that certificates have."""


def claims_too_much(
    claimed: Mapping[str, Any], found: Mapping[str, Any], besides: Set[str] = frozenset()
) -> str | None:
    """What a certificate claims beyond one that was found, in words; None if nothing.

    `besides` are further fields that it may have, which somebody else looks at.

    >>> claims_too_much({"version": 1, "assumptions": [], "verdicts": 7}, {"version": 1, "assumptions": []})
    'it is damaged: its verdicts are no list'
    """
    try:
        for name in ("version", "assumptions"):
            if type(claimed.get(name)) is not type(found.get(name)) or claimed.get(name) != found.get(name):
                return f"its {name} is not the one of this check" if name == "version" else "its assumptions differ"
        _known_fields(claimed, FIELDS | besides, "it")
        if not isinstance(claimed.get("verdicts"), list):
            raise Damaged("its verdicts are no list")
        wrong = _whole(claimed, found)
        if wrong is not None:
            return wrong
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


def _whole(claimed: Mapping[str, Any], found: Mapping[str, Any]) -> str | None:
    """What is claimed of all number systems that was not found: types, or another least length of the words."""
    if not isinstance(claimed.get("types"), bool):
        raise Damaged("its types are neither true nor false")
    if claimed["types"] and not found["types"]:
        return "it claims the types of the answers"
    least = claimed.get("min_length")
    if type(least) is not int or least < 1:
        raise Damaged("its min_length is no length")
    if least != found["min_length"]:  # a greater one may leave no word at all
        return f"it is about words from length {_shown(least)} on; the model takes them from {found['min_length']} on"
    return None


def _verdict(one: Mapping[str, Any], known: Mapping[str, Any]) -> str | None:
    """What a verdict claims too much."""
    system, length = one.get("numbers"), one.get("length")
    if not isinstance(system, str) or type(length) is not int or length < 0:
        raise Damaged("a verdict has no number system or no length")
    _known_fields(one, VERDICT, f"its verdict in {system:.20}")
    if not all(isinstance(one.get(name), (str, type(None))) for name in TEXTS):
        raise Damaged(f"in {system:.20} it does not say in words what breaks")
    mine = known.get(system)
    most = 0 if mine is None else mine["length"]
    if mine is None or length > most:
        why = "" if mine is None or mine["breaks"] is None else f": {mine['breaks']}"
        return f"it claims length {_shown(length)} in {system:.20}; found was {most}{why}"
    if _flag(one, "whole") and not mine["whole"]:
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
        if type(one.get(name)) is not type(mine[name]) or one[name] != mine[name]:
            raise Damaged(f"it has nothing for {mine['where']}, or something else")
    _known_fields(one, mine.keys(), f"{mine['where']} in it")
    if "underflows" in mine and _flag(one, "underflows") and not mine["underflows"]:
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
    if claim is not None and not _is_figure(claim):
        raise Damaged(f"the {name} of {where} is no number")
    if (claim is None) != (truth is None):
        return f"it claims a {name} of {claim} for {where}; found was {truth}"
    if claim is None:
        return None
    slack = CLOSE * abs(truth) if math.isfinite(truth) else 0.0
    if sign * claim > sign * truth + slack:
        return f"it claims a {name} of {claim} for {where}; found was {truth}"
    return None


def _is_figure(claim: object) -> bool:
    """Whether something is a number that a float can hold; infinities are."""
    if isinstance(claim, bool) or not isinstance(claim, (int, float)):
        return False
    try:
        return not math.isnan(claim)
    except OverflowError:  # an integer beyond all floats
        return False


def _flag(one: Mapping[str, Any], name: str) -> bool:
    """Whether something is claimed; a claim that is left out is none."""
    found = one.get(name, False)
    if not isinstance(found, bool):
        raise Damaged(f"its `{name}` is not a boolean")
    return found


def _shown(count: int) -> str:
    """A whole number from outside, which may have thousands of digits."""
    return str(count) if count.bit_length() < 64 else f"about 2^{count.bit_length() - 1}"


def _known_fields(part: Mapping[str, Any], known: Set[str], what: str) -> None:
    for name in part:
        if name not in known:
            raise Damaged(f"{what} has the unknown field {name!r:.40}")


def _mapping(part: object) -> Mapping[str, Any]:
    if not isinstance(part, Mapping):
        raise Damaged("a part of it is no table")
    return part
