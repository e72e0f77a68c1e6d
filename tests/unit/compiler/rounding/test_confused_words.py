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
        MEAN < 0.1,
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


def test_a_refusal_without_two_words_says_so():
    """No mean of means of up to 12 bits is a half, so no words show what the bound cannot rule out."""
    error = refusal(NESTED > 0.5, alphabet=[0, 1], max_length=20)
    assert error.code == "rests-on-rounding"
    assert "words" not in error.data
    assert "bound may be too careful" in error.what


def test_the_variance_of_digits_is_compiled():
    """Its terms have one sign, so their rounding is a share of them."""
    mean = aggregate(full_s, tokens_asis)
    program = aggregate(full_s, (tokens_asis - mean) * (tokens_asis - mean))
    compiled = capax.compile(program, alphabet=range(4), max_length=4, dtype="float64", certify=False, words=30)
    assert compiled([1, 0, 3, 2]) == pytest.approx([1.25] * 4)
