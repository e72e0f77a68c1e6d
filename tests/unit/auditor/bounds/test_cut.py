"""Branch and bound over classes: what it proves is true, and rounding is part of every proof."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pytest

from capax.auditor.bounds.choices.cut_choices import Open
from capax.auditor.bounds.class_bound import Demands
from capax.auditor.bounds.class_nodes import ClassNode
from capax.auditor.bounds.cut import Findings, Search, _groups, roots
from capax.auditor.bounds.prove import demands_of, prove_length
from capax.auditor.bounds.splits import Splitter
from capax.auditor.bounds.tables import Tables
from capax.auditor.spec import SpecStates
from tests.support.audit_subjects import clock, no_clock
from tests.support.audited import Kind, asked, random_model
from tests.support.planted import NearMiss, planted_in_spec, planted_in_weights, trained


def check(miss: NearMiss) -> bool:
    """A near miss is not proved; whether the bounds' own words show it."""
    result = prove_length(miss.question, miss.length, used=clock(400))
    assert not result.proved
    wrong = {tuple(miss.question.spec.letters[k] for k in row) for row in miss.words.tolist()}
    assert {word for word, _ in result.failing} <= wrong
    return bool(result.failing)


def test_a_specification_that_differs_on_one_word_of_a_trained_model_is_not_proved() -> None:
    rng = np.random.default_rng(0)
    assert all(check(planted_in_spec(rng, n)) for n in (5, 9, 14))


def test_trained_weights_that_were_moved_a_little_too_far_are_not_proved() -> None:
    rng = np.random.default_rng(1)
    assert all(check(planted_in_weights(rng, n)) for n in (4, 6))


@pytest.mark.deep
def test_no_near_miss_is_proved_deep() -> None:
    """A hundred in the specification, at up to 20 letters, and a hundred in the weights."""
    rng = np.random.default_rng(2)
    spec = [check(planted_in_spec(rng, int(rng.integers(4, 21)))) for _ in range(100)]
    weights = [check(planted_in_weights(rng, int(rng.integers(3, 11)))) for _ in range(100)]
    assert (sum(spec), sum(weights)) == (100, 100)


@pytest.mark.parametrize(("name", "n"), [("majority-0", 9), ("ends-with-01-0", 10)])
def test_rounding_that_exceeds_every_margin_leaves_nothing_proved(name: str, n: int) -> None:
    """Also for classes that take over the bound of the class that they are a part of."""
    asked = trained(name)
    assert asked.spec.states is not None
    states = asked.spec.states(n)
    for letter in range(2):
        splitter, findings = Splitter(Tables(asked, n).query(n - 1, letter), states, n), Findings()
        search = Search(
            splitter, demands_of(asked), lambda bounds, demands, which: np.full(len(which), 1e6), findings, clock(12)
        )
        search.run(roots(splitter, np.ones(states.size, bool)))
        assert not findings.proved
        assert not findings.failing
        assert findings.bound - findings.rounding <= 0


def small_search(rounding: float, kind: Kind | None = None) -> tuple[Search, list[ClassNode]]:
    """A search over the words of a random model at its last position, and its first classes."""
    n, states = 4, SpecStates(np.array([[0, 1], [1, 0]]), 0, np.array([0, 1]))
    question = asked(random_model(np.random.default_rng(1), kind or Kind()), states, "last")
    splitter = Splitter(Tables(question, n).query(n - 1, 0), states, n)
    search = Search(
        splitter,
        demands_of(question),
        lambda bounds, demands, which: np.full(len(which), rounding),
        Findings(),
        no_clock,
    )
    return search, roots(splitter, np.ones(2, bool))


def test_a_class_takes_over_the_bound_of_its_parent_together_with_its_rounding() -> None:
    """A class with an own bound below zero, inside one with a bound of a half: proved if that exceeds the rounding."""
    for own, parent, proved in ((0.7, 0.7, False), (0.7, np.inf, False), (np.inf, 0.7, False), (0.2, 0.7, True)):
        search, first = small_search(own)
        low = [node for node in search._evaluated(first, True) if node.bound < 0]
        inside = [replace(node, bound=0.5, rounding=parent) for node in low]
        assert inside
        search.findings.failing.clear()
        assert len(search._open(inside)) == (0 if proved else len(inside))
        assert search.findings.bound == (0.5 if proved else np.inf)
        assert search.findings.rounding == (own if proved else 0.0)


def test_nothing_is_known_before_the_search() -> None:
    fresh = Findings()
    assert (fresh.position, fresh.nodes, fresh.word, fresh.failing, fresh.proved) == (0, 0, None, [], True)


def test_findings_keep_the_class_with_the_least_difference() -> None:
    """Of bound and rounding, not of the bound alone; what was not looked at has no bound."""
    findings = Findings()
    for bound, rounding in ((3.0, 0.5), (2.0, 0.1), (2.5, 1.0), (9.0, 7.5), (4.0, 2.5)):
        findings.closed(bound, rounding)
    assert (findings.bound, findings.rounding, findings.proved) == (2.5, 1.0, True)
    findings.give_up()
    assert (findings.bound, findings.rounding, findings.proved) == (-np.inf, 0.0, False)


def test_words_that_fail_are_noted_worst_first() -> None:
    search, _ = small_search(0.0)
    words = np.arange(48).reshape(12, 4)
    search._note(words, np.array([3.0, 1.0, 2.0, -1.0, 0.0, *[-2.0] * 7]))
    assert [margin for _, _, margin in search.findings.failing] == [-2.0] * 7 + [-1.0]
    assert search.findings.margin == -2.0
    assert search.findings.word is not None
    assert search.findings.word.tolist() == words[5].tolist()
    search.findings.failing.clear()
    search._note(words, np.array([3.0, 0.0, *[4.0] * 10]))
    assert [(at, word.tolist(), margin) for at, word, margin in search.findings.failing] == [(3, [4, 5, 6, 7], 0.0)]
    assert search.findings.margin == -2.0


def test_classes_are_grouped_by_paths_and_slices() -> None:
    search, (one, other, *_) = small_search(0.0)
    (evaluated,) = search._evaluated([one], False)
    sliced = search.split.by_slice(evaluated)
    again = small_search(0.0)[1][0]
    groups = [[id(x) for x in group] for group in _groups([one, *sliced, again, other])]
    assert groups == [[id(one), id(other)], [id(x) for x in sliced], [id(again)]]
    assert search._narrowed(evaluated, [evaluated, evaluated]) == pytest.approx(1.0, abs=1e-6)


def test_the_first_classes_are_the_states_with_an_answer() -> None:
    """With the letter of the query at its position, and only those asked about."""
    search, first = small_search(0.0)
    assert [node.answer for node in first] == [0, 1]
    assert [node.letters.tolist() for node in first] == [[[True, True]] * 3 + [[True, False]]] * 2
    assert [node.answer for node in roots(search.split, np.array([False, True]))] == [1]


def test_classes_that_are_left_when_time_is_over_come_back_as_they_are() -> None:
    """The first sixty-four are looked at in any case; without time left, no more."""
    search, (one, *_) = small_search(0.0)
    search.used = lambda: 1.0
    nodes = list(search._evaluated([one] * 70, False))
    assert [node.direction is None for node in nodes] == [False] * 64 + [True] * 6
    assert search.findings.nodes == 64
    search.used = no_clock
    search.findings.failing.clear()
    assert [node.direction is None for node in search._evaluated([one] * 70, False)] == [False] * 70


class GivenWays(Search):
    """A search with ways to cut that are given."""

    ways: tuple[list[ClassNode], ...] = ()
    tried = 0

    def _ways(self, node: ClassNode) -> Iterator[list[ClassNode]]:
        for way in self.ways:
            self.tried += 1
            yield way


def test_the_best_cut_leaves_the_smallest_share_open() -> None:
    """Of equals, the one with the higher bound; half is good enough, nothing left is best; one child is no cut.

    A class that no way cuts stays open.
    """
    first, nodes = small_search(0.0)
    low = next(first._evaluated(nodes, True))
    shift = (low.bound + low.margin) / 2  # now its bound is below zero, and the margins of its words are not
    low, demands = (
        replace(low, bound=low.bound - shift),
        replace(first.demands, constants=first.demands.constants - shift),
    )

    def best(*ways: str) -> tuple[int, list[float], int]:
        search = GivenWays(first.split, demands, first.rounding, Findings(), no_clock)
        kinds = {"p": 2.0, "a": low.bound, "b": low.bound / 2}
        search.ways = tuple([replace(low, bound=kinds[x], rounding=0.0) for x in way] for way in ways)
        result = search._best(low)
        return len(result), sorted(round(bound / low.bound, 6) for bound, _, _ in result), search.tried

    assert best("aaa", "aap", "ap", "pp") == (1, [1.0], 3)
    assert best("aaa", "bbb", "aaaa") == (3, [0.5] * 3, 3)
    assert best("a", "bbp", "aap", "aaap") == (2, [0.5] * 2, 4)
    assert best("aab", "pp", "ap") == (0, [], 2)
    assert best("a", "") == (1, [1.0], 2)


def test_classes_that_miss_by_far_are_not_tried_with_exact_ranges() -> None:
    """By more than twenty times their margin, or twenty; the others are looked at twice."""
    for scale, looks in ((1.0, 2), (1e4, 1)):
        search, (node, *_) = small_search(0.0)
        (seen,) = search._evaluated([node], False)
        rows, constants = scale * search.demands.rows, scale * search.demands.constants
        shift = np.where(np.arange(2)[:, None] == node.answer, scale * seen.margin - 1e-3, 0.0)
        search.demands = Demands(rows, constants - shift)
        search.findings = Findings()
        (box,) = search._evaluated([node], False)
        assert (box.bound < -20) == (looks == 1)
        search.findings = Findings()
        search._open([node])
        assert search.findings.nodes == looks


class RecordedSearch(Search):
    """A search that keeps with which ranges classes were opened."""

    def _open(self, nodes: Sequence[ClassNode], exact: bool = False) -> Open:
        self.opened = [*getattr(self, "opened", []), *[(node.slice is None, exact) for node in nodes]]
        return super()._open(nodes, exact)


def test_classes_with_slices_are_looked_at_with_exact_ranges_at_once() -> None:
    search, nodes = small_search(1e6)
    (node, *_) = search._evaluated(nodes, True)
    recorded = RecordedSearch(search.split, search.demands, search.rounding, Findings(), no_clock)
    sliced = search.split.by_slice(node)[0]
    (seen,) = search._evaluated([sliced], True)
    for one, cut in ((node, "position"), (seen, "slice")):
        recorded.opened = []
        recorded._cut([replace(one, cut=cut)])
        first = recorded.opened[0]
        assert first == (first[0], not first[0])


class GivenBounds(Search):
    """A search that takes the bounds of nodes as they are, and keeps which were looked at."""

    def _evaluated(self, nodes: Sequence[ClassNode], exact: bool) -> Iterator[ClassNode]:
        self.seen = [*getattr(self, "seen", []), *[(node.bound, exact) for node in nodes]]
        yield from nodes


def test_twenty_margins_are_the_most_that_exact_ranges_are_tried_for() -> None:
    first, (node, *_) = small_search(0.0)
    for margin, near, far in ((1.0, -19.5, -20.5), (3.0, -59.0, -61.0), (0.1, -19.5, -20.5), (-2.0, -39.0, -41.0)):
        search = GivenBounds(first.split, first.demands, first.rounding, Findings(), no_clock)
        both = [replace(node, margin=margin, rounding=0.0, bound=bound) for bound in (near, far)]
        assert sorted(bound for bound, _, _ in search._open(both)) == [far, near]
        assert search.seen == [(near, False), (far, False), (near, True)]
