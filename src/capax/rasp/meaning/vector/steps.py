"""The steps of an evaluation: worked out once for a program, and kept for the next word.

Uniform nodes have one value for a whole word: what a constant, or the length, is at every position. They are computed
once for each word. A selector is uniform if all queries select the same keys.
"""

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from capax.rasp.ir.graph import evaluation_order, postorder
from capax.rasp.ir.nodes import (
    Aggregate,
    And,
    Best,
    Const,
    Indices,
    Map,
    Node,
    Not,
    Or,
    Select,
    SelectorNode,
    SOpNode,
    Table,
    Width,
)
from capax.rasp.ir.triple_nodes import PairAggregate, PairWidth, SumSelect, TripleNode
from capax.rasp.ir.triple_parts import triple_reads
from capax.rasp.meaning.vector.column import Column, constant
from capax.rasp.meaning.vector.lookups import KeptTable
from capax.rasp.meaning.vector.memo import Memo, Room
from capax.rasp.meaning.vector.shapes import SelectorShape, sum_shape, union_shape
from capax.rasp.meaning.vector.strings import StringTable


@dataclass(frozen=True, slots=True)
class Step:
    """One node to compute, or to check; `unused` are the nodes whose columns no later step reads.

    A step that is not `read` has a column that no step reads, and cannot fail. `args` are the operands of the
    operation `op`, whose results on short words are in the `memo`; `lookup` is a table; `constant` has one value, if
    all evaluations can share its array.
    """

    node: Node
    unused: tuple[Node, ...]
    read: bool
    uniform: bool
    op: str | None = None
    args: tuple[SOpNode, ...] = ()
    memo: Memo | None = None
    lookup: KeptTable | None = None
    constant: Column | None = None


@dataclass(frozen=True, slots=True)
class EvaluationSteps:
    """The steps that compute a root, in the order of the definition.

    `uniform` are the nodes with one value for each word. `sums` has the shapes of the selectors that are counted or
    averaged over, `unions` of those from which the best key is taken; None stands for pair by pair.
    """

    steps: tuple[Step, ...]
    uniform: frozenset[Node]
    sums: Mapping[SelectorNode, SelectorShape | None]
    unions: Mapping[SelectorNode, SelectorShape | None]


@lru_cache(maxsize=64)
def evaluation_steps(root: Node) -> EvaluationSteps:
    """The steps of a program; those of the programs that were run last are kept."""
    nodes = evaluation_order(root)
    uniform = uniform_nodes(nodes)
    order = [node for node in nodes if _does_something(node)]
    summed = {node.selector for node in order if isinstance(node, (Aggregate, Width))}
    ranked = {node.selector for node in nodes if isinstance(node, Best)}
    sums = {selector: sum_shape(selector, uniform) for selector in summed}
    reads = {node: _columns_read(node, sums) for node in order}
    roots = _root_columns(root)
    last_reader: dict[Node, Node] = {}
    for node in order:
        if isinstance(node, SOpNode):
            last_reader.update(dict.fromkeys(reads[node], node))
    for kept in roots:
        last_reader.pop(kept, None)
    unused: dict[Node, list[Node]] = {}
    for read, reader in last_reader.items():
        unused.setdefault(reader, []).append(read)
    unread, room = _unread(order, reads, roots), Room()
    steps = tuple(_step(node, tuple(unused.get(node, ())), node not in unread, node in uniform, room) for node in order)
    return EvaluationSteps(steps, uniform, sums, {selector: union_shape(selector, uniform) for selector in ranked})


def _step(node: Node, unused: tuple[Node, ...], read: bool, uniform: bool, room: Room) -> Step:
    match node:
        case Map():
            return Step(node, unused, read, uniform, op=node.op, args=node.args, memo=Memo(room))
        case Table():
            return Step(node, unused, read, uniform, lookup=KeptTable(node, Memo(room)))
        case Const():
            column = constant(node.value, 1, StringTable())
            column.data.flags.writeable = False
            shared = column.kind != "str" or column.data.dtype == np.uint8
            return Step(node, unused, read, uniform, constant=column if shared else None)
        case _:
            return Step(node, unused, read, uniform)


def _does_something(node: Node) -> bool:
    """Whether a node has a column, or a check of its own: that its keys and queries have an order, or can be added."""
    if isinstance(node, Select):  # the values of one s-op have an order
        return node.op not in ("==", "!=") and node.key is not node.query
    return isinstance(node, (SOpNode, SumSelect))


def _unread(order: list[Node], reads: Mapping[Node, list[Node]], roots: list[Node]) -> set[Node]:
    """The nodes that cannot fail, and whose columns nothing reads but other such nodes."""
    wanted, unread = set(roots), set[Node]()
    for node in reversed(order):
        if isinstance(node, (Const, Indices, Width)) and node not in wanted:
            unread.add(node)
        else:
            wanted.update(reads[node])
    return unread


def _root_columns(root: Node) -> list[Node]:
    """The columns that the value of a root is read from."""
    if isinstance(root, TripleNode):
        return list(triple_reads(root))
    return _selector_columns(root) if isinstance(root, SelectorNode) else [root]


def _columns_read(node: Node, sums: Mapping[SelectorNode, SelectorShape | None]) -> list[Node]:
    """The columns that a step reads, those of its selectors included."""
    if isinstance(node, (PairAggregate, PairWidth)):
        read: list[Node] = list(triple_reads(node.triples))
        return [*read, node.value] if isinstance(node, PairAggregate) else read
    if not isinstance(node, (Aggregate, Width)):
        return [operand for operand in node.operands if isinstance(operand, SOpNode)]
    shape = sums[node.selector]
    below = None if shape is None else shape.columns_if_arranged()
    below = _selector_columns(node.selector) if below is None else below
    return [*below, node.value] if isinstance(node, Aggregate) else below


def _selector_columns(selector: SelectorNode) -> list[Node]:
    inside = postorder([selector], lambda n: [o for o in n.operands if isinstance(o, SelectorNode)])
    return [o for s in inside for o in s.operands if isinstance(o, SOpNode)]


def uniform_nodes(order: Iterable[Node]) -> frozenset[Node]:
    """The uniform nodes among some that come after their operands."""
    uniform: set[Node] = set()
    for node in order:
        if _is_uniform(node, uniform):
            uniform.add(node)
    return frozenset(uniform)


def _is_uniform(node: Node, uniform: Container[Node]) -> bool:
    """Whether a node is uniform, where it is known which of its operands are."""
    match node:
        case Const():
            return True
        case Map() | Table() | And() | Or() | Not() | Width():
            return all(operand in uniform for operand in node.operands)
        case Select():
            return node.query in uniform
        case Aggregate() | Best():
            return node.selector in uniform
        case _:
            return False
