"""Counts modulo numbers by two layers: a mean, and the position whose number is the count."""

from dataclasses import dataclass, replace
from itertools import pairwise
from math import prod

from capax.formal.automata.dfa import Dfa
from capax.model.model import Model
from capax.model.parts import AttentionKind, Mlp
from capax.model.positions import Positions
from capax.theorems.languages.parts.acceptance_head import recogniser
from capax.theorems.weights.stream import Stream, each, family


@dataclass(frozen=True, slots=True)
class Commuting:
    """Classes of letters that permute the states alike, with the order of each permutation.

    Letters that leave every state as it is are in no class. `accepted[t]` says whether words whose counts modulo the
    orders have the digits of t (the first class has the lowest digit) are accepted.
    """

    classes: tuple[tuple[int, ...], ...]
    orders: tuple[int, ...]
    accepted: tuple[bool, ...]


def commuting(dfa: Dfa, most: int) -> Commuting | None:
    """The classes of letters of an automaton; None if letters do not permute or commute, or counts are too many."""
    states = range(dfa.size)
    maps = [tuple(dfa.delta[q][a] for q in states) for a in range(len(dfa.alphabet))]
    if any(len(set(one)) < dfa.size for one in maps):
        return None
    different = [one for one in dict.fromkeys(maps) if one != tuple(states)]
    if any(one[two[q]] != two[one[q]] for one in different for two in different for q in states):
        return None
    orders = tuple(_order(one, most) for one in different)
    if prod(orders) > most:
        return None
    reached = [dfa.start]
    for one, order in zip(different, orders, strict=True):
        layer = reached
        for _ in range(order - 1):
            layer = [one[q] for q in layer]
            reached = reached + layer
    classes = tuple(tuple(a for a, other in enumerate(maps) if other == one) for one in different)
    return Commuting(classes, orders, tuple(q in dfa.accepting for q in reached))


def _order(one: tuple[int, ...], most: int) -> int:
    """How often a permutation has to be repeated to move nothing, up to more than `most`."""
    power, count = one, 1
    while power != tuple(range(len(one))) and count <= most:
        power, count = tuple(one[q] for q in power), count + 1
    return count


MARK = "start"


def counting_modulo(
    dfa: Dfa, counts: Commuting, attention: AttentionKind, scale: float, length: int, marked: bool = True
) -> Model:
    """The model of an automaton of commuting permutations, for words of at most `length` letters.

    The first layer has the share of each class of letters among the positions so far, a mark before the word included.
    The second finds the position c whose number is the count, and reads c modulo the order there.
    """
    classes = len(counts.classes)
    bits, shares = family("in class", classes), family("share of class", classes)
    rests, positions = family("count modulo", classes), family("position modulo", classes)
    stream = Stream(("i", "i^2", "1/(i+1)", *bits, *positions, *shares, *rests, "accepted"))
    uniform = stream.head(
        query=[{}], key=[{}], value=each(bits), into=shares, mask="causal", name="shares of letters in the prefix"
    )
    lookups = [
        stream.head(
            # (2 c j - j^2) / (i + 1) is highest at j = c, by 1 / (i + 1)
            query=[{share: 2.0}, {"1/(i+1)": -1.0}],
            key=[{"i": 1.0}, {"i^2": 1.0}],
            value=[{position: 1.0}],
            into=[rest],
            attention=attention,
            mask="causal",
            scale=1.0 if attention.endswith("hard") else scale * (length + 2),
            name=f"the position whose number is the count of class {at}",
        )
        for at, (share, position, rest) in enumerate(zip(shares, positions, rests, strict=True))
    ]
    member = {a: bits[at] for at, one in enumerate(counts.classes) for a in one}
    rows: dict[str, dict[str, float]] = {MARK: {}} if marked else {}
    rows |= {symbol: {member[a]: 1.0} if a in member else {} for a, symbol in enumerate(dfa.alphabet)}
    model = recogniser(
        stream,
        rows,
        (stream.block(uniform), stream.block(*lookups, mlp=_table(stream, rests, counts))),
        {"accepted": 1.0},
        prefix=(MARK,) if marked else (),
        max_length=length,
    )
    placed = ("i", "i^2", "1/(i+1)")
    functions = (*placed, *(f"i%{order}" for order in counts.orders))  # two classes may have one order
    return replace(model, positions=Positions(functions, stream.onto([*placed, *positions])))


def _table(stream: Stream, rests: tuple[str, ...], counts: Commuting) -> Mlp:
    """The answer from the counts: they are the digits of one number, and a line is broken where the answer changes."""
    number: dict[str, float] = {}
    base = 1
    for rest, order in zip(rests, counts.orders, strict=True):
        number[rest] = float(base)
        base *= order
    units: dict[str, dict[str, float]] = {"first": {"": 1.0}}
    answer = {"first": float(counts.accepted[0])}
    for at, (before, after) in enumerate(pairwise(counts.accepted)):
        if before != after:
            rise = float(after) - float(before)
            for end, sign in ((at, rise), (at + 1, -rise)):
                name = f"from {end}"
                units[name] = {**number, "": -float(end)}
                answer[name] = answer.get(name, 0.0) + sign
    return stream.mlp([units], {"accepted": answer})
