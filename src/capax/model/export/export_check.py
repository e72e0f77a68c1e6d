"""Whether an export gives the model's own answers: on all short words and on random long ones."""

import math
import random
from collections.abc import Sequence
from typing import Final

import numpy as np

from capax.errors import CapaxError
from capax.model.export.rare_words import cost, rare_words
from capax.model.export.target import Runner, Word
from capax.model.model import Model
from capax.model.parts import Array
from capax.model.run.run import decoded
from capax.model.run.run import logits as logits_of
from capax.model.vocabulary import Numbers, Token, token_key
from capax.report import Evidence, Report, blocks, joined
from capax.report import short_words as all_short_words

UNBOUNDED: Final = 24
"""The length of long words for a model that reads words of any length."""
LONGEST: Final = 2_048
"""The length of long words for a model that reads far longer ones: a run has all pairs of positions in memory."""
CELLS: Final = 1_000_000
"""Words are run together as long as their pairs of positions are no more than this."""
GROWN: Final = 16
"""The most words that are grown."""
CLOSE: Final = {"float64": 1e-9, "float32": 1e-4, "float16": 1e-2, "bfloat16": 1e-1}
"""How far answers that are numbers themselves may differ, relative to their size, by rounding in another order."""


def check(model: Model, runner: Runner, *, words: int = 300, seed: int = 0, first: Model | None = None) -> Report:
    """A report that an export answers as the model does; an answer that differs is an error that names the word.

    About twice `words` words are tried: all up to some length, and random ones up to the greatest length (LONGEST at
    most), drawn with the seed. `figures["difference"]` is the greatest difference of any logit. `first` is the model as
    it was before it was changed for the export, if it was: the answers must be its own, too.
    """
    short, length = short_words(model, words)
    long = random_words(model, words, seed)
    models = (model,) if first is None or first is model else (model, first)
    parts = [_compared(models, runner, short, f"the same answers on all words up to length {length}")] if short else []
    if long:
        most = max(map(len, long))
        parts.append(_compared(models, runner, long, f"the same answers on random words up to length {most}", seed))
    whole = joined("the export gives the model's answers", tuple(parts))
    figures = {"difference": max(p.figures["difference"] for p in parts)}
    return Report(
        whole.statement, whole.evidence, True, count=whole.count, seed=whole.seed, figures=figures, parts=whole.parts
    )


def alphabet(model: Model) -> tuple[Token, ...]:
    """The tokens of a model's words: its vocabulary without those that only the prefix has.

    A token of the prefix is one of the words' too unless the model says what its domain is.
    """
    domain = model.provenance.domain
    keys = None if domain is None or domain.alphabet is None else {token_key(t) for t in domain.alphabet}
    return tuple(t for t in model.vocabulary.tokens if keys is None or token_key(t) in keys)


def short_words(model: Model, budget: int) -> tuple[list[Word], int]:
    """All words up to the greatest length at which they are no more than the budget, and that length."""
    longest = UNBOUNDED if model.max_length is None else model.max_length
    words, length = all_short_words(alphabet(model), longest, budget, max(model.min_length, 1))
    return [*words], length


def random_words(model: Model, count: int, seed: int) -> list[Word]:
    """Words of all lengths, half of them the longest; fewer where they are long.

    Some of them are grown: they lead away from the answers that the model gives on most words.
    """
    source, tokens = random.Random(seed), alphabet(model)
    longest = _longest(model)
    least = max(model.min_length, 1)
    if longest < least or not tokens:
        return []
    fewer = max(4, min(count, 40 * CELLS // (longest * longest)))
    lengths = [source.choice((longest, source.randint(least, longest))) for _ in range(fewer)]
    grown = min(GROWN, fewer // 4, 40 * CELLS // max(1, cost(longest)))
    words = rare_words(model, tokens, lengths[:grown], source) if grown else []
    return words + [tuple(source.choice(tokens) for _ in range(n)) for n in lengths[grown:]]


def _longest(model: Model) -> int:
    if model.max_length is not None:
        return min(model.max_length, LONGEST)
    table = model.positions.table
    return UNBOUNDED if table is None else min(UNBOUNDED, len(table) - len(model.prefix))


def _compared(
    models: Sequence[Model], runner: Runner, words: Sequence[Word], statement: str, seed: int | None = None
) -> Report:
    """The report on some words; the logits are compared with those of the first model, the answers with all."""
    difference = 0.0
    for block in blocks(words, CELLS):
        outputs = runner(block)
        assert len(outputs) == len(block), "a runner answers every word"
        rows = [logits_of(model, block) for model in models]
        for model, expected_logits in zip(models, rows, strict=True):
            for word, logits, output in zip(block, expected_logits, outputs, strict=True):
                expected = decoded(model, logits)
                if not _all_same(model, expected, output.answers):
                    raise _differs(word, expected, output.answers)
        for logits, output in zip(rows[0], outputs, strict=True):
            difference = max(difference, _difference(logits, output.logits))
    evidence: Evidence = "exhaustive" if seed is None else "sampled"
    figures = {"difference": difference}
    return Report(statement, evidence, True, count=len(words), seed=seed, figures=figures)


def _all_same(model: Model, expected: Sequence[Token], answers: Sequence[Token]) -> bool:
    return len(expected) == len(answers) and all(_same(model, a, b) for a, b in zip(expected, answers, strict=True))


def _same(model: Model, expected: Token, answer: Token) -> bool:
    """Whether two answers are equal; where the answer is a number that was computed, up to rounding."""
    if token_key(expected) == token_key(answer):
        return True
    if not isinstance(model.decoding, Numbers):
        return False
    if not isinstance(expected, float) or not isinstance(answer, float):
        return False
    close = CLOSE.get(model.numbers, 0.0)
    return (math.isnan(expected) and math.isnan(answer)) or math.isclose(expected, answer, rel_tol=close, abs_tol=close)


def _difference(one: Array, two: Array) -> float:
    """The greatest difference of two arrays of one shape; equal infinities do not differ."""
    a, b = np.asarray(one, np.float64), np.asarray(two, np.float64)
    assert a.shape == b.shape, f"the export gives logits of shape {b.shape}, not {a.shape}"
    with np.errstate(invalid="ignore"):
        apart = np.where(a == b, 0.0, np.abs(a - b))
    return float(np.nan_to_num(apart, nan=0.0 if np.array_equal(np.isnan(a), np.isnan(b)) else np.inf).max(initial=0.0))


def _differs(word: Word, expected: list[Token], answers: list[Token]) -> CapaxError:
    text = "".join(map(str, word)) if all(isinstance(t, str) and len(t) == 1 for t in word) else list(word)
    return CapaxError(
        "export-differs",
        f"on the word {text!r:.200} the model answers {expected!s:.200}, and the export {answers!s:.200}",
        hint='nothing was written; a number system with more digits may help, such as model.to("float64")',
        word=list(word),
        expected=expected,
        answers=answers,
    )
