"""The names that the reference implementation gives to values: in messages, and in lists of s-ops."""

from typing import Any

from capax.rasp import library
from capax.rasp.ir.construction import Construction
from capax.rasp.ir.nodes import Const, Indices, Input, Map, SelectorNode
from capax.rasp.ir.ops import OPS, Infix, Prefix
from capax.rasp.python.program import Program
from capax.rasp.text.text_values import Function

LONGEST = 30
"""A longer name is replaced by a plain one."""
LONGEST_ARGUMENT = 20
"""A longer list or dictionary in the name of a call is replaced by its kind."""


def described(value: Any, longest: int | None = None) -> str:
    """A value as the reference names it; long lists and dictionaries may be replaced by their kind."""
    match value:
        case Program():
            return classic_name(value)
        case list():
            text, kind = f"[{', '.join(map(described, value))}]", "(list)"
        case dict():
            text, kind = "{" + ", ".join(f"{described(k)}: {described(v)}" for k, v in value.items()) + "}", "(dict)"
        case str():
            return f'"{value}"'
        case Function():
            return classic_function(value)
        case _:
            return str(value)
    return text if longest is None or len(text) <= longest else kind


def classic_function(function: Function) -> str:
    """A function with where it was defined; the reference keeps its library in a folder."""
    standard = function.source is library.module_source(library.STANDARD)
    return f"RASP_support/{function}" if standard else f"{function}"


def classic_name(program: Program) -> str:
    """The name of a program: of the call it came from, the one it was assigned, or one made from its operands."""
    return _name(program.construction, LONGEST)


def _name(written: Construction, budget: int) -> str:
    """The name; operands deeper than any name of legal length are not visited."""
    plain = "sel" if isinstance(written.node, SelectorNode) else "s-op"
    if written.call is not None:
        function, args = written.call
        made: str | None = f"{function}({' , '.join(described(a, LONGEST_ARGUMENT) for a in args)})"
    elif written.name is not None:
        made = written.name
    elif isinstance(written.node, SelectorNode):
        made = "plain select"
    else:
        made = _made(written, budget) if budget > 0 else None
    return plain if made is None or len(made) > LONGEST else made


def _made(written: Construction, budget: int) -> str | None:
    match written.node:
        case Indices():
            return "indices"
        case Input(kind=kind):
            return "tokens" if kind == "str" else f"tokens_{kind}"
        case Const(value=value):
            return str(value)[: LONGEST + 1]
        case Map(op=op):
            return _made_map(op, [_name(p, budget - 4) for p in written.parts])
        case _:
            return None


_OWN_FORMS = {
    "and": "( {} and {})",
    "or": "( {} or {})",
    "indicator": "I({})",
    "round": "( round {} )",
    "^": "( {} pow {} )",
}
"""What the reference writes otherwise than its other operators."""


def _made_map(op: str, inner: list[str]) -> str:
    match OPS[op].notation:
        case _ if op in _OWN_FORMS:
            return _OWN_FORMS[op].format(*inner)
        case Prefix(sign=sign):
            return f"( {sign} {inner[0]} )"
        case Infix():
            return f"( {inner[0]} {op} {inner[1]} )"
        case _:
            return OPS[op].text(inner)
