"""Verdicts for regular languages, from their classes."""

from capax.formal.classification import Classification
from capax.theorems.recognition.sources import (
    BARRINGTON,
    BARRINGTON_THERIEN,
    BCST,
    HAO,
    LI_COTTERELL,
    LIU,
    MERRILL,
    MERRILL_COT,
    OWN,
    YANG,
    YANG_CADILHAC,
    YANG_CHIANG,
)
from capax.theorems.recognition.verdict import (
    ASSUMPTION,
    CONSTANT,
    CRASP,
    FIXED,
    LOGARITHMIC,
    MASKED,
    MASKED_MOD,
    THOUGHTS,
    UNIQUE,
    Answer,
    Verdict,
)

TOO_LARGE = "the monoid is too large to find out"


def regular_verdicts(found: Classification) -> tuple[Verdict, ...]:
    """What each kind of transformers can do with a regular language, the weakest kind first."""
    return (
        _fixed(found),
        _masked(found),
        _periodic(found),
        *_unique(found),
        Verdict(CRASP, _answer(found.crasp.holds), found.crasp.reason, f"{YANG_CHIANG}; {YANG_CADILHAC}; {OWN}"),
        _constant(found),
        Verdict(LOGARITHMIC, "yes", "the maps of the symbols are composed in pairs, pairs of pairs, ...", LIU),
        Verdict(THOUGHTS, "yes", "each step writes the next state of the automaton", MERRILL_COT),
    )


def _answer(holds: bool | None) -> Answer:
    return "unknown" if holds is None else "yes" if holds else "no"


def _fixed(found: Classification) -> Verdict:
    if found.partially_ordered:
        because = "R-trivial: the minimal automaton never comes back to a state that it left"
    else:
        because = "not R-trivial: the minimal automaton comes back to a state that it left"
    return Verdict(FIXED, _answer(found.partially_ordered), because, LI_COTTERELL)


def _masked(found: Classification) -> Verdict:
    because = (
        "star-free: the monoid has no groups" if found.star_free else f"not star-free: {found.why.get('star_free')}"
    )
    if found.star_free is None:
        because = TOO_LARGE
    return Verdict(MASKED, _answer(found.star_free), because, YANG)


def _periodic(found: Classification) -> Verdict:
    source = f"{YANG}; {BCST}"
    if found.in_ac0 is None:
        return Verdict(MASKED_MOD, "unknown", TOO_LARGE, source)
    if found.in_ac0 and found.star_free:
        return Verdict(MASKED_MOD, "yes", "star-free", YANG)
    if found.in_ac0:
        assert found.stable is not None
        because = f"quasi-aperiodic: no group among what the words of {found.stable.index} symbols do"
        return Verdict(MASKED_MOD, "yes", because, source)
    return Verdict(MASKED_MOD, "no", f"not in AC0: {found.why['in_ac0']}", source)


def _unique(found: Classification) -> tuple[Verdict, ...]:
    """Hard attention with any positions: only AC0 bounds it, and what is in AC0 has a line of its own already."""
    if found.in_ac0 is not False:
        return ()
    return (Verdict(UNIQUE, "no", "these models lie in AC0, and the language does not", f"{HAO}; {BCST}"),)


def _constant(found: Classification) -> Verdict:
    if found.solvable is None:
        return Verdict(CONSTANT, "unknown", TOO_LARGE, f"{LIU}; {MERRILL}")
    if found.solvable and found.star_free:
        return Verdict(CONSTANT, "yes", "the automaton is a cascade of resets", LIU)
    if found.solvable:
        factors = ", ".join(found.factors or ())
        return Verdict(CONSTANT, "yes", f"solvable: a cascade of resets and counters ({factors})", LIU)
    because = f"complete for NC1: {found.why['solvable']}; these models lie in TC0"
    return Verdict(CONSTANT, "no", because, f"{BARRINGTON}; {BARRINGTON_THERIEN}; {MERRILL}", assuming=ASSUMPTION)
