"""Proof that a model's weights compute a program: from the weights and the program's text alone.

This room imports no module of the compiler, which may use it but is not used by it. Both use the language, its
rewriting of programs above all: docs/explanation/certificates.md lists what is shared, and trusted.

`pipeline.py` has the check at one length, step by step; `search.py` finds the greatest length that passes it.
"""

from collections.abc import Sequence

from capax.certify.certificate import NOT_TRIED as NOT_TRIED
from capax.certify.certificate import Certificate as Certificate
from capax.certify.certificate import LengthVerdict as LengthVerdict
from capax.certify.certificate import with_help
from capax.certify.length_search import Proofs, least_length
from capax.certify.not_certified import NotCertified
from capax.certify.parts.sink_token import with_sinks
from capax.certify.systems import SYSTEMS
from capax.model.model import Model
from capax.rasp.analysis.output_spec import OutputSpec
from capax.rasp.rewrite.split_loop import LoopSpec


def certify(model: Model, spec: OutputSpec | LoopSpec, systems: Sequence[str] = SYSTEMS) -> Certificate:
    """The certificate of a model: up to which length it computes what the spec says, in each number system.

    A model with a token before every word is certified as the model with sinks that computes the same numbers. Its
    weights are rounded to a system first, since a sink that is exact in one need not be so in another.
    """
    if model.prefix:
        own_first = sorted(systems, key=lambda system: system != model.numbers)
        verdicts = [_with_sinks(model, spec, system) for system in own_first]
    else:
        verdicts = Proofs(model, spec).verdicts(systems)
    return Certificate.of(spec.typed, least_length(model), with_help(verdicts))


def verdict_at(model: Model, spec: OutputSpec | LoopSpec, numbers: str, length: int) -> LengthVerdict:
    """The verdict on a model in one number system and at one length."""
    if model.prefix:
        return _with_sinks(model, spec, numbers, length)
    return Proofs(model, spec).at_length(numbers, length)


def _with_sinks(model: Model, spec: OutputSpec | LoopSpec, numbers: str, length: int | None = None) -> LengthVerdict:
    """The verdict on a model with a sink token, at one length or the greatest that is certified."""
    try:
        proofs = Proofs(with_sinks(model.to(numbers)), spec)
    except NotCertified as failure:
        return LengthVerdict.none(numbers, failure)
    return proofs.greatest_length(numbers) if length is None else proofs.at_length(numbers, length)
