"""What a record expects of an output."""

import pytest

from capax.source_statements.records import unmet


@pytest.mark.parametrize(
    ("text", "there"),
    [
        ("a  b", True),
        ("b c", True),
        ("a ... d", True),
        ("a...(x)", True),
        ("a c", False),
        ("d ... a", False),
        (".", False),
        ("a", True),
    ],
)
def test_blanks_count_as_one_and_dots_stand_for_anything(text: str, there: bool) -> None:
    """Other characters stand for themselves."""
    assert unmet([text], "a b\n   c\td (x)") == (() if there else (text,))


def test_dots_do_not_reach_far() -> None:
    assert unmet(["a...b"], "a" + "x" * 400 + "b") == ()
    assert unmet(["a...b"], "a" + "x" * 401 + "b") == ("a...b",)
