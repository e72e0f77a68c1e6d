"""Machines that come with capax, each a `.tm` file beside this one (see `capax.formal.turing.text` for the format).

Busy beavers (`bb1` to `bb4`, and the first steps of `bb5`), binary increment, copying, palindromes, a machine with two
tapes, one that goes by chance, and a small universal machine (`tag`).
"""

from importlib.resources import files

from capax.errors import CapaxError, Source, nearest

ENDING = ".tm"


def machine_names() -> tuple[str, ...]:
    """The names of the machines."""
    return tuple(sorted(f.name.removesuffix(ENDING) for f in files(__name__).iterdir() if f.name.endswith(ENDING)))


def machine_source(name: str) -> Source:
    """The text of a machine that comes with capax."""
    if name not in machine_names():
        near = nearest(name, list(machine_names()))
        hint = f"did you mean {near}?" if near else f"there are {', '.join(machine_names())}"
        raise CapaxError("file-not-found", f"there is no machine {name!r:.60}", hint=hint, path=name)
    return Source(f"{name}{ENDING}", files(__name__).joinpath(f"{name}{ENDING}").read_text(encoding="utf-8"))
