"""Models that answer at the last letter, from their answers alone: what is remembered of a word, and a test of it.

The bank is that of recognisers: the letter here, the one before, the first one, counts of letters and of pairs of
neighbours, the last letter but for fillers. The smallest set of these that the answers on all short words are a
function of is taken first; a decision tree or a linear threshold of counts makes the answer of it. Words on which the
program and the model differ join the sample, as long as they are not longer than the words that are fitted.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

import numpy as np

from capax.decompiler.automaton import Answers
from capax.decompiler.feature import Feature, Strings, grown, kind_of
from capax.decompiler.function_fit import explain
from capax.decompiler.naming import program_of, size
from capax.decompiler.sample import Word, short_words
from capax.decompiler.threshold import threshold
from capax.model.parts import Array
from capax.model.vocabulary import Token
from capax.rasp.ir.nodes import Aggregate, And, Best, Const, Indices, Input, Map, Select, SOpNode, Width
from capax.rasp.ir.types import Atom

ALL_WORDS: Final = 600
"""Words of each length are all fitted while there are not more than this in all."""
RANDOM_WORDS: Final = 250
CHECKED: Final = 4000
"""A program is compared with the model on this many words before it is believed."""
ROUNDS: Final = 6
TOKENS: Final = Input("str")
SO_FAR: Final = Select(Indices(), Indices(), "<=")


@dataclass(frozen=True, slots=True, eq=False)
class BlackBox:
    """A program for the answers at the last letter, or None; the share of the checked words that the best one got."""

    answer: SOpNode | None
    agreement: float
    fitted: int
    """The longest words that were used to find it."""


def count_of(letter: Token) -> SOpNode:
    """How often a letter occurs up to here."""
    return Width(And(Select(TOKENS, Const(letter), "=="), SO_FAR))


def back(k: int) -> SOpNode:
    """The letter some positions before."""
    return Aggregate(Select(Indices(), Map("-", (Indices(), Const(k))), "=="), TOKENS, "")


FIRST: Final = Aggregate(Select(Indices(), Const(0), "=="), TOKENS, "")


def last_but(letter: Token) -> SOpNode:
    """The last letter up to here that is not a given one."""
    return Aggregate(Best(And(Select(TOKENS, Const(letter), "!="), SO_FAR), Indices()), TOKENS, "")


def neighbours(one: Token, two: Token) -> SOpNode:
    """How often a letter follows another up to here."""
    pair = And(Select(back(1), Const(one), "=="), Select(TOKENS, Const(two), "=="))
    return Width(And(pair, SO_FAR))


REPEATS: Final = Width(And(Select(Map("==", (back(1), TOKENS)), Const(True), "=="), SO_FAR))
"""How often a letter follows itself up to here."""


def count_at(letter: Token, parity: int) -> SOpNode:
    """How often a letter occurs up to here at even, or at odd, positions."""
    at = Select(Map("%", (Indices(), Const(2))), Const(parity), "==")
    return Width(And(And(Select(TOKENS, Const(letter), "=="), at), SO_FAR))


def memories(letters: Sequence[Token]) -> Iterator[list[SOpNode]]:
    """Sets of what may have to be remembered, small ones first."""
    counts = [count_of(x) for x in letters]
    pairs = [neighbours(x, y) for x in letters for y in letters]
    yield [TOKENS]
    yield [TOKENS, back(1)]
    yield [TOKENS, FIRST]
    for count in counts:
        yield [count]
    yield counts
    for x in letters:
        yield [TOKENS, last_but(x)]
    yield [TOKENS, FIRST, REPEATS]
    for pair in pairs:
        yield [pair]
    yield [TOKENS, *counts]
    yield [TOKENS, back(1), FIRST]
    yield [TOKENS, back(1), back(2)]
    yield [TOKENS, back(1), *counts]
    yield [TOKENS, FIRST, *counts]
    yield [TOKENS, *(last_but(x) for x in letters)]
    yield [TOKENS, FIRST, *pairs]
    yield [TOKENS, FIRST, Indices(), *counts]
    yield [TOKENS, *(count_at(x, parity) for x in letters for parity in (0, 1))]
    yield [TOKENS, back(1), FIRST, REPEATS, *counts]


def black_box(ask: Answers, letters: Sequence[Token], *, longest: int, seed: int = 0) -> BlackBox:
    """The program that was found for a model's answers at the last letter."""
    words = _fitted(letters, longest, seed)
    checked = checked_words(letters, longest, seed)
    right = ask(checked)
    best = max(Counter(right).values(), default=0) / len(checked)  # that of the best constant
    for _ in range(ROUNDS):
        node = _program(words, ask(words), letters)
        if node is None:
            return BlackBox(None, best, longest)
        answers = [row[-1] for row in program_of(node, {}).batch(checked)]
        wrong = [w for w, a, b in zip(checked, answers, right, strict=True) if a != b]
        best = max(best, 1 - len(wrong) / len(checked))
        if not wrong:
            return BlackBox(node, 1.0, longest)
        words = list(dict.fromkeys([*words, *sorted(wrong, key=len)[:40]]))
    return BlackBox(None, best, longest)


def _fitted(letters: Sequence[Token], longest: int, seed: int) -> list[Word]:
    """All words of small lengths, and random ones up to the longest."""
    words: list[Word] = []
    n = 1
    while n <= longest and len(words) + len(letters) ** n <= ALL_WORDS:
        words += list(product(letters, repeat=n))
        n += 1
    return list(dict.fromkeys([*words, *short_words(letters, longest, RANDOM_WORDS, seed)]))


def checked_words(letters: Sequence[Token], longest: int, seed: int) -> list[Word]:
    """All words of small lengths, and varied ones up to the longest: what a hypothesis is tried on."""
    words: list[Word] = []
    n = 1
    while n <= longest and len(words) + len(letters) ** n <= CHECKED:
        words += list(product(letters, repeat=n))
        n += 1
    return list(dict.fromkeys([*words, *varied_words(letters, range(1, longest + 1), CHECKED // 4, seed + 1)]))


def varied_words(letters: Sequence[Token], lengths: range, count: int, seed: int) -> list[Word]:
    """Words of some lengths: random ones, ones of few letters, and repeated patterns with a letter changed or not."""
    rng = np.random.default_rng(seed)
    words: list[Word] = []
    for k in range(count):
        n = int(rng.choice(np.array(lengths)))
        if k % 3 == 0:
            codes = rng.integers(len(letters), size=n)
        elif k % 3 == 1:
            codes = rng.choice(len(letters), size=n, p=rng.dirichlet(np.full(len(letters), 0.4)))
        else:
            codes = np.resize(rng.integers(len(letters), size=int(rng.integers(1, 4))), n)
            if rng.random() < 0.5:
                codes[int(rng.integers(n))] = rng.integers(len(letters))
        words.append(tuple(letters[i] for i in codes.tolist()))
    return words


def _program(words: Sequence[Word], answers: Sequence[Token], letters: Sequence[Token]) -> SOpNode | None:
    """The smallest program that was found for the answers to some words, of the first memory that suffices."""
    texts = {t for t in (*letters, *answers) if isinstance(t, str)}
    strings = Strings(tuple(sorted({"", *texts})))
    columns: dict[SOpNode, Feature] = {}
    options: list[SOpNode] = []
    for memory in memories(letters):
        for node in memory:
            if node not in columns:
                columns[node] = _column(node, words, strings)
        base = [columns[node] for node in memory]
        answer = _of_memory(base, answers, strings)
        if answer is not None:
            options.append(answer)
            if size(answer) <= 24 or len(options) >= 3:
                break
    return min(options, key=size, default=None)


def _column(node: SOpNode, words: Sequence[Word], strings: Strings) -> Feature:
    """The values of an s-op at the last letter of each word."""
    values = [row[-1] for row in program_of(node, {}).batch(words)]
    numbers = [strings.code(v) if isinstance(v, str) else v for v in values]
    return Feature(node, kind_of(values[0]), np.array(numbers, np.float64), size(node) / 3)


def _of_memory(base: Sequence[Feature], answers: Sequence[Token], strings: Strings) -> SOpNode | None:
    """The answer as a small s-op of what is remembered; None if it is no function of it, or none was found."""
    table = np.stack([f.values for f in base], axis=1)
    _, first, row_of = np.unique(table, axis=0, return_index=True, return_inverse=True)
    rows = row_of.reshape(-1).tolist()
    if any(answers[at] != answers[int(first[row])] for at, row in enumerate(rows)):
        return None
    target: list[Atom] = [answers[int(at)] for at in first]
    known = [Feature(f.node, f.kind, f.values[first], f.cost) for f in base]
    bank = grown(known, strings)
    counts = [f for f in known if f.kind == "int"]
    for test in _thresholds(target, counts):
        bank.add(test)
    tree = explain(target, bank, known)
    return None if tree is None else tree.node


def _thresholds(target: Sequence[Atom], counts: Sequence[Feature]) -> Iterator[Feature]:
    """Linear thresholds of counts: where the answer is a given one; for numbers, where it is at least one."""
    values = list(dict.fromkeys(target))
    if len(values) > 8 or not counts:
        return
    at_least: Callable[[Atom], Array] = lambda value: np.array([x == value for x in target])  # noqa: E731
    if all(isinstance(v, int) and not isinstance(v, bool) for v in values):
        at_least = lambda value: np.array([x >= value for x in target])  # type: ignore[operator] # noqa: E731
    for value in values:
        test = threshold(at_least(value), counts)
        if test is not None:
            yield test
