"""Random words of a sentence of FO[Mon], from its automaton over finer letters."""

import numpy as np

from capax.formal.automata.dfa import Dfa, Word
from capax.formal.languages.language import Language
from capax.formal.logic.fo.automaton import FinerLetters
from capax.formal.logic.fo.formula import FoLanguage
from capax.formal.logic.fo.text import printed_fo

MOST_BY_DEFINITION = 40


def fo_word(dfa: Dfa, finer: FinerLetters, random: np.random.Generator, length: int) -> tuple[str, ...] | None:
    """A random word of a length that the automaton accepts with the predicates of that length; None if there is none.

    From the end: `good[i]` are the states at position i from which the rest can be accepted.
    """
    rows = [predicate.row(length) for predicate in finer.predicates]
    numbers = {letter: at for at, letter in enumerate(finer.letters)}
    here = [[numbers[symbol, tuple(row[i] for row in rows)] for symbol in finer.alphabet] for i in range(length)]
    good = [frozenset(dfa.accepting)]
    for letters in reversed(here):
        good.append(frozenset(q for q in range(dfa.size) if any(dfa.delta[q][a] in good[-1] for a in letters)))
    good.reverse()
    if dfa.start not in good[0]:
        return None
    state, word = dfa.start, []
    for i, letters in enumerate(here):
        choices = [at for at, letter in enumerate(letters) if dfa.delta[state][letter] in good[i + 1]]
        chosen = choices[int(random.integers(len(choices)))]
        word.append(finer.alphabet[chosen])
        state = dfa.delta[state][letters[chosen]]
    return tuple(word)


def fo_words(language: FoLanguage, dfa: Dfa, finer: FinerLetters) -> Language:
    """The language of a sentence; whether a long word is in it is asked of the automaton, which is faster."""

    def inside(random: np.random.Generator, length: int) -> tuple[str, ...] | None:
        for shorter in range(length, max(length - 6, 0), -1):
            word = fo_word(dfa, finer, random, shorter)
            if word is not None:
                return word
        return None

    def contains(word: Word) -> bool:
        return language.accepts(word) if len(word) <= MOST_BY_DEFINITION else dfa.accepts(finer.word(word))

    return Language("fo", {}, language.alphabet, printed_fo(language.formula), contains, inside)
