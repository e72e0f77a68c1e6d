"""Exports in an environment that has the target's library alone: they load, run and answer as the model does."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from capax.app.files.exports import export
from capax.model.export.target import targets
from tests.support.exported import model
from tests.support.fresh import installed, linked, run

pytestmark = pytest.mark.xdist_group("libraries")  # one process loads transformers and the like

NAMES = ("reverse", "sort", "dyck2", "causal induction")
CODE = {
    "torch": "from model import load",
    "onnx": "from run import load",
    "hf": """
import torch
from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForTokenClassification, AutoTokenizer

class load:
    def __init__(self, folder):
        self.tokenizer = AutoTokenizer.from_pretrained(folder)
        self.generates = AutoConfig.from_pretrained(folder).architectures == ["OPTForCausalLM"]
        kind = AutoModelForCausalLM if self.generates else AutoModelForTokenClassification
        self.model = kind.from_pretrained(folder, dtype="auto").eval()

    def __call__(self, word):
        with torch.inference_mode():
            best = self.model(**self.tokenizer(word, return_tensors="pt")).logits[0, -len(word):].argmax(-1).tolist()
        if not self.generates:
            return [self.model.config.id2label[i] for i in best]
        return ["" if token == "<end>" else token for token in self.tokenizer.convert_ids_to_tokens(best)]

    def batch(self, words):
        return [self(word) for word in words]
""",
}
"""How an export is loaded: by the file that stands in it, or by stock classes."""
LIBRARIES = {"torch": ("torch",), "onnx": ("onnxruntime", "numpy"), "hf": ("torch", "transformers")}


def ask(to: str, words: dict[str, list[str]]) -> str:
    """Lines that print the answers of the folders beside this one, and that capax is not there."""
    return f"""
import json
from importlib.util import find_spec
assert find_spec("capax") is None and find_spec("pytest") is None
{CODE[to]}
print(json.dumps({{folder: load("../" + folder).batch(words) for folder, words in {words!r}.items()}}))
"""


def alone(to: str, tmp_path: Path, make: Callable[..., Path]) -> bool:
    """Whether every model, exported, gives its answers in an environment made for it."""
    python = make(tmp_path / "env", *LIBRARIES[to])
    words, expected = {}, {}
    for name in NAMES:
        before = model(name)
        tokens = before.provenance.domain.alphabet
        words[name] = ["".join(tokens[(3 * i + n) % len(tokens)] for i in range(n)) for n in (1, 3, 8, 5)]
        expected[name] = before.batch(words[name])
        export(before, str(tmp_path / name), targets()[to], words=20)
    # the files with code are the same in all folders: one process, which imports the library once, reads them all
    return bool(json.loads(run(python, ask(to, words), tmp_path / NAMES[0])) == expected)


@pytest.mark.parametrize("to", ["torch", "onnx", pytest.param("hf", marks=pytest.mark.deep)])
def test_with_the_library_alone(to: str, tmp_path: Path) -> None:
    """The library of this environment, linked into an empty one."""
    assert alone(to, tmp_path, linked)


def test_a_stock_class_is_given_no_code(tmp_path: Path) -> None:
    """Data for classes of transformers: no file that could import capax, and no code of its own that is asked for."""
    for name in NAMES:
        export(model(name), str(tmp_path / name), targets()["hf"], words=20)
        files = [path for path in (tmp_path / name).rglob("*") if path.is_file()]
        assert {path.suffix for path in files} <= {".json", ".safetensors", ".txt", ".md"}
        assert "auto_map" not in (tmp_path / name / "config.json").read_text(encoding="utf-8")


@pytest.mark.deep
@pytest.mark.parametrize("to", LIBRARIES)
def test_with_the_library_installed(to: str, tmp_path: Path) -> None:
    """The library as it is installed."""
    assert alone(to, tmp_path, installed)
