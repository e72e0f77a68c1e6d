"""The search for the greatest length that is certified, with few trials.

Where answers get too near to each other, the margin stays as it is while steps take all noise away, then falls about
linearly with the length, and on below zero: where it vanishes is guessed from two trials, or from one and the length
up to which it stays, which is often half of that. This is no more than a guess: what is claimed is what a check of that
very length proves. Where nothing is known of margins the length is doubled, then bisected.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from capax.certify.certificate import LengthVerdict
from capax.certify.certify_budget import WorkBudget
from capax.certify.looped.check_loop import LoopCache, check_loop_length
from capax.certify.not_certified import NotCertified
from capax.certify.pipeline import ProofCache, UnitBounds, check_length
from capax.certify.systems import LEAST_EXPONENT, ROUNDOFF, rounded_model
from capax.model.model import Model
from capax.rasp.analysis.output_spec import OutputSpec
from capax.rasp.rewrite.split_loop import LoopSpec

AT_FIRST = 0.5
"""The margin on the shortest words, as a first guess: that of answers that are 0 or 1 each."""

FEW = 4
"""A short length that is tried early."""

SOME = 16
"""A length that is tried before long ones in numbers that are coarser than the model's."""

LONG = 256
"""From this length on, short words are tried first: below, all words cost little more."""

SHORT = 8
"""The length of these short words."""

PROBES = 10
"""How often short words are tried at most."""

SECOND_CHANCES = 2
"""How often the budget of a verdict starts anew after a length that took too much work."""


@dataclass(slots=True)
class LengthSearch:
    """What is known: certified up to `low`, not certified from `high` on. `next_lengths` are tried first.

    `margin` is that at `low`; `missed` has lengths with the margins below zero that they have, the least length first.
    `rough`: it is over when no length of twice `low` is left.
    """

    high: int
    low: int = 0
    next_lengths: list[int] = field(default_factory=list)
    margin: float | None = AT_FIRST
    missed: list[tuple[int, float]] = field(default_factory=list)
    guesses: int = 0
    rough: bool = False

    def next(self) -> int | None:
        """The next length to try; None when the search is over."""
        if self.high - self.low <= 1:
            return None
        while self.next_lengths:
            length = self.next_lengths.pop(0)
            if self.low < length < self.high:
                return length
        if self.rough and self.low and self.high <= 2 * self.low:
            return None
        if not self.missed:
            return max(1, min(2 * self.low, (self.low + self.high) // 2))
        self.guesses += 1  # now and then bisection, which never needs many steps
        return max(self.low + 1, self.crossing() if self.guesses % 4 else (self.low + self.high) // 2)

    def crossing(self) -> int:
        """The greatest length with a margin, as the nearest two lengths of which margins are known tell, or one."""
        (length, lack), *others = self.missed
        margin = self.margin if self.margin is not None and math.isfinite(self.margin) else AT_FIRST
        if self.low:
            zero = self.low + (length - self.low) * margin / (margin - lack)
            return min(int(zero), self.high - 1)
        zero = length * 2 * margin / (2 * margin - lack)  # it stays for half of the way
        if others and others[0][1] < lack:
            zero = max(zero, length + lack * (others[0][0] - length) / (lack - others[0][1]))
        return min(int(zero), self.high - 1)

    def succeeded(self, length: int, margin: float | None) -> None:
        """Takes note of a length that is certified."""
        self.low, self.margin = length, margin

    def failed(self, length: int, failure: NotCertified) -> None:
        """Takes note of a length that is not certified, and why."""
        if failure.empty and self.next_lengths:
            return  # words may just be too short
        self.high = length
        if has_margin(failure):
            assert failure.margin is not None
            self.next_lengths = []
            self.missed = [(length, failure.margin), *(m for m in self.missed if m[0] > length)]
        else:
            self.missed = []


def has_margin(failure: NotCertified | None) -> bool:
    """Whether a failure tells how far answers are on the wrong side."""
    return failure is not None and failure.margin is not None and math.isfinite(failure.margin)


@dataclass(frozen=True, slots=True, eq=False)
class Proofs:
    """The proofs about one model and what it is to compute; they share a budget and a cache."""

    model: Model
    spec: OutputSpec | LoopSpec
    units: UnitBounds | None = None
    budget: WorkBudget = field(default_factory=WorkBudget)
    cache: ProofCache = field(default_factory=ProofCache)
    loop_cache: LoopCache = field(default_factory=LoopCache)

    @property
    def max_length(self) -> int:
        """The model's own greatest length."""
        assert self.model.max_length is not None
        return self.model.max_length

    def verdicts(self, systems: Sequence[str]) -> list[LengthVerdict]:
        """The verdict in each number system: by one proof in those that hold the weights, where there is one."""
        own, failed, verdicts = self.model.numbers, None, list[LengthVerdict]()
        try:
            verdicts = self.joint_verdicts(systems)
        except NotCertified as failure:
            failed = failure.without_frames()
        done = {v.numbers for v in verdicts}
        for system in sorted(set(systems) - done, key=lambda s: (s != own, systems.index(s))):
            guess = verdicts[-1].length if verdicts else 0
            self.budget.next_system()
            likely = failed if system == own else None  # the coarsest system of that proof
            verdicts.append(self.greatest_length(system, guess, likely))
        return verdicts

    def joint_verdicts(self, systems: Sequence[str]) -> list[LengthVerdict]:
        """Verdicts at the model's own length in the systems that hold its weights as they are, by one proof.

        None where there are fewer than two such systems; raises `NotCertified` where the proof fails.
        Lemma. Bounds for the coarsest rounding, the least range and the greatest leak of several number systems hold in
        each of them.
        """
        model = self.model
        known = sorted(systems, key=lambda s: s != model.numbers)  # its own first
        finer = tuple(s for s in known if s == model.numbers or ROUNDOFF[s] < ROUNDOFF.get(model.numbers, 0.0))
        if len(finer) < 2 or model.max_length is None or model.prefix:
            return []
        rounded = rounded_model(model, finer[0], self.cache.plain)
        self.budget.next_whole()
        if model.max_length >= LONG:
            try:
                self._probe(rounded, finer, model.max_length)
            except NotCertified as failure:
                if failure.margin is not None:
                    raise
            self.budget.next_whole()  # the whole length does not pay for that
        joint = self._check(rounded, finer, model.max_length)
        # what underflows in one system need not do so in another
        return [
            replace(
                joint, numbers=s, heads=tuple(replace(h, underflows=-h.gap <= LEAST_EXPONENT[s]) for h in joint.heads)
            )
            for s in finer
        ]

    def at_length(self, numbers: str, length: int) -> LengthVerdict:
        """The verdict at one length: that length, or 0 with what breaks."""
        least = least_length(self.model)
        if not least <= length <= self.max_length:
            takes = f"the model takes words of {least:,} to {self.max_length:,} tokens"
            return LengthVerdict(numbers, 0, breaks=None if length <= 0 else takes)
        try:
            return self._check(rounded_model(self.model, numbers, self.cache.plain), numbers, length)
        except NotCertified as failure:
            return LengthVerdict.none(numbers, failure)

    def greatest_length(self, numbers: str, guess: int = 0, failed: NotCertified | None = None) -> LengthVerdict:
        """The verdict in a number system: at the model's own length, or else at the greatest length that is certified.

        `guess` is a length at which it may break, from another system: it and the next are tried first. `failed` is
        what broke at the model's own length in a proof for more systems: then it likely breaks here, too.
        """
        try:
            rounded = rounded_model(self.model, numbers, self.cache.plain)
        except NotCertified as failure:
            return LengthVerdict.none(numbers, failure)
        coarser = self._is_coarser(numbers)
        search, broken = LengthSearch(self.max_length + 1, rough=coarser), NotCertified("not tried")
        first = self._first_lengths(coarser)
        if failed is not None and failed.margin is not None and has_margin(failed):
            search.missed = [(self.max_length, failed.margin)]
            broken = self._too_noisy(rounded, numbers, search) or broken
            first = [search.high - 1]
        search.next_lengths = [*first, *self._guessed_lengths(numbers, guess), FEW]
        best, broken = self._searched(rounded, numbers, search, broken)
        if best is not None and search.low == self.max_length:
            return best
        if search.low < least_length(self.model):  # the model takes no word of a length that is certified
            return up_to(0, None, numbers, broken, search.high)
        return up_to(search.low, best, numbers, broken, search.high)

    def _is_coarser(self, numbers: str) -> bool:
        """Whether a number system has fewer digits than the model's own: then half of the greatest length will do."""
        return ROUNDOFF[numbers] > ROUNDOFF.get(self.model.numbers, 1.0)

    def _first_lengths(self, coarser: bool) -> list[int]:
        """The model's own length; short ones first in coarser numbers than the model's, which often fail at once."""
        few = coarser and self.max_length > FEW
        return [1, FEW, SOME, self.max_length] if few else [self.max_length]

    def _guessed_lengths(self, numbers: str, guess: int) -> list[int]:
        """What to try next, from the length at which it breaks in another system (0 for none)."""
        if not guess:
            return []
        finer = ROUNDOFF[numbers] < ROUNDOFF.get(self.model.numbers, 0.0)
        if finer and guess + 1 < self.cache.too_long:
            return [self.max_length // 2]  # what broke in coarser numbers will not break here
        return [guess, guess + 1]

    def _searched(
        self, rounded: Model, numbers: str, search: LengthSearch, broken: NotCertified
    ) -> tuple[LengthVerdict | None, NotCertified]:
        """The verdict at the greatest length that a search finds, if any, and what broke last."""
        best, chances = None, SECOND_CHANCES
        while (length := search.next()) is not None:
            if length == self.max_length:
                self.budget.next_whole()
            try:
                best = self._check(rounded, numbers, length)
                search.succeeded(length, best.decoding_margin)
            except NotCertified as failure:
                broken = failure.without_frames()
                search.failed(length, broken)
                if length == self.max_length:
                    self.budget.next_system()  # shorter lengths do not pay for that
                elif broken.too_many and chances:
                    chances -= 1
                    self.budget.next_system()
        return best, broken

    def _too_noisy(self, rounded: Model, numbers: str, search: LengthSearch) -> NotCertified | None:
        """What breaks at the least length, of some that are tried, whose noise is too much for short words already.

        The search takes note of that length: no greater one can be certified.
        """
        broken: NotCertified | None = None
        low, margin = search.low, search.margin
        for _ in range(PROBES):
            length = search.crossing() + 1  # likely the first that fails
            if length >= search.high:
                break
            try:
                search.succeeded(length, self._probe(rounded, numbers, length))
            except NotCertified as failure:
                if failure.margin is None:
                    break
                broken = failure.without_frames()
                search.failed(length, broken)
        search.low, search.margin = low, margin  # short words prove nothing about others
        return broken

    def _probe(self, rounded: Model, numbers: str | tuple[str, ...], length: int) -> float | None:
        """The margin on short words with the noise that there is at a length; raises `NotCertified` if there is none.

        They are among the words of that length, and cost little to check.
        """
        return self._check(rounded, numbers, min(SHORT, length), keys=length).decoding_margin

    def _check(self, rounded: Model, numbers: str | tuple[str, ...], longest: int, keys: int = 0) -> LengthVerdict:
        budget = self.budget
        if isinstance(self.spec, LoopSpec):
            cached = self.loop_cache
            return check_loop_length(
                rounded, self.spec, numbers=numbers, longest=longest, budget=budget, cache=cached, keys=keys
            )
        if rounded.loop is not None:
            raise NotCertified("the program has no loop, and the model has one")
        return check_length(
            rounded,
            self.spec,
            numbers=numbers,
            longest=longest,
            budget=budget,
            cache=self.cache,
            keys=keys,
            units=self.units,
            on_words=isinstance(numbers, str) and not self._is_coarser(numbers),  # there noise is what fails
        )


def least_length(model: Model) -> int:
    """The length of the shortest words that a certificate of the model is about: the empty one is in none."""
    return max(model.min_length, 1)


def up_to(length: int, best: LengthVerdict | None, numbers: str, broken: NotCertified, high: int) -> LengthVerdict:
    """The verdict of a search that ended at a length, with what breaks at `high`."""
    return replace(
        best or LengthVerdict(numbers, 0),
        length=length,
        whole=False,
        breaks=f"at length {high}: {broken.why}",
        where=broken.where or None,
    )
