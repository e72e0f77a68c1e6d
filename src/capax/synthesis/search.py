"""The search: banks of growing size, goals looked up in them, and programs that fit the sample tested on more words.

A program that fails adds the word to the sample, and the search begins again with it (counterexample-guided inductive
synthesis, Solar-Lezama 2008). Within a round all programs of a size are tried before the next size, up to behaviour on
the sample.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Final, TypeAlias

import numpy as np

from capax.auditor.spec import Spec
from capax.rasp.analysis.schedule import schedule
from capax.rasp.analysis.sublayers import needed_order, runs_on
from capax.rasp.python.program import Program, SOp
from capax.synthesis.bank import Candidates, ProgramBank, SearchStep
from capax.synthesis.check import WordTests, make_tests
from capax.synthesis.first_words import first_words
from capax.synthesis.grammar import MOST_NODES, Grammar, SearchLimits
from capax.synthesis.grow import Ground, grow_sops
from capax.synthesis.grow_selectors import grow_selectors
from capax.synthesis.leaves import Leaf, leaves_of, plant, strings_of
from capax.synthesis.outcome import FoundProgram, SearchOutcome, SearchProgress, Stop
from capax.synthesis.placement import StepPlacement
from capax.synthesis.sample import LONGEST, Sample, Word, make_sample
from capax.synthesis.sketch import Builder, ProgramSketch, sketch_from
from capax.synthesis.solve import Solver
from capax.synthesis.state import SearchState, StoredSearch, header_of, question_key, restore, to_arrays

Array: TypeAlias = Any
MOST_TRIED: Final = 400
"""So many programs of one size that fit the sample are tested."""
MOST_ROUNDS: Final = 60
FIRST_GOALS: Final = 4
"""Goals are looked up from this size of the bank on."""


@dataclass(frozen=True)
class SearchSettings:
    """What a search is for, and how it is done. `used` is the share of the time that has passed."""

    spec: Spec
    grammar: Grammar
    limits: SearchLimits
    hints: tuple[Program, ...]
    ties: bool
    first: bool
    seed: int
    name: str
    used: Callable[[], float]
    report: Callable[[SearchProgress], None]
    state: SearchState | None

    def key(self) -> str:
        """A digest of what the search is for."""
        spec, limits, grammar = self.spec, self.limits, self.grammar
        hints = [hint.to_text() for hint in self.hints]
        within = [limits.layers, limits.heads, limits.order, self.seed]
        return question_key(spec.name, spec.kind, spec.definition, spec.letters, grammar.to_json(), hints, within)


class _WrongError(Exception):
    """Words on which programs that fit the sample are wrong."""

    def __init__(self, words: list[Word], size: int, clean: int) -> None:
        super().__init__(words)
        self.words, self.size, self.clean = words, size, clean


def search(
    spec: Spec,
    *,
    grammar: Grammar | None = None,
    limits: SearchLimits | None = None,
    hints: Sequence[Program] = (),
    examples: Sequence[Word] | None = None,
    ties: bool = False,
    first: bool = False,
    goals: bool = True,
    seed: int = 0,
    name: str = "result",
    used: Callable[[], float] = lambda: 0.0,
    report: Callable[[SearchProgress], None] = lambda progress: None,
    state: SearchState | None = None,
) -> SearchOutcome:
    """The smallest programs that agree with a specification, within limits.

    `hints` are s-ops and selectors that count as one node. `examples` are all words that there are, where the
    specification is no more than these. With `ties` all programs of the least size are listed, up to the behaviour
    of their parts; with `first` the first program will do, and without `goals` programs are only enumerated. `used()`
    is the share of the time that has passed; the search ends when it reaches 1. With a `state` it is stored after each
    size, and taken up where it was stored.
    """
    settings = SearchSettings(
        spec, grammar or Grammar(), limits or SearchLimits(), tuple(hints), ties, first, seed, name, used, report, state
    )
    stored = None if state is None or state.stored is None else header_of(state.stored, settings.key())
    tests = make_tests(spec, seed, examples)
    words = first_words(spec, seed, examples) if stored is None else list(stored.words)
    first_goals, clean = FIRST_GOALS if goals else MOST_NODES, 0
    for rounds in range(1 if stored is None else stored.rounds, MOST_ROUNDS + 1):
        current = _SearchRound(settings, tests, words, rounds, first_goals)
        if stored is not None:
            current.take_up(stored)
            stored = None
        current.clean = max(current.clean, clean)
        try:
            stop = current.run()
        except _WrongError as wrong:
            fresh = [w for w in dict.fromkeys(wrong.words) if w not in words]
            words = sorted([*words, *fresh], key=len)
            clean = wrong.clean
            first_goals = max(first_goals, wrong.size)  # smaller banks had no answer on fewer words
            continue
        return current.result(stop)
    return current.result("time")


class _SearchRound:
    """One round: a sample, the bank over it, and the programs that passed all tests."""

    def __init__(self, settings: SearchSettings, tests: WordTests, words: list[Word], number: int, goals: int) -> None:
        self.settings, self.tests, self.words, self.number, self.first_goals = settings, tests, words, number, goals
        extra = ["", *(settings.grammar.letters or ())]
        self.sample: Sample = make_sample(settings.spec, words, extra)
        self.place = StepPlacement(settings.limits.sublayers, settings.limits.heads)
        self.leaves: list[Leaf] = leaves_of(settings.grammar, self.sample, self.place, settings.hints)
        self.ground = Ground(ProgramBank(self.sample.size), self.sample, settings.grammar, self.place)
        self.builder = Builder(self.leaves, self.sample)
        self.programs: list[FoundProgram] = []
        self.exhausted, self.goals, self.tried = 0, 0, 0
        self.clean = 0  # no program of at most so many nodes fits the sample of this round or of an earlier one
        self.wrong: list[Word] = []
        self.rejected: set[ProgramSketch] = set()
        self.sketches: dict[str, ProgramSketch] = {}

    def take_up(self, stored: StoredSearch) -> None:
        """Goes on from what an earlier run stored."""
        state = self.settings.state
        assert state is not None
        assert state.stored is not None
        restore(state.stored, self.ground.bank, self.place)
        self.exhausted, self.goals, self.clean = stored.exhausted, stored.goals, stored.clean
        self._test(stored.programs)

    def _store(self) -> None:
        state, bank = self.settings.state, self.ground.bank
        if state is not None:
            sketches = tuple(self.sketches[p.text] for p in self.programs)
            stored = StoredSearch(tuple(self.words), self.exhausted, self.clean, self.goals, self.number, sketches)
            state.save(to_arrays(self.settings.key(), stored, bank, self.place))

    def run(self) -> Stop:
        """Grows the bank size by size, until the smallest program is known or a limit is reached."""
        limits = self.settings.limits
        if self.exhausted and self._is_done(self.exhausted):
            return "done"
        for size in range(self.exhausted + 1, limits.size + 1):
            hits = self._grow(size, last=size == limits.size)
            if isinstance(hits, str):
                self._settle_wrong()
                return hits
            self.exhausted = size
            self.clean = max(self.clean, size) if not hits and self.clean >= size - 1 else self.clean
            self._test(hits)
            self._settle_wrong()
            if self._is_done(size):
                return "done"
            if self.first_goals <= size < limits.size:
                self._solve(size)
                self._settle_wrong()
            self.settings.report(self._progress(size))
            if size < limits.size:
                self._store()
            if self._is_done(size):
                return "done"
        return "size"

    def _is_done(self, size: int) -> bool:
        """Whether the least size is known; with ties, whether all programs of that size were tried."""
        if self.settings.first and self.programs:
            return True
        return bool(self.programs) and self.programs[0].size <= size + (0 if self.settings.ties else 1)

    def _grow(self, size: int, last: bool) -> "list[ProgramSketch] | Stop":
        """All candidates of a size: those that fit the sample, or why the size was not completed."""
        bank, hits = self.ground.bank, []
        if size == 1:
            plant(bank, self.leaves)
            return self._leaf_hits()
        for block in self._blocks(size, last):
            if self.settings.used() >= 1 or bank.megabytes() > self.settings.limits.megabytes:
                bank.drop_pending()
                return "time" if self.settings.used() >= 1 else "memory"
            hits += self._hits(block)
            if last:
                bank.candidates += len(block.rows)
            else:
                bank.offer(block)
        bank.settle(size)
        return hits

    def _blocks(self, size: int, last: bool) -> Iterator[Candidates]:
        if last:
            return grow_sops(self.ground, size, only=self.sample.kind)
        return chain(grow_sops(self.ground, size), grow_selectors(self.ground, size))

    def _leaf_hits(self) -> list[ProgramSketch]:
        fits = [
            leaf.kind is self.sample.kind and bool((leaf.row == self.sample.target)[self.sample.stated].all())
            for leaf in self.leaves
        ]
        return [ProgramSketch(SearchStep.LEAF, leaf=k, kind=self.sample.kind) for k, fit in enumerate(fits) if fit]

    def _hits(self, block: Candidates) -> list[ProgramSketch]:
        """The candidates of a block that give the right answers on the sample."""
        if block.kind is not self.sample.kind:
            return []
        some = np.arange(len(block.rows))
        for p in np.flatnonzero(self.sample.stated):
            some = some[block.rows[some, p] == self.sample.target[p]]
            if not len(some):
                return []
        bank = self.ground.bank
        return [sketch_from(bank, SearchStep(int(block.step[k])), block.parts[k].tolist(), block.kind) for k in some]

    def _test(self, sketches: Sequence[ProgramSketch]) -> None:
        """Tests programs on all words; those that are right are kept, the least size only."""
        for sketch in sketches[:MOST_TRIED]:
            if sketch in self.rejected:
                continue
            program = self.builder.program(sketch, self.settings.name)
            priced = self._priced(program, sketch)
            if priced is None:
                self.rejected.add(sketch)
                continue
            self.tried += 1
            word = self.tests.counterexample(program)
            if word is None:
                priced = self._plainer(priced, sketch)
                self.sketches[priced.text] = sketch
                self._keep(priced)
            else:
                self.rejected.add(sketch)
                self.wrong += [word] if len(word) <= LONGEST and word not in self.words else []

    def _plainer(self, priced: FoundProgram, sketch: ProgramSketch) -> FoundProgram:
        """The program without its defaults, if these are never needed."""
        program = Builder(self.leaves, self.sample, defaults=False).program(sketch, self.settings.name)
        if program.node is priced.program.node or self.tests.counterexample(program) is not None:
            return priced
        return replace(priced, program=program)

    def _keep(self, program: FoundProgram) -> None:
        least = min([program.size, *[p.size for p in self.programs]])
        texts = {p.text for p in self.programs}
        kept = self.programs if program.text in texts else [*self.programs, program]
        self.programs = sorted((p for p in kept if p.size == least), key=lambda p: (*p.cost(), len(p.text)))

    def _priced(self, program: SOp, sketch: ProgramSketch) -> FoundProgram | None:
        """A program with its layers and heads; None if these are more than allowed."""
        limits, plan = self.settings.limits, schedule(program)
        if limits.heads is not None and sum(plan.heads_merged) > limits.heads:
            return None
        if limits.sublayers is not None and not runs_on(plan.root, limits.sublayers):
            return None
        order = needed_order(plan.root)
        return FoundProgram(program, sketch.size, plan.depth, plan.heads_merged, order, self.tests.evidence)

    def _settle_wrong(self) -> None:
        """Begins again with the words on which programs failed, but for words that are in the sample already."""
        fresh = [word for word in self.wrong if word not in self.words]
        if fresh and not self.programs:
            raise _WrongError(fresh[:4], self.exhausted, self.clean)
        self.wrong = []

    def _solve(self, size: int) -> None:
        """Looks goals up in the bank as it is."""
        solver = Solver(self.ground)

        def largest() -> int:
            limit = self.settings.limits.size
            return min(limit, self.programs[0].size - 1) if self.programs else limit

        def stop() -> bool:
            enough = self.programs if self.settings.first else self.wrong and not self.programs
            return self.settings.used() >= 1 or bool(enough)

        for hit in solver.hits(100 * 2 ** (size - FIRST_GOALS), largest, stop):
            self._test([hit.sketch])
        self.goals += solver.checked

    def _progress(self, size: int) -> SearchProgress:
        bank = self.ground.bank
        best = self.programs[0] if self.programs else None
        return SearchProgress(size, bank.candidates, len(bank), self.goals, self.number, best)

    def result(self, stop: Stop) -> SearchOutcome:
        """What the round gives."""
        settings, bank = self.settings, self.ground.bank
        programs = tuple(self.programs if settings.ties else self.programs[:1])
        return SearchOutcome(
            settings.spec.name,
            programs,
            self.clean,
            bank.candidates,
            len(bank),
            self.goals,
            self.number,
            stop,
            len(self.words),
            max(map(len, self.words)),
            self.tests.evidence.examples,
            settings.grammar,
            replace(settings.limits),
            settings.spec.kind,
            settings.spec.letters,
            (*settings.grammar.integers, *strings_of(settings.grammar, self.sample)),
        )
