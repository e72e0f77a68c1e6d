"""A program in the language of `proofs/Program.v`: widths and aggregates are definitions, the answer is an expression.

A state is token, position, length, and then the value of each definition. Tokens are numbered as in the vocabulary.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

from capax.certify.coq.expressions import CoqExpr, State, apply, here, num
from capax.certify.coq.model_text import not_covered
from capax.model.vocabulary import Token, token_key
from capax.rasp.ir.nodes import (
    Aggregate,
    And,
    Const,
    Indices,
    Input,
    Map,
    Node,
    Not,
    Or,
    Select,
    SelectorNode,
    SOpNode,
    Width,
)

TOKEN: Final = 0
POSITION: Final = 1
LENGTH: Final = 2
FIRST: Final = 3
"""The entry of the first definition."""
NAMES: Final = {"+": "Plus", "-": "Minus", "*": "Times", "and": "Both", "or": "Either", "not": "Not", "where": "Choose"}
NO_TOKEN: Final = -1
"""What stands for a value that is none of the tokens."""
COMPARED: Final = ("==", "!=", "<", ">", "<=", ">=")


def is_everything(selector: SelectorNode) -> bool:
    """Whether a selector is full_s: two equal constants compared."""
    match selector:
        case Select(key=Const(value=a), query=Const(value=b), op="=="):
            return bool(a == b)
    return False


def compare(op: str, a: CoqExpr, b: CoqExpr) -> CoqExpr:
    """A comparison by `Equal` and `Less`."""
    first, second = (b, a) if op in (">", "<=") else (a, b)
    plain = apply("Equal" if op in ("==", "!=") else "Less", first, second)
    return apply("Not", plain) if op in ("!=", "<=", ">=") else plain


@dataclass(frozen=True, slots=True)
class Definition:
    """A definition: its constructor, its expressions, and the default of a `Pick`."""

    kind: str
    expressions: tuple[CoqExpr, ...]
    default: int | None = None

    def text(self) -> str:
        """The definition as Coq text."""
        default = [] if self.default is None else [f"({self.default})"]
        return " ".join([self.kind, *(f"({e.text()})" for e in self.expressions), *default])

    def value(self, query: State, states: Sequence[State]) -> int:
        """Its value at a query, given the states of all positions."""
        first = self.expressions[0]
        if self.kind == "Total":
            return sum(first.value(query, key) for key in states)
        selected = [key for key in states if first.value(query, key) != 0]
        if self.kind == "Count":
            return len(selected)
        if len(selected) > 1:
            raise not_covered("aggregates that select several positions")
        assert self.default is not None
        return self.expressions[1].value(query, selected[0]) if selected else self.default


@dataclass(slots=True)
class ProgramText:
    """Translates a program; `definitions` grows as nodes are met, each after what it reads."""

    tokens: Sequence[Token]
    definitions: list[Definition] = field(default_factory=list)
    numbers: dict[Node, int] = field(default_factory=dict)

    def define(self, node: Node, definition: Definition) -> int:
        """The entry of a state that a new definition gets."""
        self.numbers[node] = FIRST + len(self.definitions)
        self.definitions.append(definition)
        return self.numbers[node]

    def token(self, value: object) -> int:
        """The number of a token."""
        known = {token_key(t): i for i, t in enumerate(self.tokens)}
        if not isinstance(value, (str, int, float)) or token_key(value) not in known:
            raise not_covered(f"the constant {value!r:.40}, which is not a token")
        return known[token_key(value)]

    def width(self, node: Width) -> int:
        """The definition of a width."""
        if node not in self.numbers:
            self.define(node, Definition("Count", (self.selector(node.selector),)))
        return self.numbers[node]

    def total(self, node: Aggregate) -> int:
        """The definition of the sum that a mean over all positions is, times the length."""
        if node not in self.numbers:
            self.define(node, Definition("Total", (self.sop(node.value).at("There"),)))
        return self.numbers[node]

    def pick(self, node: Aggregate) -> int:
        """The definition of an aggregate that selects at most one position."""
        if node not in self.numbers:
            if is_everything(node.selector):
                raise not_covered("a mean that is not compared with a constant")
            value = self.sop(node.value).at("There")
            self.define(node, Definition("Pick", (self.selector(node.selector), value), self._default(node)))
        return self.numbers[node]

    def _default(self, node: Aggregate) -> int:
        """The number of a default; one that is no token, among tokens, is the number of none."""
        if self.is_token(node.value):
            known = isinstance(node.default, str) and node.default in self.tokens
            return self.token(node.default) if known else NO_TOKEN
        if not isinstance(node.default, (bool, int)):
            raise not_covered(f"the default {node.default!r:.40}, which is not an integer")
        return int(node.default)

    def sop(self, node: Node) -> CoqExpr:
        """The expression of an s-op at the query."""
        match node:
            case Input(kind=kind) if kind == "asis" or (kind == "str" and all(isinstance(t, str) for t in self.tokens)):
                return here(TOKEN)
            case Indices():
                return here(POSITION)
            case Const(value=bool() | int() as value):
                return num(int(value))
            case Width(selector=selector):
                return here(LENGTH if is_everything(selector) else self.width(node))
            case Aggregate():
                return here(self.pick(node))
            case Map(op=op, args=args):
                return self._map(op, args)
        raise not_covered(f"programs with a node {type(node).__name__}")

    def _map(self, op: str, args: Sequence[SOpNode]) -> CoqExpr:
        if op in COMPARED:
            return self._comparison(op, *args)
        if op == "indicator":
            return self.sop(args[0])
        if op == "neg":
            return apply("Minus", num(0), self.sop(args[0]))
        if op not in NAMES or (op in "+-*" and any(self.is_token(a) for a in args)):
            raise not_covered(f"programs with the operation {op} on these operands")
        return apply(NAMES[op], *(self.sop(a) for a in args))

    def is_token(self, node: Node) -> bool:
        """Whether the values of an s-op are tokens, which are only numbered."""
        match node:
            case Input():
                return True
            case Aggregate(value=value):
                return self.is_token(value)
            case Map(op="where", args=(_, a, b)):
                return self.is_token(a) or self.is_token(b)
        return False

    def _comparison(self, op: str, a: SOpNode, b: SOpNode) -> CoqExpr:
        """A comparison; a mean over all positions is compared with p/q as q times its sum with p times the length."""
        for node, other in ((a, b), (b, a)):
            if not isinstance(node, Aggregate) or not is_everything(node.selector) or self.is_token(node.value):
                continue
            if isinstance(other, Const) and isinstance(other.value, (int, float)):
                bound = Fraction(other.value)
                total = apply("Times", num(bound.denominator), here(self.total(node)))
                scaled = apply("Times", num(bound.numerator), here(LENGTH))
                return compare(op, total, scaled) if node is a else compare(op, scaled, total)
        self._require_order(op, a, b)
        return compare(op, self._operand(a, b), self._operand(b, a))

    def _operand(self, node: SOpNode, other: SOpNode) -> CoqExpr:
        """One side of a comparison: a constant that is compared with tokens is a token."""
        if isinstance(node, Const) and self.is_token(other):
            return num(self.token(node.value))
        if self.is_token(node) and not (self.is_token(other) or isinstance(other, Const)):
            raise not_covered("programs that compare tokens with other values")
        return self.sop(node)

    def selector(self, node: Node) -> CoqExpr:
        """The expression of a selector."""
        match node:
            case Select(key=key, query=query, op=op):
                self._require_order(op, key, query)
                return compare(op, self._operand(key, query).at("There"), self._operand(query, key))
            case And(left=left, right=right):
                return apply("Both", self.selector(left), self.selector(right))
            case Or(left=left, right=right):
                return apply("Either", self.selector(left), self.selector(right))
            case Not(inner=inner):
                return apply("Not", self.selector(inner))
        raise not_covered(f"programs with a selector {type(node).__name__}")

    def _require_order(self, op: str, a: Node, b: Node) -> None:
        """Refuses an order of tokens that is not the order of their numbers."""
        if op in ("==", "!=") or not (self.is_token(a) or self.is_token(b)):
            return
        texts = [t for t in self.tokens if isinstance(t, str)]
        if len(texts) != len(self.tokens) or texts != sorted(texts):
            raise not_covered("the order of a vocabulary that is not sorted text")

    def states(self, word: Sequence[int]) -> list[list[int]]:
        """The states of a word of numbered tokens, as `proofs/Program.v` defines them."""
        states = [[token, i, len(word)] for i, token in enumerate(word)]
        for definition in self.definitions:
            values = [definition.value(state, states) for state in states]
            states = [[*state, value] for state, value in zip(states, values, strict=True)]
        return states

    def class_number(self, value: Token, root: SOpNode) -> int:
        """The number that stands for an answer."""
        if self.is_token(root):
            return self.token(value)
        if not isinstance(value, int):
            raise not_covered(f"the answer {value!r:.40}, which is not an integer")
        return int(value)
