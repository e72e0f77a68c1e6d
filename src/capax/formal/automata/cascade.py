"""Automata without groups as cascades of resets: the holonomy form of the Krohn-Rhodes theorem.

The sets of states that words lead to from the set of all states, and the single states, are ordered by inclusion and by
the words that take one to another. The cascade knows a shrinking chain of such sets around the true state: each level
keeps which maximal part (tile) of the set above it the state is in. A letter either leaves that number as it is, or
sets it to one that the levels above determine: a reset. That numbers can be given so that no letter permutes them is
exactly the absence of groups.

Cite: Krohn and Rhodes (1965); Zeiger (1967) and Eilenberg (1976) for the holonomy form; Maler (2010), On the
Krohn-Rhodes cascaded decomposition theorem.
"""

from dataclasses import dataclass
from typing import TypeAlias

from capax.errors import CapaxError
from capax.formal.automata.dfa import Dfa, Word, components

States: TypeAlias = int
"""A set of states: bit q is set if state q is in it."""

Node: TypeAlias = tuple[int, States, States]
"""A letter; the set around the state before it, as far as the levels above tell; and the set around the state after."""

MOST_SETS = 2_000
MOST_NODES = 4_000


class HasGroupError(CapaxError):
    """The automaton permutes some of its states in a cycle: it is not star-free."""


@dataclass(frozen=True, slots=True)
class Level:
    """One reset automaton of a cascade.

    It has `values` numbers and begins at `start`. Its input is one of `nodes`; `resets[node]` is the number that it
    sets, or None where it leaves all as it is. With its number before the letter, the node gives the input of the
    next level: `after[node][number]`, None where that does not occur.
    """

    values: int
    start: int
    nodes: tuple[Node, ...]
    resets: tuple[int | None, ...]
    after: tuple[tuple[int | None, ...], ...]


@dataclass(frozen=True, slots=True)
class Cascade:
    """Levels, the first of which reads letters; `last` are the nodes after the last level, one state in each set."""

    levels: tuple[Level, ...]
    last: tuple[Node, ...]

    def run(self, dfa: Dfa, word: Word) -> list[int]:
        """The state after each letter of a word, as the cascade computes it."""
        memory = [level.start for level in self.levels]
        states = []
        for symbol in dfa.numbers(word):
            node, before = symbol, list(memory)
            for at, level in enumerate(self.levels):
                reset, after = level.resets[node], level.after[node][before[at]]
                assert after is not None, "the cascade met a number that does not occur"
                memory[at] = before[at] if reset is None else reset
                node = after
            states.append(self.last[node][2].bit_length() - 1)
        return states


def cascade(dfa: Dfa, *, sets: int = MOST_SETS, nodes: int = MOST_NODES) -> Cascade:
    """The cascade of resets of an automaton; one with a group, or with too many sets or nodes, is refused."""
    order = _Order(dfa, sets)
    everything = (1 << dfa.size) - 1
    inputs: list[Node] = [(a, everything, everything) for a in range(len(dfa.alphabet))]
    levels: list[Level] = []
    around, total = everything, 0
    for height in range(order.height[everything], 0, -1):
        start = order.tile_with(around, dfa.start) if order.height[around] == height else 0
        level, following = _level(order, inputs, height, start)
        if order.height[around] == height:
            around = order.tiles[around][start]
        total += len(following)
        if total > nodes:
            what = f"the cascade of resets needs more than {nodes:,} inputs to its levels"
            raise CapaxError("too-large", what, hint="take a smaller automaton")
        if level is None:  # the number never changes: the level is left out
            inputs = _joined(inputs, following, levels)
        else:
            levels.append(level)
            inputs = following
    return Cascade(tuple(levels), tuple(inputs))


def _level(order: "_Order", inputs: list[Node], height: int, start: int) -> tuple[Level | None, list[Node]]:
    """The level for sets of a height and the inputs of the next; None if its number never changes.

    Without a level, the next inputs stand in the order of these.
    """
    resets = [order.reset(node, height) for node in inputs]
    used = sorted({start, *(r for r in resets if r is not None)})
    number = {value: at for at, value in enumerate(used)}
    if len(used) == 1:
        return None, [_next(order, node, height, start, reset) for node, reset in zip(inputs, resets, strict=True)]
    following: dict[Node, int] = {}
    after: list[tuple[int | None, ...]] = []
    for node, reset in zip(inputs, resets, strict=True):
        row: list[int | None] = []
        for value in used:
            if order.height[node[1]] == height and value >= len(order.tiles[node[1]]):
                row.append(None)
                continue
            next_node = _next(order, node, height, value, reset)
            row.append(following.setdefault(next_node, len(following)))
        after.append(tuple(row))
    named = tuple(None if reset is None else number[reset] for reset in resets)
    return Level(len(used), number[start], tuple(inputs), named, tuple(after)), list(following)


def _joined(inputs: list[Node], following: list[Node], levels: list[Level]) -> list[Node]:
    """The next inputs, each once, after a level that was left out; the level before gets their new numbers."""
    numbers: dict[Node, int] = {}
    moved = [numbers.setdefault(node, len(numbers)) for node in following]
    if not levels:
        assert len(moved) == len(numbers) == len(inputs), "letters stay apart"
        return following
    before = levels[-1]
    after = tuple(tuple(None if at is None else moved[at] for at in row) for row in before.after)
    levels[-1] = Level(before.values, before.start, before.nodes, before.resets, after)
    return list(numbers)


def _next(order: "_Order", node: Node, height: int, value: int, reset: int | None) -> Node:
    """The input of the next level, from this one's and its number before the letter."""
    letter, here, there = node
    if order.height[there] == height:
        there = order.tiles[there][value if reset is None else reset]
    if order.height[here] == height:
        here = order.tiles[here][value]
    return letter, here, there


class _Order:
    """The sets of states of an automaton: their tiles, numbered alike along words that permute nothing, and heights."""

    def __init__(self, dfa: Dfa, most: int) -> None:
        self.dfa = dfa
        self.moves: dict[States, tuple[States, ...]] = {}
        self._find_sets(most)
        self.tiles: dict[States, tuple[States, ...]] = {}
        self.height: dict[States, int] = {}
        plain = {one: self._maximal_parts(one) for one in self.moves}
        self.component = self._components()
        self._number_tiles(plain)
        self._find_heights(plain)

    def reset(self, node: Node, height: int) -> int | None:
        """The number that a level sets on an input; None where it stays."""
        letter, here, there = node
        image = self.moves[here][letter]
        if self.height[there] != height or image == there:
            return None
        return next(at for at, tile in enumerate(self.tiles[there]) if image & ~tile == 0)

    def tile_with(self, around: States, state: int) -> int:
        """The number of the first tile of a set that a state is in."""
        return next(at for at, tile in enumerate(self.tiles[around]) if tile >> state & 1)

    def _components(self) -> dict[States, int]:
        """The number of each set's strongly connected component; one that another leads to has a lower number."""
        number = {one: at for at, one in enumerate(self.moves)}
        numbers = components([[number[image] for image in row] for row in self.moves.values()])
        return dict(zip(self.moves, numbers, strict=True))

    def _find_sets(self, most: int) -> None:
        queue = [(1 << self.dfa.size) - 1, *(1 << q for q in range(self.dfa.size))]
        known = set(queue)
        for one in queue:  # the queue grows while it is read
            members = [q for q in range(self.dfa.size) if one >> q & 1]
            row = []
            for a in range(len(self.dfa.alphabet)):
                image = 0
                for q in members:
                    image |= 1 << self.dfa.delta[q][a]
                row.append(image)
                if image not in known:
                    known.add(image)
                    queue.append(image)
            self.moves[one] = tuple(row)
            if len(known) > most:
                what = f"words lead to more than {most:,} sets of states"
                raise CapaxError("too-large", what, hint="take a smaller automaton")

    def _maximal_parts(self, one: States) -> list[States]:
        inside = sorted((s for s in self.moves if s != one and s & ~one == 0), key=lambda s: (-s.bit_count(), s))
        maximal: list[States] = []
        for s in inside:
            if all(s & ~larger for larger in maximal):
                maximal.append(s)
        return maximal

    def _number_tiles(self, plain: dict[States, list[States]]) -> None:
        """Numbers the tiles of sets that words take to each other and back as those words do."""
        for first in self.moves:
            if first in self.tiles:
                continue
            self.tiles[first] = tuple(plain[first])
            queue = [first]
            for one in queue:  # the queue grows while it is read
                for a, image in enumerate(self.moves[one]):
                    if self.component[image] != self.component[one] or one.bit_count() == 1:
                        continue
                    moved = tuple(self.moves[tile][a] for tile in self.tiles[one])
                    if image not in self.tiles:
                        self.tiles[image] = moved
                        queue.append(image)
                    elif self.tiles[image] != moved:
                        what = "the automaton permutes states in a cycle, so its language is not star-free"
                        hint = "a cascade of resets computes star-free languages alone"
                        raise HasGroupError("bad-option", what, hint=hint)

    def _find_heights(self, plain: dict[States, list[States]]) -> None:
        """Longest ways down, by words and by parts, to single states; sets of one component have one height."""
        groups: dict[int, list[States]] = {}
        for one, at in self.component.items():
            groups.setdefault(at, []).append(one)
        # Components come with those that words lead to first; a part has fewer states, so sizes go first.
        for _, group in sorted(groups.items(), key=lambda item: (item[1][0].bit_count(), item[0])):
            if group[0].bit_count() == 1:
                self.height |= dict.fromkeys(group, 0)
                continue
            below = {s for one in group for s in (*self.moves[one], *plain[one]) if s not in group}
            height = 1 + max((self.height[s] for s in below), default=0)
            self.height |= dict.fromkeys(group, height)
