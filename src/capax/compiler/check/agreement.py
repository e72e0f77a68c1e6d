"""Whether a model gives a program's answers: on all short words, on random ones, and on words that are hard."""

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from capax.compiler.analysis.value_sets import NEAR, TINY
from capax.compiler.domain import Domain
from capax.model.claim import claimed_program
from capax.model.model import Model
from capax.notation.rounds import rounds_at
from capax.rasp.ir.nodes import SOpNode
from capax.rasp.ir.types import Atom
from capax.rasp.meaning.fast import evaluate_batch
from capax.rasp.rewrite.prepare import looking_back
from capax.report import AnswerComparison, Mismatch, Report, joined
from capax.report import compare as compare_answers
from capax.report import short_words as all_short_words

Word = tuple[Atom, ...]

CELLS = 4_000_000
"""Words are run together as long as their pairs of positions are no more than this."""


def meaning(root: SOpNode, domain: Domain) -> SOpNode:
    """What the model is to compute: the program, with selectors that see no later key if the domain is causal."""
    return looking_back(root) if domain.causal else root


def same(expected: Atom, answer: Atom, *, typed: bool = False) -> bool:
    """Whether two values are equal, or floats that differ by rounding only; and of one type if that is asked.

    A mean whose exact value is zero may come out as some 1e-17 where terms cancel: tiny differences count as none.
    """
    if typed and type(expected) is not type(answer):
        return False
    if expected == answer:
        return True
    if isinstance(expected, str) or isinstance(answer, str) or float not in (type(expected), type(answer)):
        return False
    return abs(expected - answer) <= max(NEAR * max(abs(expected), abs(answer)), TINY)


def compare(model: Model, node: SOpNode, words: Sequence[Word], *, typed: bool = False) -> AnswerComparison[Word]:
    """The comparison of a model's answers with the program's; words on which the program fails are not compared."""

    def all_same(expected: Sequence[Atom], answers: Sequence[Atom]) -> bool:
        values = list(expected)
        if values == answers and (not typed or list(map(type, values)) == list(map(type, answers))):
            return True  # all at once: what is equal is the same
        return all(same(e, a, typed=typed) for e, a in zip(values, answers, strict=True))

    characters = all(isinstance(token, str) and len(token) == 1 for token in model.vocabulary.tokens)

    def expected_of(some: Sequence[Sequence[Any]]) -> Sequence[Any]:
        # strings are read faster
        return evaluate_batch(node, ["".join(word) for word in some] if characters else some)

    return compare_answers(words, model.batch, expected_of, same=all_same, cells=CELLS)


def shown(wrong: Mismatch[Word]) -> dict[str, object]:
    """A mismatch as a counterexample."""
    return {"word": list(wrong.word), "expected": list(wrong.expected), "answer": list(wrong.answer)}


def short_words(domain: Domain, budget: int) -> tuple[list[Word], int]:
    """All words up to the greatest length at which they are no more than the budget, and that length."""
    return all_short_words(domain.alphabet, domain.max_length, budget)


LENGTHS = 8
"""How many lengths random words have beside the greatest."""


def random_words(domain: Domain, count: int, seed: int) -> list[Word]:
    """Words of some lengths, and half of them of the greatest, from the whole alphabet and from few of its tokens."""
    source, size = np.random.default_rng(seed), len(domain.alphabet)
    some_lengths = source.integers(1, domain.max_length + 1, LENGTHS)  # words of one length are run together
    lengths = np.where(source.random(count) < 0.5, domain.max_length, source.choice(some_lengths, count))
    ends = np.cumsum(lengths)
    drawn = source.random(int(lengths.sum()))
    few = np.where(source.random(count) < 0.5, source.integers(1, min(size, 4) + 1, count), size)
    tokens = np.empty(size, dtype=object)
    tokens[:] = domain.alphabet
    words: list[Word] = []
    for n, end, some in zip(lengths.tolist(), ends.tolist(), few.tolist(), strict=True):
        picked = tokens if some == size else tokens[source.permutation(size)[:some]]
        words.append(tuple(picked[(drawn[end - n : end] * some).astype(np.int64)].tolist()))
    return words


def hard_words(domain: Domain, count: int) -> list[Word]:
    """Words with ties, empty selections and extreme counts: nearly equal tokens, blocks, sorted, alternating."""
    tokens, longest = domain.alphabet, domain.max_length
    picked = tokens if len(tokens) <= 4 else (*tokens[:2], *tokens[-2:])
    # where words are to be few, all of the greatest length first, and of lengths that differ
    lengths = dict.fromkeys([longest, max(longest // 2, 1), min(longest, 2), max(longest - 1, 1)])

    def every() -> Iterable[Word]:
        for n in lengths:
            for a in picked:
                yield (a,) * n
            for a, b in itertools.permutations(picked, 2):
                yield (a,) * (n - 1) + (b,)
                yield (b,) + (a,) * (n - 1)
                yield (a,) * (n // 2) + (b,) * (n - n // 2)
                yield ((a, b) * n)[:n]
            yield tuple(tokens[i % len(tokens)] for i in range(n))
            yield tuple(tokens[-1 - i % len(tokens)] for i in range(n))
            yield tuple(sorted((tokens[i % len(tokens)] for i in range(n)), key=repr))

    words: dict[Word, None] = {}
    for word in every():
        if len(words) >= count:
            break
        if word:
            words[word] = None
    return list(words)


MOST_WORK = 20_000_000_000
"""Products of numbers, about, that the words of one kind may take; a tenth of it for one word."""


def _affordable(model: Model, longest: int, words: int) -> tuple[int, int]:
    """The length and the number of words that can be tried in reasonable time; a loop takes as long as its rounds."""
    weights = sum(array.size for _, array in model.arrays())
    heads = sum(len(block.heads) for block in model.blocks)
    rounds = 1 if model.loop is None else max(1, rounds_at(model.loop.rounds, longest))
    weights, heads = weights * rounds, heads * rounds
    far = longest
    while far > 1 and far * (far * heads + weights) > MOST_WORK // 10:
        far = far * 9 // 10
    fewer = max(20 if rounds == 1 else 4, min(words, 40_000_000 // (far**2 * rounds)))
    return far, max(4, min(fewer, MOST_WORK // (far * (far * heads + weights))))


def agreement(model: Model, root: SOpNode, domain: Domain, *, typed: bool, words: int = 2000, seed: int = 0) -> Report:
    """A report on the model's answers against the program's, on about three times `words` words.

    `typed`: types must agree too. `figures["fails"]` has, for each kind of error of the program, a word on which it has
    it; `figures["not compared"]` the kinds of words on none of which the program has a value. Where no word was
    compared the report does not hold, without a counterexample.
    """
    node = meaning(root, domain)
    short, longest = short_words(domain, words)
    far, fewer = _affordable(model, domain.max_length, words)
    reach = replace(domain, max_length=far)
    parts: list[Report] = []
    nothing: list[str] = []
    failing: dict[str, Word] = {}
    for which, tried, sampled in (
        (f"all words up to length {longest}", short, None),
        (f"random words up to length {far}", random_words(reach, fewer, seed), seed),
        (f"words with ties, extremes and the greatest length {far}", hard_words(reach, fewer), seed),
    ):
        if not tried:
            continue
        comparison = compare(model, node, tried, typed=typed)
        failing = {**comparison.errors, **failing}
        if not comparison.count:  # the program fails on each: the errors are reported
            nothing.append(which)
            continue
        right = comparison.wrong is None
        statement = _right(which, domain.causal, partly=comparison.count < len(tried) and right)
        parts.append(comparison.report(statement, sampled, shown))
        if not right:
            break
    figures = {
        "exhaustive up to length": longest,
        "fails": {code: list(w) for code, w in failing.items()},
        "not compared": nothing,
    }
    program = claimed_program(domain.causal)
    if not parts:
        none = f"nothing could be compared: {program} has a value on none of the words that were tried"
        return Report(none, "sampled", holds=False, count=0, seed=seed, figures=figures)
    whole = joined(f"the model's answers are those of {program}, up to length {domain.max_length}", tuple(parts))
    return replace(whole, figures=figures)


def _right(which: str, causal: bool, *, partly: bool) -> str:
    """The statement that a model is right on some words; `partly`: on those on which the program has a value."""
    where = f"right on {which}" + (" on which the program has a value" if partly else "")
    return f"{where}, as {claimed_program(True)}" if causal else where
