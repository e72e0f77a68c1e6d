"""What a compiled program can do by itself: saved, exported, drawn, explained."""

from pathlib import Path

import pytest

import capax
from capax.draw.subjects.picture import Picture

pytestmark = pytest.mark.xdist_group("libraries")  # one process loads PyTorch and the like

COMPILED = capax.compile(capax.library.reverse, alphabet="abc", max_length=5)


def test_a_saved_program_is_its_model(tmp_path: Path) -> None:
    COMPILED.save(tmp_path / "reverse.safetensors")
    assert capax.load_model(tmp_path / "reverse.safetensors") == COMPILED.model


def test_a_program_is_drawn_and_explained() -> None:
    assert isinstance(COMPILED.draw("abc"), Picture)
    assert str(COMPILED.explain()).startswith("reverse: 2 attention layers")


def test_a_program_opens_in_torch() -> None:
    torch = pytest.importorskip("torch")
    rows = torch.tensor([COMPILED.model.read("abca")])
    logits = COMPILED.to_torch()(rows)[0].detach().numpy()
    assert COMPILED.model.decoding.decode(logits) == list("acba")


def test_exports_are_checked(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    assert COMPILED.export("torch", tmp_path / "out").holds
    with pytest.raises(capax.CapaxError, match="not empty"):
        COMPILED.export("torch", tmp_path / "out")
