"""The page of the benchmarks: a section for each, with what its file says and what it printed."""

import ast
import re
from pathlib import Path

HERE = Path(__file__).parent
PIECES = {
    "__main__",
    "page",
    "table",
    "compiler_peer",
    "one_layer_training",
    "tracr_library",
    "search_targets",
    "records",
    "records_page",
}
"""Files without a section: what the others use, and what needs Tracr; see docs/explanation/compiler.md for that."""
TOP = """\
# Benchmarks

One question per file in `benchmarks/`. `make bench` runs all of them at small sizes, in some minutes, and writes this
page: the tables are what the files printed, the text is that of the files. `python benchmarks --full` takes the large
sizes, and far longer. Times are CPU seconds, so that other work on the machine counts little; yet they differ from run
to run and from machine to machine.
"""
MARK = "<!-- figures -->"
NOT_RUN = "It was not run."


def questions() -> list[str]:
    """The names of the benchmarks."""
    return sorted(path.stem for path in HERE.glob("*.py") if path.stem not in PIECES)


def told(name: str) -> str:
    """What a benchmark says of itself: its docstring."""
    text = ast.get_docstring(ast.parse((HERE / f"{name}.py").read_text(encoding="utf-8")))
    assert text, f"benchmarks/{name}.py has no docstring"
    return text


def page(figures: dict[str, str]) -> str:
    """The whole page, with the figures of each benchmark."""
    sections = [f"## {name}\n\n{told(name)}\n\n{MARK}\n\n{figures.get(name, NOT_RUN)}\n" for name in questions()]
    return "\n".join([TOP, *sections])


def figures_of(text: str) -> dict[str, str]:
    """The figures that stand on a page, by benchmark."""
    parts = re.split(r"^## (.+)$", text, flags=re.M)[1:]
    return {name: body.partition(MARK)[2].strip() for name, body in zip(parts[::2], parts[1::2], strict=True)}
