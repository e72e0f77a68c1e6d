"""Programs as plain data, for files and other programs. Nothing is executed on loading."""

import math
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from capax.errors import CapaxError
from capax.notation.rounds import MOST_ROUNDS, ROUNDS
from capax.rasp.ir import nodes as n
from capax.rasp.ir import triple_nodes as t
from capax.rasp.ir.construction import Construction
from capax.rasp.ir.graph import postorder
from capax.rasp.ir.loop_nodes import LoopResult, State
from capax.rasp.ir.ops import MOST_BITS, OPS
from capax.rasp.ir.pad_node import MOST_PADS, MOST_POWER
from capax.rasp.ir.types import is_atom
from capax.rasp.python.program import Program, Selector, SOp
from capax.rasp.python.triple_selector import TripleSelector

FORMAT = "capax-program"
VERSION = 1
MOST_NODES = 1_000_000

Reader: TypeAlias = Callable[[Any, list[n.Node], str], Any]
"""Reads a field: its value in the data, the nodes made so far, and where it stands."""


def to_json(program: Program) -> dict[str, Any]:
    """A program as data: its nodes in order, each after its operands, and their names."""
    order = postorder([program.node], _before)
    number = {node: i for i, node in enumerate(order)}
    names = program.names()
    return {
        "format": FORMAT,
        "version": VERSION,
        "nodes": [
            {"node": type(node).__name__, **{f: _out(p, number) for f, p in zip(node.fields, node.parts, strict=True)}}
            for node in order
        ],
        "names": {str(number[node]): name for node, name in names.items() if node in number},
    }


def _before(node: n.Node) -> tuple[n.Node, ...]:
    """The nodes that come before a node: its operands, and of a loop its body."""
    return (*node.operands, *node.states, *node.nexts) if isinstance(node, LoopResult) else node.operands


def _out(part: Any, number: Mapping[n.Node, int]) -> Any:
    if isinstance(part, n.Node):
        return number[part]
    if isinstance(part, tuple):
        return [_out(p, number) for p in part]
    if isinstance(part, float) and math.isinf(part):
        return {"float": str(part)}
    return part


def from_json(data: Mapping[str, Any]) -> Program:
    """The program that data describes; data that describes none is refused, with the location."""
    if not isinstance(data, Mapping) or data.get("format") != FORMAT:
        raise _bad("this is not a program", "a program has the format capax-program")
    if data.get("version") != VERSION:
        raise _bad(f"version {data.get('version')} is not known here", "get a newer capax")
    rows = data.get("nodes")
    if not isinstance(rows, list) or not 0 < len(rows) <= MOST_NODES:
        raise _bad("the nodes are missing, empty or too many")
    names = data.get("names", {})
    nodes: list[n.Node] = []
    constructions: dict[n.Node, Construction] = {}
    for i, row in enumerate(rows):
        node = _node(i, row, nodes)
        name = names.get(str(i)) if isinstance(names, Mapping) else None
        known = name if isinstance(name, str) and name.isidentifier() else None
        nodes.append(node)
        constructions[node] = Construction(node, tuple(constructions[o] for o in node.operands), None, known)
    last = nodes[-1]
    if any(isinstance(x, State) for x in postorder([last], lambda n: n.operands)):
        raise _bad("a state is read outside its loop")
    kinds: dict[type[n.Node], type[Program]] = {n.SOpNode: SOp, n.SelectorNode: Selector, t.TripleNode: TripleSelector}
    return next(made for kind, made in kinds.items() if isinstance(last, kind))(last, constructions[last])


def _node(i: int, row: Any, nodes: list[n.Node]) -> n.Node:
    title = row.get("node") if isinstance(row, Mapping) else None
    kind = _KINDS.get(title) if isinstance(title, str) else None
    if kind is None:
        raise _bad(f"node {i} has an unknown kind")
    parts = []
    for field, read in zip(kind.fields, _FIELDS[kind], strict=True):
        if field not in row:
            raise _bad(f"node {i} ({kind.__name__}) has no `{field}`")
        parts.append(read(row[field], nodes, f"node {i} ({kind.__name__}), `{field}`"))
    if kind is n.Map and len(parts[1]) != OPS[parts[0]].arity:
        raise _bad(f"node {i} has {len(parts[1])} operands for `{parts[0]}`")
    if kind is n.Table:
        _check_keys(parts[0], [key for key, _ in parts[1]], f"node {i}")
        if parts[0] == "positions" and not (parts[1] and isinstance(parts[2], n.Indices)):
            raise _bad(f"node {i} is a list over positions that is empty or not indexed by the positions")
    if kind is LoopResult:
        _check_loop(parts, f"node {i}")
    node = kind(*parts)
    if any(isinstance(operand, n.Padded) for operand in node.operands):
        raise _bad(f"node {i} reads an s-op with pads")
    if len(n.list_lengths(node)) > 1:
        raise _bad(f"node {i} has lists of different lengths for the positions")
    return node


def _check_keys(kind: str, keys: list[Any], where: str) -> None:
    if len(set(keys)) < len(keys):
        raise _bad(f"{where} has a duplicate key")
    if kind in ("list", "string", "positions") and (
        keys != list(range(len(keys))) or any(type(k) is not int for k in keys)
    ):
        raise _bad(f"{where} is a {kind} whose keys are not 0, 1, 2, ...")


def _check_loop(parts: list[Any], where: str) -> None:
    """Refuses a loop whose parts do not fit each other."""
    _, states, starts, nexts, number = parts
    if not states or len({state.name for state in states}) < len(states) or any(state.values for state in states):
        raise _bad(f"{where} is a loop without states, or with two of one name, or with their values")
    if len(starts) != len(states) or len(nexts) != len(states) or not 0 <= number < len(states):
        raise _bad(f"{where} is a loop with more or fewer values than states")
    inside, outside = postorder(nexts, lambda n: n.operands), postorder(starts, lambda n: n.operands)
    if any(isinstance(x, LoopResult) or (isinstance(x, State) and x not in states) for x in inside):
        raise _bad(f"{where} is a loop with another in its body, or with the state of another")
    if any(isinstance(x, State) for x in outside):
        raise _bad(f"{where} starts from a state")


def _operand(value: Any, nodes: list[n.Node], where: str) -> n.Node:
    if type(value) is not int or not 0 <= value < len(nodes):
        raise _bad(f"{where} does not name an earlier node")
    return nodes[value]


def _sop(value: Any, nodes: list[n.Node], where: str) -> n.SOpNode:
    node = _operand(value, nodes, where)
    if not isinstance(node, n.SOpNode):
        raise _bad(f"{where} is not an s-op")
    return node


def _selector(value: Any, nodes: list[n.Node], where: str) -> n.SelectorNode:
    node = _operand(value, nodes, where)
    if not isinstance(node, n.SelectorNode):
        raise _bad(f"{where} is not a selector")
    return node


def _triples(value: Any, nodes: list[n.Node], where: str) -> t.TripleNode:
    node = _operand(value, nodes, where)
    if not isinstance(node, t.TripleNode):
        raise _bad(f"{where} is not a selector over triples")
    return node


def _whole(value: Any, nodes: list[n.Node], where: str) -> int:
    if type(value) is not int or value.bit_length() > MOST_BITS:
        raise _bad(f"{where} is not an integer")
    return value


def _modulus(value: Any, nodes: list[n.Node], where: str) -> int:
    if _whole(value, nodes, where) < 0:
        raise _bad(f"{where} is negative")
    return int(value)


def _atom(value: Any, nodes: list[n.Node], where: str) -> Any:
    if isinstance(value, Mapping) and value.get("float") in ("inf", "-inf"):
        return float(value["float"])
    if not is_atom(value) or (isinstance(value, float) and not math.isfinite(value)):
        raise _bad(f"{where} is not a string, number or boolean")
    return value


def _one_of(*known: str) -> Reader:
    def read(value: Any, nodes: list[n.Node], where: str) -> str:
        if not isinstance(value, str) or value not in known:
            raise _bad(f"{where} is not one of {', '.join(known)}")
        return str(value)

    return read


def _list(value: Any, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise _bad(f"{where} is not a list")
    return value


def _entries(value: Any, nodes: list[n.Node], where: str) -> tuple[tuple[Any, Any], ...]:
    pairs = _list(value, where)
    if not all(isinstance(p, list) and len(p) == 2 for p in pairs):
        raise _bad(f"{where} is not a list of pairs")
    return tuple((_atom(k, nodes, where), _atom(v, nodes, where)) for k, v in pairs)


def _sops(value: Any, nodes: list[n.Node], where: str) -> tuple[n.SOpNode, ...]:
    return tuple(_sop(each, nodes, where) for each in _list(value, where))


def _states(value: Any, nodes: list[n.Node], where: str) -> tuple[State, ...]:
    states = tuple(_operand(each, nodes, where) for each in _list(value, where))
    if not all(isinstance(state, State) for state in states):
        raise _bad(f"{where} is not a list of states")
    return states  # type: ignore[return-value]


def _name_of_state(value: Any, nodes: list[n.Node], where: str) -> str:
    if not isinstance(value, str) or not value.isidentifier():
        raise _bad(f"{where} is not a name")
    return value


def _atoms(value: Any, nodes: list[n.Node], where: str) -> tuple[Any, ...]:
    return tuple(_atom(each, nodes, where) for each in _list(value, where))


def _rounds(value: Any, nodes: list[n.Node], where: str) -> Any:
    if value in ROUNDS and isinstance(value, str):
        return value
    if type(value) is not int or not 0 <= value <= MOST_ROUNDS:
        raise _bad(f"{where} is not a number of rounds")
    return value


def _factor(value: Any, nodes: list[n.Node], where: str) -> int:
    if type(value) is not int or not 1 <= value <= MOST_PADS:
        raise _bad(f"{where} is not a number of pads")
    return value


def _power(value: Any, nodes: list[n.Node], where: str) -> int:
    if type(value) is not int or not 0 <= value <= MOST_POWER:
        raise _bad(f"{where} is not a power of the length")
    return value


_FIELDS: dict[type[n.Node], tuple[Reader, ...]] = {
    n.Input: (_one_of(*n.INPUT_KINDS),),
    n.Indices: (),
    n.Const: (_atom,),
    n.Map: (_one_of(*OPS), _sops),
    n.Table: (_one_of("list", "string", "dict", "members", "positions"), _entries, _sop),
    n.Aggregate: (_selector, _sop, _atom),
    n.Width: (_selector,),
    n.Padded: (_sop, _factor, _power, _atom),
    n.Select: (_sop, _sop, _one_of(*n.COMPARISONS)),
    n.And: (_selector, _selector),
    n.Or: (_selector, _selector),
    n.Not: (_selector,),
    n.Best: (_selector, _sop),
    t.SumSelect: (_sop, _sop, _sop, _modulus, _one_of(*n.COMPARISONS), _whole),
    t.Lift: (_one_of(*t.LIFT_SIDES), _selector),
    t.TripleAnd: (_triples, _triples),
    t.TripleOr: (_triples, _triples),
    t.TripleNot: (_triples,),
    t.PairAggregate: (_triples, _sop, _atom),
    t.PairWidth: (_triples,),
    State: (_name_of_state, _atoms),
    LoopResult: (_rounds, _states, _sops, _sops, _whole),
}
"""For each kind of node the readers of its fields, in order."""

_KINDS = {kind.__name__: kind for kind in _FIELDS}


def _bad(what: str, hint: str | None = None) -> CapaxError:
    return CapaxError("bad-program", what, hint=hint)
