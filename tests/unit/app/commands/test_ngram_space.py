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


def test_a_wrong_row_below_the_bits_is_not_called_exact(capax: Capax) -> None:
    """With the paper's positions the first wrong row is below the last one that the bits allow, and both are shown."""
    args = ("ngram", "space", "-n", "3", "--rows", "80000")
    row = capax(*args, "--json").json["constructions"][0]
    assert row["wrong"]["float64"] == 77_779
    assert row["wrong"]["float64"] < row["fits"]["float64"] == 104_031
    out = capax(*args).out
    assert "exact to" not in out
    assert "a row below it can be wrong" in " ".join(out.split())


@pytest.mark.parametrize("args", [("-n", "1"), ("-n", "99"), ("--length", "0"), ("--rows", "1"), ("--rows", "9999999")])
def test_wrong_arguments(capax: Capax, args: tuple[str, ...]) -> None:
    assert capax("ngram", "space", *args).code == 2
