"""Random programs of the grammar of a search, made without its bank, and the bank of a few words."""

from functools import cache

import numpy as np
from hypothesis import strategies as st

from capax.auditor.specs.programs import of_function
from capax.synthesis.bank import ProgramBank, SearchStep
from capax.synthesis.grammar import Grammar, ValueKind
from capax.synthesis.grow import Ground, grow_sops
from capax.synthesis.grow_selectors import SELECTS, grow_selectors
from capax.synthesis.leaves import Leaf, leaves_of, plant
from capax.synthesis.placement import StepPlacement
from capax.synthesis.sample import Sample, make_sample
from capax.synthesis.sketch import ProgramSketch

WORDS = tuple(tuple(word) for word in ("a", "ba", "abb", "cab", "abca", "bbacb"))
GRAMMAR = Grammar(frozenset(Grammar().parts) | {"reciprocal", "round"})
LARGEST = 6
"""The bank of these tests is complete up to this size."""


@cache
def small_sample() -> Sample:
    """The words above, with their letters as the answers."""
    spec = of_function("copy", ("a", "b", "c"), lambda word: word)
    return make_sample(spec, WORDS, [""])


@cache
def small_leaves(order: str | None = None) -> list[Leaf]:
    """The leaves of the grammar on these words."""
    return leaves_of(GRAMMAR, small_sample(), StepPlacement(order, None), ())


def grown(order: str | None = None, heads: int | None = None, largest: int = LARGEST) -> Ground:
    """A bank that is complete up to a size."""
    sample, place = small_sample(), StepPlacement(order, heads)
    ground = Ground(ProgramBank(sample.size), sample, GRAMMAR, place)
    plant(ground.bank, leaves_of(GRAMMAR, sample, place, ()))
    for size in range(2, largest + 1):
        for block in grow_sops(ground, size):
            ground.bank.offer(block)
        for block in grow_selectors(ground, size):
            ground.bank.offer(block)
        ground.bank.settle(size)
    return ground


grown_once = cache(grown)


_LITERALS = {SearchStep.MOD: 1, SearchStep.RECIPROCAL: 1, SearchStep.ROUNDED: 2}
_COUNT, _TOKEN, _TRUTH, _SHARE = ValueKind.COUNT, ValueKind.TOKEN, ValueKind.TRUTH, ValueKind.SHARE
_TESTS = (SearchStep.EQUAL, SearchStep.UNEQUAL, SearchStep.LESS, SearchStep.AT_MOST)
_STEPS: dict[ValueKind | None, list[tuple[SearchStep, tuple[ValueKind | None, ...]]]] = {
    _TOKEN: [(SearchStep.AGGREGATE, (None, _TOKEN)), (SearchStep.WHERE, (_TRUTH, _TOKEN, _TOKEN))],
    _COUNT: [
        *[(step, (_COUNT, _COUNT)) for step in (SearchStep.ADD, SearchStep.SUBTRACT)],
        (SearchStep.MOD, (_COUNT,)),
        (SearchStep.INDICATOR, (_TRUTH,)),
        (SearchStep.WHERE, (_TRUTH, _COUNT, _COUNT)),
        (SearchStep.AGGREGATE, (None, _COUNT)),
        (SearchStep.WIDTH, (None,)),
        (SearchStep.ROUNDED, (_SHARE,)),
    ],
    _TRUTH: [
        *[(step, (kind, kind)) for step in _TESTS for kind in (_COUNT, _SHARE)],
        *[(step, (_TRUTH, _TRUTH)) for step in (SearchStep.BOTH, SearchStep.EITHER)],
        (SearchStep.EQUAL, (_TOKEN, _TOKEN)),
        (SearchStep.NEGATE, (_TRUTH,)),
        (SearchStep.AGGREGATE, (None, _TRUTH)),
    ],
    _SHARE: [(SearchStep.AGGREGATE, (None, _COUNT)), (SearchStep.RECIPROCAL, (_COUNT,))],
    None: [
        *[(step, (kind, kind)) for step in SELECTS for kind in (_COUNT, _TOKEN, _SHARE)],
        *[(step, (None, None)) for step in (SearchStep.SELECT_AND, SearchStep.SELECT_OR)],
        (SearchStep.SELECT_NOT, (None,)),
        (SearchStep.BEST, (None, _COUNT)),
    ],
}
"""The steps with a result of each type, and the types of their parts."""


@st.composite
def sketches(draw: st.DrawFn, kind: ValueKind | None, size: int) -> ProgramSketch:
    """A random program of a type (a selector for None) and at most a size; no step is on literals alone."""
    fitting = [(step, kinds) for step, kinds in _STEPS[kind] if len(kinds) + _LITERALS.get(step, 0) < size]
    if not fitting:
        literals = [k for k, leaf in enumerate(small_leaves()) if leaf.kind is kind]
        return ProgramSketch(SearchStep.LEAF, leaf=draw(st.sampled_from(literals)), kind=kind)
    step, kinds = draw(st.sampled_from(fitting))
    left, parts = size - 1 - _LITERALS.get(step, 0), []
    for number, of in enumerate(kinds):
        rest = len(kinds) - number - 1
        parts.append(draw(sketches(of, left if not rest else draw(st.integers(1, left - rest)))))
        left -= parts[-1].size
    own = [k for k, part in enumerate(parts) if not _is_literal(part)]
    needs_all = step in (SearchStep.BOTH, SearchStep.EITHER, SearchStep.AGGREGATE, SearchStep.BEST, SearchStep.WHERE)
    if (
        (needs_all and not {0, len(parts) - 1} <= set(own) and step is not SearchStep.WHERE)
        or not own
        or 0 not in own[:1]
    ):
        first = next(k for k, leaf in enumerate(small_leaves()) if leaf.kind is _COUNT and not leaf.literal)
        return ProgramSketch(SearchStep.LEAF, leaf=first, kind=_COUNT) if kind is _COUNT else draw(sketches(kind, 1))
    return ProgramSketch(step, tuple(parts), kind=kind)


def _is_literal(sketch: ProgramSketch) -> bool:
    return sketch.step is SearchStep.LEAF and small_leaves()[sketch.leaf].literal


def row_of(values: list[list[object]], sample: Sample, kind: ValueKind) -> np.ndarray:
    """The row of an s-op from its values on the words."""
    flat = [x for row in values for x in row]
    codes = [sample.strings.index(x) if isinstance(x, str) else x * 840 if kind is ValueKind.SHARE else x for x in flat]
    return sample.row([round(float(c)) for c in codes])
