"""`capax ngram space`."""

import pytest

from tests.unit.app.outcome import Capax


def test_the_table(capax: Capax) -> None:
    """The statement, the formulas, and where each construction stops being exact."""
    done = capax("ngram", "space", "-n", "3", "--length", "1000", "--rows", "3000")
    assert done.code == 0
    assert "Theorem 5.1 of Svete and Cotterell" in done.out
    assert "over 3,000" in done.out
    told = capax("ngram", "space", "-n", "3", "--length", "1000", "--rows", "3000", "--json").json
    rows = {row["encoding"]: row for row in told["constructions"]}
    assert {name: row["bits"] for name, row in rows.items()} == {
        "sqrt": 33,
        "integer": 21,
        "product": 22,
        "sparsemax": 10,
        "softmax": 12,
    }
    assert rows["sqrt"]["wrong"] == {"float64": None, "float32": 104}


@pytest.mark.parametrize("args", [("-n", "1"), ("-n", "99"), ("--length", "0"), ("--rows", "1"), ("--rows", "9999999")])
def test_wrong_arguments(capax: Capax, args: tuple[str, ...]) -> None:
    assert capax("ngram", "space", *args).code == 2
