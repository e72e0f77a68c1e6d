"""Counter machines that come with capax, each a `.cm` file beside this one (see `capax.formal.counters.text`)."""

from importlib.resources import files

from capax.errors import CapaxError, Source, nearest

ENDING = ".cm"


def counter_names() -> tuple[str, ...]:
    """The names of the machines."""
    return tuple(sorted(f.name.removesuffix(ENDING) for f in files(__name__).iterdir() if f.name.endswith(ENDING)))


def counter_source(name: str) -> Source:
    """The text of a machine that comes with capax."""
    if name not in counter_names():
        near = nearest(name, list(counter_names()))
        hint = f"did you mean {near}?" if near else f"there are {', '.join(counter_names())}"
        raise CapaxError("file-not-found", f"there is no counter machine {name!r:.60}", hint=hint, path=name)
    return Source(f"{name}{ENDING}", files(__name__).joinpath(f"{name}{ENDING}").read_text(encoding="utf-8"))
