"""The models that audits are tried on: they are those of the recipe, and as right as their table says."""

import runpy
import tomllib
from typing import Any

import pytest

from capax import load_model, tasks
from capax.lab.settings import settings_of
from tests.house.tree import ROOT

FOLDER = ROOT / "experiments" / "audit"
RECIPES = {one.name: one for one in runpy.run_path(str(FOLDER / "train.py"))["recipes"]()}
ENTRIES = {entry["name"]: entry for entry in tomllib.loads((FOLDER / "models.toml").read_text("utf-8"))["models"]}


def test_every_model_is_there() -> None:
    """The table and the files are the recipe's: eight tasks with three seeds, three groups of four, and a long one."""
    assert list(ENTRIES) == [name for name in RECIPES if name in ENTRIES]
    assert set(ENTRIES) == set(RECIPES)
    assert {path.stem for path in FOLDER.glob("*.safetensors")} == set(RECIPES)
    assert len(RECIPES) == 8 * 3 + 3 * 4 + 1


@pytest.mark.parametrize("name", RECIPES)
def test_a_model_is_what_its_entry_says(name: str) -> None:
    """Its settings are the recipe's, its accuracy is the one in its file, and some random words agree with that."""
    entry, recipe = ENTRIES[name], RECIPES[name]
    file = FOLDER / entry["file"]
    model, settings = load_model(file), settings_of(recipe.settings)
    assert file.stat().st_size < 2_000_000
    assert settings_of(dict(model.provenance.settings or {})) == settings
    assert model.provenance.measured is not None
    assert model.provenance.measured["token_accuracy"] == entry["token_accuracy"]
    assert (model.provenance.read, entry["read"]) == ("last", "last")
    assert model.max_length == (160 if "long" in name else 63)
    assert {key: entry[key] for key in ("against", "alphabet")} == {
        "against": recipe.against,
        "alphabet": recipe.alphabet,
    }
    assert entry["token_accuracy"] - 0.15 <= share_right(model, settings.task, settings.parameters) <= 1


def share_right(model: Any, name: str, parameters: Any) -> float:
    """The share of right answers on random words of 1 to 40 letters."""
    task = tasks.task(name)
    own = {p.name: parameters[p.name] for p in task.parameters}
    words = [word for n in range(1, 41) for word in task.samples(2, n, n, **own)]
    rights = zip(words, model.batch(words), strict=True)
    return sum(answers[-1] == task.answer(word, **own) for word, answers in rights) / len(words)
