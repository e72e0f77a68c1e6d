"""The leaves of programs: the tokens, positions, length, constants and everything, and the user's hints."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np

from capax.errors import CapaxError
from capax.rasp.ir.build import constant
from capax.rasp.meaning.sequence import Sequence as Values
from capax.rasp.python.embed import full_s, indices, length, tokens, tokens_asis
from capax.rasp.python.program import Program, Selector, SOp
from capax.synthesis.bank import NEVER, Candidates, ProgramBank, SearchStep
from capax.synthesis.grammar import Grammar, ValueKind
from capax.synthesis.placement import StepPlacement
from capax.synthesis.rows import hashes
from capax.synthesis.sample import UNIT, Sample, kind_of

Array: TypeAlias = Any
FEW_LETTERS: Final = 2
"""Programs may name the letters of an alphabet of so many letters by themselves."""
HALF: Final = 0.5


@dataclass(frozen=True, slots=True)
class Leaf:
    """A program of one node: its type (None for a selector), whether it is a literal, and its sublayers and heads."""

    program: Program
    kind: ValueKind | None
    row: Array
    literal: bool = False
    at: int = 0
    heads: int = 0


def leaves_of(grammar: Grammar, sample: Sample, place: StepPlacement, hints: Sequence[Program]) -> list[Leaf]:
    """All leaves of a search, those of the language first."""
    integers = all(isinstance(x, int) for word in sample.words for x in word)
    letters = tokens_asis if integers else tokens
    leaves = [
        Leaf(letters, ValueKind.COUNT if integers else ValueKind.TOKEN, sample.tokens()),
        Leaf(indices, ValueKind.COUNT, sample.indices),
        Leaf(full_s, None, sample.valid.copy()),
    ]
    if grammar.has("length"):
        first = place.attend(0)
        at = place.work(first)
        head = int(place.head_of(hashes(sample.valid[None]), counts=False, at=first)[0])
        if at != NEVER and head >= 0:
            leaves.append(Leaf(length, ValueKind.COUNT, _row(sample.lengths[sample.word_of]), at=at, heads=head))
    leaves += [_constant(value, ValueKind.COUNT, value, sample) for value in grammar.integers]
    leaves.append(_constant(True, ValueKind.TRUTH, 1, sample))
    if grammar.has("mean") or grammar.has("reciprocal"):
        shares: tuple[tuple[float, int], ...] = ((0, 0), (1, UNIT), (HALF, UNIT // 2))
        leaves += [_constant(value, ValueKind.SHARE, code, sample) for value, code in shares]
    leaves += [_constant(text, ValueKind.TOKEN, sample.code(text), sample) for text in strings_of(grammar, sample)]
    return leaves + [_hint(program, sample, place) for program in hints]


def strings_of(grammar: Grammar, sample: Sample) -> list[str]:
    """The strings that programs may name: letters, if two or asked for, and answers that are no letters."""
    letters = sorted({x for word in sample.words for x in word if isinstance(x, str)})
    named = list(grammar.letters) if grammar.letters is not None else (letters if len(letters) <= FEW_LETTERS else [])
    answers = (
        [] if sample.kind is not ValueKind.TOKEN else sorted({sample.strings[c] for c in sample.target[sample.stated]})
    )
    return list(dict.fromkeys([*named, *[a for a in answers if a not in letters and a != ""]]))


def _constant(value: Any, kind: ValueKind, code: int, sample: Sample) -> Leaf:
    return Leaf(constant(value), kind, np.full(sample.padded, code, np.int16), literal=True)


def _row(values: Array) -> Array:
    return np.asarray(values).astype(np.int16)


def _hint(program: Program, sample: Sample, place: StepPlacement) -> Leaf:
    """A program that the bank starts with; it must have a value on every word of the sample."""
    from capax.rasp.analysis.schedule import schedule
    from capax.rasp.analysis.sublayers import runs_on

    plan = schedule(program) if isinstance(program, SOp) else None
    at = 0
    if place.order is not None:
        fitting = [k for k in range(len(place.order) + 1) if runs_on(program.node, place.order[:k])]
        at = fitting[0] if fitting else NEVER
    if at == NEVER:
        raise CapaxError(
            "bad-option", f"the hint `{program}` does not fit the layers allowed", hint="allow more layers"
        )
    heads = 0
    if place.heads is not None and plan is not None:
        sets = [place.head_of(np.array([mark]), counts=False, at=0) for mark in range(1, sum(plan.heads_merged) + 1)]
        heads = int(place.joined(np.zeros(1, np.int64), *sets)[0])
    results = program.batch([list(word) for word in sample.words])
    if isinstance(program, Selector):
        return Leaf(program, None, _selected(results, sample), at=at, heads=max(heads, 0))
    flat = [x for result in results for x in _listed(result)]
    kind = kind_of(flat)
    codes = [
        sample.strings.index(x) if isinstance(x, str) else x * UNIT if kind is ValueKind.SHARE else x for x in flat
    ]
    return Leaf(program, kind, sample.row([round(c) for c in codes]), at=at, heads=max(heads, 0))


def _listed(result: Any) -> list[Any]:
    assert isinstance(result, Values)
    return list(result)


def _selected(results: Sequence[Any], sample: Sample) -> Array:
    bytes_ = np.zeros(sample.padded, dtype=np.uint8)
    rows = [row for result in results for row in result]
    bytes_[: sample.size] = [sum(1 << j for j, selected in enumerate(row) if selected) for row in rows]
    return bytes_


def plant(bank: ProgramBank, leaves: Sequence[Leaf]) -> None:
    """Puts the leaves into an empty bank; literals are marked."""
    for literal in (False, True):
        for number, leaf in enumerate(leaves):
            if leaf.literal is literal:
                one = np.zeros(1, np.int32)
                parts = np.array([[number, 0, 0]], np.int32)
                bank.offer(
                    Candidates(
                        leaf.kind, leaf.row[None].copy(), one + SearchStep.LEAF, parts, leaf.at, one + leaf.heads
                    )
                )
        bank.settle(1, literal)
