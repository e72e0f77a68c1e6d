"""Two words that rounding confuses: the evidence for a program that is refused for its rounding.

The refusal rests on bounds for all words, and bounds may be too careful. So words are tried: all short ones, random
ones and hard ones. Either the interpreter's own floats decide (of two sides that are equal up to rounding, one pair is
equal and another is not), or two values differ by no more than a mean in the model's number system may be off. What is
shown is what the interpreter computes; where no such words are found, the error says that.
"""

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from capax.compiler.analysis.value_sets import NEAR
from capax.compiler.check.agreement import Word, hard_words, random_words, short_words
from capax.compiler.domain import Domain
from capax.errors import CapaxError
from capax.model.parts import Array
from capax.rasp.ir.nodes import COMPARISONS, Best, Map, Node, Select, SOpNode, Table
from capax.rasp.ir.types import Atom
from capax.rasp.meaning.fast import evaluate_batch
from capax.rasp.meaning.sequence import Sequence as Values

SHORT_WORDS = 9000
"""Up to so many short words are tried: all of two tokens up to length 12."""

OTHER_WORDS = 400
"""How many random words, and hard ones, are tried."""

MOST_CELLS = 2_000_000
"""Positions of words, or pairs of them, that are gone through."""

KEPT_DIGITS = 36
"""Numbers that agree in so many binary digits are near each other."""


@dataclass(frozen=True, slots=True)
class Occurrence:
    """Values of some s-ops at a position of a word; where a key is compared with a query, at a position of each."""

    word: Word
    positions: tuple[int, ...]
    values: tuple[Atom, ...]

    def text(self) -> str:
        """The occurrence as a phrase."""
        text = all(isinstance(t, str) and len(t) == 1 for t in self.word)
        word = repr("".join(map(str, self.word))) if text else str(list(self.word))
        where = "position" if len(set(self.positions)) == 1 else "positions"
        numbers = " and ".join(str(p) for p in dict.fromkeys(self.positions))
        return f"{' and '.join(map(repr, self.values))} on {word} at {where} {numbers}"


@dataclass(frozen=True, slots=True)
class ConfusedWords:
    """Two occurrences that rounding does not tell apart, or tells apart though they are equal."""

    one: Occurrence
    two: Occurrence

    def text(self) -> str:
        """Both words with their values."""
        return f"{self.one.text()}, but {self.two.text()}"


def tried_words(domain: Domain) -> list[Word]:
    """The words that are tried: short ones first."""
    short, _ = short_words(domain, SHORT_WORDS)
    count = max(1, min(OTHER_WORDS, MOST_CELLS // (4 * domain.max_length)))
    others = [*random_words(domain, count, 0), *hard_words(domain, count)]
    return list(dict.fromkeys([*short, *others]))


def explained(error: CapaxError, domain: Domain) -> CapaxError:
    """A refusal for rounding with two words that show it, or with the remark that none was found."""
    node = error.data.get("node")
    coarse = bool(error.data.get("coarse"))
    if not isinstance(node, Node) or not (coarse or error.code == "rests-on-rounding"):
        return error
    words = tried_words(domain)
    pair = too_near(node, words, domain) if coarse else several_roundings(node, words)
    if pair is not None:
        limit = f", and a mean in {domain.dtype} may be off by {error_of_mean(pair, domain):.1e}" if coarse else ""
        error.what = f"{error.what}: {pair.text()}{limit}"
        error.data = {**error.data, "words": [list(pair.one.word), list(pair.two.word)]}
    else:
        none = f"none of {len(words):,} words that were tried shows it, so the bound may be too careful"
        error.what = f"{error.what} ({none})"
    return error


def error_of_mean(pair: ConfusedWords, domain: Domain) -> float:
    """How far a head's mean in a model's own numbers may be off, by one rounding for each key."""
    size = max(abs(float(v)) for o in (pair.one, pair.two) for v in o.values)
    return max(len(pair.one.word), len(pair.two.word)) * domain.unit * size


def too_near(node: Node, words: Sequence[Word], domain: Domain) -> ConfusedWords | None:
    """The two occurrences of an s-op whose values differ least, where rounding in the model may be as much as that."""
    if not isinstance(node, SOpNode):
        return None
    occurrences = [o for o in _occurrences([node], words) if _is_float(o.values[0])]
    if len(occurrences) < 2:
        return None
    numbers = np.array([float(o.values[0]) for o in occurrences])
    order = np.argsort(numbers, kind="stable")
    rising = numbers[order]
    size = np.maximum(np.abs(rising[1:]), np.abs(rising[:-1]))
    steps = np.diff(rising)
    nearest = int(np.argmin(np.where(steps > NEAR * size, steps / np.maximum(size, math.ulp(0.0)), np.inf)))
    pair = ConfusedWords(occurrences[order[nearest]], occurrences[order[nearest + 1]])
    near = NEAR * size[nearest] < steps[nearest] <= error_of_mean(pair, domain)
    return _shortest(pair, [node]) if near else None


def several_roundings(node: Node, words: Sequence[Word]) -> ConfusedWords | None:
    """Two occurrences of what a node reads that are equal up to rounding, and for which it gives different results."""
    match node:
        case Map(op=op, args=args) if op in COMPARISONS:
            return _shortest(_sides(_occurrences(args, words)), args)
        case Select(key=key, query=query):
            return _shortest(_sides(_pairs(key, query, words)), (key, query))
        case Best(score=score):
            return _shortest(_sides(_pairs(score, score, words)), (score, score))
        case Map() | Table():
            nodes = (*(node.args if isinstance(node, Map) else (node.arg,)), node)
            return _shortest(_outcomes(_occurrences(nodes, words)), nodes)
    return None


def _shortest(pair: ConfusedWords | None, nodes: Sequence[SOpNode]) -> ConfusedWords | None:
    """The pair with words that end where they are looked at, if the values there stay the same."""
    return None if pair is None else ConfusedWords(_ended(pair.one, nodes), _ended(pair.two, nodes))


def _ended(occurrence: Occurrence, nodes: Sequence[SOpNode]) -> Occurrence:
    start = occurrence.word[: max(occurrence.positions) + 1]
    positions = itertools.islice(itertools.cycle(occurrence.positions), len(nodes))
    for _, columns in _values(nodes, [start]):
        if tuple(c[p] for c, p in zip(columns, positions, strict=True)) == occurrence.values:
            return replace(occurrence, word=start)
    return occurrence


def rounded(numbers: Array, digits: int) -> Array:
    """Numbers rounded to some binary digits, to nearest."""
    mantissa, exponent = np.frexp(numbers)
    return np.asarray(np.ldexp(np.rint(np.ldexp(mantissa, digits)), exponent - digits))


def _is_float(value: Atom) -> bool:
    return not isinstance(value, str) and math.isfinite(value)


def _values(nodes: Sequence[SOpNode], words: Sequence[Word]) -> Iterator[tuple[Word, list[list[Atom]]]]:
    """The values of s-ops on the words on which all have one, up to the limit of positions."""
    ends = itertools.accumulate(map(len, words))
    fitting = [word for word, end in zip(words, ends, strict=True) if end <= MOST_CELLS]
    columns = [evaluate_batch(node, fitting) for node in nodes]
    for word, *outcomes in zip(fitting, *columns, strict=True):
        if all(isinstance(outcome, Values) for outcome in outcomes):
            yield word, [list(outcome) for outcome in outcomes]


def _occurrences(nodes: Sequence[SOpNode], words: Sequence[Word]) -> list[Occurrence]:
    """The values of s-ops at every position, each combination once, on the first word that has it."""
    first: dict[tuple[Atom, ...], Occurrence] = {}
    for word, columns in _values(nodes, words):
        for position, values in enumerate(zip(*columns, strict=True)):
            if values not in first:
                first[values] = Occurrence(word, (position,), values)
    return list(first.values())


def _pairs(key: SOpNode, query: SOpNode, words: Sequence[Word]) -> list[Occurrence]:
    """Keys and queries of one word that are equal up to rounding, each pair of values once."""
    first: dict[tuple[Atom, Atom], Occurrence] = {}
    cells = 0
    for word, (keys, queries) in _values([key, query], words):
        if cells + len(word) ** 2 > MOST_CELLS:
            continue
        cells += len(word) ** 2
        one, two = ([float(v) if _is_float(v) else math.nan for v in side] for side in (keys, queries))
        a, b = np.array(one)[:, None], np.array(two)[None, :]
        for k, q in np.argwhere(np.abs(a - b) <= NEAR * np.maximum(np.abs(a), np.abs(b))).tolist():
            first.setdefault((keys[k], queries[q]), Occurrence(word, (k, q), (keys[k], queries[q])))
    return list(first.values())


def _sides(occurrences: Sequence[Occurrence]) -> ConfusedWords | None:
    """Two pairs of sides that are equal up to rounding, of which one is equal (or less) and the other is not."""
    by_order: dict[int, Occurrence] = {}
    for occurrence in occurrences:
        one, two = occurrence.values
        if not (_is_float(one) and _is_float(two)) or isinstance(one, str) or isinstance(two, str):
            continue
        if abs(one - two) <= NEAR * max(abs(one), abs(two)):
            by_order.setdefault((one > two) - (one < two), occurrence)
    if len(by_order) < 2:
        return None
    first, second = sorted(by_order, key=lambda order: order != 0)[:2]
    return ConfusedWords(by_order[first], by_order[second])


def _outcomes(occurrences: Sequence[Occurrence]) -> ConfusedWords | None:
    """Two occurrences of operands that are equal up to rounding, the results of which, their last value, differ."""
    known: dict[tuple[Atom, ...], Occurrence] = {}
    for occurrence in occurrences:
        *operands, result = occurrence.values
        key = tuple(float(rounded(np.array(float(v)), KEPT_DIGITS)) if _is_float(v) else v for v in operands)
        other = known.setdefault(key, occurrence)
        if other is not occurrence and not _alike(other.values[-1], result):
            return ConfusedWords(other, occurrence)
    return None


def _alike(one: Atom, two: Atom) -> bool:
    if isinstance(one, str) or isinstance(two, str):
        return one == two
    return one == two or abs(one - two) <= 2.0**-30 * max(abs(one), abs(two))
