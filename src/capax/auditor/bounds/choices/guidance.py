"""What moves the margin of a class: letters, positions and directions, estimated to choose a cut by."""

from collections.abc import Iterator
from typing import Final

import numpy as np

from capax.auditor.bounds.class_nodes import ClassNode, Slice
from capax.auditor.bounds.tables import AnswerQuery
from capax.model.parts import Array

SAMPLES: Final = 64
"""Words of a class that its shape is estimated from."""


class Guidance:
    """Estimates for the classes of one query."""

    def __init__(self, query: AnswerQuery, size: int, alphabet: int) -> None:
        self.query, self.size, self.alphabet = query, size, alphabet
        self._random = np.random.default_rng(0)

    def effects(self, node: ClassNode, slice_: Slice) -> Array:
        """How far (D,) the stream can move along each direction of a slice, as the words of the class do."""
        return np.asarray((slice_.high - slice_.low) * np.linalg.norm(slice_.shares @ self.query.output, axis=1))

    def largest_step(self, node: ClassNode) -> float:
        """How far one letter can move the stream, about."""
        steps, start = np.zeros((self.size, self.alphabet, self.query.output.shape[1])), 0
        for head, weight in zip(self.query.heads, self._shares_of_keys(node), strict=True):
            k = head.value.shape[2]
            away = head.value - self._middle(node)[start : start + k]
            steps += (weight[..., None] * away) @ self.query.output[start : start + k]
            start += k
        high = np.where(node.letters[..., None], steps, -np.inf).max(axis=1)
        low = np.where(node.letters[..., None], steps, np.inf).min(axis=1)
        return float(np.linalg.norm(np.where(node.free[:, None], high - low, 0.0), axis=1).max(initial=0.0))

    def labels(self, node: ClassNode) -> Iterator[Array]:
        """Labels (N, alphabet) that may be worth counting: each letter, then what pushes the margin up."""
        push = self._pushes(node)
        middle = (push.max(axis=1, keepdims=True) + push.min(axis=1, keepdims=True)) / 2
        every = range(self.alphabet) if self.alphabet > 2 else range(1, 2)
        labels = [np.tile((np.arange(self.alphabet) == a).astype(np.int64), (self.size, 1)) for a in every]
        seen: set[bytes] = set()
        for one in (*labels, np.where(push > middle, 1, 0)):
            if one.tobytes() not in seen and (1 - one).tobytes() not in seen:
                seen.add(one.tobytes())
                yield one

    def influence(self, node: ClassNode) -> Array:
        """How much the letter at each position (N,) can move the worst margin."""
        push = self._pushes(node)
        high = np.where(node.letters, push, -np.inf).max(axis=1, initial=-np.inf)
        return np.asarray(high - np.where(node.letters, push, np.inf).min(axis=1, initial=np.inf))

    def _middle(self, node: ClassNode) -> Array:
        assert node.middle is not None
        return node.middle

    def _shares_of_keys(self, node: ClassNode) -> Iterator[Array]:
        """For each head the greatest shares (N, alphabet) that keys can have, about."""
        for head in self.query.heads:
            least = head.constant_weight + np.where(node.letters, head.weight, np.inf).min(axis=1).sum()
            yield head.weight / max(least, 1e-300)

    def _pushes(self, node: ClassNode) -> Array:
        """How much each letter at each position (N, alphabet) moves the worst margin."""
        assert node.direction is not None
        total, start = np.zeros((self.size, self.alphabet)), 0
        for head, share in zip(self.query.heads, self._shares_of_keys(node), strict=True):
            k = head.value.shape[2]
            p, y = node.direction[start : start + k], self._middle(node)[start : start + k]
            total += share * ((head.value - y) @ p)
            start += k
        return total

    def _samples(self, node: ClassNode) -> Array:
        """The outputs (words, m) on words of a class in which letters are rare or frequent, minus their mean."""
        shape = (self.size, self.alphabet, SAMPLES)
        gains = self._random.standard_normal(shape) + 1.5 * self._random.standard_normal(shape[1:])
        gains = np.where(node.letters[..., None], gains, -np.inf)
        words = node.paths.words(gains, np.repeat(node.goal[None], SAMPLES, axis=0))
        y = self.query.outputs(words)
        return np.asarray(y - y.mean(axis=0))

    def _shares(self, node: ClassNode, directions: Array) -> Array:
        """The regression of u . y on p . y for directions p (D, m), as vectors (D, m), from words of the class."""
        y = self._samples(node)
        return np.asarray(np.linalg.lstsq(y @ directions.T, y, rcond=1e-12)[0])

    def _other_direction(self, node: ClassNode, directions: Array) -> Array:
        """The direction (m,) in which words move the stream most, apart from what directions (D, m) explain."""
        y = self._samples(node)
        along = y @ directions.T
        rest = y - along @ np.linalg.lstsq(along, y, rcond=1e-12)[0]
        main = np.linalg.svd(rest @ self.query.output, full_matrices=False)[2][0]
        return np.asarray(self.query.output @ main)
