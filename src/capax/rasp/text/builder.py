"""From the parser's reductions to the syntax tree."""

from dataclasses import replace
from typing import Any

from lark import Token, Transformer

from capax.errors import CapaxError
from capax.rasp.ir.ops import MOST_BITS
from capax.rasp.ir.strings import read_string
from capax.rasp.text import syntax as s


class SyntaxBuilder(Transformer[Any, Any]):
    """Makes a tree node at each reduction of the parser; all tokens are kept in the children."""

    def __init__(self, *, escapes: bool = True) -> None:
        super().__init__()
        self._escapes = escapes

    def _read(self, literal: str) -> str:
        """The string that a literal stands for; the reference knows no escapes."""
        return read_string(literal) if self._escapes else literal[1:-1]

    def start(self, c: list[Any]) -> s.Statement:
        statement: s.Statement = c[0]
        return replace(statement, at=_at(c))

    def expression_statement(self, c: list[Any]) -> s.Evaluate:
        return s.Evaluate(c[0], at=_at(c))

    def assign(self, c: list[Any]) -> s.Assign:
        return s.Assign(tuple(c[0]), c[2], at=_at(c))

    def draw(self, c: list[Any]) -> s.Draw:
        target, *word = [x for x in c if isinstance(x, s.Expr)]
        return s.Draw(target, word[0] if word else None, at=_at(c))

    def load(self, c: list[Any]) -> s.Load:
        return s.Load(self._read(str(c[1])), at=_at(c))

    def def_(self, c: list[Any]) -> s.Def:
        body = tuple(x for x in c if isinstance(x, s.Statement))
        lists = [x for x in c if isinstance(x, tuple)]
        params = tuple(lists[0]) if len(lists) > 1 else ()
        name = str(c[1]).removesuffix("(").rstrip()  # `select (` and `aggregate (` are one token
        return s.Def(name, params, body, lists[-1], at=_at(c))

    def for_(self, c: list[Any]) -> s.For:
        body = tuple(x for x in c if isinstance(x, s.Statement))
        return s.For(tuple(c[1]), c[3], body, at=_at(c))

    def state(self, c: list[Any]) -> s.StateOf:
        return s.StateOf(str(c[1]), c[3], at=_at(c))

    def repeat_(self, c: list[Any]) -> s.RepeatOf:
        states = tuple(x for x in c if isinstance(x, s.StateOf))
        body = tuple(x for x in c if isinstance(x, s.Statement) and not isinstance(x, s.StateOf))
        return s.RepeatOf(c[1], states, body, at=_at(c))

    def set_example(self, c: list[Any]) -> s.SetExample:
        return s.SetExample(_which(c), c[-1], at=_at(c))

    def show_example(self, c: list[Any]) -> s.ShowExample:
        return s.ShowExample(_which(c), at=_at(c))

    def switch_examples(self, c: list[Any]) -> s.SwitchExamples:
        return s.SwitchExamples(_which(c), c[-1] == "on", at=_at(c))

    def switch_full(self, c: list[Any]) -> s.SwitchFull:
        return s.SwitchFull(c[-1] == "on", at=_at(c))

    def exit_(self, c: list[Any]) -> s.Exit:
        return s.Exit(at=_at(c))

    def names(self, c: list[Any]) -> tuple[str, ...]:
        return _NameList(c)

    def exprs(self, c: list[Any]) -> tuple[s.Expr, ...]:
        return tuple(c[::2])

    def contains(self, c: list[Any]) -> s.Binary:
        return s.Binary("in", c[0], c[2], at=_at(c))

    def ternary(self, c: list[Any]) -> s.Ternary:
        return s.Ternary(c[0], c[2], c[4], at=_at(c))

    def binary(self, c: list[Any]) -> s.Binary:
        return s.Binary(str(c[1]), c[0], c[2], at=_at(c))

    def not_(self, c: list[Any]) -> s.Unary:
        return s.Unary("not", c[1], at=_at(c))

    def signed(self, c: list[Any]) -> s.Unary:
        return s.Unary(str(c[0]), c[1], at=_at(c))

    def call(self, c: list[Any]) -> s.Call:
        return s.Call(c[0], c[2] or (), at=_at(c))

    def index(self, c: list[Any]) -> s.Index:
        return s.Index(c[0], c[2], at=_at(c))

    def name(self, c: list[Any]) -> s.Name:
        return s.Name(str(c[0]), at=_at(c))

    def integer(self, c: list[Any]) -> s.Literal:
        return s.Literal(_integer(c[0]), at=_at(c))

    def floating(self, c: list[Any]) -> s.Literal:
        return s.Literal(_floating(c[0]), at=_at(c))

    def string(self, c: list[Any]) -> s.Literal:
        return s.Literal(self._read(str(c[0])), at=_at(c))

    def group(self, c: list[Any]) -> s.Expr:
        inner: s.Expr = c[1]
        return replace(inner, grouped=True, at=_at(c))

    def list_(self, c: list[Any]) -> s.ListOf:
        return s.ListOf(c[1] or (), at=_at(c))

    def dict_(self, c: list[Any]) -> s.DictOf:
        return s.DictOf(tuple(x for x in c if isinstance(x, tuple)), at=_at(c))

    def pair(self, c: list[Any]) -> tuple[s.Expr, s.Expr]:
        return c[0], c[2]

    def list_comprehension(self, c: list[Any]) -> s.Comprehension:
        return s.Comprehension(None, c[1], tuple(c[3]), c[5], at=_at(c))

    def dict_comprehension(self, c: list[Any]) -> s.Comprehension:
        return s.Comprehension(c[1], c[3], tuple(c[5]), c[7], at=_at(c))

    def select(self, c: list[Any]) -> s.SelectOf:
        op: Any = str(c[5])
        return s.SelectOf(c[1], c[3], op, at=_at(c))

    def select_call(self, c: list[Any]) -> s.Call:
        begin, _ = _at(c)
        return s.Call(s.Name("select", at=(begin, begin + len("select"))), c[1] or (), at=_at(c))

    def aggregate(self, c: list[Any]) -> s.Expr:
        begin, _ = _at(c)
        if str(c[0]) == "aggregate(":
            return s.Primitive("aggregate", c[1] or (), at=_at(c))
        return s.Call(s.Name("aggregate", at=(begin, begin + len("aggregate"))), c[1] or (), at=_at(c))

    def primitive(self, c: list[Any]) -> s.Primitive:
        args = c[2] if isinstance(c[2], tuple) else () if c[2] is None else (c[2],)
        return s.Primitive(str(c[0]), args, at=_at(c))


class _NameList(tuple[str, ...]):
    """A tuple of names that remembers its location until the statement around it is made."""

    at: s.Offsets

    def __new__(cls, children: list[Any]) -> "_NameList":
        names = super().__new__(cls, [str(t) for t in children[::2]])
        names.at = (children[0].start_pos, children[-1].end_pos)
        return names


def _at(children: list[Any]) -> s.Offsets:
    """The offsets from the first child to the last."""
    present = [c for c in (children[0], children[-1]) if c is not None] or children[1:2]
    return _offsets(present[0])[0], _offsets(present[-1])[1]


def _offsets(item: Any) -> s.Offsets:
    if isinstance(item, Token):
        return item.start_pos or 0, item.end_pos or 0
    if isinstance(item, tuple) and not isinstance(item, _NameList):
        return item[0].at[0], item[-1].at[1]
    at: s.Offsets = item.at
    return at


def _which(children: list[Any]) -> str | None:
    return next((str(t) for t in children if isinstance(t, Token) and t.type == "WHICH"), None)


_BLOCK = 4000
"""Digits read at once: Python refuses to read more than 4300 in one go."""


def _integer(token: Token) -> int:
    digits = str(token).lstrip("0") or "0"
    if len(digits) > MOST_BITS // 4:
        raise CapaxError("number-too-large", f"an integer of {len(digits):,} digits", hint="use a smaller number")
    value = 0
    for i in range(0, len(digits), _BLOCK):
        block = digits[i : i + _BLOCK]
        value = value * 10 ** len(block) + int(block)
    return value


def _floating(token: Token) -> float:
    value = float(token)
    if value in (float("inf"), float("-inf")):
        raise CapaxError("number-too-large", f"{token} does not fit a float", hint="the largest is about 1.8e308")
    return value
