"""Texts of a catalogue's file in its docstring."""

import pytest

from capax.tasks.base.docstring import entry_of, paragraphs

DOC = """A title.

Statement: one
line more.
Cite: nobody.
"""


def test_paragraphs_are_found_by_their_labels() -> None:
    """Lines are joined; a label that the docstring lacks has an empty text."""
    assert paragraphs(DOC, ("Statement: ", "Idea: ", "Cite: ")) == ("A title", "one line more.", "", "nobody.")


def test_a_text_before_the_first_label_is_our_mistake() -> None:
    """The docstring is ours."""
    with pytest.raises(AssertionError, match="A title"):
        paragraphs(DOC, ("Idea: ",))


def test_an_entry_has_the_name_of_its_file() -> None:
    """With dashes, as on the command line."""
    file, name = entry_of(__name__)
    assert (file.__name__, name) == (__name__, "test-docstring")
