"""Programs made simpler without a change of meaning.

On every word on which a program gives a value, the rewritten program gives the same value with the same type, to the
last bit. On a word on which the rewritten program fails, the program failed too; a word that failed may now have a
value, where a part that failed turned out not to matter.

Equal subexpressions become one by themselves, since nodes are interned, and what is no longer used is no longer
reachable: common subexpressions and dead code need no rules.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, TypeAlias

from capax.rasp.ir.graph import topological, with_operands
from capax.rasp.ir.nodes import Node
from capax.rasp.rewrite.rules import selector_rules, sop_rules, triple_rules

Rule: TypeAlias = Callable[[Node], Node | None]
"""A function that gives a simpler node with the same meaning, or None where it does not apply."""

RULES: Final[dict[str, Rule]] = {
    "width-by-averages": sop_rules.width_by_averages,
    "fold-constants": sop_rules.fold_constants,
    "constant-condition": sop_rules.constant_condition,
    "same-branches": sop_rules.same_branches,
    "same-operands": sop_rules.same_operands,
    "known-comparison": sop_rules.known_comparison,
    "constant-logic": sop_rules.constant_logic,
    "double-not": sop_rules.double_not,
    "nothing-selected": sop_rules.nothing_selected,
    "look-at-self": sop_rules.look_at_self,
    "double-negation": selector_rules.double_negation,
    "negated-comparison": selector_rules.negated_comparison,
    "push-negation": selector_rules.push_negation,
    "constant-selector": selector_rules.constant_selector,
    "known-selector": selector_rules.known_selector,
    "full-and-empty": selector_rules.full_and_empty,
    "idempotent": selector_rules.idempotent,
    "complement": selector_rules.complement,
    "same-pair": selector_rules.same_pair,
    "absorption": selector_rules.absorption,
    "best-of-nothing": selector_rules.best_of_nothing,
    "order-operands": selector_rules.order_operands,
    "push-triple-negation": triple_rules.push_triple_negation,
}
"""The rules by name, in the order in which they are tried at a node."""

FIRST: Final = ("width-by-averages",)
"""Rules that go over the whole program before the others, which would hide what they look for."""

BEFORE_HIDING: Final = tuple(name for name in RULES if name != "known-selector")
"""The rules that stay right when later positions are hidden afterwards, as in causal models."""


@dataclass(frozen=True, slots=True, eq=False)
class Rewritten:
    """A program after rewriting: its node, how often each rule was applied, and what every node became."""

    node: Node
    steps: tuple[tuple[str, int], ...]
    mapping: Mapping[Node, Node]


def rewrite(root: Node, *, rules: Iterable[str] = tuple(RULES)) -> Rewritten:
    """The node with the named rules applied, operands first, until none applies any more.

    >>> from capax import indices, select
    >>> from capax.rasp.ir.describe import describe
    >>> done = rewrite((~select(indices, indices, ">=") | select(indices, indices, "==")).node)
    >>> describe(done.node), done.steps
    ('select(indices, indices, <=)', (('negated-comparison', 1), ('same-pair', 1)))
    """
    chosen = set(rules)
    assert chosen <= RULES.keys(), chosen - RULES.keys()
    first, then = _passes(chosen)
    result = then.normal_form(first.normal_form(root))
    counts = first.counts + then.counts  # what follows serves the names only
    mapping = {node: then.normal_form(first.normal_form(node)) for node in topological(root)}
    steps = tuple((name, counts[name]) for name in RULES if counts[name])
    return Rewritten(result, steps, MappingProxyType(mapping))


def simplified(root: Node) -> Node:
    """The node with all rules applied, where what became of the nodes below it does not matter."""
    first, then = _passes(RULES.keys())
    return then.normal_form(first.normal_form(root))


def _passes(chosen: Collection[str]) -> tuple["_Pass", "_Pass"]:
    return (
        _Pass({name: RULES[name] for name in FIRST if name in chosen}),
        _Pass({name: rule for name, rule in RULES.items() if name in chosen}),
    )


class _Pass:
    """Normal forms under some rules, each found once and kept.

    It ends, since a step never makes a chain's operands more, moves negations towards the comparisons or removes
    them, or puts operands in order; and every node met is taken one step once.
    """

    def __init__(self, rules: Mapping[str, Rule]) -> None:
        self._rules = rules
        self._normal: dict[Node, Node] = {}
        self._next: dict[Node, Node] = {}
        self.counts: Counter[str] = Counter()

    def normal_form(self, root: Node) -> Node:
        """The node to which no rule applies, at any node below it."""
        waiting = [root]
        while waiting:
            node = waiting[-1]
            needed = [] if node in self._normal else self._needed(node)
            if needed:
                waiting += reversed(needed)
            else:
                waiting.pop()
        return self._normal[root]

    def _needed(self, node: Node) -> list[Node]:
        """The nodes whose normal forms are to be found first; with none left, the node's own is found."""
        operands = [o for o in node.operands if o not in self._normal]
        if operands:
            return operands
        if node not in self._next:
            self._next[node] = self._step(node)
        after = self._next[node]
        if after is not node and after not in self._normal:
            return [after]
        self._normal[node] = self._normal.get(after, node)
        return []

    def _step(self, node: Node) -> Node:
        """The node with its operands in normal form, or else after the first rule that applies, or else itself."""
        rebuilt = with_operands(node, self._normal)
        if rebuilt is not node:
            return rebuilt
        for name, rule in self._rules.items():
            simpler = rule(node)
            if simpler is not None:
                assert simpler is not node, name
                self.counts[name] += 1
                return simpler
        return node
