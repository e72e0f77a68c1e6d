"""S-ops with Tracr's names."""

import enum
import logging
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from capax.compat.lowering.functions import LOGICAL_NOT, OPERATORS, Known, after
from capax.compat.tracr.annotations import DEFAULT_ANNOTATORS, RASPExpr, annotate
from capax.errors import CapaxError
from capax.rasp.ir import build
from capax.rasp.python.operators import Operators

if TYPE_CHECKING:
    from capax.compat.tracr.selectors import Selector

_LOG = logging.getLogger("capax.compat.tracr")

_OPERATIONS: dict[str, Known] = {
    **{op: known for op, known in OPERATORS.items() if op != "%"},
    # `and` and `or` give one of their operands, as in Python
    "and": Known(lambda x, y: x and y, lambda x, y: build.elementwise("where", x, y, x)),
    "or": Known(lambda x, y: x or y, lambda x, y: build.elementwise("where", x, x, y)),
}


class SOp(Operators["SOp", Any], RASPExpr):
    """A sequence operation: one value for each position."""

    kind = "sop"

    def _operator(self, op: str, left: Any, right: Any) -> Any:
        """An operator between two s-ops, or an s-op and a value."""
        if op not in _OPERATIONS:
            return NotImplemented
        known = _OPERATIONS[op]
        function, symbolic = known.function, known.symbolic
        if isinstance(left, SOp) and isinstance(right, SOp):
            return SequenceMap(known, left, right)
        if isinstance(left, SOp):
            return Map(Known(lambda x: function(x, right), lambda x: symbolic(x, right)), left)
        return Map(Known(lambda x: function(left, x), lambda x: symbolic(left, x)), right)

    def __ror__(self, other: Any) -> "SOp":
        return super().__or__(other)  # Tracr puts the s-op first here, and `or` gives an operand

    def __invert__(self) -> "SOp":
        return Map(LOGICAL_NOT, self)


def expect_sop(value: object) -> SOp:
    """The value, which must be an s-op."""
    if isinstance(value, SOp):
        return value
    raise CapaxError(
        "expected-sop", f"an s-op is needed here, not {value!r:.60}", hint="make a constant one with rasp.Full(value)"
    )


def expect_function(value: object) -> Callable[..., Any]:
    """The value, which must be a function."""
    if callable(value) and not isinstance(value, RASPExpr):
        return value
    raise CapaxError("bad-option", f"a function is needed here, not {value!r:.60}", hint="write lambda x: ...")


class TokensType(SOp):
    """The tokens of the word."""

    kind = label = "tokens"


class IndicesType(SOp):
    """The positions 0, 1, 2, ..."""

    kind = label = "indices"


class LengthType(SOp):
    """The length of the word, at every position."""

    kind = label = "length"


tokens = TokensType()
indices = IndicesType()
length = LengthType()


class Map(SOp):
    """A function of the value at each position; None stays None.

    A map of a map is one map of the composed function, unless `simplify=False`: then None between the two stays None.
    """

    kind = "map"
    parts = ("inner",)

    def __init__(self, f: Callable[[Any], Any], inner: SOp, simplify: bool = True) -> None:
        super().__init__()
        self.f = expect_function(f)
        self.inner = expect_sop(inner)
        if simplify and isinstance(inner, Map):
            self.f, self.inner = after(f, inner.f), inner.inner


class SequenceMap(SOp):
    """A function of the values of two s-ops at each position; None where either is None."""

    kind = "sequence_map"
    parts = ("fst", "snd")

    def __init__(self, f: Callable[[Any, Any], Any], fst: SOp, snd: SOp) -> None:
        super().__init__()
        self.f = expect_function(f)
        self.fst, self.snd = expect_sop(fst), expect_sop(snd)
        if fst is snd:
            _LOG.warning("both operands of a SequenceMap are %s: a Map of it would do", fst.label)


class LinearSequenceMap(SequenceMap):
    """The sum of the values of two s-ops, each times a factor."""

    kind = "linear_sequence_map"

    def __init__(self, fst: SOp, snd: SOp, fst_fac: float, snd_fac: float) -> None:
        def symbolic(x: Any, y: Any) -> Any:
            first = x if fst_fac == 1 else fst_fac * x
            if snd_fac == -1:
                return first - y
            return first + (y if snd_fac == 1 else snd_fac * y)

        super().__init__(Known(lambda x, y: fst_fac * x + snd_fac * y, symbolic), fst, snd)
        self.fst_fac, self.snd_fac = fst_fac, snd_fac


class Full(SOp):
    """The same value at every position."""

    kind = "full"

    def __init__(self, fill: Any) -> None:
        super().__init__()
        self.fill = fill


class ConstantSOp(SOp):
    """A value of its own for each position, for tests."""

    kind = "constant_sop"

    def __init__(self, value: Sequence[Any], check_length: bool = True) -> None:
        super().__init__()
        if not hasattr(value, "__len__"):
            hint = "Full(value) is the same value everywhere"
            raise CapaxError("bad-option", f"a ConstantSOp has a list of values, not {value!r:.60}", hint=hint)
        self.value, self.check_length = value, check_length


class SelectorWidth(SOp):
    """For each query how many keys are selected."""

    kind = "selector_width"
    parts = ("selector",)

    def __init__(self, selector: "Selector") -> None:
        super().__init__()
        self.selector = _expect_selector(selector)


class Aggregate(SOp):
    """For each query the one selected value, the mean of several numbers, or the default for none."""

    kind = "aggregate"
    parts = ("selector", "sop")

    def __init__(self, selector: "Selector", sop: SOp, default: Any = None) -> None:
        super().__init__()
        self.selector, self.sop = _expect_selector(selector), expect_sop(sop)
        if default is not None and not isinstance(default, (str, float, bool, int)):
            raise CapaxError(
                "expected-atom", f"the default must be a single value or None, not {default!r:.60}", value=default
            )
        self.default = default


def _expect_selector(value: object) -> "Selector":
    from capax.compat.tracr.selectors import expect_selector  # selectors are made from s-ops

    return expect_selector(value)


def sop_not(sop: SOp) -> SOp:
    """Whether the value at each position counts as false."""
    return Map(LOGICAL_NOT, sop)


S = TypeVar("S", bound=SOp)


class Encoding(enum.Enum):
    """How Tracr holds an s-op in the residual stream. For capax it is a remark: it finds the form itself."""

    CATEGORICAL = "categorical"
    NUMERICAL = "numerical"


def numerical(sop: S) -> S:
    """The same s-op, marked as numerical."""
    return annotate(sop, encoding=Encoding.NUMERICAL)


def categorical(sop: S) -> S:
    """The same s-op, marked as categorical."""
    return annotate(sop, encoding=Encoding.CATEGORICAL)


def get_encoding(sop: SOp) -> Encoding:
    """The encoding that an s-op is marked with; categorical if with none."""
    encoding: Encoding = sop.annotations["encoding"]
    return encoding


def is_numerical(sop: SOp) -> bool:
    """Whether an s-op is marked as numerical."""
    return get_encoding(sop) is Encoding.NUMERICAL


def is_categorical(sop: SOp) -> bool:
    """Whether an s-op is marked as categorical, or not at all."""
    return get_encoding(sop) is Encoding.CATEGORICAL


def default_encoding(expr: RASPExpr) -> Encoding:
    """The encoding of an s-op that is marked with none."""
    expect_sop(expr)
    return Encoding.CATEGORICAL


DEFAULT_ANNOTATORS["encoding"] = default_encoding
