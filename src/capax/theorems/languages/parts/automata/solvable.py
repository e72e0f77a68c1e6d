"""Words over a solvable group of permutations by two layers for each step of its derived series."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import product

from capax.formal.automata.derived_series import Factor, inverse
from capax.formal.automata.dfa import Dfa
from capax.formal.automata.groups import Permutation, after
from capax.model.model import Model
from capax.model.parts import AttentionKind, Block, Head, Mlp
from capax.model.positions import Positions
from capax.theorems.languages.parts.acceptance_head import recogniser
from capax.theorems.weights.stream import Stream, Terms

MARK = "start"


@dataclass(frozen=True, slots=True)
class _Level:
    """A step of the series: the letters that it counts, and for each digit and value a count."""

    factor: Factor
    letters: tuple[Permutation, ...]
    counts: tuple[tuple[int, int], ...]
    number: int

    def letter(self, one: Permutation) -> str:
        """The direction that says which letter stands here."""
        return f"level {self.number} letter {self.letters.index(one)}"

    def named(self, what: str, count: tuple[int, int]) -> str:
        """A direction for a digit and a value."""
        return f"level {self.number} {what} of {count[1]} in digit {count[0]}"

    def digit(self, at: int, value: int) -> str:
        """The direction that says that a digit of the product has a value."""
        return f"level {self.number} digit {at} is {value}"

    @property
    def digits(self) -> tuple[str, ...]:
        """All those directions."""
        return tuple(self.digit(at, v) for at, order in enumerate(self.factor.orders) for v in range(order))


def solvable_levels(letters: tuple[Permutation, ...], factors: list[Factor]) -> tuple[_Level, ...]:
    """The letters of each step: x between the digits before and after it is an element of the next group."""
    levels: list[_Level] = []
    for number, factor in enumerate(factors):
        some = tuple(one for one in dict.fromkeys(letters) if one != tuple(range(len(one))))
        counts = sorted({(at, v) for one in some for at, v in enumerate(factor.digits[one]) if v})
        levels.append(_Level(factor, some, tuple(counts), number))
        letters = tuple(next_letter(factor, one, there) for one in some for there in factor.chosen)
    return tuple(levels)


def next_letter(factor: Factor, one: Permutation, there: tuple[int, ...]) -> Permutation:
    """What a letter is to the next step, if the product has these digits after it.

    With n r(c) for a product of digits c, where r(c) is the chosen element: n r(c) x = n (r(c) x r(d)^-1) r(d).
    """
    before = tuple((d - v) % m for d, v, m in zip(there, factor.digits[one], factor.orders, strict=True))
    return after(after(factor.chosen[before], one), inverse(factor.chosen[there]))


def counting_in_steps(
    dfa: Dfa, factors: list[Factor], attention: AttentionKind, scale: float, length: int, marked: bool = True
) -> Model:
    """The model of an automaton whose letters generate a solvable group, for words of at most `length` letters."""
    maps = [tuple(dfa.delta[q][a] for q in range(dfa.size)) for a in range(len(dfa.alphabet))]
    levels = solvable_levels(tuple(maps), factors)
    orders = sorted({order for level in levels for order in level.factor.orders})
    positions = {order: f"position modulo {order}" for order in orders}
    names = ["i", "i^2", "1/(i+1)", *positions.values()]
    for level in levels:
        names += [level.letter(one) for one in level.letters]
        names += [level.named(what, count) for what in ("share", "rest") for count in level.counts]
        names += level.digits
    stream = Stream((*names, "accepted"))
    blocks: list[Block] = []
    for level in levels:
        lookups = [_lookup(stream, level, count, positions, attention, scale * (length + 2)) for count in level.counts]
        mlp = _onward(stream, level, levels[level.number + 1]) if level is not levels[-1] else _end(stream, levels, dfa)
        blocks += [stream.block(_shares(stream, level)), stream.block(*lookups, mlp=mlp)]
    rows: dict[str, Terms] = {MARK: {}} if marked else {}
    for symbol, one in zip(dfa.alphabet, maps, strict=True):
        rows[symbol] = {levels[0].letter(one): 1.0} if one in levels[0].letters else {}
    model = recogniser(
        stream, rows, tuple(blocks), {"accepted": 1.0}, prefix=(MARK,) if marked else (), max_length=length
    )
    functions = {"i": "i", "i^2": "i^2", "1/(i+1)": "1/(i+1)"} | {f"i%{order}": positions[order] for order in orders}
    return replace(model, positions=Positions(tuple(functions), stream.onto(tuple(functions.values()))))


def _shares(stream: Stream, level: _Level) -> Head:
    """The share, among the positions so far, of the letters with a value in a digit."""
    values: list[Terms] = [
        {level.letter(one): 1.0 for one in level.letters if level.factor.digits[one][at] == value}
        for at, value in level.counts
    ]
    into = [level.named("share", count) for count in level.counts]
    return stream.head(query=[{}], key=[{}], value=values, into=into, mask="causal", name="shares of letters so far")


def _lookup(
    stream: Stream,
    level: _Level,
    count: tuple[int, int],
    positions: dict[int, str],
    attention: AttentionKind,
    scale: float,
) -> Head:
    """The position whose number is a count: (2 c j - j^2) / (i + 1) is highest there, by 1 / (i + 1)."""
    return stream.head(
        query=[{level.named("share", count): 2.0}, {"1/(i+1)": -1.0}],
        key=[{"i": 1.0}, {"i^2": 1.0}],
        value=[{positions[level.factor.orders[count[0]]]: 1.0}],
        into=[level.named("rest", count)],
        attention=attention,
        mask="causal",
        scale=1.0 if attention.endswith("hard") else scale,
        name=f"the position whose number is a count of level {level.number}",
    )


def _teeth(level: _Level) -> tuple[dict[str, Terms], Callable[[int, int], Terms]]:
    """Units for each sum of a digit, and the sum of units that is 1 where a digit has a value and 0 elsewhere."""
    units: dict[str, Terms] = {}
    most: list[int] = []
    for at, order in enumerate(level.factor.orders):
        total = {level.named("rest", count): float(count[1]) for count in level.counts if count[0] == at}
        most.append(sum(int(times) for times in total.values()) * (order - 1))
        for end in range(-1, most[-1] + 2):
            units[f"digit {at} from {end}"] = {**total, "": -float(end)}

    def is_value(at: int, value: int) -> Terms:
        terms: dict[str, float] = {}
        for end in range(value, most[at] + 1, level.factor.orders[at]):
            for shift, times in ((-1, 1.0), (0, -2.0), (1, 1.0)):
                name = f"digit {at} from {end + shift}"
                terms[name] = terms.get(name, 0.0) + times
        return terms

    return units, is_value


def _onward(stream: Stream, level: _Level, after_it: _Level) -> Mlp:
    """The digits of the product, and the letter of the next step from them and the letter here."""
    units, is_value = _teeth(level)
    units |= {level.letter(one): {level.letter(one): 1.0} for one in level.letters}
    second: dict[str, Terms] = {}
    writes: dict[str, dict[str, float]] = {}
    for at, order in enumerate(level.factor.orders):
        for value in range(order):
            name = level.digit(at, value)
            second[name], writes[name] = is_value(at, value), {name: 1.0}
    for one in level.letters:
        for digits in level.factor.chosen:
            then = next_letter(level.factor, one, digits)
            if then in after_it.letters:
                name = f"{level.letter(one)} at {digits}"
                second[name] = _all_of([{level.letter(one): 1.0}, *(is_value(at, v) for at, v in enumerate(digits))])
                writes.setdefault(after_it.letter(then), {})[name] = 1.0
    return stream.mlp([units, second], writes)


def _end(stream: Stream, levels: tuple[_Level, ...], dfa: Dfa) -> Mlp:
    """Whether the product, which all digits say, leads to an accepting state."""
    last, earlier = levels[-1], levels[:-1]
    units, is_value = _teeth(last)
    units |= {name: {name: 1.0} for level in earlier for name in level.digits}
    second: dict[str, Terms] = {}
    for digits in product(*(level.factor.chosen for level in levels)):
        element = tuple(range(dfa.size))
        for level, some in zip(levels, digits, strict=True):
            element = after(level.factor.chosen[some], element)  # n r(c), and n is of the next step
        if element[dfa.start] in dfa.accepting:
            parts = [
                {level.digit(at, v): 1.0}
                for level, some in zip(earlier, digits, strict=False)
                for at, v in enumerate(some)
            ]
            second[f"product {digits}"] = _all_of([*parts, *(is_value(at, v) for at, v in enumerate(digits[-1]))])
    return stream.mlp([units, second], {"accepted": dict.fromkeys(second, 1.0)})


def _all_of(parts: list[Terms]) -> Terms:
    """A unit that is 1 where several numbers, each 0 or 1, are all 1."""
    terms: dict[str, float] = {"": 1.0 - len(parts)}
    for part in parts:
        terms |= part
    return terms
