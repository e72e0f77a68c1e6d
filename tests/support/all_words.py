"""A model's answers on all short words, beside a definition."""

from collections.abc import Callable, Iterable, Sequence
from itertools import product

from capax.formal.automata.dfa import Dfa
from capax.model.model import Model


def disagreement(
    model: Model, accepts: Callable[[Sequence[str]], bool], alphabet: Iterable[str], longest: int, shortest: int = 1
) -> tuple[str, ...] | None:
    """A word that is not empty, up to a length, on whose last place a model is wrong; None if there is none."""
    symbols = tuple(alphabet)
    for n in range(shortest, longest + 1):
        words = list(product(symbols, repeat=n))
        for word, answers in zip(words, model.batch(words), strict=True):
            if answers[-1] is not accepts(word):
                return word
    return None


def right_along(model: Model, dfa: Dfa, numbers: list[int]) -> bool:
    """Whether a model says at each position of a word whether the automaton accepts the word so far."""
    word = [dfa.alphabet[x % len(dfa.alphabet)] for x in numbers]
    return model(word) == [q in dfa.accepting for q in dfa.states(word)[1:]]
