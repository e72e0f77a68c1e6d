"""`capax help`: the word that people try first."""

from tests.unit.app.outcome import Capax


def test_help_is_that_of_the_option(capax: Capax) -> None:
    for words in ((), ("run",), ("ngram", "fit")):
        asked = capax("help", *words)
        assert asked.code == 0
        assert asked.out == capax(*words, "--help").out
        assert asked.out.startswith("Usage: ")
    assert "no such command" in capax("help", "nothing").err
