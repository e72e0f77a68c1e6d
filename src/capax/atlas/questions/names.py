"""Names of languages and classes as people write them."""

import re

from capax.atlas.records import Atlas
from capax.errors import CapaxError, nearest

ALIASES = {
    **{"star-free": "FO", "ltl": "FO", "regular": "REG", "ptime": "P", "u-tc0": "FOM[BIT]", "u-ac0": "FO[BIT]"},
    **{"nc": "FO-uniform TC^d", "sac1": "LOGCFL", "logspace": "L", "k_t[#]": "C-RASP", "kt[#]": "C-RASP"},
}
FAMILIES = (
    ("shuffle-dyck", "SHUFFLE-DYCK-k", 1),
    ("dyck", "DYCK-k", 3),
    ("bounded-dyck", "DYCK-k,D", 1),
    ("mod", "MOD-p", 2),
)
"""Families of the catalogue, the record of each, and the least of its first number for which that is the record."""


def _plain(name: str) -> str:
    return (
        name.casefold()
        .replace("_", "")
        .replace(" ", "")
        .replace("⁰", "0")
        .replace("¹", "1")
        .replace("^0", "0")
        .replace("^1", "1")
    )


def language_named(atlas: Atlas, name: str) -> str:
    """The language of a name: its own, or that of the catalogue."""
    for one in atlas.languages:
        if _plain(name) in (_plain(one.id), _plain(one.catalogue) or None):
            return one.id
    for stem, id_, least in FAMILIES:
        match = re.fullmatch(rf"{stem}-(\d{{1,9}})(-\d{{1,9}})?", _plain(name))
        if match and int(match[1]) >= least and (match[2] is not None) == (stem == "bounded-dyck"):
            return id_
    known = [one.id for one in atlas.languages]
    near = nearest(name.upper(), known)
    hint = f"did you mean {near}?" if near else f"known are {', '.join(known)}; `capax recognise` takes any regular one"
    raise CapaxError("unknown-language", f"the atlas has no language called {name!r:.60}", hint=hint)


def class_named(atlas: Atlas, name: str) -> str:
    """The class of a name."""
    meant = ALIASES.get(_plain(name), name)
    for one in atlas.classes:
        if _plain(meant) == _plain(one.id):
            return one.id
    known = [one.id for one in atlas.classes]
    near = nearest(name, known)
    hint = f"did you mean {near}?" if near else f"known are {', '.join(known)}"
    raise CapaxError("bad-question", f"the atlas has no class called {name!r:.60}", hint=hint)


def object_named(atlas: Atlas, name: str) -> tuple[str, bool]:
    """The language or class of a name, and whether it is a class."""
    try:
        return language_named(atlas, name), False
    except CapaxError:
        pass
    try:
        return class_named(atlas, name), True
    except CapaxError:
        known = [*(one.id for one in atlas.languages), *(one.id for one in atlas.classes)]
        near = nearest(name, known)
        hint = f"did you mean {near}?" if near else f"known are {', '.join(known)}"
        raise CapaxError("bad-question", f"the atlas has no language or class called {name!r:.60}", hint=hint) from None
