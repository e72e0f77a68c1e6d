"""Programs as Llama directories, with their certificates."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import capax
from capax.app.files.exports import fitted
from capax.certify.exported_models.exported import proof_json
from capax.model.export.target import target
from capax.model.model import Model

LIBRARY = capax.library
PREVIOUS = capax.aggregate(capax.select(capax.indices, capax.indices - 1, "=="), capax.tokens, "a")
THE_AS = capax.selector_width(capax.select(capax.tokens, "a", "==") & capax.select(capax.indices, capax.indices, "<="))
COUNTER = capax.where(THE_AS > 3, 3, THE_AS)
PROGRAMS: dict[str, tuple[Any, str, int]] = {
    "previous": (PREVIOUS, "abc", 9),
    "induction": (LIBRARY.induction, "abc", 9),
    "histogram": (LIBRARY.hist_nobos, "abc", 9),
    "hop2": (LIBRARY.hop2, "abc", 8),
    "brackets": (LIBRARY.dyck1_ptf, "()", 8),
    "first": (LIBRARY.first_occurrence, "abc", 8),
    "counter": (COUNTER, "abc", 8),
}


@cache
def model_of(name: str, dtype: str = "float32") -> Model:
    """The model of a program as the target takes it."""
    program, alphabet, length = PROGRAMS[name]
    compiled = capax.compile(
        program, alphabet=alphabet, max_length=length, causal=True, dtype=dtype, certify=False, words=30
    )
    return fitted(compiled.model, target("llama"))[0]


@cache
def llama(name: str, dtype: str = "float32") -> dict[str, bytes]:
    """The files of a program's Llama, with what is proved of them."""
    return dict(target("llama").write(model_of(name, dtype), Path(), proof_json))


def put(files: dict[str, bytes], folder: Path) -> Path:
    """Writes files to a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return folder


def verdict_of(files: dict[str, bytes]) -> Any:
    """The verdict of the certificate among the files."""
    (verdict,) = json.loads(files["certificate.json"])["answers"]["verdicts"]
    return verdict
