"""The result of `capax recognise --crasp`: the decision under both readings, with evidence that was checked."""

from dataclasses import dataclass
from textwrap import wrap
from typing import Any, Final

from capax.app.commands._columns import WIDTH
from capax.app.options import count
from capax.atlas.recognition.crasp.build import CountingModel, counting_model
from capax.atlas.recognition.language import DescribedLanguage
from capax.errors import CapaxError
from capax.formal.acceptance import READS, Read
from capax.formal.crasp.check import EvidenceCheck, check_formula, check_obstruction
from capax.formal.crasp.decide import CRaspDecision, decide_crasp
from capax.formal.crasp.formula import crasp_formula
from capax.formal.crasp.machine import Atoms
from capax.formal.crasp.obstruction import Obstruction, crasp_reason, obstruction, word_text
from capax.formal.logic.counting import Counting, counting_depth, counting_length, counting_subformulas
from capax.formal.logic.counting_text import counting_printed

MOST_PRINTED: Final = 120
"""A formula with more parts is not printed."""
TIMES: Final = 3


@dataclass(frozen=True, slots=True)
class CRaspAnswer:
    """The answer for one reading, its evidence, and what the checker said of the evidence."""

    read: Read
    reason: str
    formula: Counting | None
    obstruction: Obstruction | None
    check: EvidenceCheck

    def to_json(self) -> dict[str, Any]:
        """The answer as plain data."""
        formula = self.formula
        return {
            "read": self.read,
            "in_c_rasp": formula is not None,
            "reason": self.reason,
            "formula": _printed(formula),
            "parts": None if formula is None else len(counting_subformulas(formula)),
            "depth": None if formula is None else counting_depth(formula),
            "obstruction": None if self.obstruction is None else self.obstruction.to_json(),
            "checked": self.check.checked,
            "check": self.check.what,
            "wrong": self.check.wrong,
        }

    def lines(self) -> list[str]:
        """The answer as text."""
        says = "yes" if self.formula is not None else "no"
        lines = _wrapped(f"read {READS[self.read]}: {says}; {self.reason}")
        if self.formula is not None:
            parts, depth = len(counting_subformulas(self.formula)), counting_depth(self.formula)
            lines += _wrapped(f"  formula  {count(parts, 'part')}, depth {depth}; {self._checked()}")
            lines += _wrapped(f"           {_printed(self.formula) or 'too long to print'}")
        if self.obstruction is not None:
            lines += self._against(self.obstruction)
        return lines

    def _checked(self) -> str:
        if self.check.wrong is not None:
            return f"WRONG: {self.check.wrong}"
        return f"right on all {self.check.checked:,} {self.check.what}"

    def _against(self, shown: Obstruction) -> list[str]:
        first, second = shown.word_texts(TIMES)
        closed = ", ".join(word_text(word) for word in shown.closed) or "none"
        held = f"WRONG: {self.check.wrong}" if self.check.wrong else f"{self.check.checked:,} {self.check.what} hold"
        return [
            *_wrapped(f"  states   {shown.first} and {shown.second} of one class; closed walks {closed}; {held}"),
            *_wrapped(
                f"  words    {first} and {second}: one is in the language; for each formula there are such"
                " exponents with which it says the same of both"
            ),
        ]


@dataclass(frozen=True, slots=True)
class CRaspResult:
    """Whether a regular language is in C-RASP, read at the last letter and at an end marker."""

    text: str
    read: Read
    decision: CRaspDecision
    memberships: tuple[CRaspAnswer, ...]
    built: CountingModel | None

    @property
    def yes(self) -> bool:
        """Whether the language is inside, for the reading that was chosen; and all evidence is right."""
        return self.decision.holds(self.read) and all(one.check.holds for one in self.memberships)

    def to_json(self) -> dict[str, Any]:
        """The result as plain data."""
        machine = self.decision.machine
        return {
            "given": self.text,
            "alphabet": list(machine.dfa.alphabet),
            "read": self.read,
            "window": machine.atoms.window,
            "modulus": machine.atoms.modulus,
            "states": machine.dfa.size,
            "components": len(self.decision.regions),
            "rounds": self.decision.rounds,
            "readings": [one.to_json() for one in self.memberships],
            "build": None if self.built is None else self.built.to_json(),
        }

    def render(self) -> str:
        """The result as text."""
        machine = self.decision.machine
        sizes = f"{count(machine.dfa.size, 'state')}, {count(len(self.decision.regions), 'component')}"
        seen = f"; formulas also see {machine.atoms.text}" if machine.atoms.text else ""
        lines = [self.text or "the empty word", f"alphabet   {' '.join(machine.dfa.alphabet)}"]
        lines += [f"automaton  {sizes}, at most {count(self.decision.rounds, 'round')}{seen}", "", "in C-RASP?"]
        for one in self.memberships:
            lines += [f"  {line}" for line in one.lines()]
        if self.built is not None:
            lines += ["", f"built from the formula read {READS[self.read]}, before it is shortened"]
            lines += [f"  {line}" for line in self.built.lines()]
        return "\n".join(lines)


def crasp_result(language: DescribedLanguage, atoms: Atoms, read: Read, length: int | None) -> CRaspResult:
    """The decision for a language; with a length, and if the language is inside, a model too."""
    if language.dfa is None:
        what = f"{language.text} is not known to be regular, and C-RASP is decided for regular languages only"
        raise CapaxError("bad-option", what, hint="a regular expression, --ltl, --dfa, or a regular --language")
    dfa = language.dfa.minimal()
    decision = decide_crasp(dfa, atoms)
    memberships = []
    for reading in READS:
        formula, shown = crasp_formula(decision, reading), obstruction(decision, reading)
        if shown is not None:
            check = check_obstruction(shown, dfa)
        else:
            assert formula is not None
            check = check_formula(formula, dfa, reading)
        memberships.append(CRaspAnswer(reading, crasp_reason(decision, reading), formula, shown, check))
    formula = crasp_formula(decision, read, short=False)
    built = None if formula is None else counting_model(formula, dfa.alphabet, read, length=length)
    return CRaspResult(language.text, read, decision, tuple(memberships), built)


def _printed(formula: Counting | None) -> str | None:
    """A formula as text, if it is not too long."""
    return None if formula is None or counting_length(formula) > MOST_PRINTED else counting_printed(formula)


def _wrapped(text: str) -> list[str]:
    indent = len(text) - len(text.lstrip()) + 4
    return wrap(text, WIDTH - 4, subsequent_indent=" " * indent) or [""]
