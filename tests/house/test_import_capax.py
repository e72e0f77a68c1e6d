"""`import capax` loads nothing heavy; its time is printed at the end of the run."""

import json
import subprocess
import sys
from collections.abc import Callable

HEAVY = {
    *(
        "torch",
        "ray",
        "uvicorn",
        "starlette",
        "transformers",
        "transformer_lens",
        "onnx",
        "onnxruntime",
        "matplotlib",
        "z3",
    ),
    *("automata", "prompt_toolkit", "typer", "rich", "numpy"),
}

PROBE = """
import json, sys, time
before, start = set(sys.modules), time.perf_counter()
{statement}
seconds = time.perf_counter() - start
print(json.dumps([seconds, sorted(set(sys.modules) - before)]))
"""


def loaded_by(statement: str) -> tuple[float, set[str]]:
    """The seconds that a statement takes in a new interpreter, and the top-level modules that it loads."""
    done = subprocess.run(
        [sys.executable, "-c", PROBE.format(statement=statement)], capture_output=True, text=True, check=True
    )
    seconds, modules = json.loads(done.stdout)
    return seconds, {name.split(".")[0] for name in modules}


def test_import_capax_is_light(record_property: Callable[[str, object], None]) -> None:
    """None of the heavy packages is loaded."""
    seconds, modules = loaded_by("import capax")
    record_property("import capax", f"{seconds:.3f} s")
    assert "capax" in modules
    assert modules & HEAVY == set()


def test_the_probe_sees_a_heavy_package() -> None:
    """A statement that does load one is caught."""
    _, modules = loaded_by("import numpy.linalg")
    assert modules & HEAVY == {"numpy"}
