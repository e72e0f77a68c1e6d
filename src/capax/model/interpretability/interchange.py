"""The circuit by experiment: what changes when a reader gets a node's value from another word.

A donor gives the values: another word of the same length; a longer word, of which the first positions are taken; or any
word, of which each position takes the value at a random one. A witness is a word and a donor on which an answer
changes; anyone can replay it with one hook.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np

from capax.model.interpretability.graph import Edge, head_of
from capax.model.interpretability.lens_model import (
    LensModel,
    LensRun,
    Patch,
    active_heads,
    answer_codes,
    rows_of,
    run,
    tokens_of,
    with_prefix,
    words_of_length,
)
from capax.model.parts import Array
from capax.model.vocabulary import Classes, Token

DonorKind = Literal["same", "longer", "any"]
CLEAR: Final = 1e-3
"""An answer that is ahead of the next by less is no evidence: summed in another order it may be the next one."""
KINDS: Final[tuple[DonorKind, ...]] = ("same", "longer", "any")


@dataclass(frozen=True, slots=True)
class EdgeWitness:
    """A word and a donor that change an answer: each position takes the value that the donor has at `positions`.

    `before` and `after` are the answers for the word, without and with the donor's value.
    """

    word: tuple[Token, ...]
    donor: tuple[Token, ...]
    positions: tuple[int, ...]
    before: tuple[Token, ...]
    after: tuple[Token, ...]

    @property
    def same_length(self) -> bool:
        """Whether the donor has the word's length and gives each position the value of the same one."""
        return len(self.donor) == len(self.word) and self.positions == tuple(range(len(self.word)))

    def to_json(self) -> dict[str, Any]:
        """The witness as plain data."""
        texts = {name: list(getattr(self, name)) for name in ("word", "donor", "positions", "before", "after")}
        return texts

    @staticmethod
    def from_json(data: Any) -> "EdgeWitness":
        """The witness of plain data."""
        return EdgeWitness(*(tuple(data[name]) for name in ("word", "donor", "positions", "before", "after")))


@dataclass(frozen=True, slots=True, eq=False)
class Donors:
    """Words of one length, their run, and the values that donors give them."""

    kind: DonorKind
    words: Array
    donors: Array
    positions: Array
    """For each word and position, the position of the donor that gives the value; the prefix gives its own."""
    base: LensRun
    values: LensRun

    def value(self, node: str) -> Array:
        """What a node gives the words."""
        return np.take_along_axis(self.values.outputs[node], self.positions[..., None], axis=1)


def word_pairs(lens: LensModel, length: int, count: int, seed: int) -> tuple[Array, Array]:
    """So many pairs of words of a length, as rows without the prefix; half of them differ in one letter at most."""
    draw, letters = np.random.default_rng([seed, length]), np.array(lens.rows)
    one, two = letters[draw.integers(0, len(letters), (2, count, length))]
    near = np.arange(0, count, 2)
    two[near] = one[near]
    two[near, draw.integers(0, length, len(near))] = letters[draw.integers(0, len(letters), len(near))]
    return one, two


def donors(lens: LensModel, kind: DonorKind, length: int, count: int, seed: int) -> Donors | None:
    """Words of a length with donors of a kind; None where there are no longer words."""
    draw = np.random.default_rng([seed, length, KINDS.index(kind)])
    words, others = word_pairs(lens, length, count, seed)
    if kind == "longer":
        if length >= lens.max_length:
            return None
        others = word_pairs(lens, min(lens.max_length, length + int(draw.integers(1, 4))), count, seed + 1)[1]
    elif kind == "any":
        others = word_pairs(lens, int(draw.integers(lens.min_length, lens.max_length + 1)), count, seed + 2)[1]
    rows, other = with_prefix(lens, words), with_prefix(lens, others)
    positions = np.broadcast_to(np.arange(rows.shape[1]), rows.shape)
    if kind == "any":
        picked = lens.start + draw.integers(0, others.shape[1], words.shape)
        positions = np.concatenate([positions[:, : lens.start], picked], axis=1)
    return Donors(kind, rows, other, positions, run(lens, rows), run(lens, other))


@dataclass(frozen=True, slots=True, eq=False)
class EdgeEffect:
    """What exchanging an edge does: a witness if some answer changed, and the greatest change of a logit."""

    witness: EdgeWitness | None
    effect: float


def edge_effect(lens: LensModel, edge: Edge, group: Donors, together: Sequence[Edge] = ()) -> EdgeEffect:
    """The effect of an edge on a group of words; of several edges at once, if others are exchanged together with it."""
    place, value = head_of(edge.target), group.value(edge.source)
    idle = place is not None and place[1] not in active_heads(lens, place[0])
    if not together and (idle or np.array_equal(value, group.base.outputs[edge.source])):
        return EdgeEffect(None, 0.0)
    patches = [Patch(one.source, one.target, group.value(one.source)) for one in (edge, *together)]
    return _effect(lens, group, run(lens, group.words, patches, group.base))


def _effect(lens: LensModel, group: Donors, changed: LensRun) -> EdgeEffect:
    before, after = answer_codes(lens, group.base.logits), answer_codes(lens, changed.logits)
    effect = float(np.abs(changed.logits - group.base.logits)[:, lens.start :].max(initial=0))
    hits = np.flatnonzero((before != after).any(1))
    gaps = clearance(lens, changed.logits[hits])
    if not len(hits) or gaps.max() < CLEAR:
        return EdgeEffect(None, effect)
    at = int(hits[np.flatnonzero(gaps >= gaps.max() / 2)[0]])
    witness = EdgeWitness(
        tokens_of(lens, group.words[at]),
        tokens_of(lens, group.donors[at]),
        tuple(int(p) - lens.start for p in group.positions[at, lens.start :]),
        _named(lens, before[at]),
        _named(lens, after[at]),
    )
    return EdgeEffect(witness, effect)


def clearance(lens: LensModel, logits: Array) -> Array:
    """By how much the least clear answer of each word is ahead of the next; infinite where there is only one."""
    own = logits[:, lens.start :]
    if not isinstance(lens.decoding, Classes) or own.shape[-1] < 2:
        return np.full(len(own), np.inf)
    top = np.partition(own, -2, axis=-1)
    return np.asarray((top[..., -1] - top[..., -2]).min(1, initial=np.inf))


def _named(lens: LensModel, codes: Array) -> tuple[Token, ...]:
    """The answers of numbers."""
    values = lens.decoding.values if isinstance(lens.decoding, Classes) else None
    return tuple(float(c) / 10_000 if values is None else values[int(c)] for c in codes)


@dataclass(frozen=True, slots=True)
class ExchangePlan:
    """How much an edge is tried: lengths, pairs of each, kinds of donors."""

    lengths: tuple[int, ...] = (2, 3, 5, 8)
    count: int = 250
    kinds: tuple[DonorKind, ...] = KINDS
    seed: int = 0


def groups_of(lens: LensModel, plan: ExchangePlan) -> list[Donors]:
    """The words and donors of a plan."""
    lengths = sorted({min(max(n, lens.min_length), lens.max_length) for n in plan.lengths})
    made = [donors(lens, kind, n, plan.count, plan.seed) for kind in plan.kinds for n in lengths]
    return [group for group in made if group is not None]


@dataclass(frozen=True, slots=True, eq=False)
class EdgeEvidence:
    """What was seen of an edge: a witness with a donor of the same length, one with any donor, the greatest effect."""

    same_length: EdgeWitness | None
    any: EdgeWitness | None
    effect: float

    @property
    def witness(self) -> EdgeWitness | None:
        """The simpler witness that there is."""
        return self.same_length or self.any


def evidence(
    lens: LensModel, edges: Iterable[Edge], groups: Sequence[Donors], together: Sequence[Edge] = ()
) -> dict[Edge, EdgeEvidence]:
    """What groups of words show of edges, or of each with others; a kind of donor is left once it shows one."""
    return {edge: _edge_evidence(lens, edge, groups, together) for edge in edges}


def _edge_evidence(lens: LensModel, edge: Edge, groups: Sequence[Donors], together: Sequence[Edge]) -> EdgeEvidence:
    witnesses: dict[bool, EdgeWitness] = {}
    effect = 0.0
    for group in groups:
        same = group.kind == "same"
        if same in witnesses or (edge.source == "pos" and group.kind != "any"):
            continue
        result = edge_effect(lens, edge, group, together)
        effect = max(effect, result.effect)
        if result.witness is not None:
            witnesses[same] = result.witness
    return EdgeEvidence(witnesses.get(True), witnesses.get(False), effect)


def replay(lens: LensModel, edges: Sequence[Edge], witness: EdgeWitness) -> EdgeWitness:
    """The witness of an edge, or of several at once, as this model has it: with the answers that it gives now."""
    group = group_of(lens, witness)
    patches = [Patch(edge.source, edge.target, group.value(edge.source)) for edge in edges]
    return _answered(lens, witness, group, run(lens, group.words, patches, group.base))


def group_of(lens: LensModel, witness: EdgeWitness) -> Donors:
    """One word and one donor."""
    words, donor = rows_of(lens, witness.word), rows_of(lens, witness.donor)
    positions = [*range(lens.start), *(lens.start + p for p in witness.positions)]
    return Donors("any", words, donor, np.array([positions]), run(lens, words), run(lens, donor))


def _answered(lens: LensModel, witness: EdgeWitness, group: Donors, changed: LensRun) -> EdgeWitness:
    before, after = (_named(lens, answer_codes(lens, one.logits)[0]) for one in (group.base, changed))
    return EdgeWitness(witness.word, witness.donor, witness.positions, before, after)


def interchange(lens: LensModel, word: Sequence[Token], donor: Sequence[Token], nodes: Sequence[str]) -> EdgeWitness:
    """What a word's answers become when nodes have the values that they have on a donor of the same length.

    Each node is exchanged for all its readers at once.
    """
    own = tuple(range(len(word)))
    witness = EdgeWitness(tuple(word), tuple(donor), own, (), ())
    group = group_of(lens, witness)
    edges = [edge for edge in lens.shape.edges() if edge.source in nodes]
    patches = [Patch(edge.source, edge.target, group.value(edge.source)) for edge in edges]
    return _answered(lens, witness, group, run(lens, group.words, patches, group.base))


def interchanged(lens: LensModel, words: Array, donors: Array, nodes: Sequence[str]) -> Array:
    """Which rows of words get another answer when nodes have the values that they have on the rows of the donors."""
    base, other = run(lens, words), run(lens, donors)
    patches = [Patch(e.source, e.target, other.outputs[e.source]) for e in lens.shape.edges() if e.source in nodes]
    changed = run(lens, words, patches, base)
    return np.asarray((answer_codes(lens, base.logits) != answer_codes(lens, changed.logits)).any(1))


def all_words(lens: LensModel, length: int, most: int = 20_000) -> list[Array]:
    """All words up to a length as rows, one array for each length; beyond `most` words of a length, random ones."""
    return [words_of_length(lens, n, most) for n in range(lens.min_length, min(length, lens.max_length) + 1)]
