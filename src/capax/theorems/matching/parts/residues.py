"""Third-order attention on residues by Fourier transforms: the outputs of the head in O(N + M log M).

Statement: if the score of a third-order head on tokens depends only on (x_i + x_j + x_k) mod M, its mean at every
position of a word is found from the word's histogram h: the pairs (j, k) have the histogram h * h (cyclic convolution),
and the sums over pairs are one cyclic correlation with the weights by residue.
Idea: a sum over N^2 pairs is a sum over M residues of pair counts times weights.
Scope: the weights by residue are read off the model, at M triples; that the score depends on the sum alone is checked
at random triples and taken on trust for the others. Pair counts are rounded to integers, so they are exact.
"""

import numpy as np

from capax.model.model import Model
from capax.model.parts import Affine, Array, TensorHead

TRIPLES = 500
"""Random triples whose score is compared with the one of its sum."""


def shortcut(model: Model, word: list[int], modulus: int) -> Array:
    """The mean of the values over all pairs at each position of a word, of a model whose first head is third-order.

    The model reads residues 1 ... M after a prefix of one blank token.
    """
    head = model.blocks[0].heads[0]
    assert isinstance(head, TensorHead)
    assert len(model.prefix) == 1
    table = _Table(model, head, modulus)
    residues = np.array(word, np.int64) % modulus
    counts = np.bincount(residues, minlength=modulus).astype(np.float64)
    pairs = np.rint(np.fft.irfft(np.fft.rfft(counts) ** 2, modulus))
    assert pairs.sum() == len(word) ** 2, "every pair is counted once"
    weights = np.exp(table.scores)
    # sums[r] is the sum over residues s of pairs[s] weights[r + s]: a correlation.
    sums = np.fft.irfft(np.conj(np.fft.rfft(pairs)) * np.fft.rfft(weights), modulus)
    matched = np.maximum(sums, 0.0)[residues]
    # Besides pairs of tokens there are pairs with the blank, whose values are 0.
    blank = np.exp(table.both[residues]) + 2 * len(word) * np.exp(table.mixed)
    return np.asarray(matched / (matched + blank))


class _Table:
    """The scores of a head by residue of the sum, and of pairs with the blank."""

    def __init__(self, model: Model, head: TensorHead, modulus: int) -> None:
        rows = model.vocabulary.rows([modulus, *range(1, modulus)])  # residue r is token r, and 0 is token M
        x = np.asarray(model.embedding, np.float64)[rows]
        blank = np.asarray(model.embedding, np.float64)[model.vocabulary.rows(model.prefix)]
        q, k1, k2 = (_apply(map, x) for map in (head.query, head.key1, head.key2))
        q = q * head.scale
        self.scores = np.einsum("rm,m,m->r", q, k1[0], k2[0])
        b1, b2 = _apply(head.key1, blank)[0], _apply(head.key2, blank)[0]
        self.both = q @ (b1 * b2)
        self.mixed = float(np.max(q @ (k1[0] * b2)))
        random = np.random.default_rng(modulus)
        i, j, k = random.integers(0, modulus, (3, TRIPLES))
        scores = np.einsum("tm,tm,tm->t", q[i], k1[j], k2[k])
        expected = self.scores[(i + j + k) % modulus]
        slack = 1e-12 * float(np.abs(q).max()) * q.shape[1]
        assert np.allclose(scores, expected, rtol=0, atol=slack), "the score depends on the sum of residues alone"


def _apply(map: Affine, x: Array) -> Array:
    return np.asarray(x @ np.asarray(map.weight, np.float64) + np.asarray(map.bias, np.float64))
