"""Checks and certificates as text, for `capax compile` and `capax verify`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from capax.app.repl.screen import show_word
from capax.rasp.meaning.sequence import format_value, visible_string
from capax.report import Report

if TYPE_CHECKING:
    from capax.certify import LengthVerdict


def token_text(token: Any) -> str:
    """A token as the command line prints it."""
    return visible_string(token) if isinstance(token, str) else format_value(token)


def word_text(word: Sequence[Any]) -> str:
    """A word as the command line prints it: a string where all tokens are characters."""
    return show_word("".join(word) if all(isinstance(t, str) and len(t) == 1 for t in word) else list(word))


def check_lines(check: Report) -> list[str]:
    """A line for each kind of words that was tried."""
    lines = []
    for part in check.parts:
        count = f"{part.count:,} word{'' if part.count == 1 else 's'}"
        seed = f", seed {part.seed}" if part.seed is not None else ""
        lines.append(f"{'yes' if part.holds else 'no':<3} {part.statement} ({part.evidence}, {count}{seed})")
    nothing = check.figures["not compared"]
    lines += [f"--  nothing to compare on {which}: the program has a value on none of them" for which in nothing]
    return lines + [f"--  assumed: {assumption}" for assumption in check.assumptions]


def verdict_lines(verdicts: "Sequence[LengthVerdict]") -> list[str]:
    """A line for each number system: the certified length, and what breaks beyond it, where, and what would help."""
    return [line for verdict in verdicts for line in (length_line(verdict, 1), *_breaks(verdict))]


def length_line(verdict: "LengthVerdict", least: int) -> str:
    """The line that says up to which length a number system is certified, from a least length."""
    length = verdict.length
    words = f"up to length {length:,}" if least == 1 else f"for words of {least:,} to {length:,} tokens"
    return f"  {verdict.numbers:<9} {words if length else 'not certified'}"


def _breaks(verdict: "LengthVerdict") -> list[str]:
    if verdict.breaks is None:
        return []
    where = f" ({verdict.where})" if verdict.where and verdict.where not in verdict.breaks else ""
    lines = [f"    breaks {verdict.breaks}{where}"]
    return [*lines, f"    what would help: {verdict.help}"] if verdict.help else lines
