"""The records of the sources: that they are all there, and that a mistake in a file is named."""

from pathlib import Path

import pytest

from capax.notation.typed_tables import BadRecord
from capax.source_statements.dataset import chosen, sources

NUMBERS = {"000": 24, "001": 90, "002": 32, "003": 21}
HEAD = '[source]\ntitle = "T"\nauthors = "A"\ntext = "a text"\nabout = "B"\n'
ONE = (
    '[[statements]]\nnumber = "009-1"\nsays = "S"\nkind = "claim"\nevidence = "exact"\n'
    'commands = ["capax run tokens a"]\nexpect = ["a"]\nalso = ["capax run tokens b"]\n'
)


def test_every_statement_has_a_record() -> None:
    """Each source has all of its statements, in order."""
    assert {source.id: len(source.statements) for source in sources()} == NUMBERS
    assert sum(NUMBERS.values()) == 167


def test_a_source_or_one_statement_is_chosen() -> None:
    (source,) = chosen("001")
    assert len(source.statements) == 90
    (source,) = chosen("001-67")
    assert [one.number for one in source.statements] == ["001-67"]
    assert chosen(None) == sources()


def test_a_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "009.toml").write_text(HEAD + ONE)
    (source,) = sources(tmp_path)
    assert (source.id, source.title, source.statements[0].says) == ("009", "T", "S")
    assert source.counts()["exact"] == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEAD + ONE.replace("009-1", "009-2"), "009.toml, 009-2: expected the number 009-1"),
        (HEAD + ONE.replace('"S"', '""'), "009.toml, 009-1: `says` has 0 characters"),
        (HEAD + ONE.replace('"S"', f'"{"x" * 401}"'), "009.toml, 009-1: `says` has 401 characters"),
        (HEAD + ONE.replace('"claim"', '"guess"'), "009.toml, 009-1: kind is 'guess'"),
        (HEAD + ONE.replace("capax run tokens a", "rm -r x"), "009.toml, 009-1: `rm -r x` is not a command of capax"),
        (HEAD + ONE.replace('expect = ["a"]\n', ""), "009.toml, 009-1: evidence that is exact asks for commands"),
        (HEAD + ONE.replace('also = ["capax run tokens b"]\n', ""), "009.toml, 009-1: evidence that is exact asks"),
        (HEAD + ONE.replace('"exact"', '"open"'), "009.toml, 009-1: evidence that is open has no commands"),
        (HEAD + ONE.replace('"exact"', '"partial"'), "009.toml, 009-1: evidence that is partial asks for a note"),
        (
            HEAD + ONE.replace('"exact"', '"unconfirmed"'),
            "009.toml, 009-1: evidence that is unconfirmed asks for a note",
        ),
        (HEAD + ONE + "colour = 1\n", "009.toml, 009-1: the field colour is unknown"),
        (HEAD.replace('title = "T"\n', "") + ONE, "009.toml: the field title is missing"),
        (HEAD + "[other]\n", "009.toml: expected [source] and [[statements]]; got other"),
    ],
)
def test_a_mistake_is_named(tmp_path: Path, text: str, message: str) -> None:
    """With the file, the statement, and what is wrong."""
    (tmp_path / "009.toml").write_text(text)
    with pytest.raises(BadRecord) as info:
        sources(tmp_path)
    assert str(info.value).startswith(message)
