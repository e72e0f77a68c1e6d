"""Whether a word is in a language, asked at its last place."""

import numpy as np

from capax.formal.languages.catalogue import language
from capax.lab.lessons.frame.lesson import NOTHING, At, Batch, Lesson, Words
from capax.tasks.base.parameter import Parameter

NAME = Parameter("name", "parity", "a language by name, such as parity, majority, dyck-1 or word-problem-s5")
BALANCED = Parameter("balanced", True, "words inside and outside about as often")
TRIES = 30
"""So often a word with the wanted answer is looked for."""


def _words(at: At, n: int) -> Words:
    return Words(language(at["name"]).alphabet, (False, True))


def _batch(random: np.random.Generator, count: int, n: int, at: At) -> Batch:
    """Words of about length n; with `balanced` a coin says for each whether it is to be in the language."""
    known = language(at["name"])
    number = {symbol: k for k, symbol in enumerate(known.alphabet)}
    words, answers = [], []
    for _ in range(count):
        word = known.sample(random, n)[:n] or (known.alphabet[0],)
        if at["balanced"]:
            wanted = bool(random.integers(2))
            for _ in range(TRIES):
                if known.accepts(word) == wanted:
                    break
                word = known.sample(random, n)[:n] or (known.alphabet[0],)
        words.append([number[x] for x in word])
        answers.append(int(known.accepts(word)))
    longest = max(map(len, words), default=1)
    inputs = np.zeros((count, longest), dtype=np.int64)
    asked = np.full((count, longest), NOTHING)
    for row, (word_, answer) in enumerate(zip(words, answers, strict=True)):
        inputs[row, : len(word_)] = word_
        asked[row, len(word_) - 1] = answer
    return Batch(inputs, asked, lengths=np.array([len(word_) for word_ in words]))


def _program(at: At, first: bool) -> str | None:
    """A program for the languages that the library has one for; its answer at the last place is meant."""
    name = str(at["name"])
    known = {
        "parity": '(count(tokens, "1") % 2) == 1',
        "majority": 'average(indicator(tokens == "1")) > 1 / 2',
        "dyck-1": 'dyck1_ptf == "T"',
    }
    if name.startswith("mod-"):
        known[name] = f'(count(tokens, "1") % {int(name.removeprefix("mod-"))}) == 0'
    return None if first else known.get(name)


LESSON = Lesson(
    "language",
    "whether a word is in a language, asked at its last place",
    _words,
    _batch,
    (NAME, BALANCED),
    program=_program,
)
