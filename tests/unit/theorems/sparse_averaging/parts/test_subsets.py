"""Subsets that are hard for keys."""

import numpy as np

from capax.theorems.sparse_averaging.parts.dual import least_norm_dual, sign_keys
from capax.theorems.sparse_averaging.parts.subsets import hard_for_curve, hard_for_keys


def test_hard_subsets_are_harder() -> None:
    """Their dual vectors are longer than those of random subsets, on average and at most."""
    random, keys = np.random.default_rng(0), sign_keys(60, 40, 0)
    hard = hard_for_keys(keys, 3, 12, random)
    easy = [tuple(random.choice(60, 3, replace=False)) for _ in hard]
    norms = [
        [float("inf") if (v := least_norm_dual(keys, s)) is None else float(v @ v) for s in some]
        for some in (hard, easy)
    ]
    assert max(norms[0]) > max(norms[1])
    assert np.median(norms[0]) > np.median(norms[1])
    assert all(len(s) == 4 for s in hard_for_curve(30, 4))
