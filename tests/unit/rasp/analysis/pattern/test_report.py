"""The report on a pattern, in Python."""

import pytest

import capax
from capax.errors import CapaxError


def test_a_causal_pattern() -> None:
    report = capax.pattern([[True, False], [True, True]])
    assert report.outcome.text == "select(indices, indices, <=)"  # type: ignore[union-attr]
    assert report.selector is not None
    assert report.to_json()["smallest"] is True
    assert "selector: select(indices, indices, <=)" in report.render()


def test_equal_keys_with_different_columns() -> None:
    report = capax.pattern([[1, 0], [0, 1]], input="aa", keys=["tokens"], queries=["tokens", "indices"])
    assert report.selector is None
    assert report.to_json()["witness"] == {"selected": [0, 0], "not_selected": [0, 1]}
    assert "the keys 0 and 1 have equal values" in report.render()


def test_weights() -> None:
    """Weights that a mean gives, and weights that no selector gives."""
    even = capax.pattern([[0.5, 0.5], [0.0, 1.0]])
    assert even.weights is not None
    assert even.weights.uniform
    uneven = capax.pattern([[0.9, 0.1], [0.0, 1.0]])
    assert uneven.weights is not None
    assert not uneven.weights.uniform
    assert uneven.to_json()["weights"]["unevenness"] == pytest.approx(0.4)


@pytest.mark.parametrize(
    ("matrix", "settings", "what"),
    [
        ([[1, 0], [1]], {}, "row 1"),
        ([], {}, "1 to 64 rows"),
        ([[2]], {}, "between 0 and 1"),
        ([["x"]], {}, "a matrix of numbers"),
        ([[1]], {"input": "ab"}, "2 tokens"),
        ([[1]], {"keys": ["select(1, 1, ==)"]}, "no s-op"),
        ([[1]], {"keys": ["nothing"]}, "no s-op"),
    ],
)
def test_bad_input(matrix: object, settings: dict[str, object], what: str) -> None:
    with pytest.raises(CapaxError, match=what):
        capax.pattern(matrix, **settings)  # type: ignore[arg-type]
