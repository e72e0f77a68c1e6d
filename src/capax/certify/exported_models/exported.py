"""Whether the answers of an export to Hugging Face are proved: for all words up to a length, in its number system."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from capax.certify.certificate import ASSUMPTIONS, Certificate, LengthVerdict
from capax.certify.certify_budget import WorkBudget
from capax.certify.exported_models.directory import ABOUT, read_export
from capax.certify.exported_models.llama_proof import is_llama, llama_certificate
from capax.certify.exported_models.norms import EXP_UNITS
from capax.certify.exported_models.norms_certificate import NormedModel, check_normed
from capax.certify.exported_models.tokenizer import other_tokenizer
from capax.certify.exported_models.unpaired import CoordinatePairs
from capax.certify.length_search import up_to
from capax.certify.not_certified import NotCertified
from capax.certify.pipeline import ProofCache
from capax.certify.recheck.excess_claims import claims_too_much
from capax.certify.recheck.recheck import program_in, spec_of
from capax.certify.systems import LARGEST, LEAST, SYSTEMS, check_plain
from capax.errors import CapaxError
from capax.model.export.hugging_face.norm_bounds import norm_error
from capax.rasp.analysis.output_spec import OutputSpec
from capax.rasp.ir.nodes import SOpNode

FURTHER: Final = (
    ASSUMPTIONS[0],
    f"exp is within {EXP_UNITS} units in the last place, and is 0 where the exact value is below half of the least "
    "number of the system",
    *ASSUMPTIONS[2:],
    "each word has a row of the batch of its own, with the token of the tokenizer before it; what fills the row up "
    "stands before or after them, is the token for padding, and is masked",
)


@dataclass(frozen=True, slots=True)
class ExportHints:
    """What the files of an export do not say: the program and the hints, and what stands before every word.

    `about` has entries of the model's provenance (see `ABOUT`), `before` the ids of tokens before every word, and
    `reach` is a length that no row of the stream is to pass. `budget` is for building the program.
    """

    about: Mapping[str, Any]
    before: Sequence[int]
    reach: float
    budget: int | None = None


def proof_json(
    files: Mapping[str, bytes],
    about: Mapping[str, Any],
    before: Sequence[int],
    reach: float,
    *,
    budget: int | None = None,
) -> dict[str, Any]:
    """The certificate of the answers of an export, as plain data: of its own number system alone.

    What the files do not say (see `ExportHints`) is kept in it, so that it can be checked again.
    """
    hints = ExportHints({name: about[name] for name in ABOUT if name in about}, before, reach, budget)
    certificate = _certificate(files, hints, None)
    return {**certificate.to_json(), "about": {**hints.about, "before": list(before), "reach": reach}}


def recheck_export(
    files: Mapping[str, bytes], claimed: Any, *, budget: int | None = None
) -> tuple[str | None, LengthVerdict | None]:
    """What the certificate of an export claims too much, in words, or None; and what was proved."""
    about = claimed.get("about") if isinstance(claimed, dict) else None
    verdicts = claimed.get("verdicts") if isinstance(claimed, dict) else None
    if not isinstance(about, dict) or not isinstance(verdicts, list) or len(verdicts) != 1:
        return "it does not mention the answers, or is damaged", None
    (claim,) = verdicts
    if not isinstance(claim, dict):
        return "it is damaged", None
    before, reach, length = about.get("before"), about.get("reach"), claim.get("length")
    whole = isinstance(before, list) and all(type(i) is int and i >= 0 for i in before) and type(length) is int
    if not whole or not isinstance(reach, int | float) or not 0 < reach < 2.0**200:
        return "it is damaged", None
    assert isinstance(before, list)
    certificate = _certificate(files, ExportHints(about, before, float(reach), budget), length, claim.get("numbers"))
    (verdict,) = certificate.verdicts
    if verdict.length == 0:  # then the reason is what is said, and not that the types of no answer are proved
        certificate = replace(certificate, types=True)
    wrong = claims_too_much(claimed, certificate, {"about"})
    if wrong is None and verdict.length == 0:
        wrong = "it proves no length"
    return wrong or other_tokenizer(files, before, verdict.length), verdict


def _certificate(
    files: Mapping[str, bytes], hints: ExportHints, length: int | None, claimed: Any = None
) -> Certificate:
    """The certificate at one length, or at the greatest that is proved.

    That of files that cannot be read is about the number system that is claimed.
    """
    numbers = claimed if claimed in SYSTEMS else "float32"
    if is_llama(files):
        return llama_certificate(files, hints.about, hints.before, length, budget=hints.budget)
    try:
        export = read_export(files, hints.about, hints.before)
        numbers = export.model.numbers
        for name, array in export.model.arrays():
            check_plain(array, name, numbers, LEAST[numbers])
        program, causal = program_in(export.model, budget=hints.budget)
        assert isinstance(program.node, SOpNode)
        spec = spec_of(export.model, program.node, causal=causal)
        if not isinstance(spec, OutputSpec):
            raise NotCertified("the program has a loop, and the export none")
        pairs = export.pairs
        refuse_large_pins(pairs, numbers)
    except CapaxError as error:
        return _outer(LengthVerdict(numbers, 0, breaks=error.what), typed=False)
    except NotCertified as failure:
        return _outer(LengthVerdict.none(numbers, failure), typed=False)
    bounds = norm_error(pairs.sizes, numbers, pairs.pin, hints.reach, export.model.width, after=export.after)
    normed = NormedModel(export, bounds, numbers)
    verdict = longest_proved(normed, spec) if length is None else at_length(normed, spec, length)
    margin = verdict.decoding_margin
    return _outer(replace(verdict, decoding_margin=None if margin is None else min(margin, 1e300)), typed=spec.typed)


def refuse_large_pins(pairs: CoordinatePairs, numbers: str) -> None:
    """Refuses pinned numbers whose squares, added up by a norm, come near the end of a number system."""
    squares = 2 * pairs.sizes.pins * (pairs.pin * pairs.pin)  # unlike a power, a product may be infinite
    if squares > LARGEST[numbers] / 4:
        raise NotCertified("what is pinned could be too large for a norm", "the norms")


def _outer(verdict: LengthVerdict, *, typed: bool) -> Certificate:
    # the classes of the library take words of any length from 1 on
    return Certificate(typed, 1, (verdict,), FURTHER)


def at_length(normed: NormedModel, spec: OutputSpec, length: int) -> LengthVerdict:
    """The verdict at one length: that length, or 0 with what breaks."""
    most = normed.max_length
    if not 1 <= length <= most:
        return LengthVerdict(normed.numbers, 0, breaks=f"the model takes words up to length {most}")
    try:
        return check_normed(normed, spec, length, WorkBudget(), ProofCache())
    except NotCertified as failure:
        return LengthVerdict.none(normed.numbers, failure)


def longest_proved(normed: NormedModel, spec: OutputSpec) -> LengthVerdict:
    """The verdict at the model's own length, or else at the greatest length that is proved."""
    most, budget, cache = normed.max_length, WorkBudget(), ProofCache()
    low, high, best, broken = 0, most + 1, None, NotCertified("not tried")
    while high - low > 1:
        middle = most if high > most else max(1, min(2 * low, (low + high) // 2))
        try:
            best = check_normed(normed, spec, middle, budget, cache)
            low = middle
        except NotCertified as failure:
            broken, high = failure.without_frames(), middle
    if best is not None and low == most:
        return best
    return up_to(low, best, normed.numbers, broken, high)
