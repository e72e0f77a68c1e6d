"""Whether the answers of an export to Hugging Face are proved: for all words up to a length, in its number system."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from capax.certify.budget import Effort
from capax.certify.certificate import ASSUMPTIONS, VERSION, Verdict, up_to
from capax.certify.exports.directory import ABOUT, held
from capax.certify.exports.norms import EXP_UNITS
from capax.certify.exports.norms_certificate import Normed, certify_normed
from capax.certify.intervals.arithmetic import LARGEST, LEAST
from capax.certify.intervals.rounded_weights import check_plain
from capax.certify.not_certified import Refusal
from capax.certify.recheck.claims import claims_too_much
from capax.certify.recheck.recheck import program_in, wanted_of
from capax.errors import CapaxError
from capax.model.export.hugging_face.bounds import norm_error
from capax.rasp.analysis.output_spec import OutputSpec
from capax.rasp.ir.nodes import SOpNode

FURTHER = (
    ASSUMPTIONS[0],
    f"exp is within {EXP_UNITS} units in the last place, and is 0 where the exact value is below half of the least "
    "number of the system",
    *ASSUMPTIONS[2:],
    "each word has a row of the batch of its own, with the token of the tokenizer before it; what fills the row up "
    "stands before or after them, is the token for padding, and is masked",
)


def proof(
    files: Mapping[str, bytes],
    about: Mapping[str, Any],
    before: Sequence[int],
    reach: float,
    *,
    budget: int | None = None,
) -> dict[str, Any]:
    """The certificate of the answers of an export, as plain data: of its own number system alone.

    `about` has the program and the hints, `before` the ids of tokens that stand before every word, and `reach` a length
    that no row of the stream is to pass. All are kept in it, so that it can be checked again. `budget` is for building
    the program.
    """
    said = {name: about[name] for name in ABOUT if name in about}
    found, typed = _verdict(files, said, before, reach, None, budget)
    return {**_outer(typed, found), "about": {**said, "before": list(before), "reach": reach}}


def recheck_export(
    files: Mapping[str, bytes], claimed: Any, *, budget: int | None = None
) -> tuple[str | None, Verdict | None]:
    """What the certificate of an export claims too much, in words, or None; and what was found."""
    about = claimed.get("about") if isinstance(claimed, dict) else None
    verdicts = claimed.get("verdicts") if isinstance(claimed, dict) else None
    if not isinstance(about, dict) or not isinstance(verdicts, list) or len(verdicts) != 1:
        return "it says nothing of the answers, or is damaged", None
    if not isinstance(verdicts[0], dict):
        return "it is damaged", None
    before, reach, length = about.get("before"), about.get("reach"), verdicts[0].get("length")
    whole = isinstance(before, list) and all(type(i) is int and i >= 0 for i in before) and type(length) is int
    if not whole or not isinstance(reach, int | float) or not 0 < reach < 2.0**200:
        return "it is damaged", None
    assert isinstance(before, list)
    found, typed = _verdict(files, about, before, float(reach), length, budget)
    wrong = claims_too_much(claimed, _outer(typed, found), {"about"})
    if wrong is None and found.length == 0:
        wrong = "it proves no length"
    return wrong, found


def _outer(typed: bool, found: Verdict) -> dict[str, Any]:
    # the classes of the library take words of any length from 1 on
    about = {"version": VERSION, "assumptions": list(FURTHER), "types": typed, "min_length": 1}
    return {**about, "verdicts": [found.to_json()]}


def _verdict(
    files: Mapping[str, bytes],
    about: Mapping[str, Any],
    before: Sequence[int],
    reach: float,
    length: int | None,
    budget: int | None,
) -> tuple[Verdict, bool]:
    """The verdict, at one length or the greatest that is proved, and whether it is about types too."""
    numbers = "float32"
    try:
        given = held(files, about, before)
        numbers = given.model.numbers
        for name, array in given.model.arrays():
            check_plain(array, name, numbers, LEAST[numbers])
        program, causal = program_in(given.model, budget=budget)
        assert isinstance(program.node, SOpNode)
        wanted = wanted_of(given.model, program.node, causal=causal)
    except CapaxError as error:
        return Verdict(numbers, 0, False, (), (), None, error.what), False
    except Refusal as refusal:
        return _nothing(numbers, refusal), False
    pairs = given.pairs
    if 2 * pairs.sizes.pins * pairs.pin**2 > LARGEST[numbers] / 4:
        return _nothing(numbers, Refusal("what is pinned could be too large for a norm", "the norms")), False
    bounds = norm_error(pairs.sizes, numbers, pairs.pin, reach, given.model.width, after=given.after)
    it = Normed(given, bounds, numbers)
    found = longest_proved(it, wanted) if length is None else at_length(it, wanted, length)
    margin = found.decoding_margin
    return replace(found, decoding_margin=None if margin is None else min(margin, 1e300)), wanted.typed


def _nothing(numbers: str, refusal: Refusal) -> Verdict:
    return Verdict(numbers, 0, False, (), (), None, refusal.why, refusal.where or None)


def at_length(it: Normed, wanted: OutputSpec, length: int) -> Verdict:
    """The verdict at one length: that length, or 0 with what breaks."""
    most = it.given.model.max_length
    assert most is not None
    if not 1 <= length <= most:
        return _nothing(it.numbers, Refusal(f"the model takes words up to length {most}"))
    try:
        return certify_normed(it, wanted, length, Effort())
    except Refusal as refusal:
        return _nothing(it.numbers, refusal)


def longest_proved(it: Normed, wanted: OutputSpec) -> Verdict:
    """The verdict at the model's own length, or else at the greatest length that is proved."""
    most = it.given.model.max_length
    assert most is not None
    effort = Effort()
    low, high, best, broken = 0, most + 1, None, Refusal("not tried")
    while high - low > 1:
        middle = most if high > most else max(1, min(2 * low, (low + high) // 2))
        try:
            best = certify_normed(it, wanted, middle, effort)
            low = middle
        except Refusal as refusal:
            broken, high = refusal.kept(), middle
    if best is not None and low == most:
        return best
    return up_to(low, best, it.numbers, broken, high)
