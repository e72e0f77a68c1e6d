"""The job of an audit: a model held against a specification, its margins drawn, and its attention on the word."""

import time
from pathlib import Path
from typing import Final

from capax.app.against_specs.audit import context_of, lengths_of, question_of
from capax.app.against_specs.read_spec import read_text_spec
from capax.app.commands.audit import AuditResult, alphabet_option, answers_option, read_option, table_rows
from capax.app.files.checkpoints import ENDING
from capax.app.files.models import load_model
from capax.app.web import request as read
from capax.app.web.examples import EXAMPLES
from capax.app.web.jobs.checkpoint_files import checkpoint_model
from capax.app.web.jobs.flow_json import flow_json
from capax.app.web.request import Reply, Request
from capax.app.web.sandbox.sandbox import OutOfTime, deadline
from capax.auditor.audit_lengths import audit_lengths
from capax.auditor.bounds.prove import unsupported
from capax.auditor.question import Question
from capax.auditor.spec import Word
from capax.auditor.verdict import Audit, AuditedLength
from capax.auditor.witness import witness_json
from capax.draw.subjects.audit_plot import draw_audit
from capax.draw.subjects.model_view import model_flow
from capax.errors import CapaxError
from capax.model.model import Model
from capax.model.vocabulary import Token

SECONDS: Final = 20.0
"""How long an audit works; the budget of its request is larger, for files and pictures."""
SPARE: Final = 3.0
"""Seconds after which an audit that does not stop by itself is interrupted."""
LONGEST: Final = 200
"""The longest words that are audited here."""
MOST_SPEC: Final = 2_000
"""Characters of a specification."""
MOST_DRAWN: Final = 100
"""Attention is drawn on words of up to this many tokens."""
MOST_HEADS: Final = 48
KEYS: Final = ("example", "files", "against", "max_length", "read", "alphabet", "answers", "end", "signs", "given")
"""What a request may have."""


def audit(request: Request, folder: str | None) -> Reply:
    """What `capax audit` gives, with the rows of its table, its plot, its witness and the attention on the word."""
    assert folder is not None
    name, model = _model(request, Path(folder) / "checkpoint")
    longest = read.whole(request, "max_length", 1, LONGEST) if request.get("max_length") is not None else None
    where = read_option(read.maybe(request, "read", 10))
    letters = _letters(read.maybe(request, "alphabet", 200), model)
    end = read.maybe(request, "end", 40)
    context = context_of(model, longest, where, letters, end, read.parameters(request) or None)
    asked = question_of(
        model,
        read_text_spec(read.text(request, "against", MOST_SPEC, "own").strip(), context),
        read=where,
        answers=answers_option(read.maybe(request, "answers", 400)),
        signs=read.truth(request, "signs"),
        end=end,
    )
    result = _in_time(asked, lengths_of(asked, 1, longest))
    drawn = any(one.margin is not None for one in result.lengths)
    return {
        "audit": AuditResult(name, result).to_json(),
        "size": model.size.to_json(),
        "rows": table_rows(result),
        "plot": draw_audit(result) if drawn else None,
        "narrow_plot": draw_audit(result, narrow=True) if drawn else None,
        "attention": _attention(result, name),
        "witness": _witness(result),
    }


def _in_time(asked: Question, lengths: range) -> Audit:
    """The verdicts that the time is enough for; a length that is being worked on when it is over is unknown."""
    verdicts: dict[int, AuditedLength] = {}
    start = time.monotonic()
    try:
        with deadline(SECONDS + SPARE):
            return audit_lengths(
                asked,
                lengths,
                used=lambda: (time.monotonic() - start) / SECONDS,
                seconds=SECONDS,
                report=lambda verdict: verdicts.update({verdict.length: verdict}),
            )
    except OutOfTime:
        late = "no time was left for it"
        decided = tuple(verdicts.get(n) or AuditedLength(n, "unknown", note=late) for n in lengths)
        return Audit(asked, decided, unsupported(asked))


def _model(request: Request, folder: Path) -> tuple[str, Model]:
    """The model of a request and its name: one that comes with capax, or the files of a checkpoint."""
    if request.get("files"):
        model = checkpoint_model(request, folder)
        return next(name for name in request["files"] if name.endswith(ENDING)), model
    name = read.text(request, "example", 60)
    if name not in EXAMPLES:
        raise CapaxError("bad-option", f"there is no example {name}", hint=f"one of {', '.join(EXAMPLES)}")
    return name, load_model(EXAMPLES[name].path)


def _letters(text: str | None, model: Model) -> list[Token] | None:
    """The letters of words, if they are named: numbers for a model of numbers, and words if there are spaces."""
    if text is None:
        return None
    numbers = all(isinstance(token, int) for token in model.vocabulary.tokens)
    return alphabet_option(text, "ints" if numbers else "words" if " " in text.strip() else "chars")


def _witness(result: Audit) -> Reply | None:
    """The counterexample of the least length, as the file that `capax check-witness` takes."""
    wrong = result.wrong
    if wrong is None or wrong.counterexample is None:
        return None
    return witness_json(result.question, wrong.counterexample)


def _attention(result: Audit, name: str) -> Reply:
    """The attention on the counterexample, or else on the word with the least margin, as plain data."""
    wrong = result.wrong
    seen = [one for one in result.lengths if one.word is not None and one.margin is not None]
    closest = min(seen, key=lambda one: one.margin or 0.0, default=None)
    if wrong is not None and wrong.counterexample is not None:
        word, margin = wrong.counterexample.word, None
    elif closest is not None and closest.word is not None:
        word, margin = closest.word, closest.margin
    else:
        return {"word": None, "margin": None, "flow": None, "note": "no word was tried"}
    picture, note = _drawn(result, word, name)
    return {"word": list(word), "margin": margin, "flow": picture, "note": note}


def _drawn(result: Audit, word: Word, name: str) -> tuple[Reply | None, str | None]:
    """The picture of the attention on a word, or why there is none."""
    model, tokens = result.question.model, result.question.tokens(word)
    heads = sum(len(block.heads) for block in model.blocks)
    if len(tokens) > MOST_DRAWN or heads > MOST_HEADS:
        return None, f"drawn for words of up to {MOST_DRAWN} tokens and models of up to {MOST_HEADS} heads"
    try:
        return flow_json(model_flow(model, tokens, title=name)), None
    except CapaxError as error:
        return None, error.what
