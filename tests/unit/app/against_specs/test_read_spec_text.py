"""Specifications in texts of strangers: what is written out is read, and no file is looked for."""

from pathlib import Path

import pytest

import capax
from capax import CapaxError, tokens
from capax.app.against_specs.audit import context_of
from capax.app.against_specs.read_spec import SpecContext, read_spec, read_text_spec


@pytest.fixture(scope="module")
def context() -> SpecContext:
    """What a specification is read for: a model over two letters."""
    return context_of(capax.compile(tokens == "a", alphabet="ab", max_length=4).model)


@pytest.mark.parametrize(
    "text", ["regex:(ab)*", "ltl:P a", "next:(ab)*", "language:majority", "reverse", "own", "(ab)*"]
)
def test_what_is_written_out_is_read_as_elsewhere(context: SpecContext, text: str) -> None:
    """The same specification as on the command line."""
    plain, other = read_text_spec(text, context), read_spec(text, context)
    assert (plain.name, plain.kind, plain.letters) == (other.name, other.kind, other.letters)


@pytest.mark.parametrize("what", ["model:{}", "automaton:{}", "dfa:{}", "program:{}.rasp", "{}.rasp", "{}", "{}.json"])
def test_files_are_not_looked_for(
    context: SpecContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    """A name gives the same error whether there is such a file or not."""
    monkeypatch.chdir(tmp_path)
    for name in ("there", "there.json", "there.rasp"):
        Path(name).mkdir()

    def error(name: str) -> str:
        with pytest.raises(CapaxError) as caught:
            read_text_spec(what.format(f"./{name}"), context)
        return f"{caught.value.code} {caught.value.what} {caught.value.hint}".replace(name, "")

    assert error("there") == error("other")
