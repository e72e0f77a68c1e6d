"""Two words that rounding confuses are what the interpreter says, and are found where there are any."""

from fractions import Fraction

import pytest

import capax
from capax import CapaxError, aggregate, best, full_s, indices, select, tokens_asis
from capax.compiler.domain import domain
from capax.compiler.rounding.confused_words import error_of_mean, several_roundings, too_near, tried_words

SO_FAR = select(indices, indices, "<=")
MEAN = aggregate(SO_FAR, tokens_asis)
NESTED = aggregate(SO_FAR, MEAN)


def refusal(program, **settings):
    """The error that compiling gives."""
    with pytest.raises(CapaxError) as caught:
        capax.compile(program, **settings)
    return caught.value


@pytest.mark.parametrize(
    "program",
    [
        MEAN == 0.1,
        MEAN > 0.1,
        aggregate(select(MEAN, 0.1, "=="), indices, 0),
        aggregate(best(full_s, MEAN), indices),
        round(MEAN * 5),
    ],
)
def test_words_that_come_in_several_roundings_are_shown(program):
    """Both words are in the error, and the part that is refused gives different results on what is equal up to that."""
    error = refusal(program, alphabet=[0.1, 0.3], max_length=6)
    assert error.code == "rests-on-rounding"
    one, two = error.data["words"]
    assert str(one) in error.what
    assert str(two) in error.what
    pair = several_roundings(error.data["node"], tried_words(domain([0.1, 0.3], 6)))
    assert pair is not None
    assert pair.one.values != pair.two.values
    near = [abs(float(a) - float(b)) for a, b in zip(pair.one.values[:1], pair.two.values[:1], strict=True)]
    assert max(near) <= 2.0**-40


def test_means_too_near_for_float32_are_shown_with_their_words():
    """Of mean of means, the two nearest values: the interpreter has them on these words, and exactly they differ."""
    error = refusal(NESTED, alphabet=[0, 1], max_length=12)
    assert error.code == "too-many-values"
    assert "float64" in error.hint
    pair = too_near(NESTED.node, tried_words(domain([0, 1], 12)), domain([0, 1], 12))
    assert pair is not None
    exact = []
    for side in (pair.one, pair.two):
        (position,) = side.positions
        assert NESTED(list(side.word))[position] == side.values[0]
        sums = [Fraction(sum(side.word[: i + 1]), i + 1) for i in range(position + 1)]
        exact.append(sum(sums) / (position + 1))
    assert 0 < abs(exact[0] - exact[1]) <= error_of_mean(pair, domain([0, 1], 12))


def test_sides_that_rounding_alone_tells_apart_are_shown():
    """The default is beside three tenths on every word that selects nothing: there is no word with the other order."""
    program = aggregate(select(tokens_asis, 0, "=="), indices, 0.1 + 0.2) == 0.3
    error = refusal(program, alphabet=[0, 1], max_length=60)
    assert error.code == "rests-on-rounding"
    assert error.data["words"] == [[1], [1]]
    assert "0.30000000000000004 and 0.3 on [1] at position 0, which rounding alone tells apart" in error.what


def test_a_mean_of_means_on_long_words_is_shown_with_words_beyond_the_first_that_are_tried():
    error = refusal(NESTED == MEAN, alphabet=[0, 1], max_length=20)
    assert error.code == "too-many-values"
    assert "float64" in error.hint
    assert "a mean in float32 may be off by" in error.what
    assert len(error.data["words"]) == 2


def test_what_neither_bounds_nor_words_settle_has_too_many_values():
    """Means of means of 40 bits may be nearer to each other than their rounding, and no word shows that they are."""
    error = refusal(indices > NESTED, alphabet=[0, 1], max_length=40, dtype="float64")
    assert error.code == "too-many-values"
    assert "words" not in error.data
    assert "too many values to settle whether rounding decides it (none of" in error.what


def test_the_variance_of_digits_is_certified_in_float32():
    """Bounds would have every mean of squares; words in order have few values, which are far enough from each other."""
    mean = aggregate(full_s, tokens_asis)
    program = aggregate(full_s, (tokens_asis - mean) * (tokens_asis - mean))
    compiled = capax.compile(program, alphabet=range(10), max_length=5, words=30)
    assert compiled.label == "certified in float32 up to length 5"
    assert compiled([1, 0, 3, 2]) == [1.25] * 4
