"""Small models and specifications to audit, and the plain way to try all words."""

from collections.abc import Callable, Sequence
from itertools import product

import numpy as np

from capax.auditor.question import Question
from capax.auditor.spec import Answer, Spec, SpecStates, Word
from capax.model.model import Model
from capax.model.parts import Activation, Affine, Array, Block, Head, Mask, Mlp, Norm, Readout
from capax.model.positions import Positions
from capax.model.run.run import logits as logits_of
from capax.model.vocabulary import Classes, Token, Vocabulary

NO_LIMIT = 1 << 40


def no_clock() -> float:
    """No time is ever used."""
    return 0.0


def clock(steps: int) -> Callable[[], float]:
    """A clock whose time is over after some looks at it."""
    left = iter(range(steps))
    return lambda: (next(left, steps)) / steps


def gpt(
    layers: int = 1,
    d: int = 8,
    seed: int = 0,
    *,
    letters: tuple[Token, ...] = ("0", "1"),
    heads: int = 1,
    numbers: str = "float32",
    activation: Activation = "gelu-tanh",
    mask: Mask = "causal",
    positions: int = 160,
    prefix: tuple[Token, ...] = (),
) -> Model:
    """A random model as GPT-2 is: norms before sublayers, learned positions, GELU; `$` may mark the end of a word."""
    random, tokens = np.random.default_rng(seed), (*letters, "$")

    def array(*shape: int, by: float = 1.0) -> Array:
        return (random.normal(size=shape) * by).astype(np.float32)

    def affine(inputs: int, outputs: int) -> Affine:
        return Affine(array(inputs, outputs, by=inputs**-0.5), array(outputs, by=0.1))

    def norm() -> Norm:
        return Norm("layer", 1 + array(d, by=0.1), array(d, by=0.1))

    def block() -> Block:
        k = d // heads
        all_heads = tuple(
            Head(affine(d, k), affine(d, k), affine(d, k), array(k, d, by=k**-0.5), mask=mask, scale=k**-0.5)
            for _ in range(heads)
        )
        return Block(all_heads, array(d, by=0.1), Mlp((affine(d, 4 * d), affine(4 * d, d)), activation), norm(), norm())

    model = Model(
        Vocabulary(tokens),
        array(len(tokens), d),
        Positions((), np.zeros((0, d), np.float32), array(positions, d, by=0.5)),
        tuple(block() for _ in range(layers)),
        Readout(affine(d, 2), norm()),
        Classes((False, True)),
        tuple(f"x{i}" for i in range(d)),
        numbers="float32",
        max_length=positions - len(prefix),
        prefix=prefix,
    )
    return model.to(numbers)


def automaton(letters: tuple[Token, ...], step: Sequence[Sequence[int]], answers: Sequence[bool | None]) -> Spec:
    """The specification by an automaton that starts in state 0; -1 goes nowhere, None is no statement."""
    number = {None: -1, False: 0, True: 1}
    states = SpecStates(np.array(step), 0, np.array([number[a] for a in answers]))

    def answers_of(words: Sequence[Word]) -> list[list[Answer | None]]:
        rows: list[list[Answer | None]] = []
        for word in words:
            path = [states.after([letters.index(x) for x in word[: k + 1]]) for k in range(len(word))]
            rows.append([None if s == -1 else answers[s] for s in path])
        return rows

    return Spec("automaton", "automaton", letters, answers_of, (False, True), lambda n: states, prefixes=True)


def parity() -> Spec:
    """An odd number of ones."""
    return automaton(("0", "1"), [[0, 1], [1, 0]], [False, True])


def blocks() -> Spec:
    """Words 0*1*, whose answer is whether a one was read; nothing is said of the empty word."""
    return automaton(("0", "1"), [[1, 2], [1, 2], [-1, 2]], [None, False, True])


def alternating() -> Spec:
    """The words 0101...: one of each length."""
    return automaton(("0", "1"), [[1, -1], [-1, 2], [1, -1]], [None, False, True])


def without_states(spec: Spec, *, prefixes: bool = True) -> Spec:
    """The same specification as a function of words."""
    return Spec(spec.name, "function", spec.letters, spec.answers_of, spec.answers, None, spec.definition, prefixes)


def plain_answers(question: Question, n: int) -> dict[Word, list[Answer | None]]:
    """The right answers at the positions that are read, of every word of a length that is asked about."""
    found: dict[Word, list[Answer | None]] = {}
    for word in product(question.spec.letters, repeat=n):
        every = question.spec.answers_of([word])[0]
        if question.spec.states is not None and every[-1] is None:
            continue
        answers = every if question.read == "each" else every[-1:]
        if any(answer is not None for answer in answers):
            found[word] = answers
    return found


def plain_margins(question: Question, n: int, numbers: str | None = None) -> dict[Word, float]:
    """The least margin of each word that is asked about, by the runtime."""
    model = question.model if numbers is None else question.model.to(numbers)
    right = plain_answers(question, n)
    rows = logits_of(model, [question.tokens(word) for word in right])
    margins = {}
    for (word, answers), logits in zip(right.items(), rows, strict=True):
        values = [
            question.decode.requirement(answer).margin(logits[at])
            for at, answer in zip(question.asked(n), answers, strict=True)
            if answer is not None
        ]
        margins[word] = min(values)
    return margins
