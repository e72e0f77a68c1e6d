"""`capax list`: the programs of the library."""

from dataclasses import asdict, dataclass
from typing import Any, Final

from capax.app.commands._result import finish
from capax.app.options import Json
from capax.rasp import library

GROUP: Final = ("Programs", 2)


def command(as_json: Json = False) -> None:
    """List the library, one line per program.

    Example: capax list
    """
    finish(LibraryListing(tuple(library.entries().values())), as_json=as_json)


@dataclass(frozen=True, slots=True)
class LibraryListing:
    """The entries of the library."""

    entries: tuple[library.Entry, ...]

    def to_json(self) -> list[dict[str, Any]]:
        """Each entry: name, file, description, examples, parameters."""
        return [asdict(entry) for entry in self.entries]

    def render(self) -> str:
        """A line for each entry, grouped by file."""
        heads = [e.name + (f"({', '.join(e.params)})" if e.params is not None else "") for e in self.entries]
        wide = max(map(len, heads))
        lines: list[str] = []
        module = None
        for head, entry in zip(heads, self.entries, strict=True):
            if entry.module != module:
                module = entry.module
                lines += ["", module] if lines else [module]
            lines.append(f"  {head.ljust(wide)}  {entry.doc}")
        return "\n".join(lines)
