"""The names that the reference implementation gives to s-ops and selectors that were not assigned."""

from collections.abc import Mapping

from capax.rasp.nodes import Const, Indices, Input, Map, Node, SelectorNode
from capax.rasp.program import Program

LONGEST = 30
"""A longer name is replaced by a plain one."""


def classic_name(program: Program) -> str:
    """The name of a program: the one it was assigned, or one made from its operands."""
    return _name(program.node, program.names(), LONGEST)


def _name(node: Node, names: Mapping[Node, str], budget: int) -> str:
    """The name; operands deeper than any name of legal length are not visited."""
    if node in names:
        return names[node]
    if isinstance(node, SelectorNode):
        return "plain select"
    made = _made(node, names, budget) if budget > 0 else None
    return "s-op" if made is None or len(made) > LONGEST else made


def _made(node: Node, names: Mapping[Node, str], budget: int) -> str | None:
    match node:
        case Indices():
            return "indices"
        case Input():
            return "tokens" if node.kind == "str" else f"tokens_{node.kind}"
        case Const():
            return str(node.value)[: LONGEST + 1]
        case Map():
            inner = [_name(o, names, budget - 4) for o in node.operands]
            return _made_map(node.op, inner)
        case _:
            return None


def _made_map(op: str, inner: list[str]) -> str:
    match op:
        case "where":
            return f"{inner[1]} if {inner[0]} else {inner[2]}"
        case "and" | "or":
            return f"( {inner[0]} {op} {inner[1]})"
        case "not":
            return f"( not {inner[0]} )"
        case "indicator":
            return f"I({inner[0]})"
        case "neg" | "pos" | "round":
            sign = {"neg": "-", "pos": "+"}.get(op, op)
            return f"( {sign} {inner[0]} )"
        case "^":
            return f"( {inner[0]} pow {inner[1]} )"
        case _:
            return f"( {inner[0]} {op} {inner[1]} )"
