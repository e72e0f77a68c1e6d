"""What a certificate from elsewhere claims beyond one that was proved from the weights.

Every field of a certificate is checked: it claims no more than what was proved, or it is a text that claims nothing
(`breaks`, `where` and `help` of a verdict), or the certificate is damaged.
"""

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import fields
from typing import Any, Final

from capax.certify.certificate import Certificate, HeadFigures, LengthVerdict, StageFigures

CLOSE = 1e-9
"""Figures that differ by less, relatively, are the same: sums are taken in other orders on other machines."""

HEAD = {"gap": 1, "spread": -1, "leak": -1, "error": -1}
STAGE = {"margin": 1, "error_in": -1, "error_out": -1}
"""For each figure whether a greater one (1) or a smaller one (-1) claims more."""

FIELDS: Final = {f.name for f in fields(Certificate)}
VERDICT: Final = {f.name for f in fields(LengthVerdict)}
TEXTS: Final = {"breaks", "where", "help"}
"""What a verdict says of greater lengths: words that are not checked."""


class Damaged(Exception):  # noqa: N818 - an outcome, not an error
    """The certificate is not of the form that certificates have."""


def claims_too_much(claimed: Mapping[str, Any], proved: Certificate, besides: Set[str] = frozenset()) -> str | None:
    """What a certificate claims beyond one that was proved, in words; None if nothing.

    `besides` are further fields that it may have, which somebody else checks.

    >>> from capax.certify import NOT_TRIED
    >>> claims_too_much({**NOT_TRIED.to_json(), "verdicts": 7}, NOT_TRIED)
    'it is damaged: its verdicts are not a list'
    """
    try:
        version, assumptions = claimed.get("version"), claimed.get("assumptions")
        if type(version) is not int or version != proved.version:
            return "its version is not the one of this check"
        if not isinstance(assumptions, list) or assumptions != list(proved.assumptions):
            return "its assumptions differ"
        _known_fields(claimed, FIELDS | besides, "it")
        verdicts = claimed.get("verdicts")
        if not isinstance(verdicts, list):
            raise Damaged("its verdicts are not a list")
        wrong = _whole(claimed, proved)
        if wrong is not None:
            return wrong
        if len(verdicts) != len({verdict.numbers for verdict in proved.verdicts}):
            raise Damaged("it has no verdict, or several for one number system")
        checked = (_verdict(_mapping(verdict), proved) for verdict in verdicts)
        return next((wrong for wrong in checked if wrong is not None), None)
    except Damaged as damage:
        return f"it is damaged: {damage}"


def _whole(claimed: Mapping[str, Any], proved: Certificate) -> str | None:
    """What is claimed of all number systems that was not proved: types, or another least length of the words."""
    if not isinstance(claimed.get("types"), bool):
        raise Damaged("its types are neither true nor false")
    if claimed["types"] and not proved.types:
        return "it claims the types of the answers"
    least = claimed.get("min_length")
    if type(least) is not int or least < 1:
        raise Damaged("its min_length is not a length")
    if least != proved.min_length:  # a greater one may leave no word at all
        return f"it is about words from length {_shown(least)} on; the model takes them from {proved.min_length} on"
    return None


def _verdict(claim: Mapping[str, Any], proved: Certificate) -> str | None:
    """What a verdict claims too much."""
    system, length = claim.get("numbers"), claim.get("length")
    if not isinstance(system, str) or type(length) is not int or length < 0:
        raise Damaged("a verdict has no number system or no length")
    _known_fields(claim, VERDICT, f"its verdict in {system:.20}")
    if not all(isinstance(claim.get(name), (str, type(None))) for name in TEXTS):
        raise Damaged(f"in {system:.20} it does not say in words what breaks")
    truth = proved.verdict_in(system)
    if truth is None or length > truth.length:
        most = 0 if truth is None else truth.length
        why = "" if truth is None or truth.breaks is None else f"; {truth.breaks}"
        return f"it claims length {_shown(length)} in {system:.20} (proved: {most}{why})"
    if _flag(claim, "whole") and not truth.whole:
        return f"it claims the whole length in {system} (proved: {truth.length})"
    if "one_quotient" not in claim:
        raise Damaged(f"in {system} it does not say when attention may divide")
    if not _flag(claim, "one_quotient") and truth.one_quotient:
        return f"it claims length {length} in {system} for attention that divides at any time"
    wrong = _parts(claim, truth)
    return wrong or _more(claim, truth.decoding_margin, "decoding_margin", 1, "decoding")


def _parts(claim: Mapping[str, Any], truth: LengthVerdict) -> str | None:
    """What the figures of the heads and stages of a verdict claim too much."""
    parts: Mapping[str, Sequence[HeadFigures | StageFigures]] = {"heads": truth.heads, "stages": truth.stages}
    for part, truths in parts.items():
        claims = claim.get(part)
        if not isinstance(claims, (list, tuple)) or len(claims) != len(truths):
            raise Damaged(f"in {truth.numbers} it does not have {len(truths)} {part}")
        for one, known in zip(claims, truths, strict=True):
            wrong = _figures(_mapping(one), known)
            if wrong is not None:
                return wrong
    return None


def _figures(claim: Mapping[str, Any], truth: HeadFigures | StageFigures) -> str | None:
    """What the figures of a head or a stage claim too much."""
    of_head = isinstance(truth, HeadFigures)
    for name in ("where", "computes" if of_head else "units"):
        known = getattr(truth, name)
        if type(claim.get(name)) is not type(known) or claim[name] != known:
            raise Damaged(f"it has nothing for {truth.where}, or something else")
    _known_fields(claim, {f.name for f in fields(truth)}, f"{truth.where} in it")
    if isinstance(truth, HeadFigures) and _flag(claim, "underflows") and not truth.underflows:
        return f"it claims that the leak of {truth.where} is zero in floats"
    for name, sign in (HEAD if of_head else STAGE).items():
        wrong = _more(claim, getattr(truth, name), name, sign, truth.where)
        if wrong is not None:
            return wrong
    return None


def _more(claims: Mapping[str, Any], truth: float | None, name: str, sign: int, where: str) -> str | None:
    """Whether one figure claims more than was proved."""
    if name not in claims:
        raise Damaged(f"it has no {name} for {where}")
    claim = claims[name]
    if claim is not None and not _is_figure(claim):
        raise Damaged(f"the {name} of {where} is not a number")
    if claim is None and truth is None:
        return None
    if claim is not None and truth is not None:
        slack = CLOSE * abs(truth) if math.isfinite(truth) else 0.0
        if not sign * claim > sign * truth + slack:
            return None
    return f"it claims a {name} of {claim} for {where} (proved: {truth})"


def _is_figure(claim: object) -> bool:
    """Whether something is a number that a float can hold; infinities are."""
    if isinstance(claim, bool) or not isinstance(claim, (int, float)):
        return False
    try:
        return not math.isnan(claim)
    except OverflowError:  # an integer beyond all floats
        return False


def _flag(claims: Mapping[str, Any], name: str) -> bool:
    """Whether something is claimed; a claim that is left out is none."""
    flag = claims.get(name, False)
    if not isinstance(flag, bool):
        raise Damaged(f"its `{name}` is not a boolean")
    return flag


def _shown(count: int) -> str:
    """A whole number from outside, which may have thousands of digits."""
    return str(count) if count.bit_length() < 64 else f"about 2^{count.bit_length() - 1}"


def _known_fields(part: Mapping[str, Any], known: Set[str], what: str) -> None:
    for name in part:
        if name not in known:
            raise Damaged(f"{what} has the unknown field {name!r:.40}")


def _mapping(part: object) -> Mapping[str, Any]:
    if not isinstance(part, Mapping):
        raise Damaged("a part of it is not an object")
    return part
