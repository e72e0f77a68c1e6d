"""Warnings where the language groups operators in a way that readers may not expect.

The precedence is the language's and is kept; a warning says how the text was read and how to
write the other reading. Parentheses silence it.
"""

from collections.abc import Callable, Iterator

from capax.errors import Notice, Source, Span
from capax.rasp.text.syntax import Binary, Expr, Statement, Ternary, Unary
from capax.rasp.text.walk import expressions

SHORT = 24
"""A longer operand is shown as a letter."""

COMPARISONS = {"==", "!=", "<", ">", "<=", ">="}


Text = Callable[[Expr, str], str]


def surprises(statement: Statement, source: Source) -> Iterator[Notice]:
    """The warnings about one statement."""

    def text(expr: Expr, letter: str) -> str:
        """The expression as it was typed, or a letter where that is long."""
        typed = " ".join(source.text[slice(*expr.at)].split())
        return typed if len(typed) <= SHORT else letter

    for expr in expressions(statement):
        found = surprise(expr, text)
        if found is not None:
            read, instead = found
            what = f"this is read as `{read}`"
            yield Notice(
                "surprising-grouping",
                what,
                Span(source, *expr.at),
                f"the other reading is `{instead}`; parentheses silence this warning",
            )


def surprise(expr: Expr, text: Text = lambda expr, letter: letter) -> tuple[str, str] | None:
    """How an expression that surprises is read, and how the other reading is written."""
    match expr:
        case Binary(op="in"):
            return _around_in(expr, text)
        case Binary(op=op, left=Binary(op=inner, grouped=False) as left) if _bind_alike(op, inner):
            a, b, c = text(left.left, "a"), text(left.right, "b"), text(expr.right, "c")
            other = f"{a} {inner} {b} and {b} {op} {c}" if op in COMPARISONS else f"{a} {inner} ({b} {op} {c})"
            return f"({a} {inner} {b}) {op} {c}", other
        case Binary(op=op, left=Unary(op="not" | "-" | "+" as sign, grouped=False) as left) if _too_tight(sign, op):
            a, b = text(left.operand, "a"), text(expr.right, "b")
            prefix = "not " if sign == "not" else sign
            return f"({prefix}{a}) {op} {b}", f"{prefix}({a} {op} {b})"
        case Binary(op="%", right=Binary(op="*" | "/" as op, grouped=False) as right):
            a, b, c = text(expr.left, "a"), text(right.left, "b"), text(right.right, "c")
            return f"{a} % ({b} {op} {c})", f"({a} % {b}) {op} {c}"
        case Ternary(then=Ternary(grouped=False) as then):
            a, c, b = text(then.then, "a"), text(then.condition, "c"), text(then.otherwise, "b")
            d, e = text(expr.condition, "d"), text(expr.otherwise, "e")
            return f"({a} if {c} else {b}) if {d} else {e}", f"{a} if {c} else ({b} if {d} else {e})"
    return None


def _bind_alike(op: str, inner: str) -> bool:
    """Whether `a inner b op c`, read from the left, is often meant otherwise."""
    mixed_logic = {op, inner} == {"and", "or"}
    return mixed_logic or (op in COMPARISONS and inner in COMPARISONS) or op == inner == "^"


def _too_tight(prefix: str, op: str) -> bool:
    """Whether a prefix operator binds tighter than readers expect before `op`."""
    return op == "^" if prefix != "not" else op not in ("and", "or")


def _around_in(expr: Binary, text: Text) -> tuple[str, str] | None:
    x, box = text(expr.left, "x"), text(expr.right, "L")
    match expr.left:
        case Binary(op=op, grouped=False) as left if op in COMPARISONS | {"and", "or"}:
            return f"({x}) in {box}", f"{text(left.left, 'x')} {op} ({text(left.right, 'y')} in {box})"
        case Ternary(grouped=False) as left:
            a, c, b = text(left.then, "a"), text(left.condition, "c"), text(left.otherwise, "b")
            return f"({x}) in {box}", f"{a} if {c} else ({b} in {box})"
        case Unary(op="not", grouped=False) as left:
            return f"({x}) in {box}", f"not ({text(left.operand, 'x')} in {box})"
    match expr.right:
        case Binary(op=op, grouped=False) as right if op in COMPARISONS | {"and", "or"}:
            return f"{x} in ({box})", f"({x} in {text(right.left, 'L')}) {op} {text(right.right, 'y')}"
        case Ternary(grouped=False) as right:
            a, c, b = text(right.then, "a"), text(right.condition, "c"), text(right.otherwise, "b")
            return f"{x} in ({box})", f"({x} in {a}) if {c} else {b}"
    return None
