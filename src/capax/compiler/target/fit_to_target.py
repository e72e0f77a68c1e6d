"""A model, from a file or made by hand, as a target can hold it."""

from collections.abc import Sequence

from capax.certify.recheck.recheck import spec_of
from capax.compiler.check.agreement import agreement
from capax.compiler.compile import compile
from capax.compiler.domain import HALF_TARGETS, domain
from capax.compiler.target.build_for_target import check_target
from capax.errors import CapaxError
from capax.model.adapt.make_plain import PlainModel, make_plain
from capax.model.export.export_check import check
from capax.model.export.target import ExportOutput, Word
from capax.model.model import Model
from capax.model.provenance import RecordedDomain
from capax.model.run.run import decoded
from capax.model.run.run import logits as logits_of
from capax.rasp.ir.nodes import SOpNode
from capax.rasp.python.program import Program
from capax.rasp.text.module import stored_program


def fit(model: Model, target: str, *, budget: int | None = None) -> PlainModel:
    """The model as a plain one: its own weights in another form, or else its program compiled for the target.

    A model for which neither works is an error with the reason. `budget` is for building the program in its file.
    """
    check_target(target)
    compiled = _selective(model)
    if compiled is not None:
        return compiled
    adapted = make_plain(model)
    if isinstance(adapted, PlainModel):
        if adapted.added:
            check(model, lambda words: _run(adapted.model, words))  # raises if an answer differs
        return adapted
    origin = model.provenance
    if origin.program is None or origin.domain is None:
        hint = "a model that has its program in its file would be compiled again"
        if origin.turing is not None:
            hint = "`capax tm FILE --steps N --plain -o MODEL` makes the decoder of a machine that other tools can hold"
        raise CapaxError("not-exportable", f"{target} cannot represent the model: {adapted}", hint=hint, reason=adapted)
    return _compiled_again(model, stored_program(origin.program, budget=budget), origin.domain, target, adapted)


def _selective(model: Model) -> PlainModel | None:
    """The model as a plain one, if it says that a compiler made its heads and gives the same answers as if one had.

    The token in place of sinks is then hidden by scores that are no larger than those of sinks, which errors of other
    numbers change less.
    """
    if model.provenance.program is None or model.provenance.heads is None:
        return None
    adapted = make_plain(model, selective=True)
    if not isinstance(adapted, PlainModel):
        return None
    try:
        check(model, lambda words: _run(adapted.model, words))
    except CapaxError:
        return None
    return adapted


def _run(model: Model, words: Sequence[Word]) -> list[ExportOutput]:
    return [ExportOutput(decoded(model, logits), logits) for logits in logits_of(model, words)]


def _compiled_again(model: Model, program: Program, recorded: RecordedDomain, target: str, reason: str) -> PlainModel:
    longest, causal = recorded.max_length or 0, recorded.causal
    if model.numbers not in ("float32", "float64", *(("bfloat16",) if target in HALF_TARGETS else ())):
        hint = 'compile it in float32 or float64, or convert it: model.to("float32")'
        raise CapaxError("not-exportable", f"{target} cannot represent the model: {reason}", hint=hint, reason=reason)
    words = domain(recorded.alphabet, longest, causal=causal, dtype=model.numbers)
    if not isinstance(program.node, SOpNode):  # a file may say anything
        hint = "a model computes an s-op"
        raise CapaxError(
            "not-exportable",
            f"{target} cannot represent the model: {reason}; and the program in its file is a selector",
            hint=hint,
            reason=reason,
        )
    typed = spec_of(model, program.node, causal=causal).typed
    report = agreement(model, program.node, words, typed=typed, words=150)
    if not report.holds:
        differs = report.counterexample is not None
        why = "gives other answers than its weights" if differs else "has a value on none of the words that were tried"
        raise CapaxError(
            "not-exportable",
            f"{target} cannot represent the model: {reason}; and the program in its file {why}, so it cannot be "
            "compiled in their place",
            hint="`capax verify` shows a word on which they differ" if differs else "`capax verify` shows its errors",
            reason=reason,
        )
    again = compile(
        program,
        alphabet=words.alphabet,
        max_length=longest,
        causal=causal,
        dtype=words.dtype,
        keep_all=recorded.keep_all,
        target=target,
        certify=False,
    )
    assert again.model.provenance.target is not None, "it was compiled for a target"
    return PlainModel(again.model, ("the program of the file, compiled again", *again.model.provenance.target.added))
