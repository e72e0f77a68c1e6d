"""Pictures as values: shown, printed, saved."""

from pathlib import Path

import pytest

import capax
from capax import CapaxError
from capax.draw.subjects.picture import Picture

COMPILED = capax.compile(capax.library.reverse, alphabet="abc", max_length=5)


def test_a_picture_has_all_forms(tmp_path: Path) -> None:
    picture = COMPILED.draw("abc")
    assert isinstance(picture, Picture)
    assert set(picture._repr_mimebundle_()) == {"text/html", "image/svg+xml", "text/plain"}
    assert "head 2.1" in str(picture)
    for ending, start in (("svg", "<svg"), ("html", "<!doctype html>"), ("txt", 'reverse("abc")')):
        picture.save(tmp_path / f"a.{ending}")
        assert (tmp_path / f"a.{ending}").read_text().lower().startswith(start)
    with pytest.raises(CapaxError, match=r"no picture can be written to .*a\.gif"):
        picture.save(tmp_path / "a.gif")
    assert not (tmp_path / "a.gif").exists()


def test_without_a_word_a_model_is_drawn_on_its_own_tokens() -> None:
    assert 'reverse("abcab")' in str(COMPILED.draw())
    with pytest.raises(CapaxError, match="not in the model's vocabulary"):
        COMPILED.draw("xyz")
