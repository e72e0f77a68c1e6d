"""A run of the induction from its first level to its last, and what follows: two prompts that look alike."""

from itertools import product

import numpy as np

from capax.limits.induction.epochs import Induction, InductionLevel, Walk, first_level, frozen, next_level
from capax.limits.induction.transcript import Exchange
from capax.limits.witnesses.search.sampled_sums import every
from capax.model.model import Model
from capax.model.parts import Array
from capax.tasks.inputs.sequential_tables import SequentialLayout


def run_induction(
    model: Model, layout: SequentialLayout, *, tables: int, starts: int, keep: int, seed: int, shown: int
) -> Induction:
    """The induction on a model: at most `tables` tables of each player, `starts` values of i_0, `keep` tables kept.

    `shown` is for how many inputs of the players below a level its transcript is listed.
    """
    exchange = Exchange(model, layout)
    chosen = {player: drawn(layout.size(player - 1), tables, seed, player) for player in range(1, layout.steps + 1)}
    sizes = {p: (len(one), layout.size(p - 1) ** layout.size(p - 1)) for p, one in chosen.items()}
    walk = Walk(exchange, chosen, starts, keep)
    before, spent = first_level(walk)
    levels = [_level(walk, 1, before, spent, (), shown)]
    for level in range(1, layout.steps):
        taken = next_level(walk, level)
        if taken is None:
            return Induction(tuple(levels), sizes)
        steps, before, spent = taken
        levels.append(_level(walk, level + 1, before, spent, steps, shown))
    words = walk.words(layout.steps, walk.rest, walk.contexts(layout.steps))
    checked = all_alike(exchange, words, len(walk.rest))
    pair = fooling_pair(layout, words, len(walk.rest))
    if pair is None:
        return Induction(tuple(levels), sizes, checked)
    answer = model.decoding.decode(exchange.logits(np.array(pair[:1])))[0]
    return Induction(tuple(levels), sizes, checked, pair, (layout.value(pair[0]), layout.value(pair[1])), answer)


def drawn(entries: int, most: int, seed: int, player: int) -> Array:
    """All tables of that many entries, where they are at most `most`; else so many random ones, each once."""
    if entries**entries <= most:
        return every(entries, entries)
    random = np.random.default_rng((seed, player))
    rows: dict[tuple[int, ...], None] = {}
    while len(rows) < most:
        rows[tuple(random.integers(0, entries, entries).tolist())] = None
    return np.array(list(rows))


def _level(walk: Walk, level: int, before: int, spent: int, steps: tuple[str, ...], shown: int) -> InductionLevel:
    kept = {player: len(walk.z[player]) for player in range(-1, level)}
    reached = len(values_reached(walk, level))
    return InductionLevel(level, kept, len(walk.rest), before, reached, spent, steps, frozen(walk, level, shown))


def values_reached(walk: Walk, level: int) -> set[int]:
    """The values of i_(level-1) over all kept inputs of the players below a level; of i_0 at level 1."""
    layout = walk.exchange.layout
    values = {int(row[0]) for row in walk.z[0]}
    for player in range(1, level):
        size = layout.size(player - 2) if player > 1 else 0
        asked = range(layout.queries[player - 2]) if player > 1 else (0,)
        values = {int(t[w * size + i]) for t, w, i in product(walk.z[player], asked, values)}
    return values


def all_alike(exchange: Exchange, words: Array, members: int) -> int:
    """How many contexts there are in which the whole model has one row of logits for all members; it has to in all."""
    logits = exchange.logits(words).reshape(members, len(words) // members, -1)
    assert (logits == logits[:1]).all(), "members of R look alike to the whole model"
    return logits.shape[1]


def fooling_pair(layout: SequentialLayout, words: Array, members: int) -> tuple[list[int], list[int]] | None:
    """Two prompts that differ in z_L alone and have different answers, if there are such."""
    contexts = len(words) // members
    for at in range(contexts):
        rows = words[at::contexts].tolist()
        truths = [layout.value(row) for row in rows]
        other = next((k for k, value in enumerate(truths) if value != truths[0]), None)
        if other is not None:
            return rows[0], rows[other]
    return None
