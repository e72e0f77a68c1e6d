"""A program of a search as a tree of steps, and the way from there to RASP: nodes with names that read well."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from capax.rasp.ir import build
from capax.rasp.ir.nodes import Comparison
from capax.rasp.python.program import Program, Selector, SOp
from capax.synthesis.bank import Bank, Step
from capax.synthesis.grammar import Kind
from capax.synthesis.leaves import Leaf
from capax.synthesis.sample import UNIT, Sample

_COMPARISONS: Final[dict[Step, Comparison]] = {
    Step.SELECT_EQ: "==",
    Step.SELECT_NE: "!=",
    Step.SELECT_LT: "<",
    Step.SELECT_LE: "<=",
    Step.SELECT_GT: ">",
    Step.SELECT_GE: ">=",
}
_MAPS: Final[dict[Step, str]] = {
    Step.ADD: "+",
    Step.SUBTRACT: "-",
    Step.TIMES: "*",
    Step.EQUAL: "==",
    Step.UNEQUAL: "!=",
    Step.LESS: "<",
    Step.AT_MOST: "<=",
    Step.BOTH: "and",
    Step.EITHER: "or",
    Step.NEGATE: "not",
    Step.INDICATOR: "indicator",
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
_EXTRA: Final = {Step.MOD: 1, Step.RECIPROCAL: 1, Step.ROUNDED: 2}
"""Literals that a step has beside its parts, as in `x % 2`."""
SELECTORS: Final = frozenset({*_COMPARISONS, Step.SELECT_AND, Step.SELECT_OR, Step.SELECT_NOT, Step.BEST})


@dataclass(frozen=True)
class Sketch:
    """A step and its parts; `leaf` is the number of a leaf, `default` the code of an aggregate's default."""

    step: Step
    parts: "tuple[Sketch, ...]" = ()
    leaf: int = 0
    default: int = 0
    kind: Kind | None = None

    @cached_property
    def size(self) -> int:
        """The number of nodes, written out."""
        return 1 + _EXTRA.get(self.step, 0) + sum(part.size for part in self.parts)


def sketch_of(bank: Bank, number: int, *, selector: bool) -> Sketch:
    """The tree of an entry of a bank, by its pointers back."""
    entries = bank.selectors if selector else bank.sops
    kind = None if selector else Kind(int(entries.kinds[number]))
    return sketch_from(bank, Step(int(entries.steps[number])), [int(x) for x in entries.parts[number]], kind)


def sketch_from(bank: Bank, step: Step, numbers: Sequence[int], kind: Kind | None) -> Sketch:
    """The tree of a step on entries of a bank."""
    if step is Step.LEAF:
        return Sketch(step, leaf=numbers[0], kind=kind)
    default = numbers[2] if step is Step.AGGREGATE else 0
    parts = zip(_PARTS.get(step, "xx"), numbers, strict=False)
    return Sketch(step, tuple(sketch_of(bank, n, selector=p == "s") for p, n in parts), default=default, kind=kind)


_PARTS: Final = {
    Step.AGGREGATE: "sx",
    Step.WIDTH: "s",
    Step.BEST: "sx",
    Step.SELECT_NOT: "s",
    Step.SELECT_AND: "ss",
    Step.SELECT_OR: "ss",
    Step.WHERE: "xxx",
    Step.NEGATE: "x",
    Step.INDICATOR: "x",
    Step.MOD: "x",
    Step.RECIPROCAL: "x",
    Step.ROUNDED: "x",
}
"""The parts of a step, an s-op (x) or a selector (s) each; of any other, two s-ops."""


class Builder:
    """Makes programs of sketches; equal parts are one node, and parts that matter have names.

    Without `defaults` all aggregates have the default 0, which is not written.
    """

    def __init__(self, leaves: Sequence[Leaf], sample: Sample, defaults: bool = True) -> None:
        self.leaves, self.sample, self.defaults = leaves, sample, defaults
        self._built: dict[Sketch, Program] = {}

    def program(self, sketch: Sketch, name: str) -> SOp:
        """The program of a sketch, under a name."""
        built = self._part(sketch, inside=False)
        assert isinstance(built, SOp)
        return built.named(name)

    def _part(self, sketch: Sketch, inside: bool = True) -> Program:
        if sketch in self._built and inside:
            return self._built[sketch]
        parts = [self._part(part) for part in sketch.parts]
        program = self._made(sketch, parts)
        name = _name(sketch, parts) if inside else None
        if name is not None:
            program = program.named(name)
        self._built[sketch] = program
        return program

    def _made(self, sketch: Sketch, parts: list[Program]) -> Program:
        step = sketch.step
        if step is Step.LEAF:
            return self.leaves[sketch.leaf].program
        if step in _COMPARISONS:
            return build.select(parts[0], parts[1], _COMPARISONS[step])
        if step in _MAPS:
            return build.elementwise(_MAPS[step], *parts)
        if step is Step.AGGREGATE:
            return build.aggregate(parts[0], parts[1], self._default(sketch))
        return _OTHERS[step](parts)

    def _default(self, sketch: Sketch) -> Any:
        if not self.defaults:
            return 0
        match sketch.kind:
            case Kind.TOKEN:
                return self.sample.strings[sketch.default]
            case Kind.TRUTH:
                return bool(sketch.default)
            case Kind.SHARE:
                return sketch.default // UNIT
            case _:
                return sketch.default


def _joined(make: Callable[[Selector, Selector], Selector]) -> Callable[[list[Program]], Program]:
    return lambda parts: make(build.expect_selector(parts[0]), build.expect_selector(parts[1]))


_OTHERS: Final[dict[Step, Callable[[list[Program]], Program]]] = {
    Step.WIDTH: lambda parts: build.width(parts[0]),
    Step.WHERE: lambda parts: build.elementwise("where", *parts),
    Step.MOD: lambda parts: build.elementwise("%", parts[0], 2),
    Step.RECIPROCAL: lambda parts: build.elementwise("/", 1, parts[0]),
    Step.ROUNDED: lambda parts: build.elementwise("round", build.elementwise("/", 1, parts[0])),
    Step.SELECT_NOT: lambda parts: build.select_not(build.expect_selector(parts[0])),
    Step.SELECT_AND: _joined(build.select_and),
    Step.SELECT_OR: _joined(build.select_or),
    Step.BEST: lambda parts: build.best(parts[0], parts[1]),
}


def _name(sketch: Sketch, parts: list[Program]) -> str | None:
    """The name of a part; None for one that is written where it is used."""
    if sketch.step in _COMPARISONS:
        known = _NAMES.get((str(parts[0]), str(parts[1]), _COMPARISONS[sketch.step]))
        return known or ("chosen" if sketch.size > 5 else None)
    match sketch.step:
        case Step.WIDTH:
            return "how_many"
        case Step.BEST:
            return "best_one"
        case Step.AGGREGATE:
            kinds = {Kind.TOKEN: "token", Kind.TRUTH: "flag", Kind.SHARE: "mean"}
            return kinds.get(sketch.kind, "value") if sketch.kind is not None else "value"
        case Step.SELECT_AND | Step.SELECT_OR:
            return "chosen"
        case Step.WHERE | Step.EQUAL | Step.UNEQUAL | Step.LESS | Step.AT_MOST | Step.BOTH | Step.EITHER:
            return "part" if sketch.size > 7 else None
        case _:
            return None
