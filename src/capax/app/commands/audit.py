"""`capax audit MODEL --against SPEC`: proved on all words of a length, or wrong at a word."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from capax.app.commands._columns import columns, fact
from capax.app.commands._result import finish
from capax.app.options import PARAMETERS, SPLITS, Json, Unchecked, choice, parameters_of
from capax.app.process.output import say
from capax.errors import CapaxError

if TYPE_CHECKING:
    from capax.auditor.verdict import Audit, AuditedLength

GROUP: Final = ("Models", 4)
SHOWS_PROGRESS: Final = True
SETTINGS: Final = PARAMETERS
AGAINST: Final = (
    "What it should compute: a RASP program, regex:TEXT, a formula (ltl:, fo:, foc:, ltlc:), next:REGEX, a language "
    "such as majority, an automaton (.json), task:NAME, another model, or own (what its file says)."
)
SECONDS: Final = "Wall-clock time for the methods; the start, and the confirmation of a word, come on top."


@dataclass(frozen=True, slots=True)
class AuditResult:
    """The audit of the model of a file; `witness` is the file that the counterexample was written to."""

    model: str
    audit: "Audit"
    witness: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The audit as plain data."""
        return {"model": self.model, **self.audit.to_json(), "witness": self.witness}

    def render(self) -> str:
        """The question and the answer in a sentence, a table of lengths, and the counterexample."""
        return "\n".join(
            [
                *_question_lines(self.model, self.audit),
                "",
                *columns(table_rows(self.audit), right=(3, 4, 5, 6, 7)),
                *_end(self.audit),
            ]
        )


def card(audit: "Audit") -> dict[str, str]:
    """The forms of an audit in a notebook."""
    from capax.draw.subjects.card import text_card

    return text_card(AuditResult("the model", audit).render())


def _question_lines(name: str, audit: "Audit") -> list[str]:
    from capax.auditor.question import READS
    from capax.auditor.verdict import ranges

    asked = audit.question
    letters = " ".join(str(x) for x in asked.spec.letters[:24]) + (" ..." if len(asked.spec.letters) > 24 else "")
    before = f"after {' '.join(map(str, asked.model.prefix))}" if asked.model.prefix else "from position 0"
    position = before if not asked.offset else f"{before}, moved by {asked.offset} positions"
    where = READS[asked.read] + (f" ({asked.end})" if asked.end is not None else "")
    lines = [f"{name} against {asked.spec.name} ({asked.spec.kind})", audit.summary()]
    lines += fact("words", f"over {letters}, lengths {ranges([v.length for v in audit.lengths])}, {position}")
    lines += fact("answers", f"read {where}, as {asked.decode.what}; {asked.model.numbers}")
    if audit.unbounded is not None and audit.with_outcome("unknown"):
        lines += fact("bounds", f"none: {audit.unbounded}")
    return lines


def table_rows(audit: "Audit") -> list[list[str]]:
    """The titles, then a row for each length; runs of lengths with the same outcome and method are one row."""
    rows = [["length", "verdict", "by", "words", "bound", "rounding", "least margin", "seconds"]]
    run: list[AuditedLength] = []
    for verdict in audit.lengths:
        if run and (verdict.outcome, verdict.method) != (run[-1].outcome, run[-1].method):
            rows.append(_row(run))
            run = []
        run.append(verdict)
    rows.append(_row(run))
    return rows


def _row(run: "list[AuditedLength]") -> list[str]:
    from capax.auditor.verdict import ranges

    def least(values: list[float | None]) -> str:
        known = [v for v in values if v is not None]
        return f"{min(known):.3g}" if known else "-"

    many = _total([v.words for v in run])
    bounds = [(v.bound, v.rounding) for v in run if v.bound is not None]
    bound, rounding = min(bounds, key=lambda pair: pair[0]) if bounds else (None, None)
    return [
        ranges([v.length for v in run]),
        run[0].outcome,
        run[0].method or "-",
        "-" if many is None else (f"{many:,}" if many < 10**12 else f"{float(many):.1e}"),
        "-" if bound is None else f"{bound:.3g}",
        "-" if rounding is None else f"{rounding:.1e}",
        least([v.margin for v in run]),
        f"{sum(v.seconds for v in run):.1f}",
    ]


def _total(counts: "list[int | None]") -> int | None:
    """The sum of counts; None if one is not known."""
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None


def _end(audit: "Audit") -> list[str]:
    from capax.auditor.verdict import answer_json, word_text

    lines = []
    first = audit.wrong
    if first is not None and first.counterexample is not None:
        wrong = first.counterexample
        margins = ", ".join(f"{m:.3g} in {system}" for system, m in wrong.margins.items())
        lines += fact("wrong at", word_text(wrong.word))
        at = f"at position {wrong.position} the model answers {answer_json(wrong.answer)!r}"
        lines += fact("", f"{at}, and {answer_json(wrong.expected)!r} is right; margin {margins}")
    near = [v for v in audit.lengths if v.outcome == "unknown" and v.word is not None]
    if near:
        worst = min(near, key=lambda v: v.margin if v.margin is not None else 0.0)
        assert worst.word is not None
        lines += fact("closest", f"{word_text(worst.word)}, margin {worst.margin:.3g}: right, as far as it was tried")
    return ["", *lines] if lines else []


def command(
    context: typer.Context,
    model: Annotated[
        str, typer.Argument(metavar="MODEL", help="A model file, or a folder of Hugging Face or TransformerLens.")
    ],
    against: Annotated[str, typer.Option("--against", metavar="SPEC", help=AGAINST)] = "own",
    max_length: Annotated[
        int | None, typer.Option("--max-length", metavar="N", help="The longest words.", show_default="20")
    ] = None,
    seconds: Annotated[float, typer.Option("--seconds", metavar="S", help=SECONDS)] = 60.0,
    read: Annotated[
        str | None,
        choice("--read", choices=("each", "last", "end"), help="Where the answer is read.", show_default="its file's"),
    ] = None,
    alphabet: Annotated[
        str | None, typer.Option("--alphabet", help="The letters of words.", show_default="the model's tokens")
    ] = None,
    split: Annotated[str, choice("--as", choices=SPLITS, help="How --alphabet is split.")] = "chars",
    answers: Annotated[
        str | None, typer.Option("--answers", metavar="A=B,...", help="The model's output B for each right answer A.")
    ] = None,
    signs: Annotated[bool, typer.Option("--signs", help="Every logit is a yes or no for its token.")] = False,
    end: Annotated[str | None, typer.Option("--end", metavar="TOKEN", help="The end marker after a word.")] = None,
    offset: Annotated[int, typer.Option("--offset", metavar="K", help="Move words by K learned positions.")] = 0,
    min_length: Annotated[int, typer.Option("--min-length", metavar="N", help="The shortest words.")] = 1,
    seed: Annotated[int, typer.Option("--seed", help="The seed of the search.")] = 0,
    draw: Annotated[
        str | None, typer.Option("--draw", metavar="FILE", help="Draw bound and least margin by length, as .svg.")
    ] = None,
    output: Annotated[
        str | None, typer.Option("-o", "--output", metavar="WITNESS", help="The .json file for a counterexample.")
    ] = None,
    unchecked: Unchecked = False,
    as_json: Json = False,
) -> None:
    """Prove a model right on every word of a length, or find a word on which it is wrong.

    Exit code 0 if it is right on all words of all lengths, 1 if it is wrong or a length is not decided. Parameters of
    a task are options: `--against task:bounded-counter --depth 3`.

    Example: capax audit model.safetensors --against 'regex:.*11.*' --max-length 50
    """
    from capax.app.against_specs.audit import audit as run_audit
    from capax.app.files.checkpoints import any_model

    _check_files(draw, output)
    result = run_audit(
        any_model(model, unchecked=unchecked),
        against,
        max_length=max_length,
        min_length=min_length,
        seconds=seconds,
        read=read_option(read),
        alphabet=alphabet_option(alphabet, split),
        answers=answers_option(answers),
        signs=signs,
        end=end,
        offset=offset,
        seed=seed,
        parameters=parameters_of(context.args, "audit"),
        report=_progress,
    )
    written = _write_witness(result, output)
    if draw is not None:
        _draw(result, draw)
    finish(AuditResult(model, result, written), as_json=as_json, yes=result.proved, written=written)


def read_option(text: str | None) -> Any:
    """Where the answer is read, if that is said."""
    if text not in (None, "each", "last", "end"):
        raise CapaxError("bad-option", f"--read is each, last or end, not {text!r:.40}")
    return text


def alphabet_option(text: str | None, split: str) -> list[Any] | None:
    """The letters of words, if they are named."""
    from capax.app.inputs import split_input

    letters = None if text is None else split_input(text, split)
    if letters is not None and (not letters or len(set(map(repr, letters))) != len(letters)):
        raise CapaxError("bad-alphabet", "the alphabet is empty, or has a letter twice", hint="--alphabet ab")
    return letters


def answers_option(text: str | None) -> dict[Any, Any] | None:
    """The outputs that stand for right answers, written `False=no,True=yes`."""
    if text is None:
        return None
    pairs = [item.partition("=") for item in text.split(",")]
    if not all(equals and name for name, equals, _ in pairs):
        hint = "write --answers False=no,True=yes"
        raise CapaxError("bad-option", f"{text!r:.60} does not pair answers with outputs", hint=hint)
    return {_value(name): value for name, _, value in pairs}


def _value(text: str) -> Any:
    """A right answer as it is written: a truth value, a whole number or a text, `""` for the empty one."""
    if text == '""':
        return ""
    if text in ("True", "False"):
        return text == "True"
    try:
        return int(text)
    except ValueError:
        return text


def _progress(verdict: "AuditedLength") -> None:
    """A line on standard error for each length, at a terminal."""
    import sys

    if sys.stderr.isatty():
        say(f"length {verdict.length}: {verdict.outcome}", "quiet")


def _write_witness(audit: "Audit", output: str | None) -> str | None:
    """Writes the counterexample of the least length, if there is one; the name of the file."""
    first = audit.wrong
    if output is None or first is None or first.counterexample is None:
        return None
    from capax.app.files.text_files import write_text
    from capax.auditor.witness import witness_json

    write_text(Path(output), json.dumps(witness_json(audit.question, first.counterexample), indent=1) + "\n")
    return output


def _check_files(draw: str | None, output: str | None) -> None:
    """Refuses files that could not be written, before the audit and not after it."""
    if draw is not None and not draw.endswith(".svg"):
        raise CapaxError("bad-option", f"a plot is an .svg file, not {draw}", hint="--draw margins.svg")
    for name in (draw, output):
        if name is not None and not Path(name).parent.is_dir():
            raise CapaxError("file-unreadable", f"there is no folder {Path(name).parent} to write {Path(name).name} to")


def _draw(audit: "Audit", file: str) -> None:
    from capax.app.files.text_files import write_text
    from capax.draw.subjects.audit_plot import draw_audit

    write_text(Path(file), draw_audit(audit))
    say(f"written to {file}")
