"""Verdicts for regular languages, from their classes."""

from dataclasses import replace

from capax.atlas.recognition.verdict import (
    ASSUMPTION,
    BARRINGTON,
    BARRINGTON_THERIEN,
    BCST,
    CONSTANT,
    CRASP,
    FIXED,
    HAO,
    LI_COTTERELL,
    LIU,
    LOGARITHMIC,
    MASKED,
    MASKED_MOD,
    MERRILL,
    MERRILL_COT,
    OWN,
    OWN_CRASP,
    THOUGHTS,
    UNIQUE,
    YANG,
    YANG_CADILHAC,
    YANG_CHIANG,
    Answer,
    RecognitionVerdict,
)
from capax.formal.acceptance import READS, Read, unordered_last_symbol
from capax.formal.automata.classification import Classification
from capax.formal.crasp.obstruction import crasp_reason

TOO_LARGE = "the monoid is too large to find out"


def regular_verdicts(classes: Classification, read: Read = "last") -> tuple[RecognitionVerdict, ...]:
    """What each kind of transformers can do with a regular language, the weakest kind first.

    Where the answer is read matters for two kinds; for the others the class has a language exactly if it has the
    language with end markers.
    """
    verdicts = (
        _fixed(classes, read),
        _masked(classes),
        _periodic(classes),
        *_unique(classes),
        RecognitionVerdict(
            CRASP,
            _answer(counting(classes, read)),
            _both_readings(classes, read),
            f"{YANG_CHIANG}; {YANG_CADILHAC}; {OWN_CRASP}",
        ),
        _constant(classes),
        RecognitionVerdict(
            LOGARITHMIC, "yes", "the maps of the symbols are composed in pairs, pairs of pairs, ...", LIU
        ),
        RecognitionVerdict(THOUGHTS, "yes", "each step writes the next state of the automaton", MERRILL_COT),
    )
    return tuple(replace(one, read=read) for one in verdicts)


def counting(classes: Classification, read: Read) -> bool | None:
    """Whether a language is in C-RASP, for a reading; None if its automaton is too large."""
    return None if classes.crasp is None else classes.crasp.holds(read)


def _both_readings(classes: Classification, read: Read) -> str:
    """Why a language is in C-RASP or not for one reading, and the answer for the other."""
    if classes.crasp is None:
        return "the automaton is too large to find out"
    others = (f"read {where}: {_answer(classes.crasp.holds(one))}" for one, where in READS.items() if one != read)
    return "; ".join([crasp_reason(classes.crasp, read), *others])


def fixed_precision(classes: Classification, read: Read) -> bool:
    """Whether softmax in fixed precision with a strict past mask and no positions recognises a language."""
    return classes.partially_ordered if read == "end" else unordered_last_symbol(classes.dfa) is None


def _answer(holds: bool | None) -> Answer:
    return "unknown" if holds is None else "yes" if holds else "no"


def _fixed(classes: Classification, read: Read) -> RecognitionVerdict:
    answer = _answer(fixed_precision(classes, read))
    if classes.partially_ordered:
        because = "R-trivial: the minimal automaton never returns to a state that it left"
    elif read == "end":
        because = "not R-trivial: the minimal automaton returns to a state that it left"
    else:
        symbol = unordered_last_symbol(classes.dfa)
        what = "before each last symbol R-trivial" if symbol is None else f"not R-trivial before a last {symbol!r:.20}"
        because = f"{what}: only its own position sees the last symbol"
    return RecognitionVerdict(FIXED, answer, because, LI_COTTERELL if read == "end" else f"{LI_COTTERELL}; {OWN}")


def _masked(classes: Classification) -> RecognitionVerdict:
    because = (
        "star-free: the monoid has no groups" if classes.star_free else f"not star-free: {classes.why.get('star_free')}"
    )
    if classes.star_free is None:
        because = TOO_LARGE
    return RecognitionVerdict(MASKED, _answer(classes.star_free), because, YANG)


def _periodic(classes: Classification) -> RecognitionVerdict:
    source = f"{YANG}; {BCST}"
    if classes.in_ac0 is None:
        return RecognitionVerdict(MASKED_MOD, "unknown", TOO_LARGE, source)
    if classes.in_ac0 and classes.star_free:
        return RecognitionVerdict(MASKED_MOD, "yes", "star-free", YANG)
    if classes.in_ac0:
        assert classes.stable is not None
        because = f"quasi-aperiodic: no group among what the words of {classes.stable.index} symbols do"
        return RecognitionVerdict(MASKED_MOD, "yes", because, source)
    return RecognitionVerdict(MASKED_MOD, "no", f"not in AC0: {classes.why['in_ac0']}", source)


def _unique(classes: Classification) -> tuple[RecognitionVerdict, ...]:
    """Hard attention with any positions: only AC0 bounds it, and what is in AC0 has a line of its own already."""
    if classes.in_ac0 is not False:
        return ()
    return (RecognitionVerdict(UNIQUE, "no", "these models lie in AC0, and the language does not", f"{HAO}; {BCST}"),)


def _constant(classes: Classification) -> RecognitionVerdict:
    if classes.solvable is None:
        return RecognitionVerdict(CONSTANT, "unknown", TOO_LARGE, f"{LIU}; {MERRILL}")
    if classes.solvable and classes.star_free:
        return RecognitionVerdict(CONSTANT, "yes", "the automaton is a cascade of resets", LIU)
    if classes.solvable:
        factors = ", ".join(classes.factors or ())
        return RecognitionVerdict(CONSTANT, "yes", f"solvable: a cascade of resets and counters ({factors})", LIU)
    because = f"complete for NC1: {classes.why['solvable']}; these models lie in TC0"
    return RecognitionVerdict(
        CONSTANT, "no", because, f"{BARRINGTON}; {BARRINGTON_THERIEN}; {MERRILL}", assuming=ASSUMPTION
    )
