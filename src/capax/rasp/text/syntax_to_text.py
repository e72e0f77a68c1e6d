"""The canonical printer: `parse(print(p))` is `p`, and the text never surprises.

Parentheses stand where the grammar needs them and where a reader could go wrong; nowhere else.
"""

from typing import TypeAlias

from capax.errors import CapaxError
from capax.rasp.ir.ops import Precedence, level_of
from capax.rasp.ir.strings import string_text
from capax.rasp.ir.types import integer_text
from capax.rasp.text import syntax as s
from capax.rasp.text.grouping_warnings import bind_alike

Part: TypeAlias = "str | s.Expr"

INDENT = "    "
DEEPEST_BLOCK = 100
"""Blocks nested deeper are not laid out."""

_IN, _TERNARY, _PREFIX, _POSTFIX, _PRIMARY = 0, 1, 8, 9, 10
"""How tightly what is no infix operator of the op table binds; see `Level` for those."""


def print_expression(expr: s.Expr) -> str:
    """An expression on one line."""
    out: list[str] = []
    stack: list[Part] = [expr]
    while stack:
        part = stack.pop()
        if isinstance(part, str):
            out.append(part)
        else:
            stack += reversed(_parts(part))
    return "".join(out)


def print_statement(statement: s.Statement, indent: str = "") -> str:
    """A statement; the bodies of def and for on lines of their own."""
    refuse_deep_blocks(indent)
    head = print_head(statement)
    match statement:
        case s.Def() | s.For() | s.RepeatOf():
            inner = indent + INDENT
            lines = [indent + head]
            if isinstance(statement, s.RepeatOf):
                lines += [print_statement(each, inner) for each in statement.states]
            lines += [print_statement(each, inner) for each in statement.body]
            if isinstance(statement, s.Def):
                lines.append(inner + print_return(statement))
            return "\n".join([*lines, indent + "}"])
        case _:
            return indent + head


def refuse_deep_blocks(indent: str) -> None:
    """Refuses to lay out blocks that are nested too deeply to be read."""
    if len(indent) > DEEPEST_BLOCK * len(INDENT):
        raise CapaxError(
            "too-large", f"blocks are nested more than {DEEPEST_BLOCK} deep", hint="move the inner ones into functions"
        )


def print_script(statements: list[s.Statement]) -> str:
    """A whole text."""
    return "".join(print_statement(each) + "\n" for each in statements)


def print_return(statement: s.Def) -> str:
    """The return line of a function."""
    return f"return {_listed(statement.returns)};"


def print_head(statement: s.Statement) -> str:
    """The first line of a statement, which is all of it but for def and for."""
    match statement:
        case s.Evaluate():
            return f"{print_expression(statement.expr)};"
        case s.Assign():
            return f"{', '.join(statement.names)} = {_listed(statement.values)};"
        case s.Draw():
            word = "" if statement.word is None else f", {print_expression(statement.word)}"
            return f"draw({print_expression(statement.target)}{word});"
        case s.Load():
            return f"load {string_text(statement.path)};"
        case s.Def():
            return f"def {statement.name}({', '.join(statement.params)}) {{"
        case s.For():
            return f"for {', '.join(statement.names)} in {print_expression(statement.iterable)} {{"
        case s.RepeatOf():
            return f"repeat {print_expression(statement.rounds)} {{"
        case s.StateOf():
            return f"state {statement.name} = {print_expression(statement.start)};"
        case s.SetExample():
            return f"set {_which(statement.which)}example {print_expression(statement.example)}"
        case s.ShowExample():
            return f"show {_which(statement.which)}example"
        case s.SwitchExamples():
            return f"{_which(statement.which)}examples {'on' if statement.on else 'off'}"
        case s.SwitchFull():
            return f"full seq display {'on' if statement.on else 'off'}"
        case s.Exit():
            return "exit"
        case _:
            raise AssertionError(statement)


def _which(which: str | None) -> str:
    return "" if which is None else f"{which} "


def _listed(exprs: tuple[s.Expr, ...]) -> str:
    return ", ".join(map(print_expression, exprs))


def _parts(expr: s.Expr) -> list[Part]:
    """The text of an expression with its direct operands still to be printed."""
    match expr:
        case s.Literal():
            return [_literal(expr.value)]
        case s.Name():
            return [expr.id]
        case s.Unary():
            word = "not " if expr.op == "not" else expr.op
            return [word, *_operand(expr.operand, _PREFIX)]
        case s.Binary():
            level = _level(expr)
            left = _operand(expr.left, level, _unclear_left(expr))
            right = _operand(expr.right, level + 1, _unclear_right(expr))
            return [*left, f" {expr.op} ", *right]
        case s.Ternary():
            then = _operand(expr.then, _TERNARY + 1)
            condition = _operand(expr.condition, _TERNARY + 1)
            return [*then, " if ", *condition, " else ", *_operand(expr.otherwise, _TERNARY + 1)]
        case s.ListOf():
            return ["[", *_commas(expr.items), "]"]
        case s.DictOf():
            pairs: list[Part] = []
            for i, (key, value) in enumerate(expr.pairs):
                pairs += [", " if i else "", key, ": ", value]
            return ["{", *pairs, "}"]
        case s.Comprehension():
            head: list[Part] = [expr.value] if expr.key is None else [expr.key, ": ", expr.value]
            open_, close = "[]" if expr.key is None else "{}"
            return [open_, *head, f" for {', '.join(expr.names)} in ", expr.iterable, close]
        case s.Call():
            # `aggregate (x)` with a space is a call of a variable of that name.
            space = " " if expr.function == s.Name("aggregate") else ""
            return [*_operand(expr.function, _POSTFIX), f"{space}(", *_commas(expr.args), ")"]
        case s.Index():
            return [*_operand(expr.target, _POSTFIX), "[", expr.index, "]"]
        case s.SelectOf():
            return ["select(", expr.key, ", ", expr.query, f", {expr.op})"]
        case s.Primitive():
            return [f"{expr.name}(", *_commas(expr.args), ")"]
        case _:
            raise AssertionError(expr)


def _literal(value: int | float | str) -> str:
    if isinstance(value, str):
        return string_text(value)
    return integer_text(value) if isinstance(value, int) else repr(value)


def _commas(exprs: tuple[s.Expr, ...]) -> list[Part]:
    parts: list[Part] = []
    for i, each in enumerate(exprs):
        parts += [", ", each] if i else [each]
    return parts


def _operand(expr: s.Expr, at_least: int, unclear: bool = False) -> list[Part]:
    """An operand, in parentheses where it binds looser than its place or would mislead."""
    return ["(", expr, ")"] if unclear or _level(expr) < at_least else [expr]


def _level(expr: s.Expr) -> int:
    match expr:
        case s.Binary():
            level = level_of(expr.op)
            return _IN if level is None else level
        case s.Ternary():
            return _TERNARY
        case s.Unary():
            return _PREFIX
        case s.Call() | s.Index():
            return _POSTFIX
        case _:
            return _PRIMARY


def _unclear_left(expr: s.Binary) -> bool:
    match expr.left:
        case s.Binary(op=inner):
            return (
                _unclear_in(expr.op, expr.left)
                or bind_alike(expr.op, inner)
                or (_level(expr), level_of(inner)) == (Precedence.PERCENT, Precedence.FACTOR)
            )
        case s.Unary(op="not"):
            return _level(expr) != Precedence.LOGIC
        case s.Unary():
            return _level(expr) == Precedence.POWER
        case _:
            return _unclear_in(expr.op, expr.left)


def _unclear_right(expr: s.Binary) -> bool:
    match expr.right:
        case s.Binary(op=inner) if (_level(expr), level_of(inner)) == (Precedence.PERCENT, Precedence.FACTOR):
            return True
        case _:
            return _unclear_in(expr.op, expr.right)


def _unclear_in(op: str, side: s.Expr) -> bool:
    """`in` binds loosest of all, which few readers expect."""
    return op == "in" and _level(side) < _PREFIX
