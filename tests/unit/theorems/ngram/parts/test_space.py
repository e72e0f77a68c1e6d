"""The bits that scores need."""

import pytest

from capax.theorems import theorem
from capax.theorems.ngram.parts.distance_heads import integer_rows
from capax.theorems.ngram.parts.one_head import product_rows
from capax.theorems.ngram.parts.space import first_wrong, score_bits, space_table


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


@pytest.mark.parametrize("order", [2, 3, 5])
@pytest.mark.parametrize("numbers", ["float64", "float32"])
def test_the_table_has_the_lengths_that_models_are_built_for(order: int, numbers: str) -> None:
    """What is derived as exact is what the models allow, but for n - 1 paddings; no row up to there is wrong."""
    rows = {row.encoding: row for row in space_table(order, 1000, 5000)}
    built = {
        "integer": theorem("ngram-heads").build(order=order, symbols=1, dtype=numbers, length=10),
        "product": theorem("ngram-one-head").build(order=order, symbols=1, dtype=numbers, length=10),
        "sparsemax": theorem("ngram-one-head").build(
            order=order, symbols=1, dtype=numbers, length=10, attention="sparsemax"
        ),
        "softmax": theorem("ngram-one-head").build(
            order=order, symbols=1, dtype=numbers, length=10, attention="softmax"
        ),
    }
    assert {name: model.max_length for name, model in built.items()} == {
        name: rows[name].fits[numbers] - order + 1 for name in built
    }
    for name in ("integer", "product"):
        wrong = rows[name].wrong[numbers]
        assert wrong is None or wrong >= rows[name].fits[numbers]


def test_the_exact_rows_of_the_paper_are_those_of_the_formula() -> None:
    """3 log2 T + 3 bits are those of the numbers there, and no longer one row further; rounding comes earlier."""
    (row, *_) = space_table(3, 100, 100_000)
    for numbers, bits in (("float64", 53), ("float32", 24)):
        last = row.fits[numbers]
        assert 8 * last**3 <= 2**bits < 8 * (last + 1) ** 3
        wrong = row.wrong[numbers]
        assert wrong is not None
        assert wrong <= last
