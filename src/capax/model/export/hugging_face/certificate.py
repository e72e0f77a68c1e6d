"""The certificate beside a Hugging Face model: what the norms can change, on what that rests, and what is tested."""

import re
from collections.abc import Mapping
from typing import Any, Final

from capax.model.claim import causal_note, claimed_program
from capax.model.export.hugging_face.convert import Converted, NeutralNorms
from capax.model.provenance import Record

ASSUMPTIONS = (
    "the weights are run as they are, in the dtype of the configuration, and in evaluation mode",
    "a mean of D numbers is within (D + 4) u of their mean absolute value, in any order of summation",
    "a variance of D numbers is within (2 D + 8) u of itself, and 1 / sqrt of it within 4 u",
    "each further operation of a norm is rounded once, with a relative error of at most u, or not at all",
)


OPPOSITE = (
    "what is rounded when the two coordinates of a pair are written differs by at most u times the pinned number in all"
)
"""Proved where the answers are."""


def proved_length(answers: Mapping[str, Any] | None) -> int:
    """The length up to which all answers are proved; 0 for none."""
    return int(answers["verdicts"][0]["length"]) if answers else 0


def statement(converted: Converted, length: int) -> str:
    """What is proved of the answers, and of which program; what hiding later positions changes is not left out."""
    origin = converted.model.provenance
    whose = f"that of {claimed_program(True)}" if origin.causal else "the program's"
    note = causal_note(origin.causal_change) if origin.causal else None
    return (
        f"every answer is {whose}, for all words of 1 to {length} tokens on which the program has a value, "
        f"in {converted.model.numbers}{f'; {note}' if note else ''}"
    )


_SAID: Final = re.compile(
    r"every answer is [^;]*? for all words of 1 to (\d+) tokens [^;]*? in (\w+)(?:;.*)?", re.DOTALL
)


def says_otherwise(certificate: object, length: int, numbers: str) -> str | None:
    """What the sentences of a certificate claim of the answers beside what was found, in words; None for nothing."""
    proved = certificate.get("proved") if isinstance(certificate, dict) else None
    if not isinstance(proved, list) or not all(isinstance(text, str) for text in proved):
        return "its list of what is proved is damaged"
    about_answers = proved[1:]  # the first is about what norms read
    statements = [match.groups() for text in about_answers if (match := _SAID.fullmatch(text))]
    if len(statements) != len(about_answers) or statements != [(str(length), numbers)]:
        return f"its sentence about the answers is not that of {numbers} up to length {length}"
    return None


def not_proved(converted: Converted, answers: Mapping[str, Any] | None, length: int) -> list[str]:
    """What is not proved, and why."""
    if answers is None:
        return ["the answers: no proof was tried"]
    broken = answers["verdicts"][0]
    if broken["breaks"] is None:
        return []
    most = converted.model.max_length
    rest = f"the answers on words of {length + 1} to {most} tokens" if length else "the answers"
    finer = converted.norms is not None and converted.model.numbers == "float32"
    help = "; norms are rounded far less in float64: compile with `--dtype float64`" if finer else ""
    return [f"{rest}; the proof breaks: {broken['breaks']}{help}"]


def certificate_json(converted: Converted, config: Record, answers: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The certificate as plain data; `answers` is what is proved of the answers."""
    shared = {"version": 1, "class": config["architectures"][0], "dtype": converted.model.numbers}
    norms = converted.norms
    if norms is None:
        return shared | {"norms": "the model's own", "proved": [], "tested": [TESTED]}
    sizes, error = norms.sizes, norms.error
    figures = {
        "width": sizes.width,
        "pinned_pairs": sizes.pins,
        "pinned_number": norms.pin,
        "gain": norms.pin / 2**sizes.root,
        "scores_multiplied_by": converted.soften,
    }
    reads = (
        f"every map that reads a direction x of the stream after a norm reads a number within "
        f"{error.relative:.3g} * |x| + {error.absolute:.3g} of x, in rows no longer than {error.reach:.6g}"
    )
    count = 1 if not converted.after else 2 * len(converted.model.blocks) - 1
    if converted.after:
        reads += f"; the stream itself passes through {count} norms one after the other, each with that error"
    row = {
        "bound_used": error.reach,
        "longest_seen": norms.longest_seen,
        "longest_by_intervals": norms.longest_by_intervals,
        "evidence": norms.evidence,
    }
    length = proved_length(answers)
    if length:
        row["evidence"] = "proved"
    return shared | {
        "norms": "neutralised",
        "figures": figures,
        "assumptions": [*ASSUMPTIONS, *(() if length else (OPPOSITE,))],
        "proved": [reads, *([statement(converted, length)] if length else [])],
        "not_proved": not_proved(converted, answers, length),
        "answers": answers,
        "norms_in_a_row": count,
        "read_error": {"relative": error.relative, "absolute": error.absolute},
        "rows": row,
        "tested": [TESTED, *_off(norms)],
        "norms_off_by": norms.holds_when_off_by,
    }


def _off(norms: NeutralNorms) -> list[str]:
    """What was tried of norms that are worse than they are."""
    by, most = norms.holds_when_off_by, norms.error.relative
    if not by:
        return []
    whole = "the whole bound" if by >= most else "less than the bound"
    return [
        f"the answers on words that were tried, also when all norms, or every second one, are off by {by:.3g}, {whole}"
    ]


TESTED = "the answers: the directory was loaded by the stock class, and it gave the model's answers on the words tried"
