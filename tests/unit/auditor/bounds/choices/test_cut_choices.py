"""Which cut is tried, and that what is proved does not depend on it."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from capax.auditor.bounds.choices.cut_choices import _helped
from capax.auditor.bounds.class_nodes import ClassNode, Slice
from capax.auditor.bounds.cut import Findings, Search, roots
from capax.auditor.bounds.prove import demands_of
from capax.auditor.bounds.splits import Splitter
from capax.auditor.bounds.tables import Tables
from capax.model.parts import Array
from tests.support.audit_subjects import clock, no_clock
from tests.support.audited import asked, random_kind, random_model, random_states, true_margins
from tests.unit.auditor.bounds.test_cut import small_search


def test_a_cut_has_helped_if_it_took_a_third_of_what_was_missing() -> None:
    _, (node, *_) = small_search(0.0)
    for margin, before, bound, helped in (
        (10, -2, -1, True),
        (10, -2, -1.2, False),
        (-5, -3, -2, True),
        (0, -1, -0.8, False),
    ):
        assert _helped(replace(node, margin=float(margin), before=float(before), bound=float(bound))) is helped


@pytest.mark.parametrize("rounding", [0.0, 1e6])
def test_ways_to_cut_are_counts_by_sorting_then_a_letter_and_a_slice_then_counts_by_states(rounding: float) -> None:
    """Few children are all tried, proved or not; a class that was counted is not counted again."""
    search, first = small_search(rounding)
    (node, *_) = search._evaluated(first, True)
    labels = len(list(search.split.labels(node)))
    cuts = [[child.cut for child in way][:1] for way in search._ways(node)]
    both = [search._likely(node)[0].cut]
    both.append("slice" if both[0] == "position" else "position")
    assert [cut for cut in cuts if cut] == [["count"]] * sum(
        bool(search.split.by_count(node, one, sorting=True)) for one in search.split.labels(node)
    ) + [[cut] for cut in both] + [["count"]] * labels
    assert [way[0].cut for way in search._ways(replace(node, counted=True))] == both
    sliced = search.split.by_slice(node)[0]
    (seen,) = search._evaluated([sliced], True)
    assert [way[0].cut for way in search._ways(replace(seen, counted=True))] == [search._likely(seen)[0].cut]


class GivenEffects(Splitter):
    """Cuts that are only named, with effects that are given."""

    def __init__(self, step: float) -> None:
        self.step = step

    def largest_step(self, node: ClassNode) -> float:
        return self.step

    def effects(self, node: ClassNode, slice_: Slice) -> Array:
        return np.array([0.2, 1.0])

    def by_slice(self, node: ClassNode) -> list[ClassNode]:
        return [replace(node, cut="slice")]

    def by_position(self, node: ClassNode) -> list[ClassNode]:
        return [replace(node, cut="position")]


class GivenExtent(Search):
    """A search whose children are all as much narrower as is said."""

    share = 0.0

    def _narrowed(self, node: ClassNode, children: Sequence[ClassNode]) -> float:
        return self.share


def test_a_likely_cut_is_by_position_where_that_narrows_and_by_slices_as_long_as_they_help() -> None:
    """Without a slice: a fifth narrower. In one: slices, unless they did not help and a letter moves half of it."""
    search, (node, *_) = small_search(0.0)
    node = replace(node, margin=0.0, before=-2.0)
    slice_ = Slice(np.ones((1, 2)), np.zeros(1), np.ones(1), np.ones((1, 2)))

    def cut(*, step: float = 0.0, share: float = 0.0, bound: float = -1.0, sliced: bool = True) -> str:
        given = GivenExtent(search.split, search.demands, search.rounding, Findings(), no_clock)
        given.split, given.share = GivenEffects(step), share
        return given._likely(replace(node, slice=slice_ if sliced else None, bound=bound))[0].cut

    assert [cut(share=share, sliced=False) for share in (0.5, 0.79, 0.81)] == ["position", "position", "slice"]
    assert [cut(step=step, bound=-1.9) for step in (0.4, 0.6, 9.0)] == ["slice", "position", "position"]
    assert [cut(step=step, bound=-1.0) for step in (0.4, 0.6, 9.0)] == ["slice"] * 3


class WildSplitter(Splitter):
    """Cuts whose positions, directions, multipliers and labels are drawn."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.draw = np.random.default_rng(self.size + 17 * self.alphabet)

    def influence(self, node: ClassNode) -> Array:
        return self.draw.random(self.size)

    def effects(self, node: ClassNode, slice_: Slice) -> Array:
        return self.draw.random(len(slice_.low))

    def largest_step(self, node: ClassNode) -> float:
        return float(self.draw.random())

    def labels(self, node: ClassNode) -> Iterator[Array]:
        for _ in range(2):
            yield self.draw.integers(0, 2, (self.size, self.alphabet))

    def _shares(self, node: ClassNode, directions: Array) -> Array:
        return self.draw.standard_normal(directions.shape)

    def _other_direction(self, node: ClassNode, directions: Array) -> Array:
        return self.draw.standard_normal(directions.shape[1])


class WildSearch(Search):
    """A search that takes any cut next."""

    def _likely(self, node: ClassNode) -> list[ClassNode]:
        assert isinstance(self.split, WildSplitter)
        return self.split.by_position(node) if self.split.draw.random() < 0.5 else self.split.by_slice(node)

    def _ways(self, node: ClassNode) -> Iterator[list[ClassNode]]:
        assert isinstance(self.split, WildSplitter)
        ways = list(super()._ways(node))
        yield from (ways[k] for k in self.split.draw.permutation(len(ways)))


def wild_check(rng: np.random.Generator, least: float, n: int = 4) -> tuple[bool, int]:
    """Compares a search whose choices are drawn with every word, for a model whose least margin is near zero.

    Whether it proved all, and the number of classes it looked at.
    """
    kind = random_kind(rng)
    states, model = random_states(rng, kind.letters), random_model(rng, kind)
    states = replace(states, answer=np.minimum(states.answer, 0))
    question = asked(model, states, "last")
    shift = least - min(true_margins(question, n).values(), default=0.0)
    readout = model.readout.map
    readout = replace(readout, bias=np.asarray(readout.bias) + np.array([shift, 0.0]))
    question = asked(replace(model, readout=replace(model.readout, map=readout)), states, "last")
    tables, findings = Tables(question, n), Findings()
    for letter in range(kind.letters):
        splitter = WildSplitter(tables.query(n - 1, letter), states, n)
        nothing = lambda bounds, demands, which: np.zeros(len(which))  # noqa: E731
        search = WildSearch(splitter, demands_of(question), nothing, findings, clock(25))
        search.run(roots(splitter, np.ones(states.size, bool)))
    true = min(true_margins(question, n).values(), default=np.inf)
    assert findings.bound <= true + 1e-9
    assert findings.margin >= true - 1e-9
    assert true > 0 or not findings.proved
    return findings.proved and bool(np.isfinite(true)), findings.nodes


@pytest.mark.parametrize("least", [0.02, -0.02])
def test_any_choice_leaves_the_bounds_true(least: float) -> None:
    """Models that are right by little are proved with many classes, and none that is wrong by little."""
    results = [wild_check(np.random.default_rng(k), least) for k in range(4)]
    assert any(proved for proved, _ in results) == (least > 0)
    assert max(nodes for _, nodes in results) >= 20


@pytest.mark.deep
def test_any_choice_leaves_the_bounds_true_deep() -> None:
    """The same, for more models."""
    results = [wild_check(np.random.default_rng([9, k]), (-1) ** k * 0.02) for k in range(60)]
    assert sum(proved for proved, _ in results) >= 10
