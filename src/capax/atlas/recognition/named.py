"""Verdicts for the named languages that are not regular."""

from dataclasses import replace
from typing import Final

from capax.atlas.recognition.verdict import (
    CONSTANT,
    CRASP,
    FIXED,
    FSS,
    HAHN,
    HAO,
    LI_COTTERELL,
    LIU,
    LOGARITHMIC,
    MASKED,
    MASKED_MOD,
    MERRILL,
    MERRILL_COT,
    OWN,
    OWN_HEADS,
    THOUGHTS,
    UNIQUE,
    WEISS,
    YANG,
    YANG_CADILHAC,
    YANG_CHIANG,
    YAO,
    RecognitionVerdict,
)
from capax.formal.acceptance import Read
from capax.formal.languages.language import Language

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


LOOKED_UP: Final = {
    "palindrome": "with the vectors (1, i, i^2, n) a head finds position n - 1 - i, the next whether a pair differs",
    "copy": "with the vectors (1, i, i^2, n) a head finds position i - n / 2, the next whether a pair differs",
}
UNCOUNTED: Final = {
    "dyck": "after many opening brackets C-RASP does not see the order of the last ones",
    "palindrome": "far out C-RASP sees the last letter alone, and not the order of the letters before it",
    "copy": "far out C-RASP sees the last letter alone, and not the order of the letters before it",
}


def _bounded() -> tuple[RecognitionVerdict, ...]:
    """Brackets of bounded depth, where the automaton is too large to be built: what its classes would say."""
    return (
        RecognitionVerdict(
            FIXED, "no", "not R-trivial: the minimal automaton comes back to a state that it left", LI_COTTERELL
        ),
        RecognitionVerdict(MASKED, "yes", "star-free: brackets of bounded depth have no groups", f"{YAO}; {YANG}"),
        RecognitionVerdict(MASKED_MOD, "yes", "star-free", YANG),
        RecognitionVerdict(
            CRASP, "yes", "counts of brackets of one kind and depth say what is open there", f"{YANG_CHIANG}; {OWN}"
        ),
        RecognitionVerdict(CONSTANT, "yes", "pairs that hold nothing are erased, layer by layer", YAO),
        RecognitionVerdict(
            LOGARITHMIC, "yes", "the maps of the symbols are composed in pairs, pairs of pairs, ...", LIU
        ),
        RecognitionVerdict(THOUGHTS, "yes", "each step writes the next state of the automaton", MERRILL_COT),
    )


def named_verdicts(language: Language, read: Read = "last") -> tuple[RecognitionVerdict, ...]:
    """What is known of transformers and a named language that is not regular.

    Of these languages the same is known for both ways to read.
    """
    return tuple(replace(one, read=read) for one in _verdicts(language))


def _verdicts(language: Language) -> tuple[RecognitionVerdict, ...]:
    family = language.family
    if family == "bounded-dyck":
        return _bounded()
    regular = "the language is not regular, and these models recognise regular languages alone"
    verdicts = [RecognitionVerdict(FIXED, "no", regular, LI_COTTERELL), RecognitionVerdict(MASKED, "no", regular, YANG)]
    if family in OUTSIDE_AC0:
        verdicts.append(RecognitionVerdict(UNIQUE, "no", *OUTSIDE_AC0[family]))
    elif family in LOOKED_UP:
        verdicts.append(RecognitionVerdict(UNIQUE, "yes", LOOKED_UP[family], OWN_HEADS))
    else:
        verdicts.append(
            RecognitionVerdict(UNIQUE, "unknown", "the language is in AC0, so the known bound does not forbid it", HAO)
        )
    verdicts.append(_counted(language))
    because, source = CONSTANT_DEPTH[family]
    verdicts.append(RecognitionVerdict(CONSTANT, "yes", because, source))
    return tuple(verdicts)


def _counted(language: Language) -> RecognitionVerdict:
    source = f"{YANG_CHIANG}; {YANG_CADILHAC}"
    if language.family == "dyck" and language.parameters["k"] == 1:
        return RecognitionVerdict(CRASP, "yes", COUNTED["shuffle-dyck"], source)
    if language.family in COUNTED:
        return RecognitionVerdict(CRASP, "yes", COUNTED[language.family], source)
    if language.family in UNCOUNTED:
        return RecognitionVerdict(CRASP, "no", UNCOUNTED[language.family], f"{source}; {OWN}")
    return RecognitionVerdict(CRASP, "unknown", "no criterion applies", source)
