"""A discrete network beside its program: the same answers on all short words, on random ones and on those held out."""

from dataclasses import dataclass
from itertools import product
from typing import Any, Final

import numpy as np

from capax.lab.discrete.examples import DiscreteExamples, Lexicon
from capax.lab.discrete.network import Array, DiscreteNetwork
from capax.rasp.python.program import SOp
from capax.tasks.base.training import Token

SHORT: Final = 1_000
"""All words are compared up to the greatest length at which there are at most so many of them."""


@dataclass(frozen=True, slots=True)
class NetworkAgreement:
    """What a comparison gave: all words up to a length, how many words in all, and the first that differs.

    `program_accuracy` is that of the program on the words held out.
    """

    short_length: int
    words: int
    program_accuracy: float
    first_difference: tuple[Token, ...] | None

    @property
    def equal(self) -> bool:
        """Whether all answers were the same."""
        return self.first_difference is None


def compare(
    network: DiscreteNetwork, program: SOp, lexicon: Lexicon, held_out: DiscreteExamples, *, others: int, seed: int
) -> NetworkAgreement:
    """The network beside its program, on all short words, `others` random words, and the words held out."""
    short, length = _short_words(lexicon)
    random = np.random.default_rng(seed)
    drawn = random.integers(0, len(lexicon.tokens), (others, lexicon.max_length))
    lengths = random.integers(1, lexicon.max_length + 1, (others, 1))
    drawn = np.where(np.arange(lexicon.max_length) < lengths, drawn, -1)
    tokens = np.concatenate([short, drawn, held_out.tokens])
    ours, theirs = network_answers(network, lexicon, tokens), program_answers(program, lexicon, tokens)
    differs = (lexicon.word(row) for row, a, b in zip(tokens.tolist(), ours, theirs, strict=True) if a != b)
    first = next(differs, None)
    outputs = theirs[len(short) + others :]
    right = [
        lexicon.outputs[answer] == output
        for answers, row in zip(held_out.answers.tolist(), outputs, strict=True)
        for answer, output in zip(answers, row, strict=False)
        if answer >= 0
    ]
    accuracy = sum(right) / max(1, len(right))
    return NetworkAgreement(length, len(tokens), accuracy, None if first is None else tuple(first))


def _short_words(lexicon: Lexicon) -> tuple[Array, int]:
    """All words up to some length, as rows of token numbers, and that length."""
    rows: list[tuple[int, ...]] = []
    length = 0
    while length < lexicon.max_length and len(rows) + len(lexicon.tokens) ** (length + 1) <= SHORT:
        length += 1
        rows += list(product(range(len(lexicon.tokens)), repeat=length))
    padded = [(*row, *(-1,) * (lexicon.max_length - len(row))) for row in rows]
    return np.array(padded, dtype=np.int64).reshape(-1, lexicon.max_length), length


def network_answers(network: DiscreteNetwork, lexicon: Lexicon, tokens: Array) -> list[list[Token]]:
    """The network's answers to words given by token numbers (word, position), -1 after their end."""
    lengths = (tokens >= 0).sum(axis=1).tolist()
    rows = network.run(tokens).tolist()
    return [[lexicon.outputs[k] for k in row[:length]] for row, length in zip(rows, lengths, strict=True)]


def program_answers(program: SOp, lexicon: Lexicon, tokens: Array) -> list[list[Token]]:
    """The program's answers to the same words."""
    answers: list[Any] = program.batch([lexicon.word(row) for row in tokens.tolist()])
    return [list(answer) for answer in answers]
