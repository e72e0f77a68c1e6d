"""What the heads of a model are said to compute. Hints are not trusted: a wrong one fails the check."""

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from capax.certify.not_certified import NotCertified
from capax.certify.parts.pairs import comparisons
from capax.certify.values.selectors import selects_pair
from capax.model.model import Model
from capax.model.provenance import HeadClaim
from capax.rasp.ir.graph import topological
from capax.rasp.ir.nodes import Node, SelectorNode, SOpNode, Width
from capax.rasp.ir.triple_nodes import HEAD_SOPS, AnySelector, selector_of
from capax.rasp.rewrite.disjoint import disjoint_parts, keys_between


@dataclass(frozen=True, slots=True, eq=False)
class HeadTask:
    """The aggregates, or the one width, that a head is said to compute, all over one selector."""

    nodes: Sequence[SOpNode]
    selector: AnySelector


@dataclass(frozen=True, slots=True, eq=False)
class HeadHints:
    """The task of each head of each block, and for widths that are computed as sums the selectors that add up."""

    blocks: tuple[tuple[HeadTask, ...], ...]
    width_parts: Mapping[Node, Sequence[SelectorNode]]


def hints_of(model: Model, roots: SOpNode | Sequence[SOpNode]) -> HeadHints:
    """The hints in a model about a program; raises `NotCertified` where they are damaged."""
    order = topological(*((roots,) if isinstance(roots, SOpNode) else roots))
    blocks: list[tuple[HeadTask, ...]] = []
    parts: dict[Node, list[_Piece]] = {}
    split = cache(disjoint_parts)  # several heads count parts of one selector
    hints = model.provenance.heads
    if hints is None or len(hints) != len(model.blocks):
        raise NotCertified("the file does not say what its heads compute")
    for block, entries in zip(model.blocks, hints, strict=True):
        if len(entries) != len(block.heads):
            raise NotCertified("the file does not say what each head computes")
        blocks.append(tuple(_task(entry, order, parts, split) for entry in entries))
    for node, pieces in parts.items():
        assert isinstance(node, Width)
        whole = _whole_parts(pieces, model.max_length)
        if whole != [node.selector] and not is_sum_of(node.selector, whole):
            raise NotCertified("the parts of a width do not add up to it")
    return HeadHints(tuple(blocks), {node: [piece.selector for piece in pieces] for node, pieces in parts.items()})


@dataclass(frozen=True, slots=True, eq=False)
class _Piece:
    """A selector that a head counts: a part of a width, or its keys from one position up to another."""

    part: SelectorNode
    keys: tuple[int, int] | None

    @property
    def selector(self) -> SelectorNode:
        """What is counted."""
        return self.part if self.keys is None else keys_between(self.part, *self.keys)


def _whole_parts(pieces: Sequence[_Piece], longest: int | None) -> list[SelectorNode]:
    """The parts of which all keys are counted, each once: by one head, or by one for each range of positions.

    Lemma. Where the ranges of a part follow one another from 0 up to the greatest length, every key is in exactly one.
    """
    parts: list[SelectorNode] = []
    for part in dict.fromkeys(p.part for p in pieces):
        ranges = [p.keys for p in pieces if p.part is part]
        if None in ranges:
            parts += [part] * (len(ranges) if set(ranges) == {None} else 0)
            continue
        ordered = sorted(r for r in ranges if r is not None)
        ends = [0, *(end for _, end in ordered)]
        if longest is not None and [first for first, _ in ordered] == ends[:-1] and ends[-1] >= longest:
            parts.append(part)
    return parts


_Split = Callable[[SelectorNode], list[SelectorNode] | None]


def _task(entry: HeadClaim, order: Sequence[Node], pieces: dict[Node, list[_Piece]], split: _Split) -> HeadTask:
    """The task of one head; a part of a width is added to `pieces`."""
    try:
        nodes = [order[k] for k in entry.computes]
    except IndexError:
        raise NotCertified("a hint about a head is damaged") from None
    sops = [n for n in nodes if isinstance(n, SOpNode) and isinstance(n, HEAD_SOPS)]
    if not nodes or len(sops) < len(nodes):
        raise NotCertified("a hint about a head names no aggregate")
    selector = selector_of(sops[0])
    if entry.part is None and entry.keys is None:
        if any(selector_of(n) is not selector for n in sops):
            raise NotCertified("a head is said to compute aggregates of different selectors")
        return HeadTask(sops, selector)
    node, piece = _piece(entry, sops, split)
    pieces.setdefault(node, []).append(piece)
    return HeadTask([Width(piece.selector)], piece.selector)


def _piece(entry: HeadClaim, sops: Sequence[SOpNode], split: _Split) -> tuple[Width, _Piece]:
    """The width of which a head counts a part, and the part."""
    selector, part = selector_of(sops[0]), entry.part or 0
    node, *others = sops
    if others or not isinstance(node, Width) or not isinstance(selector, SelectorNode):
        raise NotCertified("a hint about a head names no part of a width")
    parts = [selector] if entry.part is None else split(selector) or []
    if not 0 <= part < len(parts):
        raise NotCertified("a hint about a head names no part of a width")
    if entry.keys is not None and not 0 <= entry.keys[0] < entry.keys[1] < 2**53:
        raise NotCertified("a hint about a head names no positions of keys")
    return node, _Piece(parts[part], entry.keys)


def is_sum_of(selector: SelectorNode, parts: Sequence[SelectorNode]) -> bool:
    """Whether every pair is selected by as many of the parts as by the whole: by all outcomes of the comparisons."""
    leaves = list(dict.fromkeys(leaf for s in (selector, *parts) for leaf in comparisons(s)))
    kinds = list(dict.fromkeys((leaf.key, leaf.query) for leaf in leaves))
    if len(kinds) > 8:
        return False
    for cell in itertools.product((-1, 0, 1), repeat=len(kinds)):
        signs = dict(zip(kinds, cell, strict=True))
        if sum(selects_pair(p, signs) for p in parts) != selects_pair(selector, signs):
            return False
    return True
