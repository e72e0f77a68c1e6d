"""The definition of meaning: plain lists, one word at a time, nothing clever.

Every other evaluator, compiler and export is compared with this file. A node is computed once
per word, after its operands; the first node in that order that fails decides the error, and
within it the first position.

Numbers: integers are exact. A mean is the correctly rounded sum (exact for sequences of integers,
`math.fsum` when any value is a float) divided by the count.
"""

import math
from collections.abc import Callable, Iterable
from typing import Any

from capax.errors import CapaxError
from capax.notation.rounds import rounds_at
from capax.rasp.ir.describe import describe, describe_atom
from capax.rasp.ir.graph import evaluation_order
from capax.rasp.ir.loop_nodes import LoopParts, LoopResult, State
from capax.rasp.ir.nodes import (
    Aggregate,
    And,
    Best,
    Const,
    Indices,
    Input,
    Map,
    Node,
    Not,
    Or,
    Padded,
    Select,
    SelectorNode,
    SOpNode,
    Table,
    Width,
)
from capax.rasp.ir.ops import apply_op
from capax.rasp.ir.pad_node import padded
from capax.rasp.ir.triple_nodes import (
    Lift,
    PairAggregate,
    PairWidth,
    SumSelect,
    TripleAnd,
    TripleNode,
    TripleNot,
    TripleOr,
)
from capax.rasp.ir.types import Atom, all_plain, plain_atom, sequence_type
from capax.rasp.ir.unroll import after_rounds
from capax.rasp.meaning.sequence import Matrix, ProgramValue, Sequence, Triples

Rows = list[list[bool]]
Cube = list[Rows]
"""Booleans by query, first key and second key."""


def evaluate(node: Node, word: Iterable[Any]) -> ProgramValue:
    """The value of a node on a word: a `Sequence` for an s-op, a `Matrix` or `Triples` for a selector."""
    return ReferenceEvaluation(word).value(node)


def read_word(word: object) -> list[Atom]:
    """The tokens of a word: the characters of a string, the elements of a list, the keys of a dict."""
    if type(word) is str and word:
        return list(word)
    if isinstance(word, str):
        tokens: list[Any] = list(word)
    elif isinstance(word, Iterable) and not isinstance(word, (bytes, bytearray)):
        tokens = list(word)
    else:
        raise CapaxError(
            "bad-input",
            f"an input is a string or a list of tokens, not {word!r:.60}",
            hint='give a string such as "hello" or a list such as [1, 2, 3]',
            value=word,
        )
    if not tokens:
        raise CapaxError(
            "empty-input",
            "the input is empty, but a word needs at least one token",
            hint="give at least one token",
            value=word,
        )
    if not all_plain(tokens):
        _make_plain(tokens, word)
    return tokens


def _make_plain(tokens: list[Any], word: object) -> None:
    """Converts the tokens of a word to plain values; what is none is refused."""
    for position, token in enumerate(tokens):
        plain = plain_atom(token)
        if plain is not None:
            tokens[position] = plain
        else:
            raise CapaxError(
                "bad-input",
                f"the token at position {position} is {token!r:.60}, not a string, number or boolean",
                hint="use a flat list of tokens",
                value=word,
            )


class ReferenceEvaluation:
    """The values of nodes on one word, each computed once and kept."""

    def __init__(self, word: Iterable[Any]) -> None:
        self.tokens = read_word(word)
        self._sequences: dict[Node, Sequence] = {}
        self._rows: dict[Node, Rows] = {}
        self._cubes: dict[Node, Cube] = {}

    def value(self, root: Node) -> ProgramValue:
        """The value of a node on the word."""
        if isinstance(root, Padded):
            longer = ReferenceEvaluation(padded(root, self.tokens)).value(root.value)
            return without_pads(longer, len(self.tokens))
        for node in () if self._has(root) else evaluation_order(root):
            if self._has(node):
                continue
            try:
                self._compute(node)
            except CapaxError as error:
                raise locate(error, node) from None
        if root in self._cubes:
            return Triples(self._cubes[root])
        return Matrix(self._rows[root]) if root in self._rows else self._sequences[root]

    def _has(self, node: Node) -> bool:
        return node in self._sequences or node in self._rows or node in self._cubes

    def _compute(self, node: Node) -> None:
        match node:
            case SOpNode():
                values = self._sop_values(node)
                self._sequences[node] = Sequence(values, sequence_type(values))
            case SelectorNode():
                self._rows[node] = self._selector_rows(node)
            case TripleNode():
                self._cubes[node] = self._triple_cube(node)
            case _:
                raise AssertionError(node)

    def _sop_values(self, node: SOpNode) -> list[Any]:
        n = len(self.tokens)
        match node:
            case Input():
                return [read_token(node.kind, t, i) for i, t in enumerate(self.tokens)]
            case Indices():
                return list(range(n))
            case Const():
                return [node.value] * n
            case Map():
                columns = [self._sequences[a].values for a in node.args]
                return [at_position(i, apply_op, node.op, *args) for i, args in enumerate(zip(*columns, strict=True))]
            case Table():
                check_length(node, n)
                entries = dict(node.entries)
                values = self._sequences[node.arg].values
                return [at_position(i, look_up, node.kind, entries, v) for i, v in enumerate(values)]
            case Aggregate():
                return self._aggregate(node)
            case Width():
                return [sum(row) for row in self._rows[node.selector]]
            case PairAggregate():
                return self._pair_aggregate(node)
            case State():
                raise state_outside(node)
            case LoopResult():
                loop = LoopParts.of(node)
                final = self.value(after_rounds(loop, rounds_at(loop.rounds, n))[node.number])
                assert isinstance(final, Sequence)
                return list(final.values)
            case PairWidth():
                return [sum(map(sum, rows)) for rows in self._cubes[node.triples]]
            case _:
                raise AssertionError(node)

    def _aggregate(self, node: Aggregate) -> list[Any]:
        value = self._sequences[node.value]
        result: list[Any] = []
        for i, row in enumerate(self._rows[node.selector]):
            picked = [v for v, selected in zip(value.values, row, strict=True) if selected]
            if not picked:
                result.append(node.default)
            elif len(picked) == 1:
                result.append(picked[0])
            else:
                result.append(at_position(i, mean, picked, value))
        return result

    def _selector_rows(self, node: SelectorNode) -> Rows:
        match node:
            case Select():
                keys, queries = self._sequences[node.key].values, self._sequences[node.query].values
                return [[at_position(i, apply_op, node.op, k, q) for k in keys] for i, q in enumerate(queries)]
            case And():
                return self._pointwise(node.left, node.right, lambda a, b: a and b)
            case Or():
                return self._pointwise(node.left, node.right, lambda a, b: a or b)
            case Not():
                return [[not cell for cell in row] for row in self._rows[node.inner]]
            case Best():
                score = self._sequences[node.score].values
                return [_best_of(row, score) for row in self._rows[node.selector]]
            case _:
                raise AssertionError(node)

    def _pair_aggregate(self, node: PairAggregate) -> list[Any]:
        value = self._sequences[node.value]
        result: list[Any] = []
        for i, rows in enumerate(self._cubes[node.triples]):
            picked = [v for v, row in zip(value.values, rows, strict=True) for selected in row if selected]
            if len(picked) < 2:
                result.append(picked[0] if picked else node.default)
            else:
                result.append(at_position(i, mean, picked, value))
        return result

    def _triple_cube(self, node: TripleNode) -> Cube:
        selects, n = self._triple_test(node), range(len(self.tokens))
        return [[[selects(i, j, k) for k in n] for j in n] for i in n]

    def _triple_test(self, node: TripleNode) -> Callable[[int, int, int], bool]:
        """Whether the query at i selects the pair of keys at j and k."""
        match node:
            case SumSelect():
                x, y, z = (summed(self._sequences[o]) for o in (node.key1, node.key2, node.query))
                return lambda i, j, k: sum_holds(node, x[j] + y[k] + z[i])
            case Lift():
                rows = self._rows[node.selector]
                match node.side:
                    case "keys":
                        return lambda i, j, k: rows[k][j]
                    case "first":
                        return lambda i, j, k: rows[i][j]
                    case "second":
                        return lambda i, j, k: rows[i][k]
            case TripleAnd():
                a, b = self._cubes[node.left], self._cubes[node.right]
                return lambda i, j, k: a[i][j][k] and b[i][j][k]
            case TripleOr():
                a, b = self._cubes[node.left], self._cubes[node.right]
                return lambda i, j, k: a[i][j][k] or b[i][j][k]
            case TripleNot():
                a = self._cubes[node.inner]
                return lambda i, j, k: not a[i][j][k]
            case _:
                raise AssertionError(node)

    def _pointwise(self, left: Node, right: Node, join: Callable[[bool, bool], bool]) -> Rows:
        pairs = zip(self._rows[left], self._rows[right], strict=True)
        return [[join(a, b) for a, b in zip(x, y, strict=True)] for x, y in pairs]


def without_pads(value: ProgramValue, size: int) -> Sequence:
    """What an s-op is at the letters of a word of a length, from its value on the word with pads."""
    assert isinstance(value, Sequence)
    letters = list(value.values)[:size]
    return Sequence(letters, sequence_type(letters))


def _best_of(row: list[bool], score: tuple[Any, ...]) -> list[bool]:
    """The row with only its best selected key left; later keys win ties."""
    best: int | None = None
    for j, selected in enumerate(row):
        if selected and (best is None or score[j] >= score[best]):
            best = j
    return [j == best for j in range(len(row))]


def summed(value: Sequence) -> tuple[int, ...]:
    """The integers of a sequence that `select3` adds up; any other sequence is refused."""
    for position, each in enumerate(value.values):
        if type(each) is not int:
            raise CapaxError(
                "sum-of-non-integers",
                f"select3 adds integers, not {describe_atom(each)} (at position {position})",
                hint="read the tokens with tokens_int; `round` makes integers of floats, `indicator` of booleans",
                position=position,
            )
    return value.values  # type: ignore[return-value]


def sum_holds(node: SumSelect, total: int) -> bool:
    """Whether a sum passes the test of a `select3`."""
    return bool(apply_op(node.op, total % node.modulus if node.modulus else total, node.constant))


def mean(picked: list[Any], whole: Sequence) -> float:
    """The mean of two or more selected values of a sequence of numbers."""
    if whole.type not in ("ints", "floats"):
        raise CapaxError(
            "average-of-non-numbers",
            f"{len(picked)} values are selected, but {whole.type} cannot be averaged",
            hint="select one position only, or average numbers (`indicator` makes 1 and 0 of booleans)",
            values=list(whole.values),
        )
    try:
        return (sum(picked) if whole.type == "ints" else _float_sum(picked)) / len(picked)
    except (OverflowError, ValueError) as error:
        raise CapaxError(
            "number-too-large",
            "the mean of the selected values does not fit a float",
            hint="keep the numbers below about 1e308",
            python=str(error),
        ) from None


def _float_sum(values: list[Any]) -> float:
    """The correctly rounded sum; only a sum that is itself too large overflows."""
    try:
        return math.fsum(values)
    except OverflowError:
        from fractions import Fraction  # rarely needed

        return float(sum(Fraction(float(v)) for v in values))


def look_up(kind: str, entries: dict[Atom, Atom], value: Any) -> Atom:
    """The entry of a table for a value; a miss is an error, or False for `members`."""
    if kind == "members":
        return value in entries
    if kind in ("list", "string"):
        return _look_up_position(kind, entries, value)
    if value in entries:
        return entries[value]
    if kind == "positions":
        raise _other_length(len(entries), f"has position {value}")
    raise CapaxError(
        "missing-key",
        f"the key {describe_atom(value)} is not in the dictionary",
        hint="add the key, or test with `in` first",
        key=value,
    )


def check_length(node: Table, length: int) -> None:
    """Refuses a word of another length than a list that stands for an s-op."""
    if node.kind == "positions" and length != len(node.entries):
        raise _other_length(len(node.entries), f"has {length} position{'' if length == 1 else 's'}")


def _other_length(size: int, detail: str) -> CapaxError:
    return CapaxError(
        "word-length",
        f"this list has {size} value{'' if size == 1 else 's'}, the input {detail}",
        hint="give an input of that length; to look up write `list[s]`, to search write `s in list`",
        size=size,
    )


def _look_up_position(kind: str, entries: dict[Atom, Atom], value: Any) -> Atom:
    if not isinstance(value, int):
        raise CapaxError(
            "index-type",
            f"an index into a {kind} must be an integer, not {describe_atom(value)}",
            hint="use `round` to make integers of floats",
            container=kind,
            got=describe_atom(value),
        )
    size = len(entries)
    if not -size <= value < size:
        raise CapaxError(
            "index-range",
            f"index {value} is out of range for a {kind} of length {size}",
            hint=f"keep the index between {-size} and {size - 1}",
            index=value,
            container=kind,
            size=size,
        )
    return entries[value % size]


_READERS: dict[str, Callable[[Any], Atom]] = {
    "asis": lambda token: token,
    "str": str,
    "int": int,
    "float": float,
    "bool": bool,
}


def read_token(kind: str, token: Any, position: int) -> Atom:
    """A token read as a string, integer, float or boolean, or as it is."""
    try:
        return _READERS[kind](token)
    except (ValueError, OverflowError) as error:
        raise CapaxError(
            "bad-token",
            f"the token {describe_atom(token)} at position {position} cannot be read as {kind}",
            hint=f"give tokens that Python's {kind}() accepts, or use tokens_str",
            python=str(error),
            position=position,
        ) from None


def at_position(position: int, function: Callable[..., Any], *args: Any) -> Any:
    """The result of a call; an error from it gets the position."""
    try:
        return function(*args)
    except CapaxError as error:
        if "position" not in error.data:
            error.data = {**error.data, "position": position}
            error.what += f" (at position {position})"
        raise


def state_outside(node: State) -> CapaxError:
    """The error for a state that is read where no round of its loop is run."""
    what = f"the state `{node.name}` is read outside its loop"
    return CapaxError("state-outside", what, hint="use what `repeat` gives: the states after the last round")


def locate(error: CapaxError, node: Node) -> CapaxError:
    """The error with the node that failed, named in the message."""
    if "node" in error.data:  # it failed in a round of a loop, which is located already
        return error
    error.data = {**error.data, "node": node}
    error.what += f", in `{describe(node)}`"
    error.args = (error.what,)
    return error
