"""Every target over the same models: the export, read by its own loader, gives the model's answers."""

import json
from pathlib import Path

import pytest

from capax.app.files.exports import RECORD, export, fitted
from capax.errors import CapaxError
from capax.model.export.target import Target, targets
from capax.model.model import Model
from tests.support.exported import COMPILED, OTHERS, model

pytestmark = pytest.mark.xdist_group("libraries")  # one process loads transformers and the like

HOLDS_ALL = ("torch",)
"""Targets that hold every model of the tests."""
LOOK_BACK = ("gguf", "llama", "mistral", "phi3", "qwen2")
"""Targets that hold causal models in float32 or bfloat16."""


@pytest.mark.parametrize("name", COMPILED)
@pytest.mark.parametrize("to", targets())
def test_a_program_comes_out_with_its_answers(to: str, name: str, tmp_path: Path) -> None:
    """Words of several lengths in one batch, by what stands in the folder, equal the model as it was before."""
    wanted, before = targets()[to], model(name)
    if to in LOOK_BACK and not held(before, wanted):
        assert not before.provenance.causal or before.numbers == "float64" or to == "gguf", "the others hold it"
        with pytest.raises(CapaxError, match=f"{to} cannot"):
            export(before, str(tmp_path / "out"), wanted)
        return
    done = export(before, str(tmp_path / "out"), wanted, words=100)
    report, files = done.report, list(done.files)
    assert report.holds
    assert report.count is not None
    assert report.count > 100
    assert {RECORD, "README.md"} <= set(files)
    alphabet = before.provenance.domain.alphabet
    words = [tuple(alphabet[(i * i + i // 3 + n) % len(alphabet)] for i in range(n)) for n in (1, 2, 3, 5, 8, 7, 1)]
    found = wanted.load(tmp_path / "out")(words)
    assert [output.answers for output in found] == before.batch(words)


def held(before: Model, wanted: Target) -> bool:
    """Whether a target can hold a model, perhaps with something added."""
    try:
        fitted(before, wanted)
    except CapaxError:
        return False
    return True


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("to", targets())
def test_a_model_without_a_program_is_held_or_refused(to: str, name: str, tmp_path: Path) -> None:
    """The answers are the model's, to a small difference; or the target says what it lacks, and writes nothing."""
    wanted, before = targets()[to], model(name)
    if not held(before, wanted):
        assert to not in HOLDS_ALL
        with pytest.raises(CapaxError) as caught:
            export(before, str(tmp_path / "out"), wanted)
        assert caught.value.code == "not-exportable"
        assert list(tmp_path.iterdir()) == []
        return
    report = export(before, str(tmp_path / "out"), wanted, words=100).report
    assert report.figures["difference"] < (1e-9 if before.numbers == "float64" and to in HOLDS_ALL else 1e-3)
    words = ["a", "cab", "bbbb"]
    assert [o.answers for o in wanted.load(tmp_path / "out")(words)] == before.batch(words)


@pytest.mark.parametrize("to", [name for name in targets() if name != "gguf"])  # whose answers are tokens
def test_every_target_holds_some_model_that_has_no_program(to: str) -> None:
    """A plain one goes in as it is."""
    plain = [model(name) for name in ("hand-made", "hand-made, causal", "trained")]
    if to in LOOK_BACK:
        plain = [one.to("float32") for one in plain]
    assert any(targets()[to].refuse(one) is None for one in plain)


@pytest.mark.parametrize("to", targets())
def test_an_export_says_what_it_is(to: str, tmp_path: Path) -> None:
    """The record has the target and the check; the page shows how to run it; nothing else is left behind."""
    name = "causal induction" if to in LOOK_BACK else "reverse"
    export(model(name), str(tmp_path / "out"), targets()[to], words=20, seed=7)
    record = json.loads((tmp_path / "out" / RECORD).read_text())
    assert record["target"] == to
    assert record["check"]["seed"] == 7
    page = (tmp_path / "out" / "README.md").read_text()
    assert "```python" in page
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert not list((tmp_path / "out").rglob("__pycache__"))
