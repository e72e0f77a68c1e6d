"""The bits that scores need."""

import pytest

from capax.theorems.ngram.parts.distance_heads import integer_rows
from capax.theorems.ngram.parts.one_head import product_rows
from capax.theorems.ngram.parts.space import first_wrong, score_bits


def test_where_position_encodings_first_fail() -> None:
    """Measured, not stated: the paper's encoding early, integers not before the stated limit."""
    assert first_wrong("sqrt", "float32", 1000) == 104
    assert first_wrong("sqrt", "float64", 100_000) == 77_779
    wrong = first_wrong("integer", "float32", 20_000)
    assert wrong is not None
    assert wrong >= integer_rows("float32")
    top = integer_rows("float64")
    assert first_wrong("integer", "float64", top, start=top - 2000) is None
    assert first_wrong("integer", "float64", 4 * top, start=4 * top - 2000) is not None
    for order in (3, 4, 5):
        wrong = first_wrong("product", "float32", 10_000, order=order)
        assert wrong is not None
        assert wrong >= product_rows("float32", order - 1)


def test_space_grows_as_the_logarithm_of_the_length() -> None:
    """Twice the length costs 1 bit by one soft head, 2 by integers, 3 by the paper's encoding, k by the product."""
    for encoding, bits in (("softmax", 1), ("sparsemax", 1), ("integer", 2), ("sqrt", 3), ("product", 4)):
        more = score_bits(encoding, 5, 2**20 - 4) - score_bits(encoding, 5, 2**19 - 4)
        assert more == pytest.approx(bits)
