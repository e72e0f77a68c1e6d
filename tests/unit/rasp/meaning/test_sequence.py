"""Results read like lists and print as the language prints them."""

import pytest

from capax.rasp.meaning.sequence import Matrix, Sequence


@pytest.mark.parametrize(
    ("values", "printed"),
    [
        ([0, 1, 2], "[0, 1, 2] (ints)"),
        (["a", "b"], "[a, b] (strings)"),
        ([True, False], "[T, F] (bools)"),
        ([1, 2.5], "[1, 2.5] (floats)"),
        ([True, 1], "[T]*2 (ints)"),
        ([1 / 3, 2.0], "[0.333, 2.0] (floats)"),
        ([0.0001, 0.0002], "[0.0, 0.0] (floats)"),
        ([5, 5, 5], "[5]*3 (ints)"),
        (["x"], "[x] (strings)"),
        ([1e20, -0.0], "[1e+20, -0.0] (floats)"),
        ([float("inf"), 1.0], "[inf, 1.0] (floats)"),
    ],
)
def test_printed(values: list[object], printed: str) -> None:
    """The printed form of a sequence."""
    assert str(Sequence(values)) == printed  # type: ignore[arg-type]


def test_like_a_list() -> None:
    """Comparison, indexing, slices, iteration, hashing."""
    s = Sequence([1, 2, 3])
    assert s == [1, 2, 3] == s
    assert s == (1, 2, 3)
    assert s != [1, 2]
    assert s != "abc"
    assert (s[0], s[-1], s[1:], len(s), list(s), 2 in s) == (1, 3, [2, 3], 3, [1, 2, 3], True)
    assert hash(s) == hash(Sequence([1, 2, 3]))
    assert repr(s) == "[1, 2, 3]"


def test_matrix() -> None:
    """A selector's result is a list of rows."""
    m = Matrix([[True, False], [False, True]])
    assert m == [[True, False], [False, True]]
    assert m == Matrix([(True, False), (False, True)])
    assert m[1] == [False, True]
    assert m[:1] == [[True, False]]
    assert (len(m), next(iter(m)), repr(m)) == (2, [True, False], "[[True, False], [False, True]]")
