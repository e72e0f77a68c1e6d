"""From a model to one that a stock class holds: the number type, the scale of the scores and the norms are chosen."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, TypeAlias

import numpy as np

from capax.model.export.export_check import random_words, short_words
from capax.model.export.hugging_face.answers import Answers, answers_of, with_logits
from capax.model.export.hugging_face.norm_bounds import ROOM, NormError, certain_length, longest_row, norm_error
from capax.model.export.hugging_face.norms import pin_for, position_rows, with_norms
from capax.model.export.hugging_face.shape import is_causal, shape_of
from capax.model.export.hugging_face.sizes import HuggingFaceSizes, sizes_for
from capax.model.model import Model
from capax.model.parts import Norm
from capax.model.positions import Positions
from capax.model.run.run import answers as answers_on
from capax.model.vocabulary import Numbers

SCALE: Final = {"float32": 48.0, "float64": 128.0}
"""The scale of the scores of compiled models: a key that is not selected has at most exp(-scale / 2) of the weight of
one that is. A smaller scale would leak more, a larger one would make more of the norms' rounding."""
COMPILED: Final = {"float32": 256.0, "float64": 2048.0}
"""The scale with which the compiler makes models."""
JITTER: Final = 2.0**-20
"""In float32 the answers must also be right when the norms are off by this factor, which is more than was ever seen."""
LARGEST_PIN: Final = 2.0**50
"""A larger pinned number would overflow in float32 when it is squared and summed."""


Family: TypeAlias = Literal["gpt2", "bert", "opt", "roberta", "llama"]
"""The classes that hold a model. OPT and RoBERTa count positions without padding; a model whose norms are its own is
held by GPT-2 or BERT, where it may come from."""


@dataclass(frozen=True, slots=True)
class NeutralNorms:
    """How norms were made to do nothing, and what is known of their error.

    `pin` is the pinned number; `evidence` says how it is known that no row is longer than the reach of the error bound;
    `holds_when_off_by` is a factor by which the norms may be off without a change of the answers on the words tried.
    """

    sizes: HuggingFaceSizes
    pin: float
    longest_seen: float
    longest_by_intervals: float | None
    evidence: str
    error: NormError
    holds_when_off_by: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Converted:
    """A model of GPT-2's or BERT's shape, with what was chosen for it; `norms` is None where norms are its own."""

    model: Model
    answers: Answers
    family: Family
    causal: bool
    soften: float = 1.0
    norms: NeutralNorms | None = None

    @property
    def after(self) -> bool:
        """Whether the norms stand after the sublayers."""
        return self.family in ("bert", "roberta")


def convert(model: Model) -> Converted:
    """A model that a stock class holds, as one of its shape: in float32 where that gives the model's answers."""
    causal = is_causal(model)
    answers = answers_of(model, causal=causal)
    shape = shape_of(model)
    assert shape is not None, "it was refused"
    if shape != "bare":
        return Converted(with_logits(_with_table(model)), answers, shape, causal)
    family: Family = "opt" if answers.task == "text-generation" else "roberta"
    words = [*short_words(model, 150)[0], *random_words(model, 60, 0)]
    seen, certain = longest_row(model, words), certain_length(model)
    sizes = sizes_for(model, whole_root=True)
    if model.numbers == "float32":
        converted, norms = _neutralised(model, answers, family, sizes, "float32", seen, certain, words)
        if norms.pin <= LARGEST_PIN and norms.holds_when_off_by:
            return converted
    return _neutralised(model, answers, family, sizes, "float64", seen, certain, words)[0]


def _neutralised(
    model: Model,
    answers: Answers,
    family: Family,
    sizes: HuggingFaceSizes,
    dtype: str,
    seen: float,
    certain: float,
    words: Sequence[Any],
) -> tuple[Converted, NeutralNorms]:
    """The model in a dtype with norms that do nothing, tried on words, and what is known of these norms."""
    after = family == "roberta"
    fine = with_logits(model.to(dtype))
    soften = SCALE[dtype] / COMPILED[model.numbers] if model.provenance.program is not None else 1.0
    reach = 2.0**ROOM * max(seen, 1.0)
    proved = certain <= reach / 2  # the other half is for rounding
    pin = pin_for(seen, dtype)
    with_pairs = with_norms(fine, sizes, dtype, pin, after=after, soften=soften)
    error = norm_error(sizes, dtype, pin, reach, model.width, after=after)
    norms = NeutralNorms(
        sizes,
        pin,
        longest_seen=seen,
        longest_by_intervals=certain if math.isfinite(certain) else None,
        evidence="proved" if proved else "seen on the words that were tried",
        error=error,
        holds_when_off_by=_tolerated(model, with_pairs, words, error.relative),
    )
    return Converted(with_pairs, answers, family, is_causal(model), soften, norms), norms


def _with_table(model: Model) -> Model:
    """The model with its positions as a table."""
    table = position_rows(model, model.numbers)
    none = np.zeros((0, model.width), model.numbers)
    return replace(model, positions=Positions((), none, table), max_length=len(table) - len(model.prefix))


def _tolerated(model: Model, neutralised: Model, words: Sequence[Any], bound: float) -> float:
    """How far the norms may be off without a change of the answers on some words: by the bound, less, or 0."""
    expected = answers_on(model, words)
    steps = (max(bound, JITTER), JITTER) if neutralised.numbers == "float32" else (bound,)
    return next((by for by in steps if _holds(model, neutralised, expected, words, by)), 0.0)


def _holds(model: Model, neutralised: Model, expected: list[list[Any]], words: Sequence[Any], by: float) -> bool:
    """Whether the answers stay what they are with the norms, and with all or every second of them off by a factor."""
    return all(
        _agree(model, expected, answers_on(_off(neutralised, signs, by), words))
        for signs in ((0, 0), (1, 1), (-1, -1), (1, -1), (-1, 1))
    )


def _agree(model: Model, expected: list[list[Any]], answers: list[list[Any]]) -> bool:
    if isinstance(model.decoding, Numbers):
        pairs = [(a, b) for x, y in zip(expected, answers, strict=True) for a, b in zip(x, y, strict=True)]
        return all(math.isclose(a, b, rel_tol=1e-4, abs_tol=1e-4) for a, b in pairs)
    return expected == answers


def _off(model: Model, signs: tuple[int, int], by: float) -> Model:
    """The model with the gains of the norms multiplied by a factor, which depends on the sign of the norm in turn."""
    number = itertools.count()

    def norm(before: Norm | None) -> Norm | None:
        if before is None:
            return None
        factor = 1 + signs[next(number) % 2] * by
        return replace(before, gain=(before.gain * factor).astype(before.gain.dtype))

    blocks = tuple(replace(b, attention_norm=norm(b.attention_norm), mlp_norm=norm(b.mlp_norm)) for b in model.blocks)
    return replace(model, blocks=blocks, readout=replace(model.readout, norm=norm(model.readout.norm)))
