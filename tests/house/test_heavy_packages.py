"""Each heavy package is imported in one file or folder only, so that the rest works without it."""

import os
from pathlib import Path

import pytest

from tests.house.tree import SRC, imports_of, python_files

pytestmark = pytest.mark.xdist_group("tree")  # one process reads all files

HEAVY = ("torch", "ray", "uvicorn", "transformers", "onnx", "gguf", "pyarrow", "z3")


# Several places for one package: exports write modules of it, the lab trains with it, and scores need its gradients.
PLACES = {"torch": ("model/export", "lab/train", "lab/measure", "suite/score")}


def breaches(src: Path) -> list[str]:
    """One line for each heavy package whose imports share no file and no folder inside the package."""
    found = []
    for heavy in HEAVY:
        files = sorted(
            {
                path
                for path in python_files(src / "capax")
                for item in imports_of(path, src)
                if item.target.split(".")[0] == heavy
                if not any(path.is_relative_to(src / "capax" / place) for place in PLACES.get(heavy, ()))
            }
        )
        if (heavy in PLACES and files) or (len(files) > 1 and Path(os.path.commonpath(files)) == src / "capax"):
            found.append(f"{heavy} is imported in {', '.join(map(str, files))}")
    return found


def test_each_heavy_package_has_one_place() -> None:
    """The package keeps the rule, and there is a package to look at."""
    assert len(python_files(SRC / "capax")) > 1
    assert breaches(SRC) == []


@pytest.mark.parametrize(
    ("files", "count"),
    [
        (("model/export/torch/target.py",), 0),
        (("model/export/hugging_face/target.py", "model/export/onnx/target.py"), 0),
        (("model/export/torch/target.py", "lab/train/train.py"), 0),
        (("model/export/torch/target.py", "lab/train.py"), 1),
        (("__init__.py", "lab/train/train.py"), 1),
    ],
)
def test_a_breach_is_seen(tmp_path: Path, files: tuple[str, ...], count: int) -> None:
    """Files of the folders that are named may share a package; others may not."""
    for file in files:
        path = tmp_path / "capax" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("def run():\n    from torch.nn import functional\n")
    assert len(breaches(tmp_path)) == count
