"""A lesson: a task as a network is trained on it, in batches of numbers."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from capax.tasks.base.parameter import Parameter, settle

Array: TypeAlias = NDArray[Any]
At: TypeAlias = Mapping[str, Any]
Token: TypeAlias = str | int | float | bool

NOTHING = -1
"""The answer at a place where nothing is asked."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Words of about one length, as numbers.

    `inputs` (word, place) are numbers of input tokens, or (word, place, feature) for words of vectors. `answers`
    (word, place) are numbers of outputs, or -1 where nothing is asked. `targets` (word, place, output) are the vectors
    that are wanted, or the distributions that the answers were drawn from, where the lesson has any. `lengths` (word,)
    are given where words are shorter than the array.
    """

    inputs: Array
    answers: Array
    targets: Array | None = None
    lengths: Array | None = None


@dataclass(frozen=True, slots=True)
class Words:
    """What a lesson reads and answers: tokens and outputs by number, or the number of features of a word of vectors."""

    inputs: tuple[Token, ...]
    outputs: tuple[Token, ...]
    features: int = 0


@dataclass(frozen=True, slots=True)
class Look:
    """Where a program's head looks: a layer, a head of it (both from 1) and its selector as a RASP expression."""

    layer: int
    head: int
    selector: str
    name: str = ""


Kind: TypeAlias = Literal["classes", "distribution", "vectors"]
"""Right or wrong answers; a distribution that answers are drawn from; vectors that are to be met."""


def _no_looks(at: At, first: bool) -> tuple[Look, ...]:
    return ()


def _no_values(at: At, first: bool) -> Mapping[str, str]:
    return {}


@dataclass(frozen=True, slots=True)
class Lesson:
    """What a network is trained on.

    `words(at, n)` says what is read and answered by words up to length n. `batch(random, count, n, at)` gives so many
    words of about length n; the generator is an argument. `looks(at, first)` are the heads of the program that
    computes it, and `values(at, first)` its named intermediate values as RASP expressions; `first` says whether a
    begin-of-word token stands before every word. `pattern(batch, at)` (word, query, key) is where the first head should
    look, for words of vectors. With `causal(at)` no place may see a later one.
    """

    name: str
    what: str
    words: Callable[[At, int], Words]
    batch: Callable[[np.random.Generator, int, int, At], Batch]
    parameters: tuple[Parameter, ...] = ()
    kind: Kind = "classes"
    looks: Callable[[At, bool], tuple[Look, ...]] = _no_looks
    values: Callable[[At, bool], Mapping[str, str]] = _no_values
    program: Callable[[At, bool], str | None] = field(default=lambda at, first: None)
    pattern: Callable[[Batch, At], Array] | None = None
    causal: Callable[[At], bool] = field(default=lambda at: False)

    def settle(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Every parameter with its value, the given one or the default."""
        return settle(self.parameters, given)
