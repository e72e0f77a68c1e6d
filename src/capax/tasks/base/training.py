"""How networks are trained on a task: batches of numbers, and what the task's program says about heads and values."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from capax.tasks.base.parameter import Parameter, Value, settle

Array: TypeAlias = NDArray[Any]
ParameterValues: TypeAlias = Mapping[str, Any]
Token: TypeAlias = str | int | float | bool

IGNORE = -1
"""The answer at a position that is not scored."""


@dataclass(frozen=True, slots=True)
class TrainingBatch:
    """Words of about one length, as numbers.

    `inputs` (word, position) are numbers of input tokens, or (word, position, feature) for words of vectors. `answers`
    (word, position) are numbers of outputs, or -1 where nothing is scored. `targets` (word, position, output) are the
    vectors to predict, or the distributions that the answers were drawn from, where the task has any. `lengths`
    (word,) are given where words are shorter than the array.
    """

    inputs: Array
    answers: Array
    targets: Array | None = None
    lengths: Array | None = None


@dataclass(frozen=True, slots=True)
class Vocabularies:
    """The input tokens and the outputs of a network, by number; or the number of features of a word of vectors."""

    inputs: tuple[Token, ...]
    outputs: tuple[Token, ...]
    features: int = 0


@dataclass(frozen=True, slots=True)
class AttentionTarget:
    """Where a program's head looks: a layer, a head of it (both from 1) and its selector as a RASP expression."""

    layer: int
    head: int
    selector: str
    name: str = ""


Kind: TypeAlias = Literal["classes", "distribution", "vectors"]
"""How answers are scored: right or wrong; against a distribution that they are drawn from; by distance to a vector."""


@dataclass(frozen=True, slots=True)
class Training:
    """How networks are trained on a task.

    `vocabularies(at, n)` are the tokens and outputs of words up to length n. `batch(random, count, n, at)` is `count`
    words of about length n; the generator is an argument. `attention_targets(at, bos)` are the heads of the program
    that computes the task, and `values(at, bos)` its named intermediate values as RASP expressions; `bos` says whether
    a BOS token precedes every word. `pattern(batch, at)` (word, query, key) is where the first head should look, for
    words of vectors. With `causal(at)` no position may see a later one. `read` says whether a word has an answer at
    each position or one, at its last. `parameters` are those of training, which may have other defaults than the
    task's.
    """

    vocabularies: Callable[[ParameterValues, int], Vocabularies]
    batch: Callable[[np.random.Generator, int, int, ParameterValues], TrainingBatch]
    parameters: tuple[Parameter, ...] = ()
    kind: Kind = "classes"
    attention_targets: Callable[[ParameterValues, bool], tuple[AttentionTarget, ...]] = field(
        default=lambda at, bos: ()
    )
    values: Callable[[ParameterValues, bool], Mapping[str, str]] = field(default=lambda at, bos: {})
    program: Callable[[ParameterValues, bool], str | None] = field(default=lambda at, bos: None)
    pattern: Callable[[TrainingBatch, ParameterValues], Array] | None = None
    causal: Callable[[ParameterValues], bool] = field(default=lambda at: False)
    read: Literal["each", "last"] = "each"

    def settle(self, values: Mapping[str, Any]) -> dict[str, Value]:
        """Every parameter with its value: the one in `values`, or the default."""
        return settle(self.parameters, values)
