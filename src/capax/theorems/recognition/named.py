"""Verdicts for the named languages that are not regular."""

from typing import Final

from capax.formal.languages.language import Language
from capax.theorems.recognition.sources import (
    FSS,
    HAHN,
    HAO,
    LI_COTTERELL,
    MERRILL,
    WEISS,
    YANG,
    YANG_CADILHAC,
    YANG_CHIANG,
)
from capax.theorems.recognition.verdict import CONSTANT, CRASP, FIXED, MASKED, UNIQUE, Verdict

OUTSIDE_AC0: Final = {
    "majority": (
        "a circuit of AND and OR gates of constant depth for MAJORITY would give one for PARITY",
        f"{HAO}; {FSS}",
    ),
    "dyck": (
        "two kinds of brackets by Hahn; one kind would decide MAJORITY, which is not in AC0",
        f"{HAHN}; {HAO}; {FSS}",
    ),
    "shuffle-dyck": ("one kind of brackets would decide MAJORITY, which is not in AC0", f"{HAO}; {FSS}"),
}
COUNTED: Final = {
    "majority": "#[1] > #[0]",
    "shuffle-dyck": "for each kind, as many closed as opened, and never more closed",
    "anbn": "#[a] = #[b], and no a after a b",
    "anbncn": "#[a] = #[b] = #[c], and no letter after one that follows it in the alphabet",
}
CONSTANT_DEPTH: Final = {
    "majority": ("one uniform head", MERRILL),
    "dyck": ("the height by a uniform head, then the partner of each bracket", WEISS),
    "shuffle-dyck": ("the height of each kind by a uniform head", WEISS),
    "anbn": ("counts by uniform heads", YANG_CHIANG),
    "anbncn": ("counts by uniform heads", YANG_CHIANG),
    "palindrome": ("a head to position n - 1 - i", WEISS),
    "copy": ("a head to position i - n / 2", WEISS),
}


def named_verdicts(language: Language) -> tuple[Verdict, ...]:
    """What is known of transformers and a named language that is not regular."""
    family = language.family
    regular = "the language is not regular, and these models recognise regular languages alone"
    found = [Verdict(FIXED, "no", regular, LI_COTTERELL), Verdict(MASKED, "no", regular, YANG)]
    if family in OUTSIDE_AC0:
        found.append(Verdict(UNIQUE, "no", *OUTSIDE_AC0[family]))
    else:
        found.append(Verdict(UNIQUE, "unknown", "the language is in AC0, so the known bound does not forbid it", HAO))
    found.append(_counted(language))
    because, source = CONSTANT_DEPTH[family]
    found.append(Verdict(CONSTANT, "yes", because, source))
    return tuple(found)


def _counted(language: Language) -> Verdict:
    source = f"{YANG_CHIANG}; {YANG_CADILHAC}"
    if language.family == "dyck" and language.parameters["k"] == 1:
        return Verdict(CRASP, "yes", COUNTED["shuffle-dyck"], source)
    if language.family in COUNTED:
        return Verdict(CRASP, "yes", COUNTED[language.family], source)
    return Verdict(CRASP, "unknown", "no criterion applies", source)
