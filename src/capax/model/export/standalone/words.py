"""From words to rows of the embedding, and from numbers to answers."""

import bisect
import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

Config = Mapping[str, Any]
"""A part of the description of a model: an object of JSON."""


class Words:
    """What a model reads, and what its answers mean, as its description tells."""

    def __init__(self, config: Config) -> None:
        self.tokens = [_token(t) for t in config["vocabulary"]]
        self.prefix = [_token(t) for t in config["prefix"]]
        self.shortest, self.longest = config["min_length"], config["max_length"]
        self.decoding = config["decoding"]
        self.values = [_token(t) for t in self.decoding.get("values", ())]
        # 1, 1.0 and True are different tokens, and the same key of a dictionary.
        self._row = {(type(t), t): row for row, t in enumerate(self.tokens)}

    def rows(self, word: Iterable[Any]) -> list[int]:
        """The rows of the embedding for a word, with those of the prefix before them."""
        tokens = list(word)
        if len(tokens) < self.shortest or (self.longest is not None and len(tokens) > self.longest):
            most = f"at least {self.shortest}" if self.longest is None else f"{self.shortest} to {self.longest}"
            raise ValueError(f"the model reads words of {most} tokens, not of {len(tokens)}")
        for position, token in enumerate(tokens):
            if not isinstance(token, str | float | int) or (type(token), token) not in self._row:
                known = ", ".join(map(repr, self.tokens[:20])) + (", ..." if len(self.tokens) > 20 else "")
                raise ValueError(f"the token {token!r:.60} at position {position} is not in the vocabulary: {known}")
        return [self._row[type(token), token] for token in [*self.prefix, *tokens]]

    def answers(self, logits: Sequence[Sequence[float]]) -> list[Any]:
        """The answer for each row of logits."""
        kind = self.decoding["kind"]
        if kind != "numbers" and any(math.isnan(x) for row in logits for x in row):
            raise ValueError("a logit is NaN, so no answer is best")
        if kind == "classes":  # the highest logit; of equal ones the first
            return [self.values[max(range(len(row)), key=row.__getitem__)] for row in logits]
        if kind == "nearest":  # the value whose code is nearest
            return [self.values[self._nearest(row[0])] for row in logits]
        if kind == "fractions":  # the nearest fraction with a small denominator, times a unit
            return [self._fraction(row[0]) for row in logits]
        return [float(row[0]) for row in logits]

    def _nearest(self, x: float) -> int:
        codes = self.decoding["codes"]
        right = bisect.bisect_left(codes, x)
        if right in (0, len(codes)):
            return max(right - 1, 0)
        return right - 1 if x - codes[right - 1] <= codes[right] - x else right

    def _fraction(self, x: float) -> float | int:
        most, size = self.decoding["most"], self.decoding["unit"]
        near = Fraction(size).limit_denominator(1_000_000)
        unit = near if float(near) == size else Fraction(size)  # a third is a third, not the float nearest to it
        value = Fraction(x).limit_denominator(most) * unit
        return round(value) if self.decoding.get("whole") else float(value)


def _token(value: Any) -> Any:
    """A token as JSON holds it: infinities are {"$float": "inf"}."""
    return float(value["$float"]) if isinstance(value, dict) else value
