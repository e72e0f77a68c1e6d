"""Deterministic finite automata as small values: running, minimising, comparing, random words."""

from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product
from typing import TypeAlias, TypeVar

import numpy as np

from capax.errors import CapaxError

T = TypeVar("T", bound=Hashable)
Word: TypeAlias = Sequence[str]
"""A sequence of symbols; a string is the word of its characters."""


def unknown_symbol(symbol: str, position: int | None, alphabet: Sequence[str]) -> CapaxError:
    """The error for a symbol of a word that is not in the alphabet."""
    at = "" if position is None else f" at position {position}"
    hint = f"the alphabet is {' '.join(alphabet[:40])}"
    return CapaxError("unknown-token", f"the symbol {symbol!r:.60}{at} is not in the alphabet", hint=hint)


def check_symbols(word: Sequence[str], alphabet: Sequence[str]) -> None:
    """Refuses a word with a symbol that is not in the alphabet."""
    for position, symbol in enumerate(word):
        if symbol not in alphabet:
            raise unknown_symbol(symbol, position, alphabet)


def check_formula_symbols(symbols: Iterable[str], alphabet: Sequence[str]) -> None:
    """Refuses a formula of some symbols if one of them is not in the alphabet."""
    for symbol in symbols:
        if symbol not in alphabet:
            what = f"the formula has {symbol!r:.60}, which is not in the alphabet"
            raise CapaxError("unknown-token", what, hint=f"the alphabet is {' '.join(alphabet[:40])}")


@dataclass(frozen=True, slots=True)
class Dfa:
    """A complete automaton: `delta[state][number of the symbol]` is the next state; states are 0, 1, ...

    >>> even = Dfa(("a", "b"), ((1, 0), (0, 1)), 0, frozenset({0}))
    >>> even.accepts("abba"), even.accepts("ab")
    (True, False)
    """

    alphabet: tuple[str, ...]
    delta: tuple[tuple[int, ...], ...]
    start: int
    accepting: frozenset[int]
    _number: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        n, s = len(self.delta), len(self.alphabet)
        _require(s > 0, "the alphabet is empty")
        _require(len(set(self.alphabet)) == s, "a symbol stands twice in the alphabet")
        _require(0 <= self.start < n, f"the start is {self.start}, and the states are 0 to {n - 1}")
        _require(all(len(row) == s for row in self.delta), f"a state has {s} next states, one for each symbol")
        _require(all(0 <= q < n for row in self.delta for q in row), f"a next state is not in 0 to {n - 1}")
        _require(all(0 <= q < n for q in self.accepting), f"an accepting state is not in 0 to {n - 1}")
        object.__setattr__(self, "_number", {symbol: at for at, symbol in enumerate(self.alphabet)})

    @property
    def size(self) -> int:
        """The number of states."""
        return len(self.delta)

    def number(self, symbol: str, position: int | None = None) -> int:
        """The number of a symbol in the alphabet; a symbol outside it is an error."""
        number = self._number.get(symbol)
        if number is None:
            raise unknown_symbol(symbol, position, self.alphabet)
        return number

    def numbers(self, word: Word) -> list[int]:
        """The numbers of a word's symbols."""
        return [self.number(symbol, position) for position, symbol in enumerate(word)]

    def states(self, word: Word) -> list[int]:
        """The states along a word: the start, then the state after each symbol."""
        states = [self.start]
        for symbol in self.numbers(word):
            states.append(self.delta[states[-1]][symbol])
        return states

    def run(self, word: Word) -> int:
        """The state after a word."""
        return self.states(word)[-1]

    def accepts(self, word: Word) -> bool:
        """Whether a word is in the language."""
        return self.run(word) in self.accepting

    def complement(self) -> "Dfa":
        """The automaton of all other words."""
        return Dfa(self.alphabet, self.delta, self.start, frozenset(range(self.size)) - self.accepting)

    def minimal(self) -> "Dfa":
        """The smallest automaton of the language; states are numbered as they are met from the start."""
        order = reached([self.start], lambda q: self.delta[q])
        block = _equivalent_states(self, order)
        names: dict[int, int] = {}
        for q in order:
            names.setdefault(block[q], len(names))
        first: dict[int, int] = {}
        for q in order:
            first.setdefault(names[block[q]], q)
        delta = tuple(tuple(names[block[t]] for t in self.delta[q]) for q in first.values())
        accepting = frozenset(at for at, q in first.items() if q in self.accepting)
        return Dfa(self.alphabet, delta, names[block[self.start]], accepting)

    def difference(self, other: "Dfa") -> tuple[str, ...] | None:
        """A shortest word that one of two automata accepts and the other does not; None if they are equivalent."""
        _require(self.alphabet == other.alphabet, "the two automata have different alphabets")
        begin = (self.start, other.start)
        came: dict[tuple[int, int], tuple[tuple[int, int], int] | None] = {begin: None}
        queue = deque([begin])
        while queue:
            pair = queue.popleft()
            if (pair[0] in self.accepting) != (pair[1] in other.accepting):
                return tuple(self.alphabet[a] for a in _way(came, pair))
            for a in range(len(self.alphabet)):
                after = (self.delta[pair[0]][a], other.delta[pair[1]][a])
                if after not in came:
                    came[after] = (pair, a)
                    queue.append(after)
        return None

    def equivalent(self, other: "Dfa") -> bool:
        """Whether two automata over one alphabet accept the same words."""
        return self.difference(other) is None

    def combined(self, other: "Dfa", keep: Callable[[bool, bool], bool]) -> "Dfa":
        """The minimal automaton of the words that `keep` says of, from whether each of the two accepts."""
        _require(self.alphabet == other.alphabet, "the two automata have different alphabets")
        pairs = {pair: at for at, pair in enumerate(product(range(self.size), range(other.size)))}
        symbols = range(len(self.alphabet))
        delta = tuple(tuple(pairs[self.delta[p][a], other.delta[q][a]] for a in symbols) for p, q in pairs)
        chosen = (at for (p, q), at in pairs.items() if keep(p in self.accepting, q in other.accepting))
        return Dfa(self.alphabet, delta, pairs[self.start, other.start], frozenset(chosen)).minimal()

    def shortest(self) -> tuple[str, ...] | None:
        """A shortest accepted word; None if there is none."""
        return self.difference(Dfa(self.alphabet, ((0,) * len(self.alphabet),), 0, frozenset()))


def words_up_to(alphabet: Iterable[str], longest: int, *, least: int = 0) -> Iterator[tuple[str, ...]]:
    """All words over an alphabet of lengths `least` to `longest`, the short ones first."""
    symbols = tuple(alphabet)
    for length in range(least, longest + 1):
        yield from product(symbols, repeat=length)


def reached(starts: Iterable[T], after: Callable[[T], Iterable[T]], most: int | None = None) -> list[T]:
    """All that some starts lead to, themselves included, in the order in which it is met; at most one more than `most`.

    >>> reached([1], lambda n: [2 * n % 7, 3 * n % 7])
    [1, 2, 3, 4, 6, 5]
    """
    queue = list(starts)
    seen = set(queue)
    for one in queue:  # the queue grows while it is read
        for other in after(one):
            if other not in seen:
                seen.add(other)
                queue.append(other)
                if most is not None and len(queue) > most:
                    return queue
    return queue


def explored(
    alphabet: Sequence[str],
    start: T,
    step: Callable[[T], Iterable[T]],
    accepts: Callable[[T], bool],
    refuse: Callable[[int], None] | None = None,
) -> Dfa:
    """The automaton of a start, and of what a step leads to at each symbol, numbered in the order in which it is met.

    `refuse` is called with the number of states whenever there is one more.
    """
    states, queue, delta = {start: 0}, [start], []
    for one in queue:  # the queue grows while it is read
        row = []
        for after in step(one):
            if after not in states:
                if refuse is not None:
                    refuse(len(states) + 1)
                states[after] = len(states)
                queue.append(after)
            row.append(states[after])
        delta.append(tuple(row))
    return Dfa(tuple(alphabet), tuple(delta), 0, frozenset(at for one, at in states.items() if accepts(one)))


def _equivalent_states(dfa: Dfa, order: list[int]) -> dict[int, int]:
    """A number for each reachable state, the same for states that no word tells apart: Hopcroft's algorithm."""
    into: list[dict[int, list[int]]] = [defaultdict(list) for _ in dfa.alphabet]
    for q in order:
        for a, t in enumerate(dfa.delta[q]):
            into[a][t].append(q)
    block = {q: int(q in dfa.accepting) for q in order}
    members: dict[int, set[int]] = {0: set(), 1: set()}
    for q in order:
        members[block[q]].add(q)
    waiting = [0, 1]
    while waiting:
        splitter = list(members[waiting.pop()])
        for arrivals in into:
            hit: dict[int, set[int]] = defaultdict(set)
            for t in splitter:
                for q in arrivals.get(t, ()):
                    hit[block[q]].add(q)
            for old, some in hit.items():
                if len(some) == len(members[old]):
                    continue
                rest = members[old] - some
                small = min(some, rest, key=len)
                members[old] -= small
                new = len(members)
                members[new] = small
                for q in small:
                    block[q] = new
                waiting.append(new)  # if the old block waits, both parts now do; if not, the smaller is enough
    return block


def _way(came: dict[tuple[int, int], tuple[tuple[int, int], int] | None], pair: tuple[int, int]) -> list[int]:
    symbols = []
    step = came[pair]
    while step is not None:
        symbols.append(step[1])
        step = came[step[0]]
    return symbols[::-1]


def _require(right: bool, what: str) -> None:
    if not right:
        raise CapaxError("bad-automaton", what, hint="every state has a next state for every symbol of the alphabet")


def components(graph: Sequence[Sequence[int]]) -> list[int]:
    """The number of the component of each node; those that others lead to have the smaller numbers.

    Tarjan's algorithm without recursion, since graphs of monoids are deep.
    """
    n = len(graph)
    order, low, component = [-1] * n, [0] * n, [-1] * n
    stack: list[int] = []
    count = clock = 0
    for root in range(n):
        if order[root] >= 0:
            continue
        work = [(root, 0)]
        while work:
            node, at = work.pop()
            if at == 0:
                order[node] = low[node] = clock
                clock += 1
                stack.append(node)
            elif component[graph[node][at - 1]] < 0:
                low[node] = min(low[node], low[graph[node][at - 1]])
            while at < len(graph[node]):
                other = graph[node][at]
                at += 1
                if order[other] < 0:
                    work += [(node, at), (other, 0)]
                    break
                if component[other] < 0:
                    low[node] = min(low[node], order[other])
            else:
                if low[node] == order[node]:
                    while True:
                        top = stack.pop()
                        component[top] = count
                        if top == node:
                            break
                    count += 1
    return component


def is_partially_ordered(dfa: Dfa) -> bool:
    """Whether no state is come back to after it was left."""
    return len(set(components(dfa.delta))) == dfa.size


@lru_cache(maxsize=64)
def counts(dfa: Dfa, length: int) -> tuple[tuple[int, ...], ...]:
    """How many words of each length up to `length` lead from each state to acceptance."""
    rows = [tuple(int(q in dfa.accepting) for q in range(dfa.size))]
    for _ in range(length):
        rows.append(tuple(sum(rows[-1][t] for t in row) for row in dfa.delta))
    return tuple(rows)


def random_word(dfa: Dfa, random: np.random.Generator, length: int) -> tuple[str, ...] | None:
    """A random accepted word of a length; None where there is none."""
    table = counts(dfa, length)
    if not table[length][dfa.start]:
        return None
    state, word = dfa.start, []
    for left in range(length, 0, -1):
        chances = [table[left - 1][t] for t in dfa.delta[state]]
        choice = _pick(random, chances)
        word.append(dfa.alphabet[choice])
        state = dfa.delta[state][choice]
    return tuple(word)


def near_word(dfa: Dfa, random: np.random.Generator, length: int) -> tuple[str, ...] | None:
    """A random accepted word of the length, or else of the longest shorter length that has one."""
    table = counts(dfa, length)
    least = next((n for n in range(length, -1, -1) if table[n][dfa.start]), None)
    return None if least is None else random_word(dfa, random, least)


def _pick(random: np.random.Generator, chances: list[int]) -> int:
    """An index, as likely as the whole numbers say; they may be huge."""
    total = sum(chances)
    at = int.from_bytes(random.bytes((total.bit_length() + 71) // 8), "big") % total  # 64 spare bits: no bias to see
    for index, chance in enumerate(chances):
        at -= chance
        if at < 0:
            return index
    raise AssertionError("the chances sum to less than they do")
