"""`capax.audit`: is a model right on every word, or where is it wrong?"""

import os
import time
from collections.abc import Callable, Mapping
from typing import Any, Final

from capax.app.against_specs.read_spec import SpecContext, read_spec
from capax.app.files.checkpoints import any_model
from capax.auditor.audit_lengths import audit_lengths
from capax.auditor.question import Question, Read, question
from capax.auditor.spec import Spec
from capax.auditor.specs.languages import of_dfa, of_language
from capax.auditor.specs.programs import of_model, of_program
from capax.auditor.verdict import Audit, AuditedLength
from capax.errors import CapaxError
from capax.formal.automata.dfa import Dfa
from capax.formal.languages.language import Language
from capax.model.model import Model
from capax.model.vocabulary import Token
from capax.rasp.python.program import Program

LONGEST: Final = 20
"""Words are audited up to this length unless another is named."""
MOST_SECONDS: Final = 86_400


def audit(
    model: Model | str | os.PathLike[str] | Any,
    against: "Spec | Program | Dfa | Language | Model | str" = "own",
    *,
    max_length: int | None = None,
    min_length: int = 1,
    seconds: float = 60.0,
    read: Read | None = None,
    alphabet: Any = None,
    answers: Mapping[Token, Token] | None = None,
    signs: bool = False,
    end: Token | None = None,
    offset: int = 0,
    seed: int = 0,
    parameters: Mapping[str, str] | None = None,
    report: Callable[[AuditedLength], None] = lambda verdict: None,
) -> Audit:
    """Whether a model equals a specification on all words of each length: proved, wrong at a word, or unknown.

    `model` is a `Model`, a compiled program, a model file, or a folder of Hugging Face or TransformerLens. `against` is
    an s-op, an automaton, a language, another model, or a text such as `"regex:(ab)*"`, `"majority"`, `"reverse"` or
    `"own"` (what the model's file says it computes). `read` is where the answer is: at `"each"` position, at the
    `"last"` letter, or at an `"end"` marker, the token `end`. `answers` names the model's outputs for the
    specification's answers; with `signs` every logit is a yes or no of its own. `offset` moves words in the table of
    positions. `seconds` bounds the time; `report` is called with each verdict.

    >>> import capax
    >>> from capax import aggregate, full_s, indicator, tokens
    >>> half = aggregate(full_s, indicator(tokens == "1")) > 1 / 2
    >>> model = capax.compile(half, alphabet="01", max_length=6).model
    >>> print(capax.audit(model, "majority", max_length=6, read="last").summary())
    equals majority on all words of 1 to 6 tokens
    """
    loaded = model_of(model)
    if not 0 < seconds <= MOST_SECONDS:
        raise CapaxError("bad-option", f"seconds is a number up to {MOST_SECONDS:,}, not {seconds:g}")
    asked = question_of(
        loaded,
        against,
        max_length=max_length,
        read=read,
        alphabet=alphabet,
        answers=answers,
        signs=signs,
        end=end,
        offset=offset,
        parameters=parameters,
    )
    lengths = lengths_of(asked, min_length, max_length)
    start = time.monotonic()
    return audit_lengths(
        asked,
        lengths,
        used=lambda: (time.monotonic() - start) / seconds,
        seconds=seconds,
        seed=seed,
        report=report,
    )


def model_of(model: Any) -> Model:
    """The model that is given, or that a compiled program or a file has."""
    if isinstance(model, Model):
        return model
    inner = getattr(model, "model", None)
    return inner if isinstance(inner, Model) else any_model(model)


def question_of(
    model: Model,
    against: Any,
    *,
    max_length: int | None = None,
    read: Read | None = None,
    alphabet: Any = None,
    answers: Mapping[Token, Token] | None = None,
    signs: bool = False,
    end: Token | None = None,
    offset: int = 0,
    parameters: Mapping[str, str] | None = None,
) -> Question:
    """The question that an audit answers; what is not said is taken from the model's file."""
    context = context_of(model, max_length, read, alphabet, end, parameters)
    spec = spec_of(against, context)
    _same_letters(spec, context)
    return question(model, spec, read=read, names=answers, signs=signs, end=end, offset=offset)


def _same_letters(spec: Spec, context: SpecContext) -> None:
    """Refuses letters that were named where the specification has its own, which are others."""
    if context.alphabet is None or {str(x) for x in context.alphabet} == {str(x) for x in spec.letters}:
        return
    own, named = (" ".join(map(str, letters[:20])) for letters in (spec.letters, context.alphabet))
    what = f"{spec.name:.60} is about words over {own}, and not over {named}"
    raise CapaxError("unfit-spec", what, hint="leave --alphabet out, or name another specification")


def context_of(
    model: Model,
    max_length: int | None = None,
    read: Read | None = None,
    alphabet: Any = None,
    end: Token | None = None,
    parameters: Mapping[str, str] | None = None,
) -> SpecContext:
    """What the text of a specification is read for; what is not said is taken from the model's file."""
    marker = end if end is not None else (model.provenance.end_marker if read == "end" else None)
    letters = None if alphabet is None else tuple(alphabet)
    return SpecContext(model, letters, _longest(model, max_length), marker, parameters)


def spec_of(against: Any, context: SpecContext) -> Spec:
    """The specification that a value stands for."""
    match against:
        case Spec():
            return against
        case str():
            return read_spec(against, context)
        case Program():
            return of_program(against, context.letters(), context.longest)
        case Dfa():
            return of_dfa(against, "the automaton")
        case Language():
            return of_language(against)
        case Model():
            return of_model(against, "the other model", context.alphabet)
    what = f"a specification is an s-op, an automaton, a language, a model or a text, not {type(against).__name__}"
    raise CapaxError("unfit-spec", what, hint='for instance "regex:(ab)*"')


def _longest(model: Model, asked: int | None) -> int:
    """The longest words that an audit is about."""
    if asked is not None:
        return asked
    return LONGEST if model.max_length is None else min(LONGEST, model.max_length)


def lengths_of(asked: Question, least: int, most: int | None) -> range:
    """The lengths of an audit; lengths that the model cannot read are refused."""
    longest = asked.longest
    if most is not None and longest is not None and most > longest:
        what = f"words of {most} letters are too long for the model, which reads at most {longest}"
        raise CapaxError("word-length", what, hint=f"--max-length {longest}")
    last = most if most is not None else min(LONGEST, longest if longest is not None else LONGEST)
    first = max(least, 1, asked.model.min_length - len(asked.suffix))
    if last < first:
        raise CapaxError("word-length", f"there are no lengths from {first} to {last}", hint="--max-length 20")
    return range(first, last + 1)
