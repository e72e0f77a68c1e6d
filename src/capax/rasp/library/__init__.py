"""The library of programs, written in the language itself: `*.rasp` beside this file.

`rasplib` is always loaded; the others are loaded by name. A description (`#:`) and examples
(`#?`) stand above each public name.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from capax.errors import Source

STANDARD = "rasplib"


@dataclass(frozen=True, slots=True)
class Entry:
    """A documented name: its file, description, examples, and parameters if it is a function."""

    name: str
    module: str
    doc: str
    examples: tuple[str, ...]
    params: tuple[str, ...] | None


@cache
def modules() -> tuple[str, ...]:
    """The names of the library's files, the standard library first."""
    names = sorted(f.name.removesuffix(".rasp") for f in files(__name__).iterdir() if f.name.endswith(".rasp"))
    names.sort(key=lambda name: name != STANDARD)
    return tuple(names)


@cache
def module_source(module: str) -> Source:
    """The text of a library file."""
    return Source(module, files(__name__).joinpath(f"{module}.rasp").read_text(encoding="utf-8"))


@cache
def entries() -> dict[str, Entry]:
    """All documented names, file by file."""
    return {entry.name: entry for module in modules() for entry in documented(module_source(module))}


_HEAD = re.compile(r"(?:def\s+(?P<f>\w+)\s*\((?P<params>[^)]*)\)|(?P<v>\w+)\s*=)")


def documented(source: Source) -> Iterator[Entry]:
    """The names of a text that have a description above them."""
    doc: list[str] = []
    examples: list[str] = []
    for line in source.text.splitlines():
        if line.startswith("#:"):
            doc.append(line[2:].strip())
        elif line.startswith("#?"):
            examples.append(line[2:].strip())
        else:
            head = _HEAD.match(line)
            if doc and head:
                params = head["params"]
                names = None if params is None else tuple(p.strip() for p in params.split(",") if p.strip())
                yield Entry(head["f"] or head["v"], source.name, " ".join(doc), tuple(examples), names)
            doc, examples = [], []
