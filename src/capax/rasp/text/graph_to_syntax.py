"""Programs as text: the way back from nodes to statements.

Nodes that are used more than once, that have a name, or that would nest too deeply get a statement
of their own. Lowering the text again gives the same nodes.
"""

import itertools
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import assert_never

from capax.errors import CapaxError
from capax.notation.rounds import LOG_ROUNDS, Rounds
from capax.rasp import library
from capax.rasp.ir import build
from capax.rasp.ir import nodes as n
from capax.rasp.ir import triple_nodes as t
from capax.rasp.ir.graph import postorder
from capax.rasp.ir.loop_nodes import LoopParts, LoopResult, State, with_bodies
from capax.rasp.ir.ops import OPS, Choice, FunctionCall, Infix, Prefix
from capax.rasp.ir.pad_node import PAD
from capax.rasp.ir.types import Atom
from capax.rasp.python.program import Program
from capax.rasp.text import syntax as s
from capax.rasp.text.primitives import BUILTINS
from capax.rasp.text.scope import CONSTANTS, WORDS
from capax.rasp.text.syntax_errors import KEYWORDS
from capax.rasp.text.syntax_to_text import print_script

DEEPEST = 8
"""An expression nested deeper gets a statement of its own."""

_SELF_NAMED = {build.length.node: "length", build.full_s.node: "full_s"}


def to_text(program: Program) -> str:
    """The statements that make a program, the last of which is the program itself."""
    return print_script(to_statements(program.node, program.names()))


def to_statements(root: n.Node, names: Mapping[n.Node, str]) -> list[s.Statement]:
    """Assignments that make a node, in order."""
    return _StatementWriter((root,), names).statements()


def statement_names(root: n.Node, names: Mapping[n.Node, str]) -> dict[n.Node, str]:
    """The nodes that have a statement of their own in `to_statements`, with the names that are assigned there."""
    return _StatementWriter((root,), names).named


class _StatementWriter:
    def __init__(self, roots: Sequence[n.Node], names: Mapping[n.Node, str], taken: set[str] | None = None) -> None:
        """With `taken`, the names that are in use around them, the roots are the new values of a loop's states."""
        self.roots = roots
        self.root = roots[0] if taken is None else None
        self.order = postorder(roots, self._operands)
        self.uses = Counter(o for node in self.order for o in self._operands(node))
        self.names = names
        if taken is None:
            taken = {*KEYWORDS, *WORDS, *CONSTANTS, *BUILTINS, "tokens", *_standard_names()}
            states = {s.name for node in with_bodies(roots[0]) if isinstance(node, LoopResult) for s in node.states}
            if states & taken:
                what = f"a state called `{min(states & taken)}`, which is a name of the language"
                raise CapaxError("not-expressible", what, hint="rename the state")
            taken |= states
        self.taken = taken
        self.loops: dict[LoopParts, dict[int, str]] = {}
        self.states: tuple[State, ...] = ()
        self.named = self._named()

    def _operands(self, node: n.Node) -> tuple[n.Node, ...]:
        """The operands that have to be written; `length` and `full_s` have names already."""
        return () if node in _SELF_NAMED else node.operands

    def _named(self) -> dict[n.Node, str]:
        named: dict[n.Node, str] = {}
        depth: dict[n.Node, int] = {}
        for node in self.order:
            depth[node] = 1 + max((depth[o] for o in self._operands(node)), default=-1)
            if (node is self.root and not isinstance(node, LoopResult)) or (
                node not in _SELF_NAMED and self._deserves_a_name(node, depth[node])
            ):
                named[node] = self._name(node)
                depth[node] = 0
        return named

    def statements(self) -> list[s.Statement]:
        assignments: list[s.Statement] = []
        written: dict[n.Node, s.Expr] = {}
        for node in self.order:
            if isinstance(node, LoopResult) and LoopParts.of(node) not in self.loops:
                assignments += self._loop(LoopParts.of(node), written)
            expr = s.Name(_SELF_NAMED[node]) if node in _SELF_NAMED else self._expr(node, written)
            name = self.named.get(node)
            if name is not None:
                assignments.append(s.Assign((name,), (_constant(expr) if isinstance(expr, s.ListOf) else expr,)))
                expr = s.Name(name)
            written[node] = expr
        if self.root is None:
            assignments += self._set_states(written)
        return assignments

    def _loop(self, loop: LoopParts, written: Mapping[n.Node, s.Expr]) -> list[s.Statement]:
        """The statement of a loop, and names for its states that no later loop takes."""
        own = {node: name for node, name in self.names.items() if name not in loop.names}
        inside = _StatementWriter(loop.nexts, own, self.taken)
        inside.states = loop.states
        starts = tuple(
            s.StateOf(name, _state_start(written[x])) for name, x in zip(loop.names, loop.starts, strict=True)
        )
        statements: list[s.Statement] = [s.RepeatOf(_rounds(loop.rounds), starts, tuple(inside.statements()))]
        self.loops[loop] = {}
        for node in self.order:
            if isinstance(node, LoopResult) and LoopParts.of(node) == loop:
                name = self._free(loop.names[node.number] + "_end")
                self.loops[loop][node.number] = name
                statements.append(s.Assign((name,), (s.Name(loop.names[node.number]),)))
        return statements

    def _set_states(self, written: Mapping[n.Node, s.Expr]) -> list[s.Statement]:
        """The assignments that end the body of a loop: all states that change."""
        changed = [(state, node) for state, node in zip(self.states, self.roots, strict=True) if state is not node]
        return [s.Assign((state.name,), (_state_start(written[node]),)) for state, node in changed]

    def _deserves_a_name(self, node: n.Node, depth: int) -> bool:
        leaf = isinstance(node, (n.Input, n.Indices, n.Const, State, LoopResult))
        return not leaf and (self.uses[node] > 1 or node in self.names or depth >= DEEPEST)

    def _name(self, node: n.Node) -> str:
        """The node's own name, with a number if it is taken; a letter and a number if it has none."""
        name = self.names.get(node, "")
        if re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII):
            return self._free(name)
        stem = "sel" if isinstance(node, (n.SelectorNode, t.TripleNode)) else "s"
        numbered: Iterator[str] = (f"{stem}{count}" for count in itertools.count(1))
        return self._first_free(numbered)

    def _free(self, name: str) -> str:
        """The name, with a number if it is taken."""
        return self._first_free(itertools.chain([name], (f"{name}_{count}" for count in itertools.count(2))))

    def _first_free(self, numbered: Iterator[str]) -> str:
        free = next(name for name in numbered if name not in self.taken)
        self.taken.add(free)
        return free

    def _expr(self, node: n.Node, written: Mapping[n.Node, s.Expr]) -> s.Expr:
        inner = [written[o] for o in node.operands]
        match node:
            case n.Input():
                return s.Name("tokens" if node.kind == "str" else f"tokens_{node.kind}")
            case n.Indices():
                return s.Name("indices")
            case State():
                return s.Name(node.name)
            case LoopResult():
                return s.Name(self.loops[LoopParts.of(node)][node.number])
            case n.Const():
                if node is self.root:
                    return _constant(_atom(node.value))
                return _atom(node.value)
            case n.Map():
                return _map(node, inner)
            case n.Table(kind="positions"):
                return s.ListOf(tuple(_atom(value) for _, value in node.entries))
            case n.Table():
                return _table(node, _lifted(node.arg, inner[0]))
            case n.Aggregate() | t.PairAggregate():
                plain = type(node.default) is int and node.default == 0
                return s.Primitive("aggregate", (*inner,) if plain else (*inner, _atom(node.default)))
            case n.Width() | t.PairWidth():
                return s.Call(s.Name("selector_width"), (inner[0],))
            case n.Padded():
                count = _pad_count(node)
                usual = (*inner, count)
                return s.Call(s.Name("pad"), usual if node.token == PAD else (*usual, _atom(node.token)))
            case n.Select():
                return s.SelectOf(inner[0], inner[1], node.op)
            case n.And() | n.Or() | t.TripleAnd() | t.TripleOr():
                return s.Binary("and" if isinstance(node, (n.And, t.TripleAnd)) else "or", inner[0], inner[1])
            case n.Not() | t.TripleNot():
                return s.Unary("not", inner[0])
            case n.Best():
                return s.Call(s.Name("best"), tuple(inner))
            case t.SumSelect():
                total: s.Expr = s.Name("sum")
                if node.modulus:
                    total = s.Binary("%", total, s.Literal(node.modulus))
                return s.Call(s.Name("select3"), (*inner, s.Binary(node.op, total, _atom(node.constant))))
            case t.Lift():
                return s.Call(s.Name(f"on_{node.side}"), (inner[0],))
            case _:
                raise AssertionError(node)


def _state_start(expr: s.Expr) -> s.Expr:
    """The value of a state, as an s-op even if it is a list."""
    return _constant(expr) if isinstance(expr, s.ListOf) else expr


def _pad_count(node: n.Padded) -> s.Expr:
    """The number of pause tokens, as it is written."""
    length: s.Expr = s.Name("length") if node.power < 2 else s.Binary("^", s.Name("length"), s.Literal(node.power))
    if node.power == 0:
        return s.Literal(node.factor)
    return length if node.factor == 1 else s.Binary("*", s.Literal(node.factor), length)


def _rounds(rounds: Rounds) -> s.Expr:
    """How many rounds a loop has, as it is written."""
    if rounds == LOG_ROUNDS:
        return s.Call(s.Name("ceil_log2"), (s.Name("length"),))
    if isinstance(rounds, int):
        return s.Literal(rounds)
    return s.Name("length") if rounds == "length" else s.Binary("-", s.Name("length"), s.Literal(1))


def _standard_names() -> list[str]:
    return [e.name for e in library.entries().values() if e.module == library.STANDARD]


def _constant(expr: s.Expr) -> s.Expr:
    return s.Call(s.Name("constant"), (expr,))


def _lifted(node: n.Node, expr: s.Expr) -> s.Expr:
    """The expression, as an s-op even if it is a constant or a list that has no name."""
    return _constant(expr) if isinstance(expr, s.ListOf) or isinstance(node, n.Const) else expr


def _map(node: n.Map, inner: list[s.Expr]) -> s.Expr:
    values = [isinstance(e, s.ListOf) or isinstance(a, n.Const) for e, a in zip(inner, node.args, strict=True)]
    notation = OPS[node.op].notation
    if isinstance(notation, Choice) or all(values):
        inner[0] = _lifted(node.args[0], inner[0])
    match notation:
        case Choice():
            return s.Ternary(inner[1], inner[0], inner[2])
        case FunctionCall(home="reserved"):
            return s.Primitive(node.op, tuple(inner))
        case FunctionCall():
            return s.Call(s.Name(node.op), tuple(inner))
        case Prefix(sign=sign):
            return s.Unary(sign, inner[0])
        case Infix():
            return s.Binary(node.op, inner[0], inner[1])
        case _:
            assert_never(notation)


def _table(node: n.Table, arg: s.Expr) -> s.Expr:
    if len({key for key, _ in node.entries}) < len(node.entries):
        raise CapaxError("not-expressible", "a table with a duplicate key", hint="remove one of the two")
    match node.kind:
        case "members":
            return s.Binary("in", arg, s.ListOf(tuple(_atom(key) for key, _ in node.entries)))
        case "list":
            return s.Index(s.ListOf(tuple(_atom(value) for _, value in node.entries)), arg)
        case "string" if all(isinstance(v, str) and len(v) == 1 for _, v in node.entries):
            return s.Index(_atom("".join(str(value) for _, value in node.entries)), arg)
        case "dict":
            return s.Index(s.DictOf(tuple((_atom(key), _atom(value)) for key, value in node.entries)), arg)
        case _:
            what = f"a table of kind {node.kind} that is not one of single characters"
            raise CapaxError("not-expressible", what, hint="use to_json instead")


def _atom(value: Atom) -> s.Expr:
    match value:
        case bool():
            return s.Name(str(value))
        case str():
            return s.Literal(value)
        case float() if math.isinf(value):
            large: s.Expr = s.Binary("*", s.Literal(1e308), s.Literal(10.0))
            return large if value > 0 else s.Unary("-", large)
        case _:
            negative = math.copysign(1, value) < 0 if isinstance(value, float) else value < 0
            return s.Unary("-", s.Literal(-value)) if negative else s.Literal(value)
