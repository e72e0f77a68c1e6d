"""A formula of past temporal logic as a transformer: a head for each temporal operator, a layer for each level."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from capax.formal.logic.ltl import (
    TEMPORAL,
    AndFormula,
    Formula,
    Historically,
    LtlLanguage,
    NotFormula,
    Once,
    OrFormula,
    Since,
    Yesterday,
    parts,
    subformulas,
    values,
)
from capax.formal.logic.ltl_text import printed
from capax.model.model import Model
from capax.model.parts import Head, Mlp
from capax.theorems.languages.parts.acceptance_head import recogniser
from capax.theorems.languages.parts.latest_set_bit import latest, latest_soft, recency_unit
from capax.theorems.weights.staged import staged
from capax.theorems.weights.stream import Stream, Terms

LONGEST_NAME = 60


@dataclass
class FormulaLayout:
    """Where each part of a formula stands: sums of letters and of the directions of temporal operators."""

    language: LtlLanguage
    depth: dict[Formula, int] = field(default_factory=dict)
    names: dict[Formula, str] = field(default_factory=dict)
    kept: dict[Formula, str] = field(default_factory=dict)
    """Parts that an MLP writes to a direction, since they are no sum."""

    def add(self, formula: Formula) -> None:
        """Takes the parts of a formula in."""
        for node in subformulas(formula):
            if node not in self.depth:
                temporal = isinstance(node, TEMPORAL)
                self.depth[node] = max((self.depth[p] for p in parts(node)), default=0) + temporal
                if temporal:
                    self.names[node] = self.named(node)

    def named(self, formula: Formula) -> str:
        """The name of a direction for a formula: its text, or a number if that is long."""
        text = printed(formula)
        taken = len(self.names) + len(self.kept)
        return text if len(text) <= LONGEST_NAME else f"{text[: LONGEST_NAME - 10]}... ({taken})"

    def sum(self, formula: Formula, units: dict[str, Terms]) -> dict[str, float]:
        """A formula as a sum of directions and units; the units that it needs are put into `units`, parts first.

        A formula without temporal operators is a sum of letters.
        """
        sums: dict[Formula, dict[str, float]] = {}
        needed = self._needed(formula)
        for node in subformulas(formula):
            if node not in needed:
                continue
            if self.depth[node] == 0:
                sums[node] = {letter(s): 1.0 for s in self.language.alphabet if values(node, (s,))[0]}
            elif node in self.names:
                sums[node] = {self.names[node]: 1.0}
            elif isinstance(node, NotFormula):
                sums[node] = _opposite(sums[node.one])
            else:
                assert isinstance(node, AndFormula | OrFormula)
                sums[node] = _many(node, [sums[p] for p in _flat(node)], units)
        return sums[formula]

    def _needed(self, formula: Formula) -> set[Formula]:
        """The parts that the sum of a formula is made of; those inside a chain of one connective are not."""
        needed: set[Formula] = set()
        stack = [formula]
        while stack:
            node = stack.pop()
            if node not in needed:
                needed.add(node)
                if self.depth[node] and node not in self.names:
                    stack += _flat(node) if isinstance(node, AndFormula | OrFormula) else parts(node)
        return needed

    def operand(self, formula: Formula) -> dict[str, float]:
        """A formula as a sum of directions: its own, if it is not a sum of others."""
        self.add(formula)
        units: dict[str, Terms] = {}
        plain = self.sum(formula, units)
        if not units:
            return plain
        if formula not in self.kept:
            self.kept[formula] = f"value of {self.named(formula)}"
        return {self.kept[formula]: 1.0}


def letter(symbol: str) -> str:
    """The direction of a letter."""
    return f"[{symbol}]"


def _opposite(terms: Terms) -> dict[str, float]:
    opposite = {source: -coefficient for source, coefficient in terms.items()}
    return {**opposite, "": opposite.get("", 0.0) + 1.0}


def _flat(node: AndFormula | OrFormula) -> list[Formula]:
    """The operands of a chain of one connective, each once."""
    operands: dict[Formula, None] = {}
    stack: list[Formula] = [node.right, node.left]
    while stack:
        one = stack.pop()
        if type(one) is type(node):
            assert isinstance(one, AndFormula | OrFormula)
            stack += [one.right, one.left]
        else:
            operands[one] = None
    return list(operands)


def _many(node: AndFormula | OrFormula, operands: list[dict[str, float]], units: dict[str, Terms]) -> dict[str, float]:
    """The sum for a chain: all are 1 as relu(sum - (m - 1)), one is 1 as 1 - relu(1 - sum)."""
    total: dict[str, float] = {}
    for terms in operands:
        for source, coefficient in terms.items():
            total[source] = total.get(source, 0.0) + coefficient
    constant = total.pop("", 0.0)
    if isinstance(node, AndFormula):
        unit = {**total, "": constant - (len(operands) - 1)}
    else:
        unit = {**{source: -coefficient for source, coefficient in total.items()}, "": 1.0 - constant}
    name = f"unit {next((at for at, known in enumerate(units.values()) if known == unit), len(units))}"
    units[name] = unit
    return {name: 1.0} if isinstance(node, AndFormula) else {name: -1.0, "": 1.0}


@dataclass(frozen=True)
class Plan:
    """The head of a temporal operator: what its key and its value are, and what it says where it finds nothing."""

    node: Formula
    key: dict[str, float]
    value: dict[str, float]
    default: float
    recency: tuple[str, Formula] | None = None
    """The direction that is higher at later positions where a formula holds, for softmax where the latest counts."""


def _plan(layout: FormulaLayout, node: Formula, hard: bool) -> Plan:
    """The head of a temporal operator."""
    match node:
        case Since(left, right):
            either = OrFormula(right, NotFormula(left))
            if hard:
                return Plan(node, layout.operand(either), layout.operand(right), 0.0)
            layout.add(either)
            recency = f"recency of {layout.names[node]}"
            return Plan(node, {recency: 1.0}, layout.operand(right), 0.0, (recency, either))
        case Once(one):
            return Plan(node, layout.operand(one), {"": 1.0}, 0.0)
        case Historically(one):
            return Plan(node, layout.operand(NotFormula(one)), {}, 1.0)
        case Yesterday(one):
            # By softmax, a position with none before it sees the sink alone: its score is below that of position 0.
            return Plan(node, {"": 1.0} if hard else {"i": 1.0, "": 1.0}, layout.operand(one), 0.0)
        case _:
            raise AssertionError(f"{node} is not temporal")


def temporal(language: LtlLanguage, attention: str, length: int, scale: float) -> Model:
    """The model of a formula: by rightmost-hard heads, or by softmax for words of at most `length` symbols."""
    layout = FormulaLayout(language)
    layout.add(language.formula)
    hard = attention == "hard"
    plans = [_plan(layout, node, hard) for node in list(layout.names)]
    answer = layout.operand(language.formula)
    recencies = dict(plan.recency for plan in plans if plan.recency is not None)
    bits = (*map(letter, language.alphabet), *layout.names.values(), *layout.kept.values())
    stream = Stream((*(() if hard else ("i",)), *bits, *recencies))
    mlps = [_mlp(stream, layout, level, recencies, length) for level in range(layout.depth[language.formula] + 1)]
    blocks = []
    for level in range(1, len(mlps)):
        heads = [_head(stream, layout, plan, hard, scale) for plan in plans if layout.depth[plan.node] == level]
        blocks.append(stream.block(*heads, mlp=mlps[level]))
    return recogniser(
        stream,
        {symbol: {letter(symbol): 1.0} for symbol in language.alphabet},
        tuple(blocks),
        answer,
        positions={} if hard else {"i": "i"},
        input_mlp=mlps[0],
        max_length=None if hard else length,
        formula=printed(language.formula),
    )


def _head(stream: Stream, layout: FormulaLayout, plan: Plan, hard: bool, scale: float) -> Head:
    name = layout.names[plan.node]
    if hard:
        return latest(stream, plan.key, [plan.value], [name], [plan.default], name=name)
    return latest_soft(stream, plan.key, [plan.value], [name], [plan.default], scale=scale, name=name)


def _mlp(
    stream: Stream, layout: FormulaLayout, level: int, recencies: Mapping[str, Formula], length: int
) -> Mlp | None:
    """The MLP after a layer: the parts that are no sums, and for softmax how late the selected positions are."""
    units: dict[str, Terms] = {}
    writes: dict[str, Terms] = {}
    for formula, name in layout.kept.items():
        if layout.depth[formula] == level:
            writes[name] = layout.sum(formula, units)
    for name, formula in recencies.items():
        if layout.depth[formula] == level:
            units[f"{name} (unit)"] = recency_unit(layout.sum(formula, units), length)
            writes[name] = {f"{name} (unit)": 1.0}
    return staged(stream, units, writes, positive=stream.names) if writes else None
