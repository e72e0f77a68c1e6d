"""Cuts of a class: the children cover its words, and what guides the choice is that of plain sums over letters."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from capax.auditor.bounds.class_nodes import ClassNode, Slice, stacked
from capax.auditor.bounds.paths import CountPaths, state_paths
from capax.auditor.bounds.splits import MOST_DIRECTIONS, Splitter
from capax.auditor.bounds.tables import Tables
from capax.auditor.spec import SpecStates
from capax.model.parts import Array
from tests.support.audited import Kind, asked, random_model

N = 4


def subject(letters: int = 2, heads: int = 1, seed: int = 0) -> tuple[Splitter, ClassNode]:
    """The class of all words whose sum is odd, with one letter at the end and two at another position."""
    rng = np.random.default_rng(seed)
    step = np.array([[(s + a) % 2 for a in range(letters)] for s in range(2)])
    states = SpecStates(step, 0, np.array([0, 1]))
    model = random_model(rng, Kind(letters=letters, heads=heads))
    splitter = Splitter(Tables(asked(model, states, "last"), N).query(N - 1, 1), states, N)
    mask = np.ones((N, letters), bool)
    mask[-1], mask[1, 2:] = np.arange(letters) == 1, False
    direction, middle = rng.standard_normal((2, 2 * heads))
    paths = state_paths(states, N, N)
    node = ClassNode(paths, mask, paths.state == 1, 1, bound=-2.0, direction=direction, middle=middle)
    return splitter, node


def words_of(splitter: Splitter, node: ClassNode) -> list[tuple[int, ...]]:
    """The words of a class, by trying all."""
    inside = []
    for word in product(range(splitter.alphabet), repeat=N):
        fits = all(node.letters[j, a] for j, a in enumerate(word))
        goal = node.paths.state[node.goal].tolist()
        if isinstance(node.paths, CountPaths) or node.counted:
            count = sum(int(a == 1) for a in word)
            fits = fits and count in node.paths.count[node.goal].tolist()
        if fits and splitter.states.after(word) in goal:
            inside.append(word)
    if node.slice is not None:
        along = splitter.query.outputs(np.array(inside)) @ node.slice.direction.T
        keep = ((along >= node.slice.low - 1e-12) & (along <= node.slice.high + 1e-12)).all(axis=1)
        inside = [word for word, yes in zip(inside, keep, strict=True) if yes]
    return inside


def pushes(splitter: Splitter, node: ClassNode) -> Array:
    """How much each letter at each position moves the margin: its greatest share times how far its value is away."""
    assert node.direction is not None
    assert node.middle is not None
    total = np.zeros((N, splitter.alphabet))
    for k, head in enumerate(splitter.query.heads):
        p, y = node.direction[2 * k : 2 * k + 2], node.middle[2 * k : 2 * k + 2]
        least = head.constant_weight
        for j in range(N):
            least += min(head.weight[j, a] for a in range(splitter.alphabet) if node.letters[j, a])
        for j, a in product(range(N), range(splitter.alphabet)):
            total[j, a] += head.weight[j, a] / least * sum((head.value[j, a] - y) * p)
    return total


@pytest.mark.parametrize(("letters", "heads"), [(2, 1), (3, 1), (3, 2)])
def test_positions_are_cut_where_a_letter_moves_most(letters: int, heads: int) -> None:
    """The children are disjoint, and their words are those of the class."""
    splitter, node = subject(letters, heads)
    push = pushes(splitter, node)
    allowed = [[push[j, a] for a in range(letters) if node.letters[j, a]] for j in range(N)]
    influence = [max(row) - min(row) for row in allowed]
    assert np.allclose(splitter.influence(node), influence)
    assert node.free.tolist() == [True, True, True, False]
    assert not replace(node, letters=np.zeros_like(node.letters)).free.any()
    at = int(np.argmax(influence[:3]))
    children = splitter.by_position(node)
    assert [int(child.letters[at].argmax()) for child in children] == np.flatnonzero(node.letters[at]).tolist()
    assert all(child.letters[at].sum() == 1 for child in children)
    inside = [word for child in children for word in words_of(splitter, child)]
    assert sorted(inside) == sorted(words_of(splitter, node))
    assert {(child.cut, child.before) for child in children} == {("position", -2.0)}


def test_a_position_that_holds_one_letter_is_never_cut() -> None:
    """Not even where no letter moves the margin: the cut would leave the class as it is."""
    splitter, node = subject()
    assert node.direction is not None
    letters = node.letters.copy()
    letters[0, 1:] = False
    still = replace(node, letters=letters, direction=np.zeros_like(node.direction))
    assert not splitter.influence(still).any()
    children = splitter.by_position(still)
    assert [int(child.letters.sum()) for child in children] == [int(letters.sum()) - 1] * 2


def test_slices_halve_the_extent_of_a_class() -> None:
    """First along the gradient; the halves meet in the middle, and every word is in one of them."""
    splitter, node = subject()
    assert node.direction is not None
    along = splitter.query.outputs(np.array(words_of(splitter, node))) @ node.direction
    assert np.allclose(splitter.extent(node, node.direction), (along.min(), along.max()), atol=1e-9)
    low, high = splitter.by_slice(node)
    assert low.slice is not None
    assert high.slice is not None
    middle = (along.min() + along.max()) / 2
    ends = [low.slice.low[0], low.slice.high[0], high.slice.low[0], high.slice.high[0]]
    assert np.allclose(ends, [along.min(), middle, middle, along.max()], atol=1e-9)
    assert set(words_of(splitter, low)) | set(words_of(splitter, high)) == set(words_of(splitter, node))
    assert {(x.cut, x.before) for x in (low, high)} == {("slice", -2.0)}
    tight = splitter.by_position(low)
    assert {word for child in tight for word in words_of(splitter, child)} == set(words_of(splitter, low))
    for child in tight:
        assert child.slice is not None
        y = splitter.query.outputs(np.array(words_of(splitter, replace(child, slice=None)))) @ node.direction
        assert child.slice.low[0] == pytest.approx(max(low.slice.low[0], y.min()), abs=1e-9)
        assert child.slice.high[0] == pytest.approx(min(low.slice.high[0], y.max()), abs=1e-9)


def test_directions_are_added_while_they_matter_most() -> None:
    """Never more than the most; each cut halves the direction with the greatest effect."""
    splitter, node = subject(3, 2)
    for _ in range(12):
        child = splitter.by_slice(node)[0]
        assert child.slice is not None
        if node.slice is not None and len(node.slice.low) == len(child.slice.low):
            width = child.slice.high - child.slice.low
            before = node.slice.high - node.slice.low
            effects = before * np.linalg.norm(node.slice.shares @ splitter.query.output, axis=1)
            assert np.allclose(splitter.effects(node, node.slice), effects)
            assert np.allclose(width / before, np.where(np.arange(len(width)) == effects.argmax(), 0.5, 1.0))
        node = child
    assert node.slice is not None
    assert len(node.slice.low) == MOST_DIRECTIONS == 3


def test_a_new_direction_is_where_words_move_the_stream_most() -> None:
    """With the first direction explained, one dimension of two is left: the output's orthogonal part."""
    splitter, node = subject()
    assert node.direction is not None
    first = node.direction[None]
    other = splitter._other_direction(node, first)
    y = splitter.query.outputs(np.array(words_of(splitter, node)))
    y = y - y.mean(axis=0)
    assert other.shape == (2,)
    assert abs(np.linalg.det([first[0], other])) > 0.05 * np.linalg.norm(first) * np.linalg.norm(other)
    shares = splitter._shares(node, np.stack([first[0], other]))
    assert np.allclose(shares.T @ np.stack([first[0], other]), np.eye(2), atol=1e-8)
    sample = splitter._samples(node)
    assert np.allclose(sample.mean(axis=0), 0.0, atol=1e-12)
    assert (np.abs(sample) <= np.ptp(y, axis=0) + 1e-9).all()
    sample = subject()[0]._samples(node)
    along = (sample @ first[0])[:, None]
    rest = (sample - along @ np.linalg.pinv(along) @ sample) @ splitter.query.output
    main = splitter.query.output @ np.linalg.eigh(rest.T @ rest)[1][:, -1]
    assert abs(other @ main) == pytest.approx(np.linalg.norm(other) * np.linalg.norm(main), rel=1e-9)


def test_samples_are_the_best_words_for_gains_that_favour_letters() -> None:
    """The same draws, and for each the best word by trying all."""
    splitter, node = subject(3)
    sample, rng, inside = splitter._samples(node), np.random.default_rng(0), words_of(splitter, node)
    gains = rng.standard_normal((N, 3, 64)) + 1.5 * rng.standard_normal((3, 64))
    best = [max(inside, key=lambda w: sum(gains[j, a, k] for j, a in enumerate(w))) for k in range(64)]
    y = splitter.query.outputs(np.array(best))
    assert np.allclose(sample, y - y.mean(axis=0))


@pytest.mark.parametrize("letters", [2, 3])
def test_counts_cover_a_class_once(letters: int) -> None:
    """By states always; by sorting only where the count decides the state. A class is counted once."""
    splitter, node = subject(letters)
    ones = np.tile(np.arange(letters) == 1, (N, 1)).astype(np.int64)
    for sorting in (False, True):
        children = splitter.by_count(node, ones, sorting=sorting)
        if sorting and letters == 2:
            assert all(isinstance(child.paths, CountPaths) for child in children)
        inside = sorted(word for child in children for word in words_of(splitter, child))
        assert inside == sorted(words_of(splitter, node))
        assert len(children) == len({sum(a == 1 for a in w) for w in product(range(letters), repeat=N) if sum(w) % 2})
        assert all(child.counted and child.cut == "count" for child in children)
        assert splitter.by_count(children[0], ones, sorting=sorting) == []
    uneven = np.tile(np.arange(letters) == 0, (N, 1)).astype(np.int64)
    uneven[1] = 0
    assert splitter.by_count(node, uneven, sorting=True) == []


def test_labels_are_the_letters_and_what_pushes_up() -> None:
    for letters in (2, 3):
        splitter, node = subject(letters)
        push = pushes(splitter, node)
        up = push > (push.max(axis=1, keepdims=True) + push.min(axis=1, keepdims=True)) / 2
        each = [np.tile(np.arange(letters) == a, (N, 1)) for a in (range(letters) if letters > 2 else (1,))]
        labels = [one.tolist() for one in splitter.labels(node)]
        assert labels[: len(each)] == [one.astype(int).tolist() for one in each]
        assert labels[len(each) :] == [up.astype(int).tolist()]


def test_the_largest_step_is_that_of_one_letter() -> None:
    """Coordinate by coordinate of the stream, over the letters that may stand at a free position."""
    splitter, node = subject(3, 2)
    assert node.middle is not None
    assert splitter.largest_step(replace(node, letters=np.tile(np.arange(3) == 1, (N, 1)))) == 0.0
    out, best = splitter.query.output, 0.0
    for j in range(N - 1):
        moved = []
        for a in np.flatnonzero(node.letters[j]):
            step = np.zeros(out.shape[1])
            for k, head in enumerate(splitter.query.heads):
                least = head.constant_weight
                least += sum(min(head.weight[i, b] for b in np.flatnonzero(node.letters[i])) for i in range(N))
                away = head.value[j, a] - node.middle[2 * k : 2 * k + 2]
                step += head.weight[j, a] / least * away @ out[2 * k : 2 * k + 2]
            moved.append(step)
        best = max(best, float(np.linalg.norm(np.max(moved, axis=0) - np.min(moved, axis=0))))
    assert splitter.largest_step(node) == pytest.approx(best)


def test_slices_are_stacked_with_zeros_where_directions_are_missing() -> None:
    one = Slice(np.ones((1, 2)), np.array([1.0]), np.array([2.0]), np.full((1, 2), 3.0))
    two = Slice(np.full((2, 2), 4.0), np.array([5.0, 6.0]), np.array([7.0, 8.0]), np.full((2, 2), 9.0))
    both = stacked([one, two])
    assert both is not None
    assert both.direction.tolist() == [[[1, 1], [0, 0]], [[4, 4], [4, 4]]]
    assert both.low.tolist() == [[1, 0], [5, 6]]
    assert both.high.tolist() == [[2, 0], [7, 8]]
    assert both.shares.tolist() == [[[3, 3], [0, 0]], [[9, 9], [9, 9]]]
    assert stacked([None, None]) is None
