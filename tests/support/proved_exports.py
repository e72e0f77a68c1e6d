"""Exports of programs to Hugging Face with their certificates, and what is read from the files again."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import capax
from capax.certify.exported_models.directory import NormlessExport, read_export
from capax.certify.exported_models.exported import proof_json
from capax.certify.recheck.recheck import program_in, spec_of
from capax.compiler.target.fit_to_target import fit
from capax.model.export.hugging_face.norm_bounds import NormError, norm_error
from capax.model.export.hugging_face.target import write
from capax.model.io.container import Stored, pack, unpack
from capax.rasp.analysis.output_spec import OutputSpec

LIBRARY = capax.library
THE_AS = capax.selector_width(capax.select(capax.tokens, "a", "=="))
FLIP = capax.aggregate(capax.select(capax.indices, THE_AS - 1 - capax.indices, "=="), capax.tokens, "c")
PROGRAMS: dict[str, tuple[Any, str, int, bool]] = {
    "reverse": (LIBRARY.reverse, "abc", 6, False),
    "flip": (FLIP, "abc", 6, False),
    "sort": (LIBRARY.sort(capax.tokens, capax.tokens), "abc", 5, False),
    "induction": (LIBRARY.induction, "abc", 8, True),
    "brackets": (LIBRARY.dyck1_ptf, "()", 8, False),
    "brackets of two kinds": (LIBRARY.dyck2_ptf, "(){}", 3, False),
}


@cache
def exported(name: str, dtype: str) -> dict[str, bytes]:
    """The files of a program, with what is proved of them."""
    program, alphabet, length, causal = PROGRAMS[name]
    compiled = capax.compile(
        program, alphabet=alphabet, max_length=length, causal=causal, dtype=dtype, certify=False
    ).model
    return dict(write(fit(compiled, "hf").model, Path(), proof_json))


def certificate_of(files: dict[str, bytes]) -> Any:
    """The certificate among the files."""
    return json.loads(files["certificate.json"])


def given(files: dict[str, bytes]) -> tuple[NormlessExport, NormError, OutputSpec]:
    """What the files hold, the errors of their norms, and the answers that are spec."""
    about = certificate_of(files)["answers"]["about"]
    found = read_export(files, about, about["before"])
    pairs, numbers = found.pairs, found.model.numbers
    error = norm_error(pairs.sizes, numbers, pairs.pin, about["reach"], found.model.width, after=found.after)
    program, causal = program_in(found.model)
    return found, error, spec_of(found.model, program.node, causal=causal)  # type: ignore[arg-type]


def changed(files: dict[str, bytes], name: str, change: Any) -> dict[str, bytes]:
    """The files with one tensor changed."""
    _, tensors = unpack(files["model.safetensors"], "test")
    stored = tensors[name]
    array = np.frombuffer(stored.data, {"F32": "<f4", "F64": "<f8"}[stored.dtype]).reshape(stored.shape).copy()
    change(array)
    made = {**tensors, name: Stored(stored.dtype, stored.shape, array.tobytes())}
    return {**files, "model.safetensors": pack(made, {"format": "pt"})}
