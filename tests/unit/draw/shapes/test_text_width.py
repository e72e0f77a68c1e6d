"""Text is measured on the safe side and made to fit."""

from hypothesis import given
from hypothesis import strategies as st

from capax.draw.shapes.text_width import columns, ems, shorten, width, wrap
from capax.draw.view.labels import bounded
from capax.draw.view.rows import show


@given(st.text(max_size=30), st.floats(8, 300), st.floats(8, 20))
def test_shortened_text_fits(text: str, room: float, size: float) -> None:
    """Whatever the text and the room."""
    assert width(shorten(text, room, size), size) <= room + 0.02


@given(st.text(alphabet="ab ", max_size=60), st.integers(1, 4))
def test_wrapped_text_fits(text: str, most: int) -> None:
    """In no more lines than allowed."""
    lines = wrap(text, 60, 10, most)
    assert len(lines) <= most
    assert all(width(line, 10) <= 60.02 for line in lines)


def test_numbers_lose_digits_before_they_are_cut() -> None:
    """A decimal keeps as many digits as fit; text gets an ellipsis."""
    assert shorten("0.333", 25, 10) == "0.33"
    assert shorten("0.333", 20, 10) == ".33"
    assert shorten("0.333", 14, 10) == ".3"
    assert shorten("0.001", 14, 10) == "0…"
    assert shorten("banana", 25, 10) == "ban…"


def test_wide_characters_take_two_columns() -> None:
    """And marks above letters take none."""
    assert (columns("漢字"), columns("é́"), columns("ab")) == (4, 1, 2)


def test_words_that_are_too_long_are_broken() -> None:
    """Rather than cut, while there are lines left."""
    assert wrap("ab abcdefgh a", 26, 10, 9) == ["ab", "abcd", "efgh", "a"]


def test_joined_pictograms_are_one() -> None:
    """A family takes hardly more room than a person, and is shown as it is; a joiner alone is not."""
    family = "👨\u200d👩\u200d👧\u200d👦"
    assert width(family, 10) < 1.5 * width("👨", 10)
    assert show(family) == family
    assert show("🏴\U000e0067\U000e007f") == "🏴\U000e0067\U000e007f"
    assert show("\u200d") == show("\u202e") == "�"
    assert show("a\tb") == "a⇥b"


def test_long_texts_are_not_measured_whole() -> None:
    """A million characters, of any script, cost no more than those that fit."""
    for text in ("1" * 1_000_000, "é" * 1_000_000, "1." + "3" * 1_000_000, "漢" * 1_000_000):
        assert len(shorten(text, 100, 10)) < 40
        assert sum(map(len, wrap(text, 100, 10, 3))) < 200
    assert ems.cache_info().currsize < 5000


def test_long_names_and_values_are_cut() -> None:
    assert bounded("a" * 300) == "a" * 300
    assert bounded("a" * 10_001) == "a" * 300 + "… (10,001 characters)"
