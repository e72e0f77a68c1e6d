"""How far a model is from q-sparse averaging, at worst: over subsets, and over all vectors of the unit ball."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from capax.auditor.model_proof import ModelProof
from capax.model.model import Model
from capax.model.parts import Array
from capax.model.run.run import run_rows
from capax.report import Report
from capax.tasks.q_sparse_averaging import TASK
from capax.theorems.sparse_averaging.parts.dual import Subset
from capax.theorems.sparse_averaging.parts.reading import TokenReading, point_vector, points
from capax.theorems.sparse_averaging.parts.subsets import Chosen

ADVERSARIAL: Final = 24
"""So many subsets, those of the largest deviations, are also run with the signs that are worst for them."""

RANDOM: Final = 8
"""So many words of random vectors and subsets are run."""


@dataclass(frozen=True, slots=True)
class MeasuredError:
    """The worst that was found.

    `deviation` is the largest sum of |weight - right weight| over the subsets: the worst error over all vectors of the
    unit ball. `answer` is the largest error of an answer that was run, in norm, and `example` the input of it.
    """

    deviation: float
    answer: float
    example: Mapping[str, object]

    @property
    def worst(self) -> float:
        """The larger of the two; what is not a number is worse than all."""
        larger = max(self.deviation, self.answer)
        return larger if np.isfinite(larger) else float("inf")


def measure(model: Model, reading: TokenReading, subsets: Sequence[Subset], seed: int) -> MeasuredError:
    """The worst errors of a model over subsets: of all weights, and of answers to the worst and to random words."""
    random = np.random.default_rng(seed)
    vectors = points(reading.dimension)
    off = weights_of(model, reading, subsets, random) - _right(reading, subsets)
    sums = np.nan_to_num(np.abs(off).sum(axis=1), nan=np.inf)
    words: list[tuple[list[int], list[Subset]]] = []
    for at in np.argsort(-sums, kind="stable")[:ADVERSARIAL].tolist():
        words.append((np.where(off[at] < 0, -1, 1).tolist(), [subsets[at]] * reading.length))
    for _ in range(RANDOM):
        named = [subsets[k] for k in random.integers(len(subsets), size=reading.length)]
        words.append((random.choice(vectors, reading.length).tolist(), named))
    errors = [_answer_error(model, reading, *word) for word in words]
    worst, example = max(errors, key=lambda pair: pair[0])
    return MeasuredError(float(sums.max()), worst, example)


def report(
    model: Model, reading: TokenReading, which: Chosen, error: float, seed: int, statement: str | None = None
) -> Report:
    """Whether a model is within `error` on the chosen subsets, with what was measured."""
    measured = measure(model, reading, which.subsets, seed)
    holds = measured.worst <= error
    what = f"{'every subset' if which.all else 'random and hard subsets'}, every vector of the unit ball"
    assumptions = ["the head's weights do not depend on the vectors, so that the worst vectors are signs on an axis"]
    if model.size.oracles:
        assumptions.append("an oracle map: an arbitrary function stands for a network")
    return Report(
        statement or f"the answers are within {error:g} of the means: {what}, in {model.numbers}",
        "exhaustive" if which.all else "sampled",
        holds,
        count=len(which.subsets),
        seed=seed,
        figures={"worst error by the weights": f"{measured.deviation:.3g}", "worst answer": f"{measured.answer:.3g}"},
        counterexample=None if holds else measured.example,
        assumptions=tuple(assumptions),
    )


def proved(model: Model, reading: TokenReading, which: Chosen, error: float, seed: int) -> ModelProof | None:
    """Whether a model is within `error` on all subsets and all vectors; None where not all subsets were chosen."""
    if not which.all:
        return None
    one = report(model, reading, which, error, seed)
    inputs = f"sets of {reading.q} of {reading.length} positions, within {error:g} for any vectors of the unit ball"
    return ModelProof(inputs, len(which.subsets), model.numbers, "weights", True, one.counterexample, one.assumptions)


def weights_of(model: Model, reading: TokenReading, subsets: Sequence[Subset], random: np.random.Generator) -> Array:
    """The weights (S, N) of the head for each subset, from words in which they stand side by side."""
    parts = [_weights(model, reading, part, random) for part in _groups(subsets, reading.length)]
    return np.concatenate(parts)[: len(subsets)]


def _groups(subsets: Sequence[Subset], size: int) -> list[list[Subset]]:
    """The subsets in groups of one size, the last one filled up."""
    return [(list(subsets[k : k + size]) * size)[:size] for k in range(0, len(subsets), size)]


def _weights(model: Model, reading: TokenReading, group: list[Subset], random: np.random.Generator) -> Array:
    """The head's weights (N, N), with the subsets of a group at the N positions of one word."""
    vectors = random.choice(points(reading.dimension), reading.length).tolist()
    trace: dict[str, Array] = {}
    run_rows(model, np.array([model.read(reading.word(vectors, group))]), trace)
    return np.asarray(trace[f"blocks.{reading.layer}.attn.pattern"][0, 0][np.ix_(reading.rows, reading.rows)])


def _right(reading: TokenReading, subsets: Sequence[Subset]) -> Array:
    """The right weights (S, N): 1/q on the subset."""
    right = np.zeros((len(subsets), reading.length))
    for row, subset in zip(right, subsets, strict=True):
        row[list(subset)] = 1 / reading.q
    return right


def _answer_error(
    model: Model, reading: TokenReading, vectors: list[int], subsets: list[Subset]
) -> tuple[float, Mapping[str, object]]:
    """The largest error of the answers to a word, and the position, subset and vectors of it."""
    word = [(point_vector(p, reading.dimension), s) for p, s in zip(vectors, subsets, strict=True)]
    right = np.array(TASK.reference(word, q=reading.q, dimension=reading.dimension))
    out = run_rows(model, np.array([model.read(reading.word(vectors, subsets))]))[0][reading.rows]
    off = np.nan_to_num(np.linalg.norm(np.asarray(out, float) - right, axis=1), nan=np.inf)
    at = int(off.argmax())
    example = {
        "position": at,
        "subset": list(subsets[at]),
        "vectors": vectors,
        "model": [float(f"{x:.6g}") for x in out[at]],
        "right": right[at].tolist(),
    }
    return float(off[at]), example
