"""Programs: s-ops and selectors as Python values, with the language's operators."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NoReturn, Self

from capax.display import Displayed
from capax.errors import CapaxError
from capax.rasp.ir.construction import Construction, named, span_of
from capax.rasp.ir.describe import describe
from capax.rasp.ir.nodes import Node, SelectorNode, SOpNode
from capax.rasp.ir.ops import OPS
from capax.rasp.ir.types import Atom
from capax.rasp.meaning.evaluation import Evaluation, evaluation_on
from capax.rasp.meaning.sequence import ProgramValue
from capax.rasp.python.operators import Operators


class Program(Displayed):
    """A node together with how it was written: what an s-op and a selector have in common."""

    __slots__ = ("construction", "node")
    node: Node
    construction: Construction

    def __init__(self, node: Node, construction: Construction) -> None:
        self.node = node
        self.construction = construction

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    # running

    def on(self, evaluation: Evaluation) -> ProgramValue:
        """The value on the word of an evaluation, whose memory is used and extended."""
        try:
            return evaluation.value(self.node)
        except CapaxError as error:
            raise self._placed(error) from None

    def __call__(self, word: Iterable[Any]) -> Any:
        """The value on a word: a string, or a list of tokens."""
        return self.on(evaluation_on(word))

    def batch(self, words: Iterable[Iterable[Any]], *, errors: str = "raise") -> list[Any]:
        """The values on many words at once.

        With `errors="keep"` the result of a word that fails is its error; otherwise the first is raised.

        >>> from capax import tokens
        >>> (tokens == "a").batch(["ab", "ba"])
        [[True, False], [False, True]]
        """
        from capax.rasp.meaning.fast import evaluate_batch  # arrays are not needed for short words

        if errors not in ("raise", "keep"):
            raise CapaxError("bad-option", f'errors is "raise" or "keep", not {errors!r}')
        outcomes = evaluate_batch(self.node, words)
        for number, outcome in enumerate(outcomes):
            if isinstance(outcome, CapaxError):
                self._placed(outcome)
                if errors == "raise":
                    outcome.what = f"word {number}: {outcome.what}"
                    outcome.args = (outcome.what,)
                    raise outcome
        return outcomes

    def _placed(self, error: CapaxError) -> CapaxError:
        failed = error.data.get("node")
        return error.at(span_of(failed, self.construction) if isinstance(failed, Node) else None)

    # names and forms

    def named(self, name: str) -> Self:
        """The same program under a name, which traces, drawings and explanations use.

        >>> from capax import indices
        >>> (indices + 1).named("number").name
        'number'
        """
        if not isinstance(name, str) or not name.isidentifier():
            raise CapaxError("bad-option", f"{name!r} is not a name", hint="use letters, digits and _")
        return type(self)(self.node, Construction(self.node, self.construction.parts, self.construction.span, name))

    @property
    def name(self) -> str | None:
        """The name it was given, if any."""
        return self.construction.name

    def names(self) -> dict[Node, str]:
        """The names that were given to nodes of the program."""
        return dict(named(self.construction))

    @staticmethod
    def from_text(text: str, name: str | None = None, *, budget: int | None = None) -> "Program":
        """The program that a text defines: the one called `name`, else the last.

        `budget` says how much work running the text may take: 100 steps for each unit, 20,000 units if it is not given.

        >>> Program.from_text("flip = select(indices, length-1-indices, ==); aggregate(flip, tokens);")("abc")
        ['c', 'b', 'a']
        """
        from capax.rasp.text.interpreter import limits_of
        from capax.rasp.text.module import program_from_text

        if not isinstance(text, str):
            raise CapaxError("bad-input", f"a program text is a string, not {type(text).__name__}", value=text)
        return program_from_text(text, name, limits=None if budget is None else limits_of(budget))

    def to_text(self) -> str:
        """The program in the text language; `from_text` gives back the same nodes.

        >>> from capax import indices
        >>> print((indices * indices).named("square").to_text())
        square = indices * indices;
        <BLANKLINE>
        """
        from capax.rasp.text.graph_to_syntax import to_text

        return to_text(self)

    def to_json(self) -> dict[str, Any]:
        """The program as plain data; `from_json` gives back the same nodes."""
        from capax.rasp.ir.graph_json import to_json

        return to_json(self)

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> "Program":
        """The program that plain data describes."""
        from capax.rasp.ir.graph_json import from_json

        return from_json(data)

    # what Python would do by itself, and should not

    def __bool__(self) -> NoReturn:
        """Refused: a program has a value at every position, and no truth value of its own."""
        raise CapaxError(
            "truth-value",
            f"the {self._kind} `{self}` has no single truth value",
            hint=self._instead,
        )

    def __iter__(self) -> Iterator[Any]:
        """Refused: apply the program to a word first."""
        raise CapaxError(
            "truth-value",
            f"the {self._kind} `{self}` cannot be iterated",
            hint="operators act on all positions at once; `list(program(word))` gives the values on a word",
        )

    def __contains__(self, item: object) -> bool:
        """Refused: Python would make one truth value of it."""
        raise CapaxError(
            "truth-value",
            f"`in` cannot look into the {self._kind} `{self}`",
            hint="use `capax.library.contains(s, value)`, or `s.isin([...])` for the other way round",
        )

    _kind = "program"
    _instead = ""

    def __str__(self) -> str:
        return describe(self.node)

    def __repr__(self) -> str:
        title = f"{self.name} = " if self.name else ""
        return f"<{self._kind} {title}{self}>"


class SOp(Operators["SOp", "SOp | Atom"], Program):
    """A program that gives one value per position; operators act on every position.

    >>> from capax import indices, tokens
    >>> (1 + indices * 2)("abc")
    [1, 3, 5]
    >>> ((tokens == "a") & (indices > 0))("aba")
    [False, False, True]
    """

    __slots__ = ()
    node: SOpNode
    _kind = "s-op"
    _instead = (
        "use `&`, `|` and `~` for and, or and not, `where(condition, a, b)` to choose, `s.isin([...])` for membership"
    )

    def _operator(self, op: str, left: Any, right: Any) -> "SOp":
        return _map(op, left, right)

    def __pow__(self, other: "SOp | Atom") -> "SOp":
        return _map("^", self, other)

    def __rpow__(self, other: Atom) -> "SOp":
        return _map("^", other, self)

    def __invert__(self) -> "SOp":
        return _map("not", self)

    def __neg__(self) -> "SOp":
        return _map("neg", self)

    def __pos__(self) -> "SOp":
        return _map("pos", self)

    def __round__(self, digits: int | None = None) -> "SOp":
        if digits is not None:
            raise _no_operator("round to digits", "round() gives integers; scale before and after for digits")
        return _map("round", self)

    def __floordiv__(self, other: "SOp | Atom") -> "SOp":
        return _map("//", self, other)

    def __rfloordiv__(self, other: Atom) -> "SOp":
        return _map("//", other, self)

    def __xor__(self, other: object) -> NoReturn:
        raise _no_operator("^", "write `**` for powers; `^` is the power sign of the text language only")

    def __abs__(self) -> "SOp":
        return _map("abs", self)

    def __getitem__(self, position: int) -> "SOp":
        """The s-op whose value everywhere is the one at a position, from the end when negative."""
        from capax.rasp.ir.build import value_at

        return value_at(self, position)

    def isin(self, values: Iterable[Atom]) -> "SOp":
        """Whether the value at each position is among the given ones."""
        from capax.rasp.ir.build import members

        return members(self, list(values))

    def map(
        self, function: Callable[[Any], Atom] | Mapping[Any, Atom], *, domain: Iterable[Atom] | None = None
    ) -> "SOp":
        """A Python function or dictionary applied at every position, as a finite table.

        The function is called once for each value of the domain. Where the values are known from the
        program itself (comparisons, tables, constants) the domain can be left out.

        >>> from capax import tokens
        >>> tokens.map(str.upper, domain="abc")("cab")
        ['C', 'A', 'B']
        """
        from capax.rasp.ir.build import tabulate

        return tabulate(self, function, None if domain is None else list(domain))


def _no_operator(name: str, hint: str) -> CapaxError:
    return CapaxError("type-mismatch", f"s-ops have no {name}", hint=hint)


def _map(op: str, *args: object) -> SOp:
    from capax.rasp.ir.build import elementwise  # the constructors know this class

    if op not in OPS:
        raise _no_operator(op, "the language does not have this operation")
    return elementwise(op, *args)


class Selector(Program):
    """A program that gives one boolean per pair of a query and a key position.

    >>> from capax import indices, select
    >>> before = select(indices, indices, "<")
    >>> (~before & select(indices, 0, "=="))("ab")
    [[True, False], [False, False]]
    """

    __slots__ = ()
    node: SelectorNode
    _kind = "selector"
    _instead = "use `&`, `|` and `~` for and, or and not of selectors"

    def __and__(self, other: "Selector") -> "Selector":
        from capax.rasp.ir.build import expect_selector, select_and

        return select_and(self, expect_selector(other))

    def __or__(self, other: "Selector") -> "Selector":
        from capax.rasp.ir.build import expect_selector, select_or

        return select_or(self, expect_selector(other))

    def __invert__(self) -> "Selector":
        from capax.rasp.ir.build import select_not

        return select_not(self)
