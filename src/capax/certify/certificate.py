"""The certificate: up to which length, in which number system, every answer of a model is the program's, and why.

Statement. For every word of the model's tokens, from the model's least length to the certified one, on which the
program gives a value, the model's decoded answer is that value, in that number system, under the assumptions below.
Of a causal model, the program is meant with later positions hidden: every selector sees no later one.
Idea. Every base of the program (token, place, and each aggregate and count) is an axis with finitely many values. The
model's numbers are intervals over axes: the embedding is exact, an MLP is interval arithmetic over its actual weights,
and a head that is said to compute an aggregate is checked on every pair of a query and a key: selected pairs have equal
scores and all others lower ones. Its output is then bounded for each value of the aggregate, which is the next axis.
Scope. Which head computes which aggregate is a hint in the file; a wrong hint is refused, so hints are not trusted.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

import numpy as np

from capax.certify.budget import Effort
from capax.certify.intervals.arithmetic import LEAST_EXPONENT, ROUNDOFF, Arithmetic
from capax.certify.intervals.rounded_weights import converted
from capax.certify.intervals.tensor import Wide
from capax.certify.not_certified import Refusal
from capax.certify.parts.decoding import decoded
from capax.certify.parts.heads import HeadFigures, check_head, is_sum_of
from capax.certify.parts.stream import StageFigures, added, by_value, embedded, through_mlp
from capax.certify.search import Search
from capax.certify.values.axes import Axes
from capax.model.model import Model
from capax.model.parts import Head
from capax.model.provenance import HeadClaim
from capax.rasp.analysis.output_spec import OutputSpec
from capax.rasp.ir.graph import topological
from capax.rasp.ir.nodes import Aggregate, Node, SelectorNode, SOpNode, Width
from capax.rasp.rewrite.disjoint import disjoint_parts

SYSTEMS = ("float64", "float32", "bfloat16")

ASSUMPTIONS = (
    "products, sums and quotients are rounded to nearest, with a relative error of at most the unit roundoff, in any "
    "order, with or without fused multiply-add",
    "exp is within 2 units in the last place, exp(0) is 1, and exp is 0 where the exact value is below half of the "
    "least number of the system",
    "softmax subtracts the greatest score before exp",
    "floats that differ by rounding only count as equal answers",
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What holds in one number system: certified up to a length (0: none), with the figures, or what breaks and why."""

    numbers: str
    length: int
    whole: bool
    heads: tuple[HeadFigures, ...]
    stages: tuple[StageFigures, ...]
    decoding_margin: float | None
    breaks: str | None = None
    where: str | None = None
    help: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The verdict as plain data."""
        flat = {f.name: getattr(self, f.name) for f in fields(self)}
        return {**flat, "heads": [asdict(h) for h in self.heads], "stages": [asdict(s) for s in self.stages]}


Hints = list[list[tuple[list[SOpNode], SelectorNode]]]
"""For each block, for each head, the aggregates or the width that it is said to compute, and over which selector."""


def hinted(model: Model, root: SOpNode) -> tuple[Hints, dict[Node, list[SelectorNode]]]:
    """What the heads are said to compute, and the parts of widths that are sums, which must add up."""
    order = topological(root)
    found: Hints = []
    parts: dict[Node, list[SelectorNode]] = {}
    hints = model.provenance.heads
    if hints is None or len(hints) != len(model.blocks):
        raise Refusal("the file does not say what its heads compute")
    for block, entries in zip(model.blocks, hints, strict=True):
        if len(entries) != len(block.heads):
            raise Refusal("the file does not say what each head computes")
        found.append([_hint(entry, order, parts) for entry in entries])
    for node, pieces in parts.items():
        assert isinstance(node, Width)
        if not is_sum_of(node.selector, pieces):
            raise Refusal("the parts of a width do not add up to it")
    return found, parts


def _hint(
    entry: HeadClaim, order: Sequence[Node], pieces: dict[Node, list[SelectorNode]]
) -> tuple[list[SOpNode], SelectorNode]:
    try:
        nodes = [order[k] for k in entry.computes]
        part = entry.part
    except IndexError:
        raise Refusal("a hint about a head is damaged") from None
    if not nodes or not all(isinstance(n, (Aggregate, Width)) for n in nodes):
        raise Refusal("a hint about a head names no aggregate")
    selector = nodes[0].selector
    if part is None:
        if any(n.selector is not selector for n in nodes):
            raise Refusal("a head is said to compute aggregates of different selectors")
        return [n for n in nodes if isinstance(n, SOpNode)], selector
    parts = disjoint_parts(selector) or []
    if not isinstance(nodes[0], Width) or not isinstance(part, int) or not 0 <= part < len(parts):
        raise Refusal("a hint about a head names no part of a selector")
    pieces.setdefault(nodes[0], []).append(parts[part])
    return [Width(parts[part])], parts[part]


def certify(
    model: Model,
    wanted: OutputSpec,
    *,
    numbers: str | tuple[str, ...],
    longest: int,
    effort: Effort | None = None,
    keys: int = 0,
) -> Verdict:
    """The verdict at one length; raises `Refusal` where the model is not certified at it.

    Of several number systems it is a verdict that holds in each. A check that would go through too many combinations
    of values is tried again with fewer axes. With `keys`, errors are those of heads that add up so many keys.
    """
    effort = effort or Effort()
    if longest >= effort.beyond:
        raise Refusal("the check would go through too many combinations of values", too_many=True)
    try:
        return _certify(model, wanted, numbers, longest, effort, keys, forget=False)
    except Refusal as refusal:
        if not refusal.too_many:
            raise
    try:
        return _certify(model, wanted, numbers, longest, effort, keys, forget=True)
    except Refusal as refusal:
        if refusal.too_many:
            effort.beyond = longest
        raise


def axes_of(
    model: Model,
    root: SOpNode,
    longest: int,
    parts: Mapping[Node, Sequence[SelectorNode]],
    effort: Effort,
    *,
    forget: bool,
) -> Axes:
    """The values of the program, which are the same in all number systems."""
    key = longest, forget
    if key in effort.kept:
        kept, work = effort.kept[key]
        effort.spend(work)
        assert isinstance(kept, Axes)
        return kept
    before = effort.left
    made = Axes(root, model.vocabulary.tokens, longest, parts, forget=forget, effort=effort)
    effort.kept[key] = made, before - effort.left
    return made


def _certify(
    model: Model,
    wanted: OutputSpec,
    numbers: str | tuple[str, ...],
    longest: int,
    effort: Effort,
    keys: int = 0,
    *,
    forget: bool,
) -> Verdict:
    effort.begin()
    root = wanted.root
    if ("hints",) not in effort.kept:  # the same at every length
        effort.kept["hints",] = hinted(model, root), 0
    said, parts = effort.kept["hints",][0]
    axes = axes_of(model, root, longest, parts, effort, forget=forget)
    arithmetic = Arithmetic(numbers, {a: len(v) for a, v in axes.values.items()}, effort, axes.feasible)
    arithmetic.keys = keys
    slots = embedded(model, axes, arithmetic)
    stages: list[Callable[[], StageFigures]] = []
    heads: list[HeadFigures] = []
    if model.input_mlp is not None:
        slots, figures = through_mlp(model.input_mlp, slots, axes, arithmetic, "the input MLP", forget=forget)
        slots = by_value(slots, axes, arithmetic, narrow=forget)
        stages += figures
    if model.prefix or any(b.attention_norm or b.mlp_norm for b in model.blocks) or model.readout.norm:
        raise Refusal("models with norms or a prefix are not certified")
    for number, block in enumerate(model.blocks):
        results: list[list[Wide]] = [[s] for s in slots]
        for place, head in enumerate(block.heads):
            where = f"layer {number + 1}, head {place + 1}"
            if not isinstance(head, Head):
                raise Refusal(f"{where} is no ordinary head", where)
            nodes, part = said[number][place]
            checked = check_head(head, nodes, part, slots, axes, arithmetic, where)
            heads.append(checked.figures)
            _write(results, head, checked.columns, arithmetic)
        if np.asarray(block.bias).any():
            raise Refusal(f"layer {number + 1} has a bias beside its heads")
        slots = [added(r, arithmetic) for r in results]
        if block.mlp is not None:
            where = f"layer {number + 1}, MLP"
            slots, figures = through_mlp(block.mlp, slots, axes, arithmetic, where, forget=forget)
            slots = by_value(slots, axes, arithmetic, narrow=forget)
            stages += figures
    margin = decoded(model, wanted, slots, axes, arithmetic)
    whole = longest == model.max_length
    return Verdict(arithmetic.numbers, longest, whole, tuple(heads), tuple(s() for s in stages), margin)


def _write(results: list[list[Wide]], head: Head, columns: list[Wide], arithmetic: Arithmetic) -> None:
    output = np.asarray(head.output, np.float64)
    for row, column in enumerate(columns):
        slots = np.nonzero(output[row])[0].tolist()
        for slot, scaled in zip(
            slots, arithmetic.sums([column], output[row : row + 1, slots], np.zeros(len(slots))), strict=True
        ):
            results[slot].append(scaled)
    if output.shape[0] > len(columns) and output[len(columns) :].any():
        raise Refusal("a head writes more than it is said to compute")


def at_length(model: Model, wanted: OutputSpec, numbers: str, length: int) -> Verdict:
    """The verdict at one length: that length, or 0 with what breaks."""
    assert model.max_length is not None
    if not least_length(model) <= length <= model.max_length:
        takes = f"the model takes words of {least_length(model):,} to {model.max_length:,} tokens"
        why = None if length <= 0 else takes
        return Verdict(numbers, 0, False, (), (), None, why)
    try:
        effort = Effort()
        held = converted(model, numbers, effort)
        return certify(held, wanted, numbers=numbers, longest=length, effort=effort)
    except Refusal as refusal:
        return _refused(numbers, refusal)


def _refused(numbers: str, refusal: Refusal) -> Verdict:
    return Verdict(numbers, 0, False, (), (), None, refusal.why, refusal.where or None)


FEW = 4
"""A short length that is tried early."""


def verdict(
    model: Model,
    wanted: OutputSpec,
    numbers: str,
    guess: int = 0,
    effort: Effort | None = None,
    failed: Refusal | None = None,
) -> Verdict:
    """The verdict in a number system: at the model's own length, or else at the greatest length that is certified.

    `guess` is a length at which it may break, from another system: it and the next are tried first. `failed` is what
    broke at the model's own length in a proof for more systems: then it likely breaks here, too.
    """
    assert model.max_length is not None
    effort = effort or Effort()
    try:
        held = converted(model, numbers, effort)
    except Refusal as refusal:
        return _refused(numbers, refusal)
    search = Search(model.max_length + 1)
    # what was made for finer numbers often fails at once in coarser ones
    coarser = ROUNDOFF[numbers] > ROUNDOFF.get(model.numbers, 1.0)
    search.tried = [1, 2, FEW, model.max_length] if coarser and model.max_length > FEW else [model.max_length]
    best, broken = None, Refusal("not tried")
    if failed is not None and failed.margin is not None and math.isfinite(failed.margin):
        search.missed = [(model.max_length, failed.margin)]
        broken = _on_short_words(held, wanted, numbers, search, effort) or broken
        search.tried = [search.high - 1]
    if guess and ROUNDOFF[numbers] < ROUNDOFF.get(model.numbers, 0.0) and guess + 1 < effort.beyond:
        search.tried.append(model.max_length // 2)  # what broke in coarser numbers will not break here
    elif guess:
        search.tried += [guess, guess + 1]
    search.tried.append(FEW)
    again = 2
    while (length := search.next()) is not None:
        try:
            best = certify(held, wanted, numbers=numbers, longest=length, effort=effort)
            search.succeeded(length, best.decoding_margin)
        except Refusal as refusal:
            broken = refusal.kept()
            search.failed(length, broken)
            if broken.too_many and again:
                again -= 1
                effort.next_system()  # shorter lengths are not to pay for that
    low, high = search.low, search.high
    if best is not None and low == model.max_length:
        return best
    if low < least_length(model):  # the model takes no word of a length that is certified
        low, best = 0, None
    return up_to(low, best, numbers, broken, high)


def least_length(model: Model) -> int:
    """The length of the shortest words that a certificate of the model is about: the empty one is in none."""
    return max(model.min_length, 1)


def up_to(length: int, best: Verdict | None, numbers: str, broken: Refusal, high: int) -> Verdict:
    """The verdict of a search that ended at a length, with what breaks at `high`."""
    return replace(
        best or Verdict(numbers, 0, False, (), (), None),
        length=length,
        whole=False,
        breaks=f"at length {high}: {broken.why}",
        where=broken.where or None,
    )


def advised(verdicts: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The verdicts, with what helps where one falls short: a number system in which more was certified, if any.

    It is advice that was tried: the verdict in that system stands beside it.
    """
    return [{**verdict, "help": _better(verdict, verdicts)} for verdict in verdicts]


def _better(verdict: Mapping[str, Any], verdicts: Sequence[Mapping[str, Any]]) -> str | None:
    """The number system in which the same weights are certified at the greatest length; of several the coarsest."""
    if verdict["whole"]:
        return None
    found = max(verdicts, key=lambda v: (v["length"], ROUNDOFF[v["numbers"]]))
    if found["length"] <= verdict["length"]:
        return None
    return f"{found['numbers']}, in which these weights are certified up to length {found['length']:,}"


LONG = 48
"""From this length on it is looked at short words first."""
SHORT = 8
STEPS = 10


def _probe(
    model: Model, wanted: OutputSpec, numbers: str | tuple[str, ...], length: int, effort: Effort
) -> float | None:
    """The margin on short words with the noise that there is at a length; raises `Refusal` where there is none.

    They are among the words of that length, and cost little to look at.
    """
    found = certify(model, wanted, numbers=numbers, longest=min(SHORT, length), effort=effort, keys=length)
    return found.decoding_margin


def _on_short_words(model: Model, wanted: OutputSpec, numbers: str, search: Search, effort: Effort) -> Refusal | None:
    """What breaks at the least length, of some that are tried, at which answers on short words already are too near.

    The search takes note of that length: no greater one can be certified.
    """
    broken: Refusal | None = None
    low, margin = search.low, search.margin
    for _ in range(STEPS):
        length = search.crossing() + 1  # likely the first that fails
        if length >= search.high:
            break
        try:
            search.succeeded(length, _probe(model, wanted, numbers, length, effort))
        except Refusal as refusal:
            if refusal.margin is None:
                break
            broken = refusal.kept()
            search.failed(length, broken)
    search.low, search.margin = low, margin  # short words prove nothing about others
    return broken


def together(model: Model, wanted: OutputSpec, systems: Sequence[str], effort: Effort | None = None) -> list[Verdict]:
    """Verdicts at the model's own length in the systems that hold its weights as they are, by one proof; or none.

    Lemma. Bounds for the coarsest rounding, the least range and the greatest leak of several number systems hold in
    each of them.
    """
    try:
        return _together(model, wanted, systems, effort)
    except Refusal:
        return []


def _together(model: Model, wanted: OutputSpec, systems: Sequence[str], effort: Effort | None) -> list[Verdict]:
    """The same; raises `Refusal` where there is no such proof."""
    known = sorted(systems, key=lambda s: s != model.numbers)  # its own first
    finer = tuple(s for s in known if s == model.numbers or ROUNDOFF[s] < ROUNDOFF.get(model.numbers, 0.0))
    if len(finer) < 2 or model.max_length is None or model.prefix:
        return []
    effort = effort or Effort()
    held = converted(model, finer[0], effort)
    if model.max_length >= LONG:
        try:
            _probe(held, wanted, finer, model.max_length, effort)
        except Refusal as refusal:
            if refusal.margin is not None:
                raise
    found = certify(held, wanted, numbers=finer, longest=model.max_length, effort=effort)
    # what underflows in one system need not do so in another
    return [
        replace(found, numbers=s, heads=tuple(replace(h, underflows=-h.gap <= LEAST_EXPONENT[s]) for h in found.heads))
        for s in finer
    ]


VERSION = 4
NONE: dict[str, Any] = {"version": VERSION, "assumptions": [], "types": False, "min_length": 1, "verdicts": []}
"""The certificate of a model of which nothing was tried."""


def certificate(model: Model, wanted: OutputSpec, systems: Sequence[str] = SYSTEMS) -> dict[str, Any]:
    """The certificate of a model as plain data: the verdict in each number system, and the assumptions.

    `types` tells whether the answers are certified with their types, or as values alone (1 and 1.0 are one value);
    `min_length` is the length of the shortest words that it is about.
    """
    effort = Effort()
    failed: Refusal | None = None
    verdicts: list[dict[str, Any]] = []
    try:
        try:
            verdicts = [v.to_json() for v in _together(model, wanted, systems, effort)]
        except Refusal as refusal:
            failed = refusal.kept()
        done = {v["numbers"] for v in verdicts}
        for system in sorted(set(systems) - done, key=lambda s: (s != model.numbers, systems.index(s))):
            guess = verdicts[-1]["length"] if verdicts else 0
            effort.next_system()
            likely = failed if system == model.numbers else None  # the coarsest system of that proof
            verdicts.append(verdict(model, wanted, system, guess, effort, likely).to_json())
    except Refusal as refusal:
        verdicts = [_refused(s, refusal).to_json() for s in systems]
    effort.kept.clear()  # what is kept refers to the effort again, and is large
    about = {"version": VERSION, "assumptions": list(ASSUMPTIONS), "types": wanted.typed}
    return {**about, "min_length": least_length(model), "verdicts": advised(verdicts)}
