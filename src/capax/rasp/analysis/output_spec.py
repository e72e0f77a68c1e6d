"""The output spec: what a model of a program computes, one number from which the value and its type are read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from capax.rasp.analysis.output_types import BOOL, FLOAT, INT, TYPES, Kind, Unknown, cast, kind_of, written
from capax.rasp.analysis.split_orders import split_orders
from capax.rasp.analysis.split_sums import split_sums
from capax.rasp.ir.graph import rebuild, topological
from capax.rasp.ir.nodes import Aggregate, Const, Map, Node, SOpNode
from capax.rasp.ir.types import Atom
from capax.rasp.rewrite.prepare import make_causal, prepare


@dataclass(frozen=True, slots=True, eq=False)
class OutputSpec:
    """The value of a program, prepared for compiling, and its type where that is known.

    `node_map` says what every node of the program became. `kind` is a code, an s-op that gives the code at each
    position, or None: strings, or a type that no program gives.
    With a `shift` the model computes value + shift * kind in one number; the shift is more than twice any value, so
    floats are below half of it, integers around it and booleans around twice of it.
    """

    value: SOpNode
    node_map: Mapping[Node, Node]
    kind: Kind = None
    shift: int | None = None

    @property
    def root(self) -> SOpNode:
        """The s-op that the model computes."""
        if self.shift is None or not isinstance(self.kind, SOpNode):
            return self.value
        return Map("+", (self.value, Map("*", (Const(self.shift), self.kind))))

    @property
    def typed(self) -> bool:
        """Whether the model gives the type with the value."""
        return self.shift is not None or not isinstance(self.kind, SOpNode)

    def read(self, number: Atom) -> Atom:
        """The value, with its type, that a value of `root` stands for."""
        if isinstance(number, str):
            return number
        if isinstance(self.kind, int):
            return cast(number, self.kind)
        if self.shift is None or self.kind is None:
            return number
        code = self._code(number, self.shift)
        return cast(number - self.shift * code, code)

    def read_all(self, numbers: Sequence[Atom]) -> list[Atom]:
        """The same for many values."""
        if self.shift is None and (not isinstance(self.kind, int) or set(map(type, numbers)) == {TYPES[self.kind]}):
            return list(numbers)
        return [self.read(number) for number in numbers]

    def can_be(self, number: Atom) -> bool:
        """Whether a value of `root` can happen: integers and booleans are never fractions."""
        if isinstance(number, str) or self.shift is None:
            return True
        code = self._code(number, self.shift)
        rest = number - self.shift * code
        return code == FLOAT or (rest in (0, 1) if code == BOOL else rest == int(rest))

    @staticmethod
    def _code(number: float, shift: int) -> int:
        return FLOAT if number < shift / 2 else INT if number < 1.5 * shift else BOOL


def _prepared(root: SOpNode, looking: dict[Node, Node], typed: dict[Node, Node]) -> tuple[SOpNode, dict[Node, Node]]:
    """The node to compile, and what every node of the program became, through two changes and the usual ones."""
    first = typed[looking.get(root, root)]
    assert isinstance(first, SOpNode)
    value, last = prepare(first, causal=False)
    node_map = {}
    for node in topological(root):
        changed = typed[looking.get(node, node)]
        node_map[node] = last.get(changed, changed)
    return value, node_map


def output_spec(
    root: SOpNode, tokens: Sequence[Atom], *, causal: bool, longest: int | None = None, shift: int | None = None
) -> OutputSpec:
    """What is computed for a program on words of some tokens, seeing no later position if it is causal.

    `longest` is the length of the longest words, where there is one.
    """
    spec = _output_spec(root, tokens, causal=causal, shift=shift)
    averaged = {node.selector for node in topological(spec.value) if isinstance(node, Aggregate)}
    orders = split_orders(spec.value, tokens, longest, averaged=averaged)
    value, kind = orders.get(spec.value, spec.value), spec.kind
    assert isinstance(value, SOpNode)
    sums = split_sums(value, tokens, longest)
    changed = {n: sums.get(orders.get(n, n), orders.get(n, n)) for n in spec.node_map.values()}
    value = sums.get(value, value)
    if isinstance(kind, SOpNode):
        kind = split_orders(kind, tokens, longest, averaged=averaged).get(kind, kind)  # type: ignore[assignment]
    assert isinstance(value, SOpNode)
    node_map = {old: changed.get(new, new) for old, new in spec.node_map.items()}
    return replace(spec, value=value, node_map=node_map, kind=kind)


def _output_spec(root: SOpNode, tokens: Sequence[Atom], *, causal: bool, shift: int | None) -> OutputSpec:
    value, node_map = prepare(root, causal=causal)
    kind: Kind = None
    try:
        looking = rebuild(root, make_causal) if causal else {}
        meant = looking.get(root, root)
        assert isinstance(meant, SOpNode)
        kind = kind_of(meant, tokens)
        if any(isinstance(node, Map) and node.op == "%" for node in topological(meant)):
            typed = written(meant, tokens)
            if typed[meant] is not meant:
                value, node_map = _prepared(root, looking, typed)
        if isinstance(kind, SOpNode):
            kind = prepare(kind, causal=False)[0]
            kind = kind.value if isinstance(kind, Const) and isinstance(kind.value, int) else kind
    except Unknown:
        return OutputSpec(value, node_map, Const(0))  # no code: a type that depends on the position, by no program
    return OutputSpec(value, node_map, kind, shift if isinstance(kind, SOpNode) else None)
