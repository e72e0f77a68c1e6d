"""The keys of sums in Match3Bigram."""

import numpy as np
import pytest

from capax.theorems.matching.match3_bigram import key_by_angles, key_by_integers


@pytest.mark.parametrize("modulus", [4, 7, 8, 33, 100])
def test_the_keys_of_sums(modulus: int) -> None:
    """The MLPs of the bigram version write the residue of the sum and its square, or the angle of the sum."""
    x, following = (np.array(a, np.float64).ravel() for a in np.meshgrid(*[range(1, modulus + 1)] * 2))
    for mlp, first, second, at in (
        (key_by_integers(modulus), 0, 5, (7, 8)),
        (key_by_angles(modulus), 2, 5, (7, 8)),
    ):
        stream = np.zeros((len(x), mlp.maps[0].inputs))
        stream[:, first], stream[:, second] = x, following
        for stage in mlp.maps[:-1]:
            stream = np.maximum(stream @ stage.weight + stage.bias, 0)
        got = (stream @ mlp.maps[-1].weight + mlp.maps[-1].bias)[:, at]
        if first == 0:
            b = -(x + following) % modulus
            assert (got == np.stack([b, b * b], axis=1)).all()
        else:
            angle = 2 * np.pi * (x + following) / modulus
            np.testing.assert_allclose(got, np.stack([np.cos(angle), np.sin(angle)], axis=1), atol=1e-9)
