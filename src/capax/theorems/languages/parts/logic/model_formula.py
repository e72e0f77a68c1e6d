"""From a fixed-precision transformer without masks to formulas of FOC[MOD; +]: what it answers, as counts say.

The type of a position is its token and its index modulo M, where positions repeat. Without masks, positions of one type
have the same vector after every layer, whatever the word. In fixed point a head's numerators e^(s - max) are whole
numbers that depend on the two types, its sums are exact, and one quotient is rounded:

    the value is q exactly if (2 q - 1) den <= 2 num <= (2 q + 1) den, with equality only where q is even,

and num and den are sums of how many positions of each type there are: linear conditions on counts. Which keys exist at
all, and so the highest score, is a condition too. So the counts fall into finitely many regions, in each of which every
type has one vector after each layer; between the heads everything is computed by the runtime itself.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise, product
from math import lcm, pi
from typing import Final, TypeAlias

import numpy as np

from capax.errors import CapaxError
from capax.formal.automata.dfa import Word
from capax.formal.logic.foc.linear import Linear, LinearCondition, LinearSum, all_of, any_of, condition, linear_holds
from capax.formal.logic.foc.normal import FocNormalForm, type_name
from capax.formal.logic.foc.regions import Region
from capax.model.arithmetic.interface import Arithmetic
from capax.model.arithmetic.select import arithmetic
from capax.model.model import Model
from capax.model.numbers import Fixed, parse
from capax.model.parts import Array, Block, Head, OracleMap
from capax.model.run.forward import apply_mlp, embed, group_parts, mlp_sublayer, normed, read_out
from capax.model.run.packed import packed
from capax.model.run.run import decoded

MOST_TYPES: Final = 6
MOST_REGIONS: Final = 3_000
MOST_TRIALS: Final = 20_000
"""So many pairs of regions are compared to leave conditions out."""
LARGEST_PERIOD: Final = 60
Kind: TypeAlias = tuple[str, int]


@dataclass(frozen=True, slots=True)
class ModelFormula:
    """For each type of a position, when the model answers yes there: a condition on the numbers of positions."""

    alphabet: tuple[str, ...]
    modulus: int
    says: Mapping[Kind, Linear]
    regions: int

    def normal(self, kind: Kind) -> FocNormalForm:
        """What is said of positions of a type, as a normal form."""
        return FocNormalForm(self.alphabet, self.modulus, self.says[kind])

    @property
    def same(self) -> bool:
        """Whether the same is said of all types, so that it is a sentence about the word."""
        return len(set(self.says.values())) == 1

    def answers(self, word: Word) -> list[bool]:
        """The answer at each position of a word."""
        counts = FocNormalForm(self.alphabet, self.modulus, any_of(())).counts(word)
        known = {kind: linear_holds(formula, counts) for kind, formula in self.says.items()}
        return [known[symbol, i % self.modulus] for i, symbol in enumerate(word)]


@dataclass(frozen=True, slots=True)
class _Case:
    """A region of counts, the types that occur in it, and their vectors after some layers (1, types, d)."""

    region: Region
    kinds: tuple[Kind, ...]
    x: Array


def period_of(name: str) -> int | None:
    """The number of positions after which a function of the position repeats; None if it does not, or not soon."""
    if name == "1":
        return 1
    if name == "(-1)^i":
        return 2
    if match := re.fullmatch(r"i%(\d+)|\[i%(\d+)=\d+\]", name):
        return int(match[1] or match[2])
    if match := re.fullmatch(r"(?:sin|cos)\(i\*(.+)\)", name):
        turns = float(match[1]) / (2 * pi)
        return next((q for q in range(1, LARGEST_PERIOD + 1) if abs(turns * q - round(turns * q)) < 1e-9), None)
    return None


def model_formula(model: Model) -> ModelFormula:
    """The formulas of a model in fixed point without masks; a model of another kind is refused."""
    modulus = _modulus(model)
    tokens = tuple(str(token) for token in model.vocabulary.tokens)
    kinds = tuple(product(tokens, range(modulus)))
    if len(kinds) > MOST_TYPES:
        what = (
            f"{len(tokens)} tokens at positions modulo {modulus} are {len(kinds)} types; at most {MOST_TYPES} are read"
        )
        raise CapaxError("too-large", what, hint="a model with fewer tokens, or a shorter period")
    a = arithmetic(model.numbers)
    cases = [_embedded(model, a, one, modulus) for one in _present(kinds, modulus)]
    for block in model.blocks:
        after: list[_Case] = []
        for at, case in enumerate(cases):
            rest = len(cases) - at - 1  # each of them stays at least one
            after += _after_block(model, a, block, case, MOST_REGIONS - len(after) - rest)
        cases = after
    yes: dict[Kind, list[Region]] = {kind: [] for kind in kinds}
    no: dict[Kind, list[Region]] = {kind: [] for kind in kinds}
    for case in cases:
        logits = a.real(read_out(model, a, case.x))[0]
        for kind, answer in zip(case.kinds, decoded(model, logits), strict=True):
            (yes if answer else no)[kind].append(case.region)
    says = {kind: _joined(yes[kind], no[kind]) for kind in kinds}
    return ModelFormula(tokens, modulus, says, len(cases))


def _modulus(model: Model) -> int:
    """The period of the positions of a model that can be read."""
    periods = [period_of(name) for name in model.positions.functions]
    heads = [head for block in model.blocks for head in block.heads]
    mlps = [model.input_mlp, *(block.mlp for block in model.blocks)]
    reason = None
    if not isinstance(parse(model.numbers), Fixed):
        reason = f"it computes in {model.numbers:.40}, and not in fixed point"
    elif None in periods or model.positions.table is not None:
        reason = "its positions do not repeat, or not within 60"
    elif model.prefix or any(isinstance(mlp, OracleMap) for mlp in mlps):
        reason = "it has tokens before the word, or a map that is an arbitrary function"
    elif any(not isinstance(head, Head) or head.mask != "none" for head in heads):
        reason = "it has a head with a mask, or of third order"
    elif any(isinstance(head, Head) and head.attention not in ("softmax", "average-hard") for head in heads):
        reason = "it has a head that is neither softmax nor average-hard"
    if reason is not None:
        what = f"no formula of FOC[MOD; +] is made of this model: {reason}"
        raise CapaxError(
            "bad-model", what, hint="fixed point, no masks, positions that repeat; Model.to converts numbers"
        )
    return lcm(1, *(period for period in periods if period))


def _present(kinds: tuple[Kind, ...], modulus: int) -> list[tuple[Region, tuple[Kind, ...]]]:
    """The regions in which some types occur and the others do not, as far as words of some length have them."""
    names = tuple(type_name(*kind, modulus) for kind in kinds)
    tokens = tuple(dict.fromkeys(symbol for symbol, _ in kinds))
    totals = [LinearSum.of({type_name(symbol, r, modulus): 1 for symbol in tokens}) for r in range(modulus)]
    shape = [LinearCondition(one.plus(two, -1), ">=") for one, two in pairwise(totals)]
    if modulus > 1:
        shape.append(LinearCondition(totals[-1].plus(totals[0], -1).plus(LinearSum((), 1)), ">="))
    regions = []
    for chosen in product((True, False), repeat=len(kinds)):
        own = tuple(kind for kind, occurs in zip(kinds, chosen, strict=True) if occurs)
        marks = [
            LinearCondition(LinearSum.of({name: 1}, -1 if occurs else 0), ">=" if occurs else "=")
            for name, occurs in zip(names, chosen, strict=True)
        ]
        region = Region(names).cut(*marks, *shape)
        if own and region.may_have_points:
            regions.append((region, own))
    return regions


def _embedded(model: Model, a: Arithmetic, one: tuple[Region, tuple[Kind, ...]], modulus: int) -> _Case:
    region, kinds = one
    rows = {str(token): row for row, token in enumerate(model.vocabulary.tokens)}
    vectors = [embed(model, a, np.array([[rows[token]]]), start=r)[0] for token, r in kinds]
    x = np.concatenate(vectors)[None]
    if model.input_mlp is not None:
        x = a.add(x, apply_mlp(model.input_mlp, a, x))
    return _Case(region, kinds, x)


def _after_block(model: Model, a: Arithmetic, block: Block, case: _Case, room: int) -> list[_Case]:
    """The cases after a layer: one for each way in which its heads' quotients can be rounded, if there is room."""
    inside = case.x
    if block.attention_norm is not None and model.norm_place == "before":
        inside = normed(a, block.attention_norm, inside)
    heads = packed(block, a)
    z = np.zeros((*inside.shape[:-1], heads.output.shape[0]), a.dtype)
    parts = [(case.region, z)]
    projected = a.affine(inside, heads.weight, heads.bias)
    for group in heads.groups:
        q, k, v = group_parts(group, a, projected)
        for head in range(len(group.heads)):
            sink = None if group.sink is None else (group.sink[0][head], group.sink[1][head])
            scores = (
                a.scores(q[0, head], k[0, head]) if group.kind == "softmax" else a.hard_scores(q[0, head], k[0, head])
            )
            columns = slice(group.offset + head * group.v, group.offset + (head + 1) * group.v)
            own = None if sink is None else _sink_scores(a, group.kind, q[0, head], sink[0])
            quotients = _quotients(a, group.kind, scores, own, v[0, head], None if sink is None else sink[1], case)
            parts = _rounded(parts, quotients, columns, room)
    after = []
    for region, filled in parts:
        x = a.add(case.x, a.affine(filled, heads.output, heads.own_bias))
        if block.attention_norm is not None and model.norm_place == "after":
            x = normed(a, block.attention_norm, x)
        after.append(_Case(region, case.kinds, mlp_sublayer(model, block, a, x)))
    return after


def _sink_scores(a: Arithmetic, kind: str, q: Array, key: Array) -> Array:
    score: Callable[[Array, Array], Array] = a.scores if kind == "softmax" else a.hard_scores
    return score(q, key.reshape(1, -1))[:, 0]


_Quotient: TypeAlias = tuple[LinearSum, LinearSum, int, int]
"""Numerator and denominator as sums of counts, and the least and the greatest value of the quotient."""


def _quotients(
    a: Arithmetic, kind: str, scores: Array, own: Array | None, values: Array, sink: Array | None, case: _Case
) -> list[list[_Quotient]]:
    """For each type of queries and each column of values, the quotient that the head rounds."""
    names = [case.region.names[_index(case, kind_)] for kind_ in case.kinds]
    rows = []
    for query in range(len(names)):
        row = scores[query]
        top = np.array([max(int(row.max()), -(1 << 62) if own is None else int(own[query]))])
        weights = _weights(a, kind, row, top)
        extra = 0 if own is None else _weights(a, kind, own[query : query + 1], top)[0]
        denominator = LinearSum.of(dict(zip(names, weights, strict=True)), extra)
        columns = []
        for column in range(values.shape[1]):
            seen = [int(x) for x in values[:, column]]
            last = 0 if sink is None else int(sink[column])
            products = {name: w * x for name, w, x in zip(names, weights, seen, strict=True)}
            numerator = LinearSum.of(products, extra * last)
            kept = [x for x, w in zip(seen, weights, strict=True) if w] + ([last] if extra else [])
            columns.append((numerator, denominator, min(kept), max(kept)))
        rows.append(columns)
    return rows


def _weights(a: Arithmetic, kind: str, scores: Array, top: Array) -> list[int]:
    """The numerators of keys from their scores and the highest one."""
    numerators = a.weigh(scores.copy(), top) if kind == "softmax" else scores == top
    return [int(weight) for weight in numerators]


def _index(case: _Case, kind: Kind) -> int:
    """Which of the region's variables is a type's."""
    symbol, r = kind
    return next(at for at, name in enumerate(case.region.names) if name in (f"#{symbol}", f"#{symbol}%{r}"))


def _rounded(
    parts: list[tuple[Region, Array]], quotients: list[list[_Quotient]], columns: slice, room: int
) -> list[tuple[Region, Array]]:
    """Each part, once for each way to round the quotients of a head that may occur in it."""
    for query, row in enumerate(quotients):
        for column, (numerator, denominator, least, most) in enumerate(row):
            after = []
            for at, (region, z) in enumerate(parts):
                for value in range(least, most + 1):
                    inside = (
                        region if least == most else region.cut(*_rounds_to(numerator, denominator, value, least, most))
                    )
                    if least == most or inside.may_have_points:
                        filled = z.copy()
                        filled[0, query, columns.start + column] = value
                        after.append((inside, filled))
                if len(after) + len(parts) - at - 1 > room:
                    what = f"the numbers of positions fall into more than {MOST_REGIONS:,} regions"
                    raise CapaxError("too-large", what, hint="a model with fewer bits, heads or layers")
            parts = after
    return parts


def _rounds_to(
    numerator: LinearSum, denominator: LinearSum, value: int, least: int, most: int
) -> list[LinearCondition]:
    """When a quotient is rounded to a value: to nearest, ties to even."""
    kind = ">=" if value % 2 == 0 else ">"
    conditions = []
    if value > least:
        low = LinearSum((), 0).plus(numerator, 2).plus(denominator, 1 - 2 * value)
        conditions.append(condition(low, kind))  # type: ignore[arg-type]
    if value < most:
        high = LinearSum((), 0).plus(numerator, -2).plus(denominator, 1 + 2 * value)
        conditions.append(condition(high, kind))  # type: ignore[arg-type]
    return [one if isinstance(one, LinearCondition) else _constant(one) for one in conditions]


def _constant(formula: Linear) -> LinearCondition:
    """True or false as a condition: 0 is at least 0, or -1 is."""
    return LinearCondition(LinearSum((), 0 if formula == all_of(()) else -1), ">=")


def _joined(yes: list[Region], no: list[Region]) -> Linear:
    """The OR of regions, from which conditions are left out that the regions of the other answer do not need."""
    size = sum(len(region.conditions) for region in yes) * max(1, len(no))
    simple = _absorbed([_simpler(region, no) for region in yes]) if size <= MOST_TRIALS else yes
    natural = frozenset(yes[0].names) if yes else frozenset()
    cases = [all_of(condition(one.sum, one.kind, natural) for one in region.conditions) for region in simple]
    return any_of(cases)


def _absorbed(regions: list[Region]) -> list[Region]:
    """The regions that lie in none of the others, for words that are not empty."""
    kept: list[Region] = []
    for region in dict.fromkeys(regions):
        some = LinearCondition(LinearSum.of(dict.fromkeys(region.names, 1), -1), ">=")
        if not any(other.contains(region.cut(some)) for other in kept):
            kept = [other for other in kept if not region.contains(other.cut(some))] + [region]
    return kept


def _simpler(region: Region, others: list[Region]) -> Region:
    """A larger region that meets none of some others, with fewer conditions."""
    kept = list(region.conditions)
    for one in region.conditions:
        fewer = [other for other in kept if other != one]
        larger = Region(region.names).cut(*fewer)
        if not any(larger.cut(*other.conditions).may_have_points for other in others):
            kept = fewer
    return Region(region.names).cut(*kept)
