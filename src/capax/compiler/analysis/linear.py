"""S-ops that are linear in the position and the length: a n + b i + c with integers a, b, c.

Over all words of up to N tokens the pair (n, i) has 0 <= i < n <= N, a triangle; a linear function has its least and
its greatest value at a corner.
"""

from dataclasses import dataclass

from capax.compiler.analysis.value_sets import Finite
from capax.rasp.ir.describe import FULL
from capax.rasp.ir.nodes import Const, Indices, Map, Node, Width

LENGTH = Width(FULL)


@dataclass(frozen=True, slots=True)
class Linear:
    """a n + b i + c."""

    a: int
    b: int
    c: int

    def bounds(self, longest: int) -> tuple[int, int]:
        """The least and the greatest value on words of up to `longest` tokens."""
        corners = [self.a * n + self.b * i + self.c for n, i in ((1, 0), (longest, 0), (longest, longest - 1))]
        return min(corners), max(corners)

    def values(self, longest: int) -> Finite:
        """All integers between the bounds."""
        low, high = self.bounds(longest)
        return Finite(tuple(range(low, high + 1)))

    def is_position(self, longest: int) -> bool:
        """Whether the value is the position of a token on every word."""
        below = Linear(1 - self.a, -self.b, -1 - self.c)
        return self.bounds(longest)[0] >= 0 and below.bounds(longest)[0] >= 0


def linear(node: Node, known: dict[Node, Linear]) -> Linear | None:
    """The form of a node, if it has one; those of its operands are known."""
    match node:
        case Indices():
            return Linear(0, 1, 0)
        case Const(value=value) if type(value) is int:
            return Linear(0, 0, value)
        case Map(op="+" | "-" | "*" | "neg" | "pos") if all(a in known for a in node.args):
            return _combined(node.op, [known[a] for a in node.args])
        case _:
            return Linear(1, 0, 0) if node is LENGTH else None


def _combined(op: str, args: list[Linear]) -> Linear | None:
    x, y = args[0], args[-1]
    match op:
        case "+":
            return Linear(x.a + y.a, x.b + y.b, x.c + y.c)
        case "-":
            return Linear(x.a - y.a, x.b - y.b, x.c - y.c)
        case "neg":
            return Linear(-x.a, -x.b, -x.c)
        case "pos":
            return x
        case _:
            for one, two in ((x, y), (y, x)):
                if one.a == one.b == 0:
                    return Linear(one.c * two.a, one.c * two.b, one.c * two.c)
            return None
