"""Loops on batches of words: the rounds are run one after another, without writing the program out.

Words with equally many rounds run together. In each round only what the wanted states depend on is computed, so that
the words that fail are those on which the program written out fails.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from capax.notation.rounds import rounds_at
from capax.rasp.ir.graph import topological
from capax.rasp.ir.loop_nodes import LoopParts, State
from capax.rasp.ir.nodes import Node, SOpNode
from capax.rasp.meaning.vector.batch import WordBatch


def read_by(loop: LoopParts) -> tuple[frozenset[int], ...]:
    """For each state the states that its value after a round depends on directly."""
    number = {state: i for i, state in enumerate(loop.states)}
    return tuple(
        frozenset(number[n] for n in topological(node) if isinstance(n, State) and n in number) for node in loop.nexts
    )


def needed_after(loop: LoopParts, wanted: Iterable[int], rounds: int) -> list[frozenset[int]]:
    """For each round the states after it that are needed, where some are wanted after the last.

    >>> from capax import indices, repeat
    >>> from capax.rasp.ir.loop_nodes import LoopParts
    >>> one, two = repeat(lambda a, b: (b, b), [indices, 1], 3)
    >>> [sorted(s) for s in needed_after(LoopParts.of(one.node), [0], 3)]
    [[1], [1], [0]]
    """
    reads = read_by(loop)
    needed = [frozenset(wanted)]
    while len(needed) < rounds:
        needed.append(frozenset().union(*(reads[i] for i in needed[-1])))
    return needed[::-1][:rounds] if rounds else []


def depends_on_states(loop: LoopParts) -> frozenset[Node]:
    """The nodes of the body whose value may be another one in each round."""
    changing: set[Node] = set(loop.states)
    for node in topological(*loop.nexts):
        if any(o in changing for o in node.operands):
            changing.add(node)
    return frozenset(changing)


@dataclass(frozen=True, slots=True, eq=False)
class LoopRun:
    """The final values of some states at every position of a batch, and the errors of its words that failed."""

    values: dict[int, list[Any]]
    errors: dict[int, Exception]


def run_loop(
    loop: LoopParts,
    wanted: Sequence[int],
    batch: WordBatch,
    start: Callable[[SOpNode, int], list[Any]],
    rounds_on: Callable[..., tuple[dict[int, list[list[Any]]], dict[int, Exception]]],
) -> LoopRun:
    """The loop on all words of a batch: those with equally many rounds together.

    `start` gives the values of an s-op on a word; `rounds_on` runs some rounds on some words.
    """
    groups: dict[int, list[int]] = {}
    for w, length in enumerate(batch.lengths.tolist()):
        groups.setdefault(rounds_at(loop.rounds, length), []).append(w)
    by_word: dict[int, dict[int, list[Any]]] = {i: {} for i in wanted}
    errors: dict[int, Exception] = {}
    for rounds, words in groups.items():
        starts = [[start(node, w) for w in words] for node in loop.starts]
        final, failed = rounds_on(loop, wanted, rounds, [batch.words[w] for w in words], starts)
        errors |= {words[k]: error for k, error in failed.items()}
        for i in wanted:
            by_word[i].update(zip(words, final[i], strict=True))
    lengths = batch.lengths.tolist()
    values = {i: [v for w in range(batch.count) for v in by_word[i][w] or [0] * lengths[w]] for i in wanted}
    return LoopRun(values, errors)


def failed_words(batch: WordBatch, errors: dict[int, Exception]) -> Any:
    """A flag for each position: whether its word failed."""
    dead = np.zeros(batch.count, np.bool_)
    dead[list(errors)] = True
    return np.repeat(dead, batch.lengths)
