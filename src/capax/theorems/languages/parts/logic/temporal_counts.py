"""A formula of LTL + C[Mon] as a transformer with average-hard attention.

Every part of the formula that attention or another layer reads has a direction, 1 where it holds and 0 where not.

- An operator of the past reads the latest earlier position with a bit: the bit times its index plus 1 is the score, so
  that one score is the highest, and a sink with score 1/2 says what holds where there is none. The future mirrors it.
- A count takes two layers. A uniform head has the mean of a bit over the m positions that are counted, and 1 / m as the
  mean of a mark at the first (or last) position. A second head then reads the index j whose (2 c j - j^2) / m is
  highest: that is c itself, the count c / m times m, as a whole number. Position j - 1 stands for j, a sink for 0.
- Sums of counts are whole numbers, and compared exactly: relu(x + 1) - relu(x) is 1 for x >= 0 and 0 for x <= -1.
"""

from dataclasses import replace
from typing import Final

import numpy as np

from capax.formal.logic.connectives import AllOf, AnyOf, Negated
from capax.formal.logic.ltlc.formula import (
    MIRROR,
    CountsAtLeast,
    LtlcFormula,
    LtlcLanguage,
    NumericalHere,
    PositionCount,
    Side,
    SymbolHere,
    Temporal,
    ltlc_parts,
    ltlc_subformulas,
)
from capax.formal.logic.ltlc.text import printed_ltlc
from capax.model.model import Model
from capax.model.parts import Head, Mask, Mlp
from capax.model.positions import Positions
from capax.theorems.languages.parts.acceptance_head import recogniser
from capax.theorems.weights.signed import SignedUnits, minus, plus
from capax.theorems.weights.staged import staged
from capax.theorems.weights.stream import Stream, Terms

SEEN: Final[dict[Side, Mask]] = {"<": "causal", ">": "future", "": "none"}
MARKS: Final[dict[Side, str]] = {"<": "[i=0]", ">": "[i = n - 1]", "": "[i=0]"}
"""For each side the function that is 1 at a position that is counted from everywhere, and 0 at the others."""
ONE: Final[Terms] = {"": 1.0}
NEXT: Final[Terms] = {"i": 1.0, "": 1.0}
"""The number that a position stands for in a count: its index plus 1."""


def layer_of(formula: LtlcFormula) -> dict[LtlcFormula, int]:
    """For each part the layer after which it is known: an operator takes one layer, a comparison of counts two."""
    level: dict[LtlcFormula, int] = {}
    for node in ltlc_subformulas(formula):
        below = max((level[part] for part in ltlc_parts(node)), default=0)
        counts = isinstance(node, CountsAtLeast) and bool(node.terms)
        level[node] = below + (2 if counts else int(isinstance(node, Temporal)))
    return level


class LtlcBuilder:
    """The stream, heads and MLPs of a formula, for words of at most `length` symbols.

    Without `marks` positions know neither the first nor the last, so that no mean can be turned into a count.
    """

    def __init__(self, language: LtlcLanguage, length: int, *, marks: bool = True) -> None:
        self.language = language
        self.length = length
        self.marks = marks
        self.nodes = ltlc_subformulas(language.formula)
        self.level = layer_of(language.formula)
        self.name = {node: f"{at}: {printed_ltlc(node)[:50]}" for at, node in enumerate(self.nodes)}
        compared = [node for node in self.nodes if isinstance(node, CountsAtLeast)]
        self.counts = {count: self.level[count.one] + 1 for node in compared for _, count in node.terms}
        """Each count with the layer of its mean."""
        self.sides = {
            side: min(layer for count, layer in self.counts.items() if count.side == side)
            for side in dict.fromkeys(count.side for count in self.counts)
        }
        """Each side that is counted on with the layer of its 1 / m."""
        self.stream = self._stream()

    def _stream(self) -> Stream:
        names = [_symbol(symbol) for symbol in self.language.alphabet]
        names += ["i", "i^2", *map(_mark, self.sides), *map(_share, self.sides), *self.name.values()]
        names += [self._late(node) for node in self.nodes if isinstance(node, Temporal)]
        for count in self.counts:
            names += [self._mean(count), self._total(count)]
        return Stream(tuple(names))

    def _late(self, node: LtlcFormula) -> str:
        return f"lateness of {self.name[node]}"

    def _mean(self, count: PositionCount) -> str:
        return f"mean{count.side} of {self.name[count.one]}"

    def _total(self, count: PositionCount) -> str:
        return f"count{count.side} of {self.name[count.one]}"

    def model(self) -> Model:
        """The model."""
        formula = self.language.formula
        mlps = [self._mlp(level) for level in range(self.level[formula] + 1)]
        blocks = tuple(self.stream.block(*self._heads(at), mlp=mlps[at]) for at in range(1, len(mlps)))
        functions = {"i": "i", "i^2": "i^2"}
        numerical = [node for node in self.nodes if isinstance(node, NumericalHere)]
        functions |= {f"[{node.predicate.text}]": self.name[node] for node in numerical}
        positions = self.stream.positions(functions)
        if self.marks:
            onto = self.stream.onto([_mark(side) for side in self.sides])
            names = (*positions.functions, *(MARKS[side] for side in self.sides))
            positions = Positions(names, np.vstack([positions.weight, onto]))
        plain = recogniser(
            self.stream,
            {symbol: {_symbol(symbol): 1.0} for symbol in self.language.alphabet},
            blocks,
            {self.name[formula]: 1.0},
            input_mlp=mlps[0],
            max_length=self.length,
            formula=printed_ltlc(formula),
        )
        return replace(plain, positions=positions)

    def _mlp(self, level: int) -> Mlp | None:
        """The MLP after a layer: the parts that are known now, and how late the bits of the next operators are."""
        units = SignedUnits()
        writes: dict[str, Terms] = {}
        sums: dict[LtlcFormula, dict[str, float]] = {}
        for node in self.nodes:
            if self.level[node] > level:
                continue
            sums[node] = {self.name[node]: 1.0}
            if self.level[node] == level and not isinstance(node, Temporal | NumericalHere):
                sums[node] = writes[self.name[node]] = self._bit(node, sums, units)
        for node in self.nodes:
            if isinstance(node, Temporal) and node.op in ("S", "U") and self.level[node] == level + 1:
                writes[self._late(node)] = units.relu(self._lateness(node, sums, units))
        if not writes:
            return None
        return staged(self.stream, units.units or {"unit": {"i": 1.0}}, writes, positive=self.stream.names)

    def _bit(
        self, node: LtlcFormula, sums: dict[LtlcFormula, dict[str, float]], units: SignedUnits
    ) -> dict[str, float]:
        """The truth of a part as a sum of directions and units."""
        match node:
            case SymbolHere(symbol):
                return {_symbol(symbol): 1.0}
            case Negated(one):
                return minus(ONE, sums[one])
            case AllOf(parts):  # relu(sum - (m - 1))
                total: dict[str, float] = {"": 1.0 - len(parts)}
                for part in parts:
                    total = plus(total, sums[part])
                return units.relu(total) if parts else dict(ONE)
            case AnyOf(parts):  # 1 - relu(1 - sum)
                total = dict(ONE)
                for part in parts:
                    total = minus(total, sums[part])
                return minus(ONE, units.relu(total)) if parts else {}
            case CountsAtLeast(terms, least):
                excess: dict[str, float] = {"": -float(least)}
                for times, count in terms:
                    excess = plus(excess, {self._total(count): float(times)})
                return minus(units.relu(plus(excess, ONE)), units.relu(excess)) if terms else {"": float(least <= 0)}
            case _:
                raise AssertionError(f"{node} is written by attention or the embedding")

    def _lateness(
        self, node: Temporal, sums: dict[LtlcFormula, dict[str, float]], units: SignedUnits
    ) -> dict[str, float]:
        """A sum that is 1 or more, and more the nearer, where right holds or left does not, and at most 0 elsewhere."""
        left, right = (sums[part] for part in node.parts)
        chosen = minus(ONE, units.relu(minus(left, right)))
        n = float(self.length)
        if node.op == "S":  # i + 1, or i - N
            return plus({name: (n + 1) * value for name, value in chosen.items()}, {"i": 1.0, "": -n})
        return plus({name: n * value for name, value in chosen.items()}, {"i": -1.0})  # N - i, or -i

    def _heads(self, level: int) -> list[Head]:
        heads = [
            self._operator(node) for node in self.nodes if isinstance(node, Temporal) and self.level[node] == level
        ]
        for side, layer in self.sides.items():
            if layer == level:
                heads.append(self._uniform(side, {_mark(side): 1.0}, _share(side)))
        for count, layer in self.counts.items():
            if layer == level:
                heads.append(self._uniform(count.side, {self.name[count.one]: 1.0}, self._mean(count)))
            elif layer == level - 1:
                heads.append(self._whole(count))
        return heads

    def _operator(self, node: Temporal) -> Head:
        """The head of a temporal operator."""
        operand = {self.name[node.parts[-1]]: 1.0}
        future = node.op in MIRROR
        far: Terms = {"i": -1.0, "": float(self.length)} if future else NEXT
        key, value, default = {
            "S": ({self._late(node): 1.0}, operand, 0.0),
            "Y": (far, operand, 0.0),
            "P": (operand, ONE, 0.0),
            "H": (minus(ONE, operand), {}, 1.0),
        }[MIRROR.get(node.op, node.op)]
        return self.stream.head(
            query=[{"": 1.0}],
            key=[key],
            value=[value],
            into=[self.name[node]],
            sink=((0.5,), (default,)),
            attention="average-hard",
            mask="strict future" if future else "strict past",
            name=printed_ltlc(node)[:80],
        )

    def _uniform(self, side: Side, value: Terms, into: str) -> Head:
        """A head with the mean over the positions of a side."""
        return self.stream.head(
            query=[{}], key=[{}], value=[value], into=[into], attention="average-hard", mask=SEEN[side], name=into
        )

    def _whole(self, count: PositionCount) -> Head:
        """The head that reads the count from the mean c / m and 1 / m: the best j has the least (c - j)^2 / m."""
        square = {"i^2": 1.0, "i": 2.0, "": 1.0}
        return self.stream.head(
            query=[{self._mean(count): 2.0}, {_share(count.side): -1.0}],
            key=[NEXT, square],
            value=[NEXT],
            into=[self._total(count)],
            sink=((0.0, 0.0), (0.0,)),
            attention="average-hard",
            name=self._total(count),
        )


def _symbol(symbol: str) -> str:
    return f"[{symbol}]"


def _share(side: Side) -> str:
    return f"1 / m of #{side}"


def _mark(side: Side) -> str:
    return f"mark of #{side}"
