"""Decompiling on one screen: the program from the heads or from the answers, then agreement, ablation and the audit."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from capax.auditor.audit_lengths import Used, audit_lengths, within
from capax.auditor.question import Read, question
from capax.auditor.spec import Spec, Word
from capax.auditor.specs.machine import of_machine
from capax.auditor.specs.programs import of_program
from capax.decompiler.ablation import ablate
from capax.decompiler.attention_fit import FittedHead, fit_attention
from capax.decompiler.automaton import Automaton, automaton_program, learn_automaton
from capax.decompiler.black_box import black_box, checked_words, varied_words
from capax.decompiler.decompiled import Agreement, Decompiled, HeadReport
from capax.decompiler.feature import Feature
from capax.decompiler.naming import named_program, program_of
from capax.decompiler.sample import short_words
from capax.decompiler.white_box import WhiteBox, unfit, white_box
from capax.errors import CapaxError
from capax.model.model import Model
from capax.model.vocabulary import Token
from capax.rasp.ir.describe import describe
from capax.rasp.ir.loop_nodes import with_bodies
from capax.rasp.ir.nodes import Node
from capax.rasp.python.program import SOp
from capax.rasp.text.graph_to_syntax import statement_names

SAMPLE: Final = 250
"""Words on which the heads are read."""
CHECKED: Final = 3000
"""Fresh words on which a program from the heads is tried before it is believed."""
ROUNDS: Final = 4
HELD_OUT: Final = 4000
HEADS_FIT: Final = 8
ANSWERS_FIT: Final = 12
MOST_STATES: Final = 16
LONGEST: Final = 160
"""A selector is written with at most so many characters."""
UNUSED: Final = 2
"""So many s-ops are listed of a head that the program does not use."""
AUDITED: Final = 0.25
"""The audit has at least this share of the time."""


@dataclass(frozen=True, slots=True, eq=False)
class Subject:
    """What is decompiled: a model, the letters of its words, and where its answers are read."""

    model: Model
    letters: tuple[Token, ...]
    read: Read
    end: Token | None
    seed: int = 0

    def answers(self, model: Model, words: Sequence[Word]) -> list[Token]:
        """The answers that are asked for, in a row."""
        after = () if self.read != "end" or self.end is None else (self.end,)
        rows = model.batch([(*word, *after) for word in words])
        return [a for row in rows for a in (row if self.read == "each" else row[-1:])]

    def ask(self, words: Sequence[Word]) -> list[Token]:
        """The model's last answer to each word."""
        return replace(self, read=self.read if self.read == "end" else "last").answers(self.model, words)

    @property
    def longest(self) -> int | None:
        """The longest word that the model reads."""
        most = self.model.max_length
        return None if most is None else most - (self.read == "end")


def decompile_model(
    subject: Subject, *, fit: int | None, lengths: Callable[[int], range], used: Used, seconds: float
) -> Decompiled:
    """The program of a model and the evidence; `lengths(fitted)` are those of the audit."""
    result = _from_heads(subject, fit or HEADS_FIT) if unfit(subject.model) is None else None
    if subject.read != "each" and (result is None or not _is_right(result)):
        other = _from_answers(subject, fit or ANSWERS_FIT, lengths, within(used, 0.4), seconds)
        result = other if result is None or _share(other) > _share(result) else result
    if result is None:
        reason = f"{unfit(subject.model)}; with --read last the answers at the last letter are learned"
        result = Decompiled(None, "heads", fit or HEADS_FIT, None, (), (), reason=reason)
    result = replace(result, parts=ablate(subject.model, _few(subject, result.fitted), subject.answers))
    if result.program is None:
        return result
    result = _audited(subject, result, lengths(result.fitted), used, seconds)
    if result.route == "answers" and result.audit is not None and result.audit.wrong is not None:
        runs = _of_automaton(subject, result)
        other = result if runs is None else _audited(subject, runs, lengths(result.fitted), used, seconds)
        result = other if other.audit is not None and other.audit.wrong is None else result
    return result


def _audited(subject: Subject, result: Decompiled, lengths: range, used: Used, seconds: float) -> Decompiled:
    """The same with the audit of the model against its program."""
    assert result.program is not None
    spec = _spec(result, result.program, subject.letters, lengths[-1])
    asked = question(subject.model, spec, read=subject.read, end=subject.end)
    end = max(1.0, used() + AUDITED)  # reading heads may take long, and the audit has its time still
    left = seconds * (end - used())
    audit = audit_lengths(asked, lengths, used=within(used, end), seconds=left, seed=subject.seed)
    return replace(result, audit=audit)


def _is_right(result: Decompiled) -> bool:
    """Whether there is a program, and no held-out word on which it and the model differ."""
    return result.program is not None and (result.agreement is None or result.agreement.share == 1)


def _share(result: Decompiled) -> float:
    """How often a program and the model agree on held-out words; less than never where there is no program."""
    if result.program is None:
        return -1.0
    return 1.0 if result.agreement is None else result.agreement.share


def _spec(result: Decompiled, program: SOp, letters: Sequence[Token], longest: int) -> Spec:
    """The program as a specification; one that runs an automaton has its states."""
    spec = of_program(program, letters, longest, name="the program")
    if result.route != "automaton" or result.automaton is None:
        return spec
    machine = result.automaton.machine()
    return of_machine(
        spec.name, spec.kind, letters, machine, longest=longest, definition=spec.definition, answers_of=spec.answers_of
    )


def _few(subject: Subject, longest: int) -> list[Word]:
    return varied_words(subject.letters, range(1, _at_most(subject, longest) + 1), 300, subject.seed + 3)


def _at_most(subject: Subject, length: int) -> int:
    return length if subject.longest is None else min(length, subject.longest)


def _from_heads(subject: Subject, fit: int) -> Decompiled:
    """The program that the heads show; words on which it fails join the sample, and the heads are read again."""
    fit = _at_most(subject, fit)
    words = short_words(subject.letters, fit, SAMPLE, subject.seed)
    checked = short_words(subject.letters, fit, CHECKED, subject.seed + 1)
    right = replace(subject, read="each").answers(subject.model, checked)
    best, reading = 0.0, WhiteBox((), None)
    for _ in range(ROUNDS):
        reading = white_box(subject.model, words, subject.letters)
        if reading.answer is None:
            break
        wrong = _wrong(program_of(reading.answer, {}), checked, right)
        best = max(best, 1 - len(wrong) / len(checked))
        if not wrong:
            program = named_program(reading.answer, [(h.reading.title, h.selector) for h in reading.heads])
            agreement = _agreement(subject, program, fit)
            return Decompiled(program, "heads", fit, agreement, _head_reports(reading, program), (), best=1.0)
        words = [*words, *sorted(wrong, key=len)[:30]]
    reason = reading.reason or "each program that was found differs from the model on other words"
    return Decompiled(None, "heads", fit, None, _head_reports(reading), (), best=best, reason=reason)


def _wrong(program: SOp, words: Sequence[Word], right: Sequence[Token]) -> list[Word]:
    """The words on which a program gives another answer somewhere."""
    wrong, start = [], 0
    for word, row in zip(words, program.batch(words, errors="keep"), strict=True):
        if isinstance(row, CapaxError) or list(row) != list(right[start : start + len(word)]):
            wrong.append(word)
        start += len(word)
    return wrong


def _head_reports(reading: WhiteBox, program: SOp | None = None) -> tuple[HeadReport, ...]:
    """The heads in the names of a program: what each selects, and what it gives that the program uses."""
    names = {} if program is None else statement_names(program.node, program.names())
    inside = set() if program is None else set(with_bodies(program.node))

    def report(title: str, selector: Node | None, outputs: Sequence[Feature], reason: str | None) -> HeadReport:
        does = None if selector is None else describe(selector, names, LONGEST)
        nodes = [f.node for f in outputs if f.node in inside] or [f.node for f in outputs[:UNUSED]]
        return HeadReport(title, does, tuple(names.get(n) or describe(n, names, LONGEST) for n in nodes), reason)

    third = tuple(report(h.title, h.selector, h.outputs, None) for h in reading.pairs)
    return third + tuple(report(h.reading.title, h.selector, h.outputs, h.reason) for h in reading.heads)


def _from_answers(
    subject: Subject, fit: int, lengths: Callable[[int], range], used: Used, seconds: float
) -> Decompiled:
    """The program that the answers at the last letter show, and the automaton if it is a small one."""
    fit = _at_most(subject, fit)
    automaton = _automaton(subject, fit, lengths(fit), used, seconds)
    result = black_box(subject.ask, subject.letters, longest=fit, seed=subject.seed)
    program = None if result.answer is None else named_program(result.answer, [])
    both = range(1, _at_most(subject, 2 * fit) + 1)
    tabled, held_out = (varied_words(subject.letters, both, 800, subject.seed + k) for k in (4, 5))
    layer = fit_attention(subject.model, tabled, held_out) if subject.read == "last" else None
    heads = () if layer is None else tuple(_fitted_report(subject, head) for head in layer.heads)
    learned = Decompiled(
        program,
        "answers",
        fit,
        None if program is None else _agreement(subject, program, fit),
        heads,
        (),
        automaton=automaton,
        tables=None if layer is None else layer.agreement,
        best=result.agreement,
        reason=None if program is not None else "no small test of what was remembered gives its answers",
    )
    runs = None if _is_right(learned) else _of_automaton(subject, learned)
    return learned if runs is None or _share(runs) <= _share(learned) else runs


def _of_automaton(subject: Subject, learned: Decompiled) -> Decompiled | None:
    """The same with a program that runs the automaton of the answers, if there is one."""
    root = None if learned.automaton is None else automaton_program(learned.automaton)
    if root is None:
        return None
    program = named_program(root, [])
    agreement = _agreement(subject, program, learned.fitted)
    return replace(learned, program=program, route="automaton", agreement=agreement, reason=None)


def _fitted_report(subject: Subject, head: FittedHead) -> HeadReport:
    """A trained head in words: how much more it weighs some tokens and distances than others."""
    tokens = subject.model.vocabulary.tokens
    rows = [subject.model.vocabulary.rows([x])[0] for x in subject.letters]
    by_key = head.tokens[rows].mean(axis=0)
    by_key = by_key - by_key.max()
    listed = ", ".join(f"{tokens[k]} {_short(by_key[k])}" for k in by_key.argsort()[::-1].tolist())
    near = head.distances[: 1 + max(1, min(8, len(head.distances) - 1))]
    steps = " ".join(_short(x - near.max()) for x in near.tolist())
    does = f"a weighted average: logits by key token {listed}; by distance 0, 1, ... {steps}"
    return HeadReport(f"head {head.layer + 1}.{head.number + 1}", does, reason=f"left over {head.residual:.2f} logits")


def _short(logit: float) -> str:
    """A logit with one decimal, 0.0 without a sign."""
    return f"{round(float(logit), 1) + 0.0:.1f}"


def _automaton(subject: Subject, fit: int, lengths: range, used: Used, seconds: float) -> Automaton | None:
    """The automaton of the answers: the audit is asked whether it is right, and gives words on which it is not."""
    checked = checked_words(subject.letters, fit, subject.seed)
    right = subject.ask(checked)

    def difference(automaton: Automaton) -> Word | None:
        for word, answer in zip(checked, right, strict=True):
            if automaton.answer[automaton.run(word)] != answer:
                return word
        spec = of_machine("the automaton", "automaton", subject.letters, automaton.machine(), longest=lengths[-1])
        asked = question(subject.model, spec, read=subject.read, end=subject.end)
        share = within(used, min(1.0, used() + 0.5))
        audit = audit_lengths(asked, lengths, used=share, seconds=seconds / 4, seed=subject.seed)
        wrong = audit.wrong
        return None if wrong is None or wrong.counterexample is None else wrong.counterexample.word

    return learn_automaton(subject.ask, subject.letters, difference, most_states=MOST_STATES)


def _agreement(subject: Subject, program: SOp, fitted: int) -> Agreement | None:
    """How often the program and the model agree on words longer than those that were fitted."""
    last = _at_most(subject, 2 * fitted)
    if last <= fitted:
        return None
    words = varied_words(subject.letters, range(fitted + 1, last + 1), HELD_OUT, subject.seed + 2)
    one, many = subject.answers, program.batch(words, errors="keep")
    same = 0
    each = subject.read == "each"
    answers = iter(one(subject.model, words))
    for word, row in zip(words, many, strict=True):
        right = [next(answers) for _ in range(len(word) if each else 1)]
        if not isinstance(row, CapaxError):
            same += list(row if each else row[-1:]) == right
    return Agreement(len(words), same, (fitted + 1, last), subject.seed + 2)
