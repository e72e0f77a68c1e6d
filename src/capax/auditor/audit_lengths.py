"""The audit of a model, method by method: the cheapest first, each on the lengths that are still open.

1. A certificate of a compiled model proves the lengths that it covers.
2. Exhaustion runs the model on every word of short lengths, or of languages with few words.
3. Bounds reason about all words of a class at once, in models with one attention layer: a short round, then, at the
   lengths where a short search finds no counterexample, two long ones that cut classes in different orders. What the
   short round leaves open is run word by word first, where that is quick by the speed of the first words.
4. Search looks for counterexamples at the lengths that are left.

A word that looks wrong counts only when it is confirmed: wrong in float32 and in float64, and in a third evaluation by
code that shares nothing with the runtime.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from capax.auditor.bounds.prove import LengthBound, prove_length, unsupported
from capax.auditor.confirm import confirm
from capax.auditor.exhaust import affordable, exhaust, tokens_to_run
from capax.auditor.exhaust.tally import LengthExhausted
from capax.auditor.question import Question
from capax.auditor.search import SearchResult, search
from capax.auditor.spec import Word
from capax.auditor.verdict import Audit, AuditedLength, Counterexample
from capax.certify.recheck.recheck import program_in, recheck
from capax.errors import CapaxError
from capax.rasp.python.program import Program

Used = Callable[[], float]
"""The share of the time allowed that has passed, from 0 to 1."""

FEW: Final = 40_000
"""Where bounds can be computed, at most about this many words of a length are run one by one first."""
QUICK: Final = 0.25
"""Words that are likely to be run in this share of the time left are run before long searches and bounds."""
MEASURED: Final = 0.02
"""At most this share of the time left goes into a measurement of the speed."""
MOST_WORDS: Final = 1 << 24
"""At most this many words of a length are run one by one."""
CLEAR: Final = -0.01
"""A search ends with a word whose margin is this low: it is wrong in every number system."""
TRIES: Final = 8
"""At most this many words that look wrong are confirmed at a length, and the shortest list of them kept."""


@dataclass
class Ledger:
    """The verdicts so far, by length, and what reports progress."""

    question: Question
    used: Used
    seconds: float
    report: Callable[[AuditedLength], None]
    verdicts: dict[int, AuditedLength] = field(default_factory=dict)
    _last: float = 0.0

    def enter(self, verdict: AuditedLength) -> None:
        """Keeps a verdict: a decided one stays, what is seen of an open one is joined."""
        now = self.used()
        spent, self._last = (now - self._last) * self.seconds, now
        before = self.verdicts.get(verdict.length)
        joined = _joined(before, verdict)
        self.verdicts[verdict.length] = replace(joined, seconds=spent + (before.seconds if before else 0.0))
        self.report(self.verdicts[verdict.length])

    def open(self, lengths: Iterable[int]) -> list[int]:
        """The lengths that are not decided yet."""
        return [n for n in lengths if n not in self.verdicts or self.verdicts[n].outcome == "unknown"]

    def wrong(self, length: int, words: Iterable[Word], method: str, count: int | None) -> bool:
        """Enters the first of some words that is confirmed to be wrong; whether there is one."""
        for word in list(dict.fromkeys(words))[:TRIES]:
            counterexample = confirm(self.question, word)
            if counterexample is not None:
                self.enter(_wrong(length, counterexample, method, count))
                return True
        return False


def audit_lengths(
    question: Question,
    lengths: range,
    *,
    used: Used,
    seconds: float,
    seed: int = 0,
    report: Callable[[AuditedLength], None] = lambda verdict: None,
) -> Audit:
    """The verdicts of a question at some lengths, within the time that `used` counts."""
    ledger = Ledger(question, used, seconds, report)
    certified = certified_length(question)
    for n in lengths:
        if n <= certified:
            ledger.enter(AuditedLength(n, "proved", "certificate", note="by its certificate, checked again"))
    reason = unsupported(question)
    _exhaust(ledger, ledger.open(lengths), 0.25 if reason is None else 0.6, FEW if reason is None else MOST_WORDS)
    if reason is None:
        _prove(ledger, ledger.open(lengths), 0.3, patience=1.0)
        _exhaust_quickly(ledger, ledger.open(lengths))
        _search(ledger, ledger.open(lengths), 0.4, seed)
        _prove(ledger, ledger.open(lengths), 0.7, patience=10.0)
        _prove(ledger, ledger.open(lengths), 0.85, patience=10.0, slices_first=True)
        _exhaust(ledger, ledger.open(lengths), 0.92, MOST_WORDS)
    _search(ledger, ledger.open(lengths), 1.0, seed)
    for n in ledger.open(lengths):
        if n not in ledger.verdicts:
            ledger.enter(AuditedLength(n, "unknown", None, words=_count(question, n), note="no time was left for it"))
    return Audit(question, tuple(ledger.verdicts[n] for n in lengths), reason)


def within(used: Used, end: float) -> Used:
    """The share that has passed of the time from now until `used` is at `end`."""
    start = used()
    span = max(end - start, 1e-9)
    return lambda: (used() - start) / span


def _exhaust(ledger: Ledger, lengths: Sequence[int], end: float, most: int) -> None:
    """Runs every word of each length, as long as there are at most so many."""
    possible = _with_states(ledger.question, lengths)
    if not possible or ledger.used() >= end:
        return
    share = within(ledger.used, end)
    for result in exhaust(ledger.question, possible, used=share, most_words=most):
        _enter_exhausted(ledger, result)


def _exhaust_quickly(ledger: Ledger, lengths: Sequence[int]) -> None:
    """Runs every word of the first lengths, as far as it is likely to take a small share of the time left."""
    possible = _with_states(ledger.question, lengths)
    if not possible or ledger.used() >= 1:
        return
    speed = _speed(ledger, range(1, possible[0]))
    if speed <= 0:
        return
    left = 1 - ledger.used()
    some = affordable(ledger.question, possible, speed * left * QUICK, MOST_WORDS)
    if some:  # twice the time, in case that longer words are slower
        end = ledger.used() + 2 * min(tokens_to_run(ledger.question, some) / speed, left * QUICK)
        _exhaust(ledger, some, end, MOST_WORDS)


def _speed(ledger: Ledger, lengths: Sequence[int]) -> float:
    """Tokens that are run in all of the time allowed, as measured on few words; 0 where nothing was measured."""
    start = ledger.used()
    share = within(ledger.used, start + (1 - start) * MEASURED)
    results = exhaust(ledger.question, lengths, used=share, most_words=FEW)
    done = [result.length for result in results if result.complete]
    passed = ledger.used() - start
    return tokens_to_run(ledger.question, done) / passed if passed > 0 else 0.0


def _enter_exhausted(ledger: Ledger, result: LengthExhausted) -> None:
    n, count = result.length, result.words if result.complete else None
    if result.wrong is not None and ledger.wrong(n, [result.wrong], "exhaustion", count):
        return
    doubtful = result.split or result.wrong
    if doubtful is not None:
        note = "the answer on this word depends on the number system"
        ledger.enter(AuditedLength(n, "unknown", None, count, margin=result.margin, word=doubtful, note=note))
    elif not result.complete:
        ledger.enter(AuditedLength(n, "unknown", None, None, margin=result.margin, word=result.word))
    elif result.words == 0:
        ledger.enter(AuditedLength(n, "empty", "exhaustion", 0))
    else:
        ledger.enter(AuditedLength(n, "proved", "exhaustion", count, margin=result.margin, word=result.word))


def _with_states(question: Question, lengths: Sequence[int]) -> list[int]:
    """The first of some lengths at which the specification has not too many states to be listed."""
    low, high = 0, len(lengths)
    while low < high:
        middle = (low + high + 1) // 2
        if _states_fit(question, lengths[middle - 1]):
            low = middle
        else:
            high = middle - 1
    return list(lengths[:low])


def _states_fit(question: Question, n: int) -> bool:
    try:
        return question.spec.states is None or question.spec.states(n).size >= 0
    except CapaxError:
        return False


def _prove(ledger: Ledger, lengths: Sequence[int], end: float, *, patience: float, slices_first: bool = False) -> None:
    """Bounds the margins of all words of each length; each may take `patience` equal shares of the time left."""
    possible = _with_states(ledger.question, lengths)
    for done, n in enumerate(possible):
        now = ledger.used()
        if now >= end:
            return
        fair = now + (end - now) * min(1.0, patience / (len(possible) - done))
        _enter_bound(
            ledger, n, prove_length(ledger.question, n, used=within(ledger.used, fair), slices_first=slices_first)
        )


def _enter_bound(ledger: Ledger, n: int, bound: LengthBound) -> None:
    if ledger.wrong(n, [word for word, _ in bound.failing], "bounds", bound.words):
        return
    outcome = "proved" if bound.proved else "unknown"
    if bound.words == 0:
        ledger.enter(AuditedLength(n, "empty", "bounds", 0))
        return
    ledger.enter(
        AuditedLength(
            n,
            outcome,  # type: ignore[arg-type]
            "bounds" if bound.proved else None,
            bound.words,
            bound=_finite(bound.bound),
            rounding=bound.rounding if bound.proved else None,
            margin=_finite(bound.margin),
            word=bound.word,
        )
    )


def _search(ledger: Ledger, lengths: Sequence[int], end: float, seed: int) -> None:
    """Looks for counterexamples at each length in turn, for an equal share of the time that is left."""
    for done, n in enumerate(lengths):
        now = ledger.used()
        if now >= end:
            return
        share = within(ledger.used, now + (end - now) / (len(lengths) - done))
        asked = ledger.question
        if not _states_fit(asked, n):
            asked = replace(asked, spec=replace(asked.spec, states=None))
        _enter_search(ledger, n, search(asked, n, seed=seed, used=share, enough=CLEAR))


def _enter_search(ledger: Ledger, n: int, result: SearchResult) -> None:
    count = _count(ledger.question, n)
    suspects = [result.word] if result.word is not None and (result.margin or 0.0) <= 0 else []
    if ledger.wrong(n, suspects, "search", count):
        return
    note = f"{result.evaluations:,} words tried"
    ledger.enter(AuditedLength(n, "unknown", None, count, margin=result.margin, word=result.word, note=note))


def _wrong(n: int, counterexample: Counterexample, method: str, words: int | None) -> AuditedLength:
    return AuditedLength(
        n,
        "wrong",
        method,  # type: ignore[arg-type]
        words,
        margin=min(counterexample.margins.values()),
        word=counterexample.word,
        counterexample=counterexample,
    )


def _joined(before: AuditedLength | None, now: AuditedLength) -> AuditedLength:
    """What two rounds say of a length: the decided verdict, and the least margin that was seen.

    The bound of an open length is the highest; what is decided in another way than by bounds has none.
    """
    if before is None or before.outcome != "unknown":
        return now if before is None else before
    seen = [v for v in (before, now) if v.margin is not None]
    least = min(seen, key=lambda v: v.margin if v.margin is not None else 0.0) if seen else None
    bounds = [v.bound for v in (before, now) if v.bound is not None]
    bounded = bool(bounds) and (now.outcome == "unknown" or now.method == "bounds")
    return replace(
        now,
        words=before.words if now.words is None else now.words,
        bound=max(bounds) if bounded and now.outcome != "wrong" else None,
        margin=None if least is None else least.margin,
        word=None if least is None else least.word,
    )


def _finite(value: float) -> float | None:
    """A number, where something is known."""
    return value if math.isfinite(value) else None


def _count(question: Question, n: int) -> int | None:
    """How many words of a length there are, where that is known without listing them."""
    if question.spec.states is None:
        return None
    try:
        return question.spec.states(n).count(n)
    except CapaxError:
        return None


def certified_length(question: Question) -> int:
    """The length up to which a certificate, checked again, proves that the model is right; 0 for none.

    The specification must be the program of the model's own file; the length is that in the model's own numbers.
    The statement of a certificate is about every position, so it covers answers at the last one.
    """
    model = question.model
    if question.spec.kind != "program" or question.read == "end" or question.offset or question.suffix:
        return 0
    if model.provenance.certificate is None or model.provenance.program is None or model.provenance.causal:
        return 0
    try:
        own, _ = program_in(model, "the model")
        if own.node is not Program.from_text(question.spec.definition).node:
            return 0
        report = recheck(model)
    except CapaxError:
        return 0
    if not report.holds:
        return 0
    lengths = {name.rsplit(" ", 1)[1]: int(length) for name, length in report.figures.items()}
    return lengths.get(model.numbers, 0)
