"""Collisions of sums: what is found collides, and what exists is found where all inputs are tried."""

from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from capax.limits.witnesses.search.additive import Additive
from capax.limits.witnesses.search.collisions import birthday, collide
from capax.limits.witnesses.search.list_tree import list_tree

SEEDS = st.integers(0, 10**6)


def drawn(seed: int, places: int, choices: int, reach: int, labels: bool = False) -> Additive:
    """A random table."""
    random = np.random.default_rng(seed)
    table = random.integers(-reach, reach + 1, (places, choices, 2))
    return Additive(table, random.integers(0, 2, (places, choices)) if labels else None)


def plain(additive: Additive) -> bool:
    """Whether two inputs collide, by trying all of them."""
    seen: dict[tuple[int, ...], set[int]] = {}
    for row in product(range(additive.choices), repeat=additive.positions):
        message, label = additive.message(np.array(row)), additive.label(np.array(row))
        known = seen.setdefault(message, set())
        if known and (additive.labels is None or known != {label}):
            return True
        known.add(label)
    return False


@settings(max_examples=60, deadline=None)
@given(SEEDS, st.integers(1, 6), st.integers(2, 3), st.sampled_from([1, 10, 1000]), st.booleans())
def test_enumeration_decides(seed: int, places: int, choices: int, reach: int, labels: bool) -> None:
    additive = drawn(seed, places, choices, reach, labels)
    search = collide(additive, np.random.default_rng(seed), lambda: False)
    assert (search.collision is not None) == plain(additive)
    assert search.exhausted == (search.collision is None)
    if search.collision is not None:
        assert additive.collide(np.array(search.collision.one), np.array(search.collision.two))


@settings(max_examples=60, deadline=None)
@given(SEEDS, st.integers(1, 6), st.integers(2, 3), st.sampled_from([0, 1, 3]))
def test_counting_is_right(seed: int, places: int, choices: int, reach: int) -> None:
    """There are no more messages than the bound says, so more inputs than that have a collision."""
    additive = drawn(seed, places, choices, reach)
    rows = product(range(choices), repeat=places)
    messages = {additive.message(np.array(row)) for row in rows}
    assert len(messages) <= 2**additive.message_bits * (1 + 1e-9)
    if additive.message_bits < additive.input_bits - 1e-9:
        assert plain(additive)


def test_birthday_and_lists_find_what_collides() -> None:
    """With lists of 2^10 the tree finds collisions that as many samples do not show."""
    additive = drawn(1, 32, 8, 60)
    for levels in (1, 2):
        found = None
        for seed in range(12):
            found = found or list_tree(additive, np.random.default_rng(seed), levels, lambda: False, 10, 12)
        assert found is not None
        assert found.method == f"{2 ** (levels + 1)}-list"
        assert additive.collide(np.array(found.one), np.array(found.two))
    found = birthday(additive, np.random.default_rng(0), 16)
    assert found is not None
    assert additive.collide(np.array(found.one), np.array(found.two))


def test_no_collision_is_invented() -> None:
    """Powers of a base give every input a sum of its own, even where hashes are all that is compared first."""
    table = np.array([[[choice * 4**place] for choice in range(4)] for place in range(20)], np.int64)
    additive = Additive(table)
    assert birthday(additive, np.random.default_rng(0), 14) is None
    assert list_tree(additive, np.random.default_rng(0), 1, lambda: False, 10, 12) is None
    search = collide(additive, np.random.default_rng(0), lambda: True)
    assert search.collision is None
    assert not search.exhausted


def test_labels_have_to_differ() -> None:
    """With equal vectors everywhere all inputs collide, and the found ones differ in their label."""
    labels = np.tile(np.array([0, 1]), (30, 1))
    additive = Additive(np.ones((30, 2, 1), np.int64), labels)
    found = birthday(additive, np.random.default_rng(0), 12)
    assert found is not None
    assert additive.label(np.array(found.one)) != additive.label(np.array(found.two))
