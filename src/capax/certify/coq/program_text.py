"""A program as Coq text: its widths and aggregates as definitions over the states of positions, its answer as an expression.

A state is token, position, length, and then the value of each definition. Tokens are numbered as in the vocabulary.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

from capax.certify.coq.model_text import not_covered
from capax.model.vocabulary import Token, token_key
from capax.rasp.ir.nodes import Aggregate, And, Const, Indices, Input, Map, Node, Not, Or, Select, SelectorNode, SOpNode, Width

TOKEN: Final = 0
POSITION: Final = 1
LENGTH: Final = 2
FIRST: Final = 3
"""The number of the first definition in a state."""


def is_everything(selector: SelectorNode) -> bool:
    """Whether a selector is full_s: two equal constants compared."""
    match selector:
        case Select(key=Const(value=a), query=Const(value=b), op="=="):
            return bool(a == b)
    return False


def _compare(op: str, a: str, b: str) -> str:
    return {
        "==": f"Equal ({a}) ({b})",
        "!=": f"Not (Equal ({a}) ({b}))",
        "<": f"Less ({a}) ({b})",
        ">": f"Less ({b}) ({a})",
        "<=": f"Not (Less ({b}) ({a}))",
        ">=": f"Not (Less ({a}) ({b}))",
    }[op]


@dataclass(slots=True)
class ProgramText:
    """Translates a program; `definitions` grows as nodes are met, each after what it reads."""

    tokens: Sequence[Token]
    definitions: list[str] = field(default_factory=list)
    numbers: dict[Node, int] = field(default_factory=dict)

    def define(self, node: Node, text: str) -> int:
        """The entry of a state that a new definition gets."""
        self.numbers[node] = FIRST + len(self.definitions)
        self.definitions.append(text)
        return self.numbers[node]

    def token(self, value: object) -> int:
        """The number of a token."""
        known = {token_key(t): i for i, t in enumerate(self.tokens)}
        if not isinstance(value, (str, int, float)) or token_key(value) not in known:
            raise not_covered(f"the constant {value!r:.40}, which is no token")
        return known[token_key(value)]

    def width(self, node: Width) -> int:
        """The definition of a width."""
        if node not in self.numbers:
            self.define(node, f"Count ({self.selector(node.selector)})")
        return self.numbers[node]

    def sop(self, node: Node, side: str) -> str:
        """The expression of an s-op at the query (`Here`) or at the key (`There`)."""
        return self._sop(node).replace("@", side)

    def _sop(self, node: Node) -> str:
        match node:
            case Input(kind=kind) if kind == "asis" or all(isinstance(t, str) for t in self.tokens) and kind == "str":
                return f"@ {TOKEN}"
            case Indices():
                return f"@ {POSITION}"
            case Const(value=bool() | int() as value):
                return f"Num ({int(value)})"
            case Width(selector=selector):
                return f"@ {LENGTH}" if is_everything(selector) else f"@ {self.width(node)}"
            case Aggregate():
                return f"@ {self.pick(node)}"
            case Map(op=op, args=args):
                return self._map(op, args)
        raise not_covered(f"programs with a node {type(node).__name__}")

    def pick(self, node: Aggregate) -> int:
        """The definition of an aggregate that selects at most one position."""
        if node not in self.numbers:
            if is_everything(node.selector):
                raise not_covered("a mean that is not compared with a constant")
            default = node.default
            number = default if isinstance(default, (bool, int)) else 0
            self.define(node, f"Pick ({self.selector(node.selector)}) ({self.sop(node.value, 'There')}) ({int(number)})")
        return self.numbers[node]

    def _map(self, op: str, args: Sequence[SOpNode]) -> str:
        simple: dict[str, Callable[[list[str]], str]] = {
            "+": lambda a: f"Plus ({a[0]}) ({a[1]})",
            "-": lambda a: f"Minus ({a[0]}) ({a[1]})",
            "*": lambda a: f"Times ({a[0]}) ({a[1]})",
            "neg": lambda a: f"Minus (Num 0) ({a[0]})",
            "and": lambda a: f"Both ({a[0]}) ({a[1]})",
            "or": lambda a: f"Either ({a[0]}) ({a[1]})",
            "not": lambda a: f"Not ({a[0]})",
            "indicator": lambda a: a[0],
            "where": lambda a: f"Choose ({a[0]}) ({a[1]}) ({a[2]})",
        }
        if op in ("==", "!=", "<", ">", "<=", ">="):
            return self._comparison(op, *args)
        if op not in simple or (op in "+-*" and any(self._is_token(a) for a in args)):
            raise not_covered(f"programs with the operation {op} on these operands")
        return simple[op]([self._sop(a) for a in args])

    def _is_token(self, node: Node) -> bool:
        """Whether the values of an s-op are tokens, which are only numbered."""
        match node:
            case Input():
                return True
            case Aggregate(value=value):
                return self._is_token(value)
            case Map(op="where", args=(_, a, b)):
                return self._is_token(a) or self._is_token(b)
        return False

    def _comparison(self, op: str, a: SOpNode, b: SOpNode) -> str:
        """A comparison; a mean over all positions is compared with p/q as q times its sum with p times the length."""
        for node, other, flip in ((a, b, False), (b, a, True)):
            match node, other:
                case Aggregate(selector=selector, value=value), Const(value=bool() | int() | float() as bound) if (
                    is_everything(selector) and not self._is_token(value)
                ):
                    exact = Fraction(bound)
                    if node not in self.numbers:
                        self.define(node, f"Total ({self.sop(value, 'There')})")
                    total = f"Times (Num ({exact.denominator})) (@ {self.numbers[node]})"
                    scaled = f"Times (Num ({exact.numerator})) (@ {LENGTH})"
                    return _compare(op, scaled, total) if flip else _compare(op, total, scaled)
        return _compare(op, self._operand(a, b), self._operand(b, a))

    def _operand(self, node: SOpNode, other: SOpNode) -> str:
        """One side of a comparison: a constant that is compared with tokens is a token."""
        if isinstance(node, Const) and self._is_token(other):
            return f"Num ({self.token(node.value)})"
        if self._is_token(node) and not (self._is_token(other) or isinstance(other, Const)):
            raise not_covered("programs that compare tokens with other values")
        return self._sop(node)

    def selector(self, node: Node) -> str:
        """The expression of a selector."""
        match node:
            case Select(key=key, query=query, op=op):
                if op not in ("==", "!=") and (self._is_token(key) or self._is_token(query)):
                    self._require_sorted()
                return _compare(op, self._operand(key, query).replace("@", "There"), self._operand(query, key).replace("@", "Here"))
            case And(left=left, right=right):
                return f"Both ({self.selector(left)}) ({self.selector(right)})"
            case Or(left=left, right=right):
                return f"Either ({self.selector(left)}) ({self.selector(right)})"
            case Not(inner=inner):
                return f"Not ({self.selector(inner)})"
        raise not_covered(f"programs with a selector {type(node).__name__}")

    def _require_sorted(self) -> None:
        ordered = all(isinstance(t, str) for t in self.tokens) or all(isinstance(t, int) for t in self.tokens)
        if not ordered or list(self.tokens) != sorted(self.tokens):  # type: ignore[type-var]
            raise not_covered("the order of a vocabulary that is not sorted")

    def class_number(self, value: Token, root: SOpNode) -> int:
        """The number that stands for an answer."""
        if self._is_token(root):
            return self.token(value)
        if not isinstance(value, int):
            raise not_covered(f"the answer {value!r:.40}, which is no integer")
        return int(value)
