"""The words that `capax verify` tries are those that the model answers."""

from pathlib import Path

import pytest

import capax
from capax import indicator, tokens
from capax.app.commands.verify import verify
from capax.app.files.models import save_model
from tests.support.perturbed import changed, with_provenance


@pytest.mark.parametrize("said", [{"alphabet": ["a"]}, {"max_length": 9}, {"alphabet": ["q"]}, {"max_length": 1}])
def test_what_a_file_says_of_its_words_is_not_trusted(said: dict[str, object], tmp_path: Path) -> None:
    model = capax.compile(indicator(tokens == "a"), alphabet="ab", max_length=3).model
    edited = with_provenance(model, domain={**model.provenance.domain.to_json(), **said})
    path = str(tmp_path / "edited.safetensors")
    save_model(edited, path)
    assert verify(path, words=50, seed=0).holds
    wrong = next(w for by in (9.0, -9.0) if (w := changed(edited, "embedding", 1, by))("ab") != [1, 0])
    save_model(wrong, path)
    assert not verify(path, words=50, seed=0).holds
