"""How a model's logits are read as answers, and by which margin they are: linear functions of the logits.

An answer is right by a margin above 0 if every linear function of its requirement is above 0. Whether it is right is
decided by the decoding itself: a margin of 0 or less is only a suspicion.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np

from capax.auditor.spec import Answer
from capax.errors import CapaxError
from capax.model.parts import Array
from capax.model.vocabulary import Classes, Decoding, Fractions, Nearest, Numbers, Token, token_key

TOLERANCE: Final = 1e-5
"""A number counts as right if it differs from the right one by this share of it, or by this where that is below 1."""


@dataclass(frozen=True, slots=True, eq=False)
class Requirement:
    """Logits of a right answer have `rows` (functions, outputs) times the logits plus `constants` above 0."""

    rows: Array
    constants: Array

    def margin(self, logits: Array) -> float:
        """The least of the functions at some logits (outputs,)."""
        values = self.rows @ np.asarray(logits, np.float64) + self.constants
        return float(values.min()) if len(values) else float("inf")


class Decode(ABC):
    """How logits become answers, for one model."""

    what: str
    """In words, for the verdict."""

    @abstractmethod
    def requirement(self, answer: Answer) -> Requirement:
        """What the logits satisfy if an answer is given by a margin."""

    @abstractmethod
    def margins(self, logits: Array, answers: Sequence[Answer]) -> Array:
        """The margin (words,) of each right answer, from logits (words, outputs)."""

    @abstractmethod
    def decoded(self, logits: Array) -> list[Answer]:
        """The answers that logits (words, outputs) stand for."""

    def right(self, logits: Array, answers: Sequence[Answer]) -> Array:
        """Whether each answer (words,) is the right one."""
        return np.array([same(a, b) for a, b in zip(self.decoded(logits), answers, strict=True)], bool)

    @abstractmethod
    def has(self, answer: Answer) -> bool:
        """Whether the model can give an answer at all."""


def same(answer: Answer, right: Answer) -> bool:
    """Whether two answers are the same: numbers up to rounding where one is a float, sets as sets."""
    if isinstance(answer, float) or isinstance(right, float):
        if isinstance(answer, bool | str | frozenset) or isinstance(right, bool | str | frozenset):
            return False
        return abs(answer - right) <= TOLERANCE * max(1.0, abs(right))
    return type(answer) is type(right) and answer == right


class ClassDecode(Decode):
    """The answer is the value with the highest logit; of equal ones the first. `names` has the outputs of answers."""

    def __init__(self, values: Sequence[Token], names: Mapping[Token, Token] | None = None) -> None:
        self.values = tuple(values)
        self.what = f"the highest of {len(self.values):,} logits"
        self._index = {token_key(value): k for k, value in reversed(list(enumerate(self.values)))}
        self.names = dict(names or {})
        self._names = {token_key(k): v for k, v in self.names.items()}
        self._back = {token_key(v): k for k, v in (names or {}).items()}
        if names:
            self.what += " (" + ", ".join(f"{v!r} is {k!r}" for k, v in names.items()) + ")"
        for answer in self.names:
            self._at(answer)  # an output that was named and is none is an error

    def _at(self, answer: Answer) -> int:
        assert not isinstance(answer, frozenset), "a set is not a class"
        named = token_key(answer) in self._names
        value = self._names[token_key(answer)] if named else answer
        taken = not named and token_key(answer) in self._back  # the output stands for another answer
        at = None if taken else self._index.get(token_key(value))
        if at is None and not taken:
            at = next((k for k, v in enumerate(self.values) if _number_equal(v, value)), None)
        if at is None:
            raise no_named_output(answer, value, self.values) if named else no_output(answer, self.values)
        return at

    def has(self, answer: Answer) -> bool:
        """Whether the model has an output for an answer."""
        try:
            return not isinstance(answer, frozenset) and self._at(answer) >= 0
        except CapaxError:
            return False

    def requirement(self, answer: Answer) -> Requirement:
        """The logit of the answer is above every other."""
        at, outputs = self._at(answer), len(self.values)
        rows = -np.delete(np.eye(outputs), at, axis=0)
        rows[:, at] = 1.0
        return Requirement(rows, np.zeros(len(rows)))

    def margins(self, logits: Array, answers: Sequence[Answer]) -> Array:
        """By how much the logit of each right answer exceeds the others."""
        x = np.array(logits, np.float64)
        at = np.array([self._at(answer) for answer in answers], np.int64)
        rows = np.arange(len(x))
        own = x[rows, at]
        x[rows, at] = -np.inf
        return np.asarray(own - x.max(axis=1, initial=-np.inf))

    def decoded(self, logits: Array) -> list[Answer]:
        """The values with the highest logits, in the specification's words."""
        values = [self.values[k] for k in np.argmax(logits, axis=-1).tolist()]
        return [self._back.get(token_key(value), value) for value in values]


class SignDecode(Decode):
    """The answer is the set of outputs whose logits are above 0: one yes or no for each token."""

    def __init__(self, values: Sequence[Token]) -> None:
        self.values = tuple(values)
        self.what = f"the set of tokens with a positive logit, of {len(self.values):,}"

    def has(self, answer: Answer) -> bool:
        """Whether an answer is a set of the model's outputs."""
        return isinstance(answer, frozenset) and answer <= set(self.values)

    def _signs(self, answer: Answer) -> Array:
        if not isinstance(answer, frozenset) or not answer <= set(self.values):
            raise no_output(answer, self.values)
        return np.array([1.0 if value in answer else -1.0 for value in self.values])

    def requirement(self, answer: Answer) -> Requirement:
        """The logits of the set's tokens are above 0 and the others below."""
        return Requirement(np.diag(self._signs(answer)), np.zeros(len(self.values)))

    def margins(self, logits: Array, answers: Sequence[Answer]) -> Array:
        """The least distance of a logit from the wrong side of 0."""
        signs = np.array([self._signs(answer) for answer in answers]).reshape(len(answers), len(self.values))
        return np.asarray((signs * np.asarray(logits, np.float64)).min(axis=1, initial=np.inf))

    def decoded(self, logits: Array) -> list[Answer]:
        """The sets of outputs with positive logits."""
        return [frozenset(v for v, x in zip(self.values, row, strict=True) if x > 0) for row in np.asarray(logits)]


class NumberDecode(Decode):
    """The answer is read off one number: the value of the nearest code, the nearest fraction, or the number itself."""

    def __init__(self, decoding: Nearest | Numbers | Fractions) -> None:
        self.decoding = decoding
        match decoding:
            case Nearest():
                self.what = f"the nearest of {len(decoding.codes):,} codes to one number"
            case Fractions():
                self.what = f"the nearest fraction with a denominator up to {decoding.most:,} to one number"
            case Numbers():
                self.what = f"one number, right up to {TOLERANCE:g}"

    def has(self, answer: Answer) -> bool:
        """Whether the answer is among the values, or a number."""
        if isinstance(self.decoding, Nearest):
            return any(same(value, answer) for value in self.decoding.values)
        return isinstance(answer, int | float) and not isinstance(answer, bool)

    def interval(self, answer: Answer) -> tuple[float, float]:
        """An open interval around the code of an answer in which every number stands for it."""
        match self.decoding:
            case Nearest(codes, values):
                at = next((k for k, value in enumerate(values) if same(value, answer)), None)
                if at is None:
                    raise no_output(answer, values)
                low = (codes[at - 1] + codes[at]) / 2 if at else -np.inf
                high = (codes[at] + codes[at + 1]) / 2 if at + 1 < len(codes) else np.inf
                return low, high
            case Fractions() as fractions:
                unit = fractions.exact_unit
                near = (_as_fraction(answer) / unit).limit_denominator(fractions.most)
                half = 1 / (2 * near.denominator * fractions.most)
                return float(near) - half, float(near) + half
            case _:
                value = float(answer)  # type: ignore[arg-type]
                return value - TOLERANCE * max(1.0, abs(value)), value + TOLERANCE * max(1.0, abs(value))

    def requirement(self, answer: Answer) -> Requirement:
        """The number lies in the interval of the answer."""
        low, high = self.interval(answer)
        rows = [(1.0, -low)] * math.isfinite(low) + [(-1.0, high)] * math.isfinite(high)
        return Requirement(np.array([[r] for r, _ in rows]).reshape(len(rows), 1), np.array([c for _, c in rows]))

    def margins(self, logits: Array, answers: Sequence[Answer]) -> Array:
        """The distance of each number from the ends of its interval."""
        known: dict[tuple[str, object], tuple[float, float]] = {}
        ends = np.empty((len(answers), 2))
        for k, answer in enumerate(answers):
            key = (type(answer).__name__, answer)
            if key not in known:
                known[key] = self.interval(answer)
            ends[k] = known[key]
        x = np.asarray(logits, np.float64)[:, 0]
        return np.minimum(x - ends[:, 0], ends[:, 1] - x)

    def decoded(self, logits: Array) -> list[Answer]:
        """The answers that the numbers stand for."""
        return list(self.decoding.decode(np.asarray(logits)))


def _as_fraction(answer: Answer) -> Fraction:
    assert isinstance(answer, int | float)
    near = Fraction(answer).limit_denominator(1_000_000)
    return near if float(near) == answer else Fraction(answer)


def _number_equal(value: Token, answer: Token) -> bool:
    """Whether two numbers are equal, of whatever types; a truth value is no number."""
    numbers = [isinstance(x, int | float) and not isinstance(x, bool) for x in (value, answer)]
    return all(numbers) and value == answer


def no_output(answer: Answer, values: Sequence[Token]) -> CapaxError:
    """The error for a right answer that the model has no output for."""
    if isinstance(answer, frozenset):
        text = f"the set of letters {' '.join(sorted(map(str, answer))):.80}" if answer else "the empty set of letters"
        what = f"the right answer, {text}, is not a set of the model's outputs: {_shown(values)}"
        hint = "with next: every letter, and --end, needs an output of its own that is read as a yes or no (--signs)"
        return CapaxError("unfit-spec", what, hint=hint, answer=sorted(map(str, answer)))
    what = f"the right answer {answer!r:.80} is none of the model's outputs: {_shown(values)}"
    example = f"--answers {answer}={values[0]},..." if values else "--answers False=0,True=1"
    hint = f"name the outputs that stand for the answers, for instance {example}"
    return CapaxError("unfit-spec", what, hint=hint, answer=answer)


def no_named_output(answer: Answer, output: Token, values: Sequence[Token]) -> CapaxError:
    """The error for an output that was named for a right answer, and that the model does not have."""
    what = f"{output!r:.80}, named for the right answer {answer!r:.40}, is not an output of the model: {_shown(values)}"
    return CapaxError("unfit-spec", what, hint="name outputs that the model has: --answers ANSWER=OUTPUT,...")


def _shown(values: Sequence[Token]) -> str:
    """The first of a model's outputs, as text."""
    return ", ".join(repr(v) for v in values[:12]) + (", ..." if len(values) > 12 else "")


END: Final = "<end>"
"""The token that exports put for the empty text as an answer."""
YES_NO: Final[tuple[tuple[Token, Token], ...]] = (
    ("F", "T"),
    ("0", "1"),
    (0, 1),
    ("false", "true"),
    ("False", "True"),
    ("no", "yes"),
    ("N", "Y"),
    ("reject", "accept"),
    ("LABEL_0", "LABEL_1"),
)
"""Outputs that are read as no and yes where a specification's answers are truth values and the model's are not."""


def decode_of(
    decoding: Decoding,
    answers: Sequence[Answer] | None,
    names: Mapping[Token, Token] | None = None,
    *,
    signs: bool = False,
) -> Decode:
    """How a model's logits are read as a specification's answers: by `names` where outputs are called otherwise.

    Truth values are read off outputs called 0 and 1, no and yes, and the like, where there is exactly one such pair.
    The empty text is read off the output `<end>`, as which exports write it, unless that is a right answer too; also
    where it is not known before which answers there are (None).
    """
    if not isinstance(decoding, Classes):
        return NumberDecode(decoding)
    if signs or any(isinstance(answer, frozenset) for answer in answers or ()):
        return SignDecode(decoding.values)
    if names is None and answers and all(isinstance(a, bool) for a in answers):
        keys = {token_key(value) for value in decoding.values}
        if token_key(True) not in keys or token_key(False) not in keys:
            pairs = [pair for pair in YES_NO if {token_key(x) for x in pair} <= keys]
            if len(pairs) == 1:
                names = {False: pairs[0][0], True: pairs[0][1]}
    if answers is None or ("" in answers and END not in answers):
        names = _with_end(decoding.values, names)
    return ClassDecode(decoding.values, names)


def _with_end(values: Sequence[Token], names: Mapping[Token, Token] | None) -> Mapping[Token, Token] | None:
    """The names of outputs, and `<end>` for the empty text, if that is no output, has no name, and `<end>` is free."""
    taken = "" in values or END not in values or any(key == "" or value == END for key, value in (names or {}).items())
    return names if taken else {**(names or {}), "": END}
