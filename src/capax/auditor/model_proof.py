"""The label of a model: on which inputs all its answers are proved right, how many these are, and how.

Exhaustion runs the model on every input of a length, whole, by the ordinary runtime in the model's own numbers. Where
the model has one attention layer and the specification has states, bounds then cover longer words.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, TypeAlias

import numpy as np

from capax.auditor.bounds.prove import prove_length, unsupported
from capax.auditor.exhaust import exhaust
from capax.auditor.exhaust.tally import LengthExhausted
from capax.auditor.question import Question
from capax.errors import CapaxError
from capax.model.model import Model

LEAST: Final = 10_000
"""Inputs of growing lengths are run until there are so many."""
MOST: Final = 300_000
"""Inputs of a length are not run if they are more."""
CLASSES: Final = 2_000
"""So many classes of words are bounded for a length, and then it is given up."""
LONGEST: Final = 200
"""Bounds are computed up to this length."""

STEEP: Final = 2.0**20
"""Of models with larger weights nothing is bounded: their words are run."""
MANY: Final = 10**12
"""From this number on a label has about how many inputs there are."""

ProofMethod: TypeAlias = Literal["exhaustion", "exhaustion and bounds", "weights"]
HOW: Final[dict[ProofMethod, str]] = {
    "exhaustion": "each was run by capax's runtime in {}",
    "exhaustion and bounds": "short ones were run by capax's runtime in {}, the margins of all others are bounded",
    "weights": "the weights of the head on each, in {}, bound the errors over all vectors",
}


@dataclass(frozen=True, slots=True)
class ModelProof:
    """All inputs of some kind, tried or bounded without exception: a proof that a model is right, or a counterexample.

    `inputs` says of which kind they are, after their number: `words of 1 to 13 letters`. `whole` says that there are
    no others up to the size that was asked for. `note` is what was done, where the method does not say it.

    >>> print(ModelProof("words of 1 to 13 letters", 16_382, "float64"))
    proved on all 16,382 words of 1 to 13 letters, by exhaustion: each was run by capax's runtime in float64
    """

    inputs: str
    count: int
    numbers: str
    method: ProofMethod = "exhaustion"
    whole: bool = False
    counterexample: Any = None
    assumptions: tuple[str, ...] = ()
    note: str = ""

    @property
    def holds(self) -> bool:
        """Whether no answer was wrong."""
        return self.counterexample is None

    @property
    def extent(self) -> str:
        """How many inputs of which kind."""
        if self.count >= MANY:
            return f"all {self.inputs} ({number(self.count)})"
        return f"the one {self.inputs}" if self.count == 1 else f"all {self.count:,} {self.inputs}"

    @property
    def label(self) -> str:
        """What is proved, in a few words."""
        if not self.holds:
            return f"not proved: wrong on one of the {self.inputs}"
        return f"proved on {self.extent}" + (", all that there are of this size" if self.whole else "")

    @property
    def how(self) -> str:
        """The method, and what it did."""
        return f"by {self.method}: {self.note or HOW[self.method].format(self.numbers)}"

    def __str__(self) -> str:
        if not self.holds:
            return f"{self.label}\n  counterexample: {self.counterexample}"
        return "\n".join([f"{self.label}, {self.how}", *(f"  assuming {a}" for a in self.assumptions)])

    def to_json(self) -> dict[str, Any]:
        """The proof as plain data."""
        return {
            "holds": self.holds,
            "label": self.label,
            "inputs": self.inputs,
            "count": self.count,
            "whole": self.whole,
            "method": self.method,
            "numbers": self.numbers,
            "assumptions": list(self.assumptions),
            "note": self.note or None,
            "counterexample": self.counterexample,
        }


def number(count: int) -> str:
    """A number of inputs as text: 16,382, or about 3.2e+60."""
    return f"{count:,}" if count < MANY else f"about {float(count):.2g}" if count < 10**300 else "over 1e300"


def span(lengths: Sequence[int], unit: str = "letter") -> str:
    """Lengths that follow each other, in words.

    >>> span(range(1, 14)), span([1]), span([7], "token")
    ('1 to 13 letters', '1 letter', '7 tokens')
    """
    first, last = lengths[0], lengths[-1]
    return f"{first} to {last:,} {unit}s" if last > first else f"{last:,} {unit}{'' if last == 1 else 's'}"


def prove_words(
    question: Question,
    lengths: Iterable[int],
    *,
    least: int = LEAST,
    most: int = MOST,
    bounded: Question | None = None,
    name: Callable[[Sequence[int]], str] = lambda lengths: f"words of {span(lengths)}",
) -> ModelProof | None:
    """All words of the first of some lengths, until there are `least`; None if the first has more than `most`.

    `bounded` is the question whose specification has states, if there is one: bounds go on with it. `name` says what
    the words of some lengths are called.
    """
    sizes, numbers = list(lengths), question.model.numbers
    done: list[int] = []
    count = 0
    for n in sizes:
        if count >= least:
            break
        result = next(exhaust(question, [n], used=lambda: 0.0, most_words=most, runtime=True), None)
        if result is None or not result.complete:
            break
        done.append(n)
        count += result.words
        if (word := result.wrong or result.split) is not None:
            return ModelProof(name(done), count, numbers, counterexample=_wrong(word, result))
    if not done:
        return None
    proof = ModelProof(name(done), count, numbers, whole=done == sizes)
    return proof if bounded is None else _further(proof, bounded, done, sizes, name)


def _wrong(word: Sequence[Any], result: LengthExhausted) -> dict[str, Any]:
    return {"word": list(word), "position": result.wrong_position}


def _further(
    proof: ModelProof, question: Question, done: list[int], sizes: list[int], name: Callable[[Sequence[int]], str]
) -> ModelProof:
    """The proof for longer words, as far as bounds hold without a gap."""
    if unsupported(question) is not None or _steep(question.model):
        return proof
    reached, count = list(done), proof.count
    for n in sizes[len(done) :]:
        words = _bounded(question, n) if n <= LONGEST else None
        if words is None:
            break
        reached.append(n)
        count += words
    if reached == done:
        return proof
    note = (
        f"each of up to {span(done[-1:])} was run by capax's runtime in {proof.numbers}; "
        "beyond that the margins of all words are bounded at once, whatever the order of sums"
    )
    method: ProofMethod = "exhaustion and bounds"
    return replace(proof, inputs=name(reached), count=count, method=method, whole=reached == sizes, note=note)


def _steep(model: Model) -> bool:
    """Whether a weight is so large that answers may rest on how sums are rounded."""
    return any(bool((np.abs(np.asarray(array, np.float64)) > STEEP).any()) for _, array in model.arrays())


def _bounded(question: Question, n: int) -> int | None:
    """How many words of a length there are, if bounds prove all of them within a fixed amount of work."""
    looked = 0

    def used() -> float:
        nonlocal looked
        looked += 1
        return looked / CLASSES

    try:
        bound = prove_length(question, n, used=used)
    except CapaxError:  # more states than are explored
        return None
    return bound.words if bound.proved else None
