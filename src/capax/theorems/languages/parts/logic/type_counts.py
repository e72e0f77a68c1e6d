"""A normal form of FOC[MOD; +] as a transformer: the share of each type of positions, and conditions by sign."""

from collections.abc import Mapping
from math import cos, isqrt, pi, sin
from typing import Final

from capax.formal.logic.connectives import AllOf, AnyOf, Negated
from capax.formal.logic.foc.linear import Linear, LinearCondition
from capax.formal.logic.foc.normal import FocNormalForm
from capax.formal.logic.foc.text import printed_normal
from capax.model.model import Model
from capax.model.parts import Mlp
from capax.theorems.languages.parts.acceptance_head import recogniser
from capax.theorems.weights.signed import STEEP, SignedUnits, minus, opposite
from capax.theorems.weights.staged import staged
from capax.theorems.weights.stream import Stream, Terms, each

BITS: Final = {"float64": 53, "float32": 24}


def type_counting_model(normal: FocNormalForm, *, positions: bool = True) -> Model:
    """The model; without `positions` no remainder is known.

    The sine and the cosine of 2 pi i / M are a point on a circle, and its product with the point of r is 1 if i leaves
    the remainder r and at most cos(2 pi / M) otherwise: a ReLU unit makes 1 and 0 of it, a second one joins it with the
    symbol. A uniform head without mask, with a sink, has the number of positions of each type, and 1, divided by n + 1.
    """
    modulus = normal.modulus
    symbols = {symbol: f"[{symbol}]" for symbol in normal.alphabet}
    used = {name for one in normal.inequalities for name in one.variables}
    types = {kind: f"type {normal.name(*kind)}" for kind in normal.types if normal.name(*kind) in used}
    shares = {kind: f"share of {normal.name(*kind)}" for kind in types}
    circle = ("cosine", "sine") if modulus > 1 else ()
    stream = Stream((*symbols.values(), *circle, *types.values(), *shares.values(), "share", "accepted"))
    head = stream.head(
        query=[{}],
        key=[{}],
        value=[*each(list(types.values())), {}],
        into=[*shares.values(), "share"],
        sink=((0.0,), (*(0.0 for _ in types), 1.0)),
        name="numbers of positions of each type, divided by n + 1",
    )
    values = {normal.name(*kind): name for kind, name in shares.items()}
    units = SignedUnits()
    truth = signed_truth(normal.condition, values, "share", units)
    mlp = staged(stream, units.units or {"unit": {"share": 1.0}}, {"accepted": truth}, positive=stream.names)
    angle = 2 * pi / modulus
    functions = {f"cos(i*{angle!r})": "cosine", f"sin(i*{angle!r})": "sine"} if modulus > 1 and positions else {}
    return recogniser(
        stream,
        {symbol: {name: 1.0} for symbol, name in symbols.items()},
        (stream.block(head, mlp=mlp),),
        {"": 0.5, "accepted": STEEP},
        positions=functions,
        input_mlp=_types_mlp(stream, symbols, types, modulus),
        formula=printed_normal(normal),
    )


def _types_mlp(
    stream: Stream, symbols: Mapping[str, str], types: Mapping[tuple[str, int], str], modulus: int
) -> Mlp | None:
    """The input MLP: the type of each position, from its symbol and the point on the circle."""
    if not types:
        return None
    units: dict[str, Terms] = {}
    below = cos(2 * pi / modulus)
    for r in range(modulus) if modulus > 1 else ():
        # 1 at the point of r, and -1 or less at the others
        scale = 2 / (1 - below)
        point = {"cosine": scale * cos(2 * pi * r / modulus), "sine": scale * sin(2 * pi * r / modulus)}
        units[f"remainder {r}"] = {**point, "": 1 - scale}
    for (symbol, r), name in types.items():
        here: dict[str, float] = {symbols[symbol]: 1.0}
        units[f"unit of {name}"] = here if modulus == 1 else {symbols[symbol]: 2.0, f"remainder {r}": 2.0, "": -3.0}
    writes = {name: {f"unit of {name}": 1.0} for name in types.values()}
    return staged(stream, units, writes, positive=tuple(symbols.values()))


def signed_truth(formula: Linear, values: Mapping[str, str], share: str, units: SignedUnits) -> dict[str, float]:
    """A sum that is above 0 where a formula about whole numbers holds, and below 0 where not.

    `values` are the directions of the numbers, and `share` that of 1, all divided by the same positive number. A whole
    number is at least 0 exactly if it is above -1/2, above 0 if it is above 1/2, and 0 if its size is below 1/2.
    """
    match formula:
        case LinearCondition(total, kind):
            terms: dict[str, float] = {values[name]: float(times) for name, times in total.terms}
            if kind == "=":
                exact = terms | ({share: float(total.constant)} if total.constant else {})
                return minus({share: 0.5}, units.size(exact))
            return terms | {share: total.constant + (0.5 if kind == ">=" else -0.5)}
        case Negated(one):
            return opposite(signed_truth(one, values, share, units))
        case AllOf(parts) | AnyOf(parts):
            every = isinstance(formula, AllOf)
            if not parts:
                return {share: 1.0 if every else -1.0}
            sums = [signed_truth(part, values, share, units) for part in parts]
            return units.least(sums) if every else units.greatest(sums)


def exact_foc_length(normal: FocNormalForm, numbers: str) -> int:
    """A length up to which the model answers right in floating point, whichever the word.

    The angle at position i is off by at most i w 2^-p with w = 2 pi / M, so that the truth of a type is off by at most
    e = 8 i w 2^-p / (1 - cos w), plus 2^(4 - p) from rounding; over n positions a sum with coefficients up to A is off
    by A n e, and what the network does to it rounds r times more. Half of what a condition is from 0, 1/4, is kept.
    """
    roundoff = 2.0 ** -BITS[numbers]
    most = max((abs(times) for one in normal.inequalities for _, times in one.sum.terms), default=1)
    most = max(most, *(abs(one.sum.constant) + 1 for one in normal.inequalities)) if normal.inequalities else 1
    rounds = 4 * (len(normal.inequalities) + 4) * max(1, len(normal.types))
    if normal.modulus == 1:
        return int(1 / (8 * roundoff * most * rounds))
    angle = 2 * pi / normal.modulus
    each_position = 8 * angle * roundoff / (1 - cos(angle))
    return min(isqrt(int(1 / (8 * most * each_position))), int(1 / (128 * roundoff * most * rounds)))
