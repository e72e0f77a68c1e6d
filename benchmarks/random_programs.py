"""What does the compiler refuse, and what does it leave without a proof? Random programs that make sense.

A seeded generator draws programs of depth 2 to 5 over 18 alphabets, with words of up to 1 to 60 tokens: numbers meet
numbers and strings meet strings, selectors are compared, joined and negated, a third of the models is causal, a
quarter has no masks, and a third is in float64. Each is compiled with the usual budget. The model is compared with the
program on further words. Programs without a value on any word are drawn again.

    python benchmarks/random_programs.py [--quick] [--count N] [--seed S] [--list]

`--list` prints each program that was refused, not certified whole, slow or large, with the reason.
"""

import argparse
import random
import time
from collections import Counter
from dataclasses import dataclass
from typing import Any

from table import Table

import capax
from capax import CapaxError, aggregate, best, indicator, indices, length, select, selector_width, tokens, where
from capax import tokens_asis as numbers
from capax.compiler.check.agreement import compare, hard_words, meaning, random_words
from capax.compiler.domain import Domain, domain
from capax.rasp.meaning.fast import evaluate_batch

ALPHABETS: list[tuple[Any, ...]] = [
    ("a",),
    ("a", "b"),
    ("a", "b", "c"),
    tuple("abcd"),
    tuple("abcdef"),
    tuple("abcdefghijklmnopqrstuvwxyz"),
    tuple("()"),
    tuple("(){}"),
    ("0", "1"),
    tuple("0123456789"),
    tuple("0123456789+"),
    ("the", "cat", "sat"),
    (0, 1),
    (0, 1, 2),
    (-1, 0, 1),
    tuple(range(10)),
    (1, 5, 20),
    (0.5, 1.0, 1.5),
]
ORDERS = ("==", "<", "<=", ">", ">=", "!=")
SLOW, LARGE = 5.0, 1_000_000
"""The CPU seconds and the parameters from which a program is listed."""


@dataclass(frozen=True)
class Case:
    """A program with the settings that it is compiled with."""

    program: Any
    settings: dict[str, Any]


class Generator:
    """Draws cases; the same seed gives the same cases."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.alphabet: tuple[Any, ...] = ()

    def case(self) -> Case:
        """A program of depth 2 to 5 and its settings."""
        draw = self.random
        self.alphabet = draw.choice(ALPHABETS)
        settings = {
            "alphabet": list(self.alphabet),
            "max_length": draw.choice([1, 2, 3, 5, 8, 12, 16, 20, 24, 30, 40, 50, 60]),
            "causal": draw.random() < 1 / 3,
            "masks": draw.random() > 1 / 4,
            "dtype": "float64" if draw.random() < 1 / 3 else "float32",
        }
        depth = draw.randint(2, 5)
        kind = draw.choice([self.number, self.number, self.number, self.string, self.boolean])
        return Case(kind(depth), settings)

    def number(self, depth: int) -> Any:
        """An s-op of numbers."""
        draw = self.random
        if depth <= 0:
            leaves = [indices, length, draw.randint(0, 5)]
            return draw.choice([*leaves, numbers, numbers] if self._numeric() else leaves)
        kind = draw.choice("aaaawwwwiioooc")
        if kind == "a":
            default = draw.choice([0, 0, 0, 1, -1, 7, 100])
            return aggregate(self.selector(depth - 1), self.sop(depth - 1), default)
        if kind == "w":
            return selector_width(self.selector(depth - 1))
        if kind == "i":
            return indicator(self.boolean(depth - 1))
        if kind == "c":
            return where(self.boolean(depth - 1), self.number(depth - 1), self.number(depth - 2))
        operator = draw.choice(["+", "+", "-", "-", "*", "%", "/", "round"])
        one = self.sop(depth - 1)
        if operator == "%":
            return one % draw.randint(2, 7)
        if operator == "/":
            return one / draw.choice([2, 4, 3])
        if operator == "round":
            return round(one)
        two = self.number(draw.choice([0, depth - 1]))
        return one + two if operator == "+" else one - two if operator == "-" else one * two

    def sop(self, depth: int) -> Any:
        """An s-op of numbers that is not a constant."""
        result = self.number(depth)
        return result if isinstance(result, capax.SOp) else self.random.choice([indices, length])

    def boolean(self, depth: int) -> Any:
        """An s-op of booleans."""
        draw = self.random
        if depth > 1 and draw.random() < 0.35:
            one = self.boolean(depth - 1)
            kind = draw.choice(["and", "or", "not"])
            if kind == "not":
                return ~one
            two = self.boolean(depth - 1)
            return one & two if kind == "and" else one | two
        if draw.random() < 0.35:
            if draw.random() < 0.5:
                return self._tokens() == draw.choice(self.alphabet)
            return self.string(depth - 1) == draw.choice(self.alphabet)
        return _compared(self.sop(depth - 1), self.number(draw.choice([0, depth - 2])), draw.choice(ORDERS[:5]))

    def string(self, depth: int) -> Any:
        """An s-op of tokens."""
        draw = self.random
        if depth <= 0 or draw.random() < 0.15:
            return self._tokens()
        if draw.random() < 0.3:
            return where(self.boolean(depth - 1), self.string(depth - 1), draw.choice(self.alphabet))
        default = draw.choice([draw.choice(self.alphabet), *([] if self._numeric() else ["", "-"])])
        return aggregate(self._one_key(depth - 1), self.string(depth - 1), default)

    def selector(self, depth: int) -> Any:
        """A selector."""
        draw = self.random
        if depth > 0 and draw.random() < 0.35:
            one = self.selector(depth - 1)
            kind = draw.choice(["and", "and", "or", "not"])
            if kind == "not":
                return ~one
            two = self.selector(depth - 1)
            return one & two if kind == "and" else one | two
        if depth > 0 and draw.random() < 0.1:
            return best(self.selector(depth - 1), self.sop(depth - 1))
        if draw.random() < 0.4:
            return select(self._tokens(), self._tokens(), draw.choice(["==", "==", "==", "!=", "<", "<="]))
        if draw.random() < 0.4:
            return select(indices, indices, draw.choice(ORDERS))
        return select(self.sop(depth - 1), self.number(depth - 1), draw.choice(ORDERS))

    def _one_key(self, depth: int) -> Any:
        """A selector of at most one key, so that tokens are not averaged."""
        draw = self.random
        if draw.random() < 0.3:
            return best(self.selector(depth - 1), self.sop(depth - 1))
        back = draw.choice([indices - 1, indices + 1, length - 1 - indices, length - 1, 0, 1, indices - 2])
        chosen = select(indices, back if draw.random() < 0.7 else self.number(depth), "==")
        return chosen & self.selector(depth - 1) if draw.random() < 0.25 else chosen

    def _tokens(self) -> Any:
        return numbers if self._numeric() else tokens

    def _numeric(self) -> bool:
        return not isinstance(self.alphabet[0], str)


def _compared(one: Any, two: Any, order: str) -> Any:
    match order:
        case "==":
            return one == two
        case "<":
            return one < two
        case "<=":
            return one <= two
        case ">":
            return one > two
        case _:
            return one >= two


def has_value(case: Case) -> bool:
    """Whether the program has a value on some word of its domain."""
    where_from = _domain(case)
    node = meaning(case.program.node, where_from)
    words = [*hard_words(where_from, 6), *random_words(where_from, 6, 1)]
    return any(not isinstance(answer, CapaxError) for answer in evaluate_batch(node, words))


def _domain(case: Case) -> Domain:
    return domain(case.settings["alphabet"], case.settings["max_length"], causal=case.settings["causal"])


@dataclass(frozen=True)
class Outcome:
    """What became of a case; `reason` is the error's code, or what breaks the proof."""

    kind: str
    reason: str
    seconds: float
    parameters: int = 0

    @property
    def is_listed(self) -> bool:
        """Whether there is something to read about it."""
        return self.kind != "whole" or self.seconds > SLOW or self.parameters > LARGE


def outcome_of(case: Case, seed: int) -> Outcome:
    """Compiles a case, and compares the model with the program on words that the compiler did not try."""
    started = time.process_time()
    try:
        compiled = capax.compile(case.program, **case.settings)
    except CapaxError as error:
        return Outcome("wrong" if error.code == "compiled-wrong" else "refused", error.code, _since(started))
    seconds, where_from = _since(started), _domain(case)
    words = random_words(where_from, 40, seed + 1_000_003)
    wrong = compare(compiled.model, meaning(case.program.node, where_from), words).wrong
    size = compiled.size.parameters
    if wrong is not None:
        return Outcome("wrong", f"on {wrong.word}", seconds, size)
    certified, whole = compiled.certified_length, case.settings["max_length"]
    if certified >= whole:
        return Outcome("whole", "", seconds, size)
    verdict = next(v for v in compiled.certificate.verdicts if v.numbers == compiled.model.numbers)
    return Outcome("in part" if certified else "not at all", verdict.breaks or "", seconds, size)


def _since(started: float) -> float:
    return time.process_time() - started


def cases(count: int, seed: int) -> list[tuple[int, Case]]:
    """So many cases that have a value on some word, each with the seed that draws it."""
    drawn: list[tuple[int, Case]] = []
    number = seed * 1_000_000
    while len(drawn) < count:
        number += 1
        try:
            case = Generator(number).case()
            if isinstance(case.program, capax.SOp) and has_value(case):
                drawn.append((number, case))
        except CapaxError:
            continue
    return drawn


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="60 programs")
    parser.add_argument("--count", type=int, default=1000, help="the number of programs")
    parser.add_argument("--seed", type=int, default=1, help="another seed draws other programs")
    parser.add_argument("--list", action="store_true", help="print what is refused, slow, large, not certified whole")
    given = parser.parse_args()
    outcomes: list[Outcome] = []
    for number, case in cases(60 if given.quick else given.count, given.seed):
        outcome = outcome_of(case, number)
        outcomes.append(outcome)
        if given.list and outcome.is_listed:
            print(f"{number} {outcome.kind}: {outcome.reason} ({outcome.seconds:.1f} s, {outcome.parameters:,})")
            print(f"    {case.settings}\n    {case.program.to_text().rstrip()}", flush=True)
    print(table_of(outcomes))


def table_of(outcomes: list[Outcome]) -> Table:
    """The counts and shares of each kind of outcome, and where the time went."""
    kinds = Counter(outcome.kind for outcome in outcomes)
    compiled = len(outcomes) - kinds["refused"]
    table = Table("outcome", "programs", "share", "CPU s", title=f"{len(outcomes)} random programs")
    for kind in ("refused", "wrong", "whole", "in part", "not at all"):
        base = compiled if kind not in ("refused", "wrong") else len(outcomes)
        seconds = sum(o.seconds for o in outcomes if o.kind == kind)
        name = kind if kind in ("refused", "wrong") else f"compiled, certified {kind}"
        table.add_row(name, kinds[kind], f"{100 * kinds[kind] / max(base, 1):.1f} %", f"{seconds:.0f}")
        if kind == "refused":
            for code, many in Counter(o.reason for o in outcomes if o.kind == kind).most_common():
                table.add_row(f"refused: {code}", many, f"{100 * many / len(outcomes):.1f} %")
    for seconds in (SLOW, 4 * SLOW):
        table.add_row(f"slower than {seconds:.0f} s", sum(o.seconds > seconds for o in outcomes))
    for many in (LARGE // 10, LARGE):
        table.add_row(f"more than {many:,} parameters", sum(o.parameters > many for o in outcomes))
    return table


if __name__ == "__main__":
    main()
