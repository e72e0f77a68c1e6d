"""A program of a search as a tree of steps, and the way from there to RASP: nodes with names that read well."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from capax.rasp.ir import build
from capax.rasp.ir.nodes import Comparison
from capax.rasp.python.program import Program, Selector, SOp
from capax.synthesis.bank import ProgramBank, SearchStep
from capax.synthesis.grammar import ValueKind
from capax.synthesis.leaves import Leaf
from capax.synthesis.sample import UNIT, Sample

_COMPARISONS: Final[dict[SearchStep, Comparison]] = {
    SearchStep.SELECT_EQ: "==",
    SearchStep.SELECT_NE: "!=",
    SearchStep.SELECT_LT: "<",
    SearchStep.SELECT_LE: "<=",
    SearchStep.SELECT_GT: ">",
    SearchStep.SELECT_GE: ">=",
}
_MAPS: Final[dict[SearchStep, str]] = {
    SearchStep.ADD: "+",
    SearchStep.SUBTRACT: "-",
    SearchStep.TIMES: "*",
    SearchStep.EQUAL: "==",
    SearchStep.UNEQUAL: "!=",
    SearchStep.LESS: "<",
    SearchStep.AT_MOST: "<=",
    SearchStep.BOTH: "and",
    SearchStep.EITHER: "or",
    SearchStep.NEGATE: "not",
    SearchStep.INDICATOR: "indicator",
}
_NAMES: Final = {
    ("tokens", "tokens", "=="): "same_token",
    ("tokens", "tokens", "!="): "other_token",
    ("tokens", "tokens", "<"): "smaller_token",
    ("tokens", "tokens", ">"): "larger_token",
    ("indices", "indices", "<"): "before",
    ("indices", "indices", ">"): "after",
    ("indices", "indices", "<="): "up_to_here",
    ("indices", "indices", ">="): "from_here",
    ("indices", "indices", "=="): "here",
}
"""Names of common selectors, by keys, queries and comparison."""
_EXTRA: Final = {SearchStep.MOD: 1, SearchStep.RECIPROCAL: 1, SearchStep.ROUNDED: 2}
"""Literals that a step has beside its parts, as in `x % 2`."""
SELECTORS: Final = frozenset(
    {*_COMPARISONS, SearchStep.SELECT_AND, SearchStep.SELECT_OR, SearchStep.SELECT_NOT, SearchStep.BEST}
)


@dataclass(frozen=True)
class ProgramSketch:
    """A step and its parts; `leaf` is the number of a leaf, `default` the code of an aggregate's default."""

    step: SearchStep
    parts: "tuple[ProgramSketch, ...]" = ()
    leaf: int = 0
    default: int = 0
    kind: ValueKind | None = None

    @cached_property
    def size(self) -> int:
        """The number of nodes, written out."""
        return 1 + _EXTRA.get(self.step, 0) + sum(part.size for part in self.parts)


def sketch_of(bank: ProgramBank, number: int, *, selector: bool) -> ProgramSketch:
    """The tree of an entry of a bank, by its pointers back."""
    entries = bank.selectors if selector else bank.sops
    kind = None if selector else ValueKind(int(entries.kinds[number]))
    return sketch_from(bank, SearchStep(int(entries.steps[number])), [int(x) for x in entries.parts[number]], kind)


def sketch_from(bank: ProgramBank, step: SearchStep, numbers: Sequence[int], kind: ValueKind | None) -> ProgramSketch:
    """The tree of a step on entries of a bank."""
    if step is SearchStep.LEAF:
        return ProgramSketch(step, leaf=numbers[0], kind=kind)
    default = numbers[2] if step is SearchStep.AGGREGATE else 0
    parts = zip(_PARTS.get(step, "xx"), numbers, strict=False)
    return ProgramSketch(
        step, tuple(sketch_of(bank, n, selector=p == "s") for p, n in parts), default=default, kind=kind
    )


_PARTS: Final = {
    SearchStep.AGGREGATE: "sx",
    SearchStep.WIDTH: "s",
    SearchStep.BEST: "sx",
    SearchStep.SELECT_NOT: "s",
    SearchStep.SELECT_AND: "ss",
    SearchStep.SELECT_OR: "ss",
    SearchStep.WHERE: "xxx",
    SearchStep.NEGATE: "x",
    SearchStep.INDICATOR: "x",
    SearchStep.MOD: "x",
    SearchStep.RECIPROCAL: "x",
    SearchStep.ROUNDED: "x",
}
"""The parts of a step, an s-op (x) or a selector (s) each; of any other, two s-ops."""


class Builder:
    """Makes programs of sketches; equal parts are one node, and parts that matter have names.

    Without `defaults` all aggregates have the default 0, which is not written.
    """

    def __init__(self, leaves: Sequence[Leaf], sample: Sample, defaults: bool = True) -> None:
        self.leaves, self.sample, self.defaults = leaves, sample, defaults
        self._built: dict[ProgramSketch, Program] = {}

    def program(self, sketch: ProgramSketch, name: str) -> SOp:
        """The program of a sketch, under a name."""
        built = self._part(sketch, inside=False)
        assert isinstance(built, SOp)
        return built.named(name)

    def _part(self, sketch: ProgramSketch, inside: bool = True) -> Program:
        if sketch in self._built and inside:
            return self._built[sketch]
        parts = [self._part(part) for part in sketch.parts]
        program = self._made(sketch, parts)
        name = _name(sketch, parts) if inside else None
        if name is not None:
            program = program.named(name)
        self._built[sketch] = program
        return program

    def _made(self, sketch: ProgramSketch, parts: list[Program]) -> Program:
        step = sketch.step
        if step is SearchStep.LEAF:
            return self.leaves[sketch.leaf].program
        if step in _COMPARISONS:
            return build.select(parts[0], parts[1], _COMPARISONS[step])
        if step in _MAPS:
            return build.elementwise(_MAPS[step], *parts)
        if step is SearchStep.AGGREGATE:
            return build.aggregate(parts[0], parts[1], self._default(sketch))
        return _OTHERS[step](parts)

    def _default(self, sketch: ProgramSketch) -> Any:
        if not self.defaults:
            return 0
        match sketch.kind:
            case ValueKind.TOKEN:
                return self.sample.strings[sketch.default]
            case ValueKind.TRUTH:
                return bool(sketch.default)
            case ValueKind.SHARE:
                return sketch.default // UNIT
            case _:
                return sketch.default


def _joined(make: Callable[[Selector, Selector], Selector]) -> Callable[[list[Program]], Program]:
    return lambda parts: make(build.expect_selector(parts[0]), build.expect_selector(parts[1]))


_OTHERS: Final[dict[SearchStep, Callable[[list[Program]], Program]]] = {
    SearchStep.WIDTH: lambda parts: build.width(parts[0]),
    SearchStep.WHERE: lambda parts: build.elementwise("where", *parts),
    SearchStep.MOD: lambda parts: build.elementwise("%", parts[0], 2),
    SearchStep.RECIPROCAL: lambda parts: build.elementwise("/", 1, parts[0]),
    SearchStep.ROUNDED: lambda parts: build.elementwise("round", build.elementwise("/", 1, parts[0])),
    SearchStep.SELECT_NOT: lambda parts: build.select_not(build.expect_selector(parts[0])),
    SearchStep.SELECT_AND: _joined(build.select_and),
    SearchStep.SELECT_OR: _joined(build.select_or),
    SearchStep.BEST: lambda parts: build.best(parts[0], parts[1]),
}


def _name(sketch: ProgramSketch, parts: list[Program]) -> str | None:
    """The name of a part; None for one that is written where it is used."""
    if sketch.step in _COMPARISONS:
        known = _NAMES.get((str(parts[0]), str(parts[1]), _COMPARISONS[sketch.step]))
        return known or ("chosen" if sketch.size > 5 else None)
    match sketch.step:
        case SearchStep.WIDTH:
            return "how_many"
        case SearchStep.BEST:
            return "best_one"
        case SearchStep.AGGREGATE:
            kinds = {ValueKind.TOKEN: "token", ValueKind.TRUTH: "flag", ValueKind.SHARE: "mean"}
            return kinds.get(sketch.kind, "value") if sketch.kind is not None else "value"
        case SearchStep.SELECT_AND | SearchStep.SELECT_OR:
            return "chosen"
        case (
            SearchStep.WHERE
            | SearchStep.EQUAL
            | SearchStep.UNEQUAL
            | SearchStep.LESS
            | SearchStep.AT_MOST
            | SearchStep.BOTH
            | SearchStep.EITHER
        ):
            return "part" if sketch.size > 7 else None
        case _:
            return None
