"""Texts in the public domain, to fit models of language to. Each is a `.txt` file beside this one.

`sonnets`: 41 of the sonnets of William Shakespeare (1609), a line of verse in each line, in the spelling of editions of
the nineteenth century: numbers 1-19, 21-23, 25-30, 33, 55, 60, 65, 71, 73, 94, 97, 106, 116, 129, 130 and 138. They
were written out from memory, so that a comma may differ from the printed page.
"""

from importlib.resources import files


def text_names() -> tuple[str, ...]:
    """The names of the texts."""
    return tuple(sorted(f.name.removesuffix(".txt") for f in files(__name__).iterdir() if f.name.endswith(".txt")))


def text(name: str) -> str:
    """The text of a name."""
    return files(__name__).joinpath(f"{name}.txt").read_text(encoding="utf-8")
