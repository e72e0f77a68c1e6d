"""Two words that rounding confuses: the evidence for a program that is refused for its rounding.

The refusal rests on bounds for all words, and bounds may be too careful. So words are tried: all short ones, random
ones and hard ones. Either the interpreter's own floats decide (of two sides that are equal up to rounding, one pair is
equal and another is not), or two values differ by no more than a mean in the model's number system may be off. What is
shown is what the interpreter computes; where no such words are found, what is refused has too many values.
"""

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from capax.compiler.analysis.value_sets import NEAR, TINY
from capax.compiler.check.agreement import Word, hard_words, random_words, short_words
from capax.compiler.domain import Domain
from capax.errors import CapaxError
from capax.model.parts import Array
from capax.rasp.analysis.all_words import words_for_all
from capax.rasp.ir.describe import describe
from capax.rasp.ir.graph import topological
from capax.rasp.ir.loop_nodes import State
from capax.rasp.ir.nodes import COMPARISONS, Best, Map, Node, Select, SOpNode, Table
from capax.rasp.ir.types import Atom
from capax.rasp.meaning.fast import FastRun
from capax.rasp.meaning.sequence import Sequence as Values

SHORT_WORDS = 9000
"""Up to so many short words are tried: all of two tokens up to length 12."""

OTHER_WORDS = 400
"""How many random words, and hard ones, are tried at first."""

MORE_WORDS = 4_000
"""How many random words are tried where these show nothing."""

MOST_CELLS = 2_000_000
"""Positions of words, or pairs of them, that are gone through."""

LONG_WORD = 20
"""Words of more tokens are written by runs of equal tokens."""

LONG_RUN = 5
"""So many equal tokens in a row are a run."""

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
        word = _written(self.word)
        where = "position" if len(set(self.positions)) == 1 else "positions"
        numbers = " and ".join(str(p) for p in dict.fromkeys(self.positions))
        return f"{' and '.join(map(repr, self.values))} on {word} at {where} {numbers}"


@dataclass(frozen=True, slots=True)
class ConfusedWords:
    """Two occurrences that rounding does not tell apart, or tells apart though they are equal.

    One occurrence twice stands for two values of it that are apart by rounding alone.
    """

    one: Occurrence
    two: Occurrence

    def text(self) -> str:
        """Both words with their values."""
        if self.one == self.two:
            return f"{self.one.text()}, which rounding alone tells apart"
        return f"{self.one.text()}, but {self.two.text()}"


def _written(word: Word) -> str:
    """A word in Python: as a string where its tokens are letters, with runs of equal tokens as products if it is long.

    >>> _written(("a",) * 50 + ("b", "a")), _written((1, 2))
    ("'a' * 50 + 'ba'", '[1, 2]')
    """
    letters = all(isinstance(t, str) and len(t) == 1 for t in word)

    def plain(tokens: Sequence[Atom]) -> str:
        return repr("".join(map(str, tokens))) if letters else str(list(tokens))

    if len(word) <= LONG_WORD:
        return plain(word)
    parts: list[str] = []
    rest: list[Atom] = []
    for token, group in itertools.groupby(word):
        count = len(list(group))
        if count < LONG_RUN:
            rest += [token] * count
            continue
        parts += [plain(rest)] if rest else []
        parts.append(f"{plain([token])} * {count}")
        rest = []
    return " + ".join([*parts, *([plain(rest)] if rest else [])])


def tried_words(domain: Domain) -> list[Word]:
    """The words that are tried first: short ones before others."""
    short, _ = short_words(domain, SHORT_WORDS)
    count = max(1, min(OTHER_WORDS, MOST_CELLS // (4 * domain.max_length)))
    others = [*random_words(domain, count, 0), *hard_words(domain, count)]
    return list(dict.fromkeys([*short, *others]))


def further_words(node: Node, domain: Domain) -> list[Word]:
    """The words that are tried next: all, where they are few, and otherwise many random ones."""
    everything = words_for_all(node, domain.alphabet, domain.max_length)
    count = max(1, min(MORE_WORDS, MOST_CELLS // (8 * domain.max_length)))
    return random_words(domain, count, 1) if everything is None else everything


def confused(node: Node, words: Sequence[Word], domain: Domain, *, coarse: bool) -> ConfusedWords | None:
    """Two of some words that the rounding of the model (`coarse`), or that of the interpreter, confuses."""
    return too_near(node, words, domain) if coarse else several_roundings(node, words)


def confusion(error: CapaxError, domain: Domain) -> tuple[ConfusedWords | None, int] | None:
    """Two words that show what a refusal for rounding rests on, if any of those that are tried do, and how many are.

    None for other errors, and in the body of a loop, where what a state is, is no matter of words.
    """
    node, coarse = error.data.get("node"), bool(error.data.get("coarse"))
    if "tried" in error.data:
        known: tuple[ConfusedWords | None, int] = error.data["tried"]
        return known
    if not isinstance(node, Node) or not (coarse or error.code == "rests-on-rounding"):
        return None
    if any(isinstance(below, State) for below in topological(node)):
        return None
    words = tried_words(domain)
    pair = confused(node, words, domain, coarse=coarse)
    if pair is None:
        words = [*words, *further_words(node, domain)]
        pair = confused(node, words, domain, coarse=coarse)
    error.data = {**error.data, "tried": (pair, len(words))}
    return pair, len(words)


def explained(error: CapaxError, domain: Domain) -> CapaxError:
    """A refusal for rounding with two words that show it.

    Where none was found, what is refused has too many values: neither bounds nor words settle what rounding does.
    """
    tried = confusion(error, domain)
    if tried is None:
        return error
    pair, count = tried
    if pair is not None:
        mean = f", and a mean in {domain.dtype} may be off by {error_of_mean(pair, domain):.1e}"
        error.what = f"{error.what}: {pair.text()}{mean if error.data.get('coarse') else ''}"
        error.data = {**error.data, "words": [list(pair.one.word), list(pair.two.word)]}
        return error
    none = f"none of {count:,} words that were tried shows it, so the bound may be too careful"
    if error.data.get("coarse"):
        error.what = f"{error.what} ({none})"
        return error
    what = f"`{describe(error.data['node'])}` has too many values to settle whether rounding decides it ({none})"
    hint = f"shorten max_length or use fewer tokens: few words are gone through one by one; or {error.hint}"
    return CapaxError("too-many-values", what, hint=hint, **error.data)


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
        case Map(op="/" | "%", args=args) if (pair := _beside_zero(_occurrences(args, words))) is not None:
            return _shortest(pair, args)
        case Map() | Table():
            nodes = (*(node.args if isinstance(node, Map) else (node.arg,)), node)
            occurrences = _occurrences(nodes, words)
            pair = _outcomes(occurrences)
            if pair is None and isinstance(node, Map) and node.op == "round":
                pair = _beside_a_half(occurrences)
            return _shortest(pair, nodes)
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
    run = FastRun(fitting)
    run.run(list(nodes), keep=True)
    for word, *outcomes in zip(fitting, *(run.outcomes(node) for node in nodes), strict=True):
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
    """Two pairs of sides that are equal up to rounding, of which one is equal (or less) and the other is not.

    Or one pair, where all that are equal up to rounding are apart in the same order.
    """
    by_order: dict[int, Occurrence] = {}
    for occurrence in occurrences:
        one, two = occurrence.values
        if not (_is_float(one) and _is_float(two)) or isinstance(one, str) or isinstance(two, str):
            continue
        if abs(one - two) <= NEAR * max(abs(one), abs(two)):
            by_order.setdefault((one > two) - (one < two), occurrence)
    if not by_order or list(by_order) == [0]:
        return None
    first, *others = sorted(by_order, key=lambda order: order != 0)
    return ConfusedWords(by_order[first], by_order[others[0] if others else first])


def _beside_a_half(occurrences: Sequence[Occurrence]) -> ConfusedWords | None:
    """A number that is rounded, and that is a half up to its own rounding only."""
    for occurrence in occurrences:
        number = occurrence.values[0]
        if isinstance(number, str) or not math.isfinite(number):
            continue
        half = math.floor(number) + 0.5
        if 0 < abs(number - half) <= NEAR * max(abs(number), 1):
            return ConfusedWords(occurrence, occurrence)
    return None


def _beside_zero(occurrences: Sequence[Occurrence]) -> ConfusedWords | None:
    """Two occurrences of operands whose divisor is zero, and zero up to rounding only; or one of the second kind."""
    near = [o for o in occurrences if not isinstance(o.values[1], str) and abs(o.values[1]) <= TINY]
    rounded_only = next((o for o in near if o.values[1]), None)
    zero = next((o for o in near if not o.values[1]), rounded_only)
    return None if zero is None or rounded_only is None else ConfusedWords(zero, rounded_only)


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
