"""The check of a model against a task or a language: every short word, then random words up to a length."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Final

import numpy as np

from capax.errors import CapaxError
from capax.formal.automata.dfa import Dfa, near_word
from capax.formal.languages.language import Language
from capax.formal.logic.ltl import LtlLanguage, ltl_dfa
from capax.model.model import Model
from capax.report import Report, compare, joined
from capax.tasks.base.task import Task

BLOCK: Final = 512
"""At most this many words run together."""

CELLS: Final = 8_000_000
"""At most about this many pairs of positions run together."""

MOST_TOKENS: Final = 20_001
"""The longest word that is run: attention takes the square of this in time, about a minute for each word."""

MOST_STATES: Final = 400
"""A formula whose automaton is larger is checked on uniformly random words alone."""

Draw = Callable[[np.random.Generator, int], Sequence[str]]
Recognised = Language | Dfa | LtlLanguage


@dataclass(frozen=True, slots=True)
class Trials:
    """How many words are tried: all short ones up to a number, and random ones from a seed."""

    every: int
    """At most this many words are tried exhaustively."""
    samples: int
    cells: int
    """Of long words fewer are drawn: about this many pairs of positions in all, but never fewer than six words."""
    seed: int
    drawn: str
    """How the random words are drawn, for the report."""

    def random(self, longest: int) -> int:
        """The number of random words up to a length."""
        return max(6, min(self.samples, self.cells // longest**2))


TASKS: Final = Trials(20_000, 60, 400_000_000, 20_230_605, "drawn so that hard cases are frequent")
LANGUAGES: Final = Trials(6_000, 60, 4_000_000, 20_240_816, "a third inside and a third with a symbol changed")
FORMULAS: Final = replace(LANGUAGES, every=1_500)
"""For languages whose definition is slow: fewer short words."""
SEED: Final = TASKS.seed


def last(answers: list[Any]) -> Any:
    """The answer for the whole word: that at its last position."""
    return answers[-1]


def accepted(answers: list[Any]) -> bool:
    """Whether the whole word is accepted."""
    return bool(answers[-1])


def agreement(
    model: Model,
    task: Task,
    words: Iterable[Any],
    statement: str,
    *,
    seed: int | None = None,
    chosen: bool = False,
    decode: Callable[[list[Any]], Any] = list,
    **parameters: Any,
) -> Report:
    """Whether a model answers words as a task says; the first word that it answers otherwise is the counterexample.

    `decode` makes the task's answer of the model's answers. `words` are all that there are; or some of them, with the
    seed that they come from, or `chosen` by hand.
    """
    comparison = compare(
        words,
        lambda block: [decode(answers) for answers in model.batch([list(word) for word in block])],
        lambda block: [task.reference(word, **parameters) for word in block],
        same=lambda right, answer: bool(answer == right),
        cells=CELLS,
        most=BLOCK,
    )
    assert comparison.count, "no word was tried"
    assumptions = ("an oracle map: an arbitrary function stands for a network",) if model.size.oracles else ()
    return comparison.report(
        statement,
        seed,
        lambda wrong: {"word": wrong.word, "model": wrong.answer, "right": wrong.expected},
        assumptions,
        chosen=chosen,
    )


def checked(
    model: Model,
    task: Task,
    longest: int,
    *,
    trials: Trials = TASKS,
    claim: str | None = None,
    decode: Callable[[list[Any]], Any] = list,
    **parameters: Any,
) -> Report:
    """Whether a model answers as a task says: all words up to some length, then random ones up to `longest`."""
    parts: list[Report] = []
    if task.every is not None and (short := lengths_within(task, longest, trials.every, **parameters)):
        words = (word for n in short for word in task.every(n, **parameters))
        statement = f"every word of length {short[0]} to {short[-1]}" if len(short) > 1 else "every word of length 1"
        parts.append(agreement(model, task, words, statement, decode=decode, **parameters))
    statement = f"random words of length up to {longest:,}, {trials.drawn}"
    drawn = sampled(task, longest, trials.random(longest), trials.seed, **parameters)
    parts.append(agreement(model, task, drawn, statement, seed=trials.seed, decode=decode, **parameters))
    return joined(claim or f"the model computes {task.name}", tuple(parts))


def checked_at(
    model: Model,
    task: Task,
    n: int,
    claim: str,
    *,
    every: str | None,
    random: str,
    samples: int,
    decode: Callable[[list[Any]], Any] = list,
    **parameters: Any,
) -> Report:
    """Whether a model answers words of size n as a task says: all of them, then random ones.

    `every` and `random` are the statements about them; `every` is None where all are too many to be tried.
    """
    parts: list[Report] = []
    if every is not None:
        assert task.every is not None
        parts.append(agreement(model, task, task.every(n, **parameters), every, decode=decode, **parameters))
    drawn = task.samples(samples, n, SEED, **parameters)
    parts.append(agreement(model, task, drawn, random, seed=SEED, decode=decode, **parameters))
    return joined(claim, tuple(parts))


def lengths_within(task: Task, longest: int, most: int, **parameters: Any) -> list[int]:
    """The lengths 1, 2, ... up to `longest` of which all words together are at most `most`."""
    assert task.every is not None
    lengths: list[int] = []
    total = 0
    for n in range(1, longest + 1):
        for _ in task.every(n, **parameters):
            total += 1
            if total > most:
                return lengths
        lengths.append(n)
    return lengths


def sampled(task: Task, longest: int, samples: int, seed: int = SEED, **parameters: Any) -> Iterator[Any]:
    """Random words that are not empty, a third of them of the greatest length."""
    random = np.random.default_rng(seed)
    for number in range(samples):
        n = longest if number % 3 == 0 else int(random.integers(1, longest + 1))
        while not (word := task.sample(random, n, **parameters)):
            n = min(n + 1, longest) if longest > 1 else n
        yield word


def recognises(model: Model, language: Recognised, longest: int, *, trials: Trials = LANGUAGES) -> Report:
    """Whether a model accepts, at the last position, exactly the words of a language; the empty word is left out."""
    claim = "the model accepts exactly the words of the language"
    return checked(model, task_of(language), longest, trials=trials, claim=claim, decode=accepted)


def recognises_some(
    model: Model, language: Recognised, words: Iterable[Sequence[str]], statement: str, *, seed: int | None = None
) -> Report:
    """Whether a model accepts, of some words, exactly those of a language: for a model that should fail on one.

    The words were chosen, or come from a seed; those of `random_words` from `LANGUAGES.seed`.
    """
    task = task_of(language)
    return agreement(model, task, map(list, words), statement, seed=seed, chosen=seed is None, decode=accepted)


def random_words(language: Recognised, longest: int, samples: int) -> list[list[str]]:
    """Random words that are often in a language, or differ from one of it by a symbol."""
    return [*sampled(task_of(language), longest, samples, LANGUAGES.seed)]


def task_of(language: Recognised) -> Task:
    """The task of saying whether a word is in a language; random words are often inside, or differ by a symbol."""
    draw: Draw
    match language:
        case Language():
            draw = language.sample
        case Dfa():
            draw = near_words(language)
        case LtlLanguage():
            draw = _formula_words(language)
    return Task(
        name="recognition",
        what="whether a word is in the language: one answer, at the last position",
        domain="words over an alphabet",
        reference=lambda word: language.accepts(word),
        sample=lambda random, n: list(draw(random, n)),
        every=lambda n: map(list, product(language.alphabet, repeat=n)),
    )


def near_words(automaton: Dfa) -> Draw:
    """Random words of an automaton: inside, with a symbol changed, or any, each as often."""

    def draw(random: np.random.Generator, n: int) -> Sequence[str]:
        kind = int(random.integers(3))
        word = None if kind == 2 else near_word(automaton, random, n)
        if not word:
            return [automaton.alphabet[int(x)] for x in random.integers(len(automaton.alphabet), size=n)]
        if kind == 0:
            return word
        position, symbol = int(random.integers(len(word))), int(random.integers(len(automaton.alphabet)))
        return (*word[:position], automaton.alphabet[symbol], *word[position + 1 :])

    return draw


def _formula_words(language: LtlLanguage) -> Draw:
    """Random words of a formula's automaton if that is small, and any words otherwise."""
    try:
        return near_words(ltl_dfa(language, budget=MOST_STATES))
    except CapaxError:
        return lambda random, n: [language.alphabet[int(x)] for x in random.integers(len(language.alphabet), size=n)]


def require_short(length: int, hint: str) -> None:
    """Raises an error where a word of this many tokens would take too long to run."""
    if length > MOST_TOKENS:
        what = f"words of {length:,} tokens are longer than the {MOST_TOKENS - 1:,} that are run"
        raise CapaxError("too-large", what, hint=hint)
