"""Warnings where the language groups operators in a way that readers may not expect.

The precedence is the language's and is kept; a warning says how the text was read and how to
write the other reading. Parentheses silence it.
"""

from collections.abc import Callable, Iterator

from capax.errors import Notice, Source, Span
from capax.rasp.ir.ops import Precedence, level_of
from capax.rasp.text.syntax import Binary, Expr, Statement, Ternary, Unary, expressions

SHORT = 24
"""A longer operand is shown as a letter."""


Text = Callable[[Expr, str], str]


def surprises(statement: Statement, source: Source) -> Iterator[Notice]:
    """The warnings about one statement."""

    def text(expr: Expr, letter: str) -> str:
        """The expression as it was typed, or a letter where that is long."""
        typed = " ".join(source.text[slice(*expr.at)].split())
        return typed if len(typed) <= SHORT else letter

    inside: set[int] = set()
    """Left operands whose leading `not` and chain were looked at from further out."""
    for expr in expressions(statement):
        seen = id(expr) in inside
        leading = None if seen else _leading_not(expr, inside)
        if isinstance(expr, Ternary) and isinstance(expr.then, Ternary) and not expr.then.grouped:
            inside.add(id(expr.then))
        if leading is not None:
            reading: tuple[str, str] | None = _around_not(expr, leading, source, text)
        elif (seen and isinstance(expr, Ternary)) or _starts_with_not(expr):
            reading = None  # told of the whole
        else:
            reading = surprise(expr, text)
        if reading is not None:
            read, instead = reading
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
        case Binary(op=op, left=Binary(op=inner, grouped=False) as left) if bind_alike(op, inner):
            a, b, c = text(left.left, "a"), text(left.right, "b"), text(expr.right, "c")
            other = (
                f"{a} {inner} {b} and {b} {op} {c}"
                if level_of(op) == Precedence.COMPARISON
                else f"{a} {inner} ({b} {op} {c})"
            )
            return f"({a} {inner} {b}) {op} {c}", other
        case Binary(op=op, left=Unary(op="-" | "+" as sign, grouped=False) as left) if level_of(op) == Precedence.POWER:
            a, b = text(left.operand, "a"), text(expr.right, "b")
            return f"({sign}{a}) {op} {b}", f"{sign}({a} {op} {b})"
        case Binary(op=op, right=Binary(op=inner, grouped=False) as right) if (level_of(op), level_of(inner)) == (
            Precedence.PERCENT,
            Precedence.FACTOR,
        ):
            a, b, c = text(expr.left, "a"), text(right.left, "b"), text(right.right, "c")
            return f"{a} {op} ({b} {inner} {c})", f"({a} {op} {b}) {inner} {c}"
        case Ternary(then=Ternary(grouped=False) as then):
            a, c, b = text(then.then, "a"), text(then.condition, "c"), text(then.otherwise, "b")
            d, e = text(expr.condition, "d"), text(expr.otherwise, "e")
            return f"({a} if {c} else {b}) if {d} else {e}", f"{a} if {c} else ({b} if {d} else {e})"
    return None


def bind_alike(op: str, inner: str) -> bool:
    """Whether `a inner b op c`, read from the left, is often meant otherwise."""
    level = level_of(op)
    if level != level_of(inner):
        return False
    return level in (Precedence.COMPARISON, Precedence.POWER) or (level == Precedence.LOGIC and op != inner)


def _starts_with_not(expr: Expr) -> bool:
    """Whether the left operand is an ungrouped `not` that takes less than it seems to."""
    match expr:
        case Binary(op=op, left=Unary(op="not", grouped=False)):
            return level_of(op) != Precedence.LOGIC
    return False


def _leading_not(expr: Expr, inside: set[int]) -> Unary | None:
    """The `not` that an operation starts with and that takes only its first operand."""
    inner = expr
    while isinstance(inner, Binary) and level_of(inner.op) != Precedence.LOGIC and (inner is expr or not inner.grouped):
        inner = inner.left
        inside.add(id(inner))
    is_leading = isinstance(inner, Unary) and inner.op == "not" and not inner.grouped and inner is not expr
    return inner if is_leading and isinstance(inner, Unary) else None


def _around_not(expr: Expr, leading: Unary, source: Source, text: Text) -> tuple[str, str]:
    rest = " ".join(source.text[leading.at[1] : expr.at[1]].split()) if not expr.grouped else "..."
    a, rest = text(leading.operand, "a"), rest if len(rest) <= 2 * SHORT else "..."
    return f"(not {a}) {rest}", f"not ({a} {rest})"


def _around_in(expr: Binary, text: Text) -> tuple[str, str] | None:
    x, box = text(expr.left, "x"), text(expr.right, "L")
    match expr.left:
        case Binary(op=op, grouped=False) as left if level_of(op) in (Precedence.COMPARISON, Precedence.LOGIC):
            return f"({x}) in {box}", f"{text(left.left, 'x')} {op} ({text(left.right, 'y')} in {box})"
        case Ternary(grouped=False) as left:
            a, c, b = text(left.then, "a"), text(left.condition, "c"), text(left.otherwise, "b")
            return f"({x}) in {box}", f"{a} if {c} else ({b} in {box})"
    match expr.right:
        case Binary(op=op, grouped=False) as right if level_of(op) in (Precedence.COMPARISON, Precedence.LOGIC):
            return f"{x} in ({box})", f"({x} in {text(right.left, 'L')}) {op} {text(right.right, 'y')}"
        case Ternary(grouped=False) as right:
            a, c, b = text(right.then, "a"), text(right.condition, "c"), text(right.otherwise, "b")
            return f"{x} in ({box})", f"({x} in {a}) if {c} else {b}"
    return None
