"""The notebooks run, and what they keep is what their cells show."""

from pathlib import Path

import pytest

from tests.golden.notebook import load, outputs, with_outputs
from tests.house.tree import ROOT

pytestmark = pytest.mark.xdist_group("libraries")  # one process loads transformers and the like

NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


def test_there_are_five_lessons_and_one_how_to() -> None:
    names = {path.stem for path in NOTEBOOKS}
    assert names == {"rasp", "ground_truth", "limits", "languages", "trained", "transformer_lens"}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_the_first_cell_says_how_to_install(path: Path) -> None:
    first = next("".join(cell["source"]) for cell in load(path)["cells"] if cell["cell_type"] == "code")
    assert "except ImportError" in first
    assert "pip install" in first


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_cells(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pytestconfig: pytest.Config) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    notebook = load(path)
    found = list(outputs(notebook))
    if pytestconfig.getoption("--update-golden", default=False):
        path.write_text(with_outputs(notebook, found), encoding="utf-8")
    kept = [cell["outputs"] for cell in load(path)["cells"] if cell["cell_type"] == "code"]
    assert [_plain(cell) for cell in kept] == [_plain(cell) for cell in found]
    assert any(cell for cell in found)


def _plain(cell: list[dict[str, object]]) -> list[object]:
    """What is shown as text; pictures are tested elsewhere."""
    return [shown.get("text") or shown["data"]["text/plain"] for shown in cell]  # type: ignore[index]
