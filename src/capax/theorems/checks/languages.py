"""The checks of models that recognise languages: every short word, and random words up to a length."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product
from typing import Any, Final

import numpy as np

from capax.formal.automata.dfa import Dfa
from capax.formal.automata.dfa_words import near_word
from capax.formal.languages.language import Language
from capax.formal.logic.ltl import LtlLanguage, ltl_dfa
from capax.model.model import Model
from capax.report import Report, joined
from capax.tasks.base.task import Task
from capax.theorems.checks.agreement import agreement
from capax.theorems.languages.parts.acceptance_head import last

MOST_WORDS: Final = 6_000
"""So many words are tried exhaustively at most."""

SAMPLES: Final = 60
SEED: Final = 20_240_816
MOST_CELLS: Final = 4_000_000
"""Long words are fewer: so many pairs of places are tried at most in all of them."""

MOST_STATES: Final = 400
"""A formula whose automaton is larger has random words of any kind alone."""

Draw = Callable[[np.random.Generator, int], Sequence[str]]
Recognised = Language | Dfa | LtlLanguage


def task_of(thing: Recognised) -> Task:
    """The task of saying whether a word is in a language; random words are often inside, or differ by a symbol."""
    draw: Draw
    match thing:
        case Language():
            draw = thing.sample
        case Dfa():
            draw = drawing(thing)
        case LtlLanguage():
            draw = _formula_words(thing)
    return Task(
        name="recognition",
        what="whether a word is in the language: one answer, at the last place",
        domain="words over an alphabet",
        reference=lambda word: thing.accepts(word),
        sample=lambda random, n: list(draw(random, n)),
        every=lambda n: map(list, product(thing.alphabet, repeat=n)),
    )


def recognises(
    model: Model, thing: Recognised, longest: int, *, every: int = MOST_WORDS, samples: int = SAMPLES
) -> Report:
    """Whether a model says yes, at the last place, to the words of a language alone; the empty word is not asked."""
    task = task_of(thing)
    assert task.every is not None
    short = lengths(len(thing.alphabet), longest, every)
    words: Iterable[Any] = (word for n in short for word in task.every(n))
    statement = f"every word of length 1 to {short[-1]}"
    parts = [agreement(model, task, words, statement=statement, evidence="exhaustive", decode=last)]
    statement = f"random words of length up to {longest:,}, a third inside and a third with a symbol changed"
    drawn = sampled(task, longest, max(6, min(samples, MOST_CELLS // longest**2)))
    parts.append(agreement(model, task, drawn, statement=statement, evidence="sampled", seed=SEED, decode=last))
    return joined("the model says yes to the words of the language alone", tuple(parts))


def lengths(symbols: int, longest: int, most: int = MOST_WORDS) -> list[int]:
    """The lengths from 1 of which all words together are at most `most`; 1 is always among them."""
    found, total = [1], symbols
    while found[-1] < longest and total + symbols ** (found[-1] + 1) <= most:
        found.append(found[-1] + 1)
        total += symbols ** found[-1]
    return found


def sampled(task: Task, longest: int, samples: int) -> Iterator[list[str]]:
    """So many random words that are not empty, a third of them of the greatest length."""
    random = np.random.default_rng(SEED)
    for number in range(samples):
        n = longest if number % 3 == 0 else int(random.integers(1, longest + 1))
        while not (word := task.sample(random, n)):
            n = min(n + 1, longest) if longest > 1 else n
        yield word


def drawing(automaton: Dfa) -> Draw:
    """Random words of an automaton: inside, with a symbol changed, or any, each as often."""

    def draw(random: np.random.Generator, n: int) -> Sequence[str]:
        kind = int(random.integers(3))
        word = None if kind == 2 else near_word(automaton, random, n)
        if not word:
            return [automaton.alphabet[int(x)] for x in random.integers(len(automaton.alphabet), size=n)]
        if kind == 0:
            return word
        place, symbol = int(random.integers(len(word))), int(random.integers(len(automaton.alphabet)))
        return (*word[:place], automaton.alphabet[symbol], *word[place + 1 :])

    return draw


def _formula_words(language: LtlLanguage) -> Draw:
    """Random words of a formula's automaton if that is small, and any words otherwise."""
    from capax.errors import CapaxError

    try:
        return drawing(ltl_dfa(language, budget=MOST_STATES))
    except CapaxError:
        return lambda random, n: [language.alphabet[int(x)] for x in random.integers(len(language.alphabet), size=n)]


def failure(model: Model, thing: Recognised, words: Iterable[Sequence[str]], statement: str) -> Report:
    """The report of a model that should fail on one of some words."""
    return agreement(
        model, task_of(thing), map(list, words), statement=statement, evidence="sampled", seed=SEED, decode=last
    )
