"""Surprising groupings are warned of, with the reading and the other one."""

import pytest

from capax.errors import Source
from capax.rasp.text.parser import parse


@pytest.mark.parametrize(
    ("text", "read", "other"),
    [
        ("not a == b;", "(not a) == b", "not (a == b)"),
        ("not x in L;", "(not x) in L", "not (x in L)"),
        ("a if c else b if d else e;", "(a if c else b) if d else e", "a if c else (b if d else e)"),
        ("x in L and y;", "x in (L and y)", "(x in L) and y"),
        ("y and x in L;", "(y and x) in L", "y and (x in L)"),
        ("a == b in L;", "(a == b) in L", "a == (b in L)"),
        ("7 % 3 * 2;", "7 % (3 * 2)", "(7 % 3) * 2"),
        ("a or b and c;", "(a or b) and c", "a or (b and c)"),
        ("1 < x < 3;", "(1 < x) < 3", "1 < x and x < 3"),
        ("-2 ^ 2;", "(-2) ^ 2", "-(2 ^ 2)"),
        ("2 ^ 3 ^ 2;", "(2 ^ 3) ^ 2", "2 ^ (3 ^ 2)"),
    ],
)
def test_warned(text: str, read: str, other: str) -> None:
    """Each says how it is read and how to write the other."""
    (notice,) = parse(Source("t", text)).notices
    assert f"`{read}`" in notice.what
    assert f"`{other}`" in (notice.hint or "")
    grouped = parse(Source("t", read + ";"))
    assert grouped.notices == []
    assert grouped.statements == parse(Source("t", text)).statements
    assert parse(Source("t", other + ";")).statements != grouped.statements


@pytest.mark.parametrize(
    "text",
    [
        "not a and b;",
        "a and b and c;",
        "2 * 7 % 3;",
        "a + b in L;",
        "x % 2 == 0;",
        "-x + y;",
        "a - b - c;",
        "not (a == b);",
    ],
)
def test_not_warned(text: str) -> None:
    """What reads as it does elsewhere is left alone."""
    assert parse(Source("t", text)).notices == []
