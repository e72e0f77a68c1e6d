"""Verdicts for regular languages, from their classes."""

from dataclasses import replace

from capax.atlas.recognition.sources import (
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
from capax.atlas.recognition.verdict import (
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
from capax.errors import CapaxError
from capax.formal.acceptance import Read, marked, unordered_last_symbol
from capax.formal.automata.classification import Classification
from capax.formal.automata.monoid import transition_monoid
from capax.formal.logic.crasp import CRasp, crasp

TOO_LARGE = "the monoid is too large to find out"


def regular_verdicts(found: Classification, read: Read = "last") -> tuple[Verdict, ...]:
    """What each kind of transformers can do with a regular language, the weakest kind first.

    Where the answer is read matters for two kinds; for the others the class has a language exactly if it has the
    language with end markers.
    """
    counted = counting(found, read)
    verdicts = (
        _fixed(found, read),
        _masked(found),
        _periodic(found),
        *_unique(found),
        Verdict(CRASP, _answer(counted.holds), counted.reason, f"{YANG_CHIANG}; {YANG_CADILHAC}; {OWN}"),
        _constant(found),
        Verdict(LOGARITHMIC, "yes", "the maps of the symbols are composed in pairs, pairs of pairs, ...", LIU),
        Verdict(THOUGHTS, "yes", "each step writes the next state of the automaton", MERRILL_COT),
    )
    return tuple(replace(one, read=read) for one in verdicts)


def counting(found: Classification, read: Read) -> CRasp:
    """What is known of a language and C-RASP: of its words, or of its words with end markers."""
    if read == "last":
        return found.crasp
    least = marked(found.dfa)
    try:
        return crasp(least, transition_monoid(least, budget=2 * found.monoid.size + 2 if found.monoid else 1))
    except CapaxError:
        return crasp(least, None)


def fixed_precision(found: Classification, read: Read) -> bool:
    """Whether softmax in fixed precision with a strict past mask and no positions recognises a language."""
    return found.partially_ordered if read == "end" else unordered_last_symbol(found.dfa) is None


def _answer(holds: bool | None) -> Answer:
    return "unknown" if holds is None else "yes" if holds else "no"


def _fixed(found: Classification, read: Read) -> Verdict:
    answer = _answer(fixed_precision(found, read))
    if found.partially_ordered:
        because = "R-trivial: the minimal automaton never comes back to a state that it left"
    elif read == "end":
        because = "not R-trivial: the minimal automaton comes back to a state that it left"
    else:
        symbol = unordered_last_symbol(found.dfa)
        what = "before each last symbol R-trivial" if symbol is None else f"not R-trivial before a last {symbol!r:.20}"
        because = f"{what}: the last symbol is seen by its own position alone"
    return Verdict(FIXED, answer, because, LI_COTTERELL if read == "end" else f"{LI_COTTERELL}; {OWN}")


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
