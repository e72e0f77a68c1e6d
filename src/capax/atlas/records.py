"""The records of the atlas: claims, inclusions, memberships, variants; and the atlas that they make up."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final, Literal, TypeAlias

from capax.atlas.setting import Setting

Kind: TypeAlias = Literal["has", "lacks", "contains", "within", "equals"]
Seen: TypeAlias = Literal["checked", "cited, not checked", "our argument"]
CITED: Final = "cited, not checked"
OURS: Final = "our argument"
READ_IN: Final = ("abstract", "introduction", "table", "figure", "theorem")
"""The parts of a paper in which a statement may have been read: what `against` of a checked record begins with."""
Links: TypeAlias = Mapping[str, Mapping[str, Any]]
"""Theorems or limits of capax by name, each with its parameters."""


@dataclass(frozen=True, slots=True)
class ProgramLink:
    """A RASP expression, the letters of its words (single ones, or words with spaces between), and their length."""

    text: str
    letters: str
    longest: int = 12


@dataclass(frozen=True, slots=True)
class Claim:
    """A result: the transformers of a setting have or lack a language, or contain, lie within or equal a class.

    `unstated` names the fields of the setting that the source does not give: their values are our reading, the weakest
    that the statement allows. `seen` is `checked` where the statement itself was read, and `against` says where:
    `abstract`, `table`, ...; for our arguments `against` is the page that has them. `reads` are the ways to read the
    answer for which the claim holds, and `reading` says why it holds for several.

    `theorems` are results of capax.theorems, with parameters, that build it: what they build
    may have more positions or bits than the setting, which `note` then says. `programs` are RASP expressions that say
    whether a word is in the language, or in one of the class. `limits` are those of capax.limits that compute or
    measure it. `row` is the row of the survey's table.
    """

    id: str
    kind: Kind
    object: str
    setting: Setting
    sources: tuple[str, ...]
    seen: Seen = CITED
    against: str = ""
    row: str = ""
    unstated: tuple[str, ...] = ()
    reads: tuple[str, ...] = ("last", "end")
    reading: str = ""
    theorems: Links = dataclasses.field(default_factory=dict)
    limits: Links = dataclasses.field(default_factory=dict)
    programs: tuple[ProgramLink, ...] = ()
    note: str = ""
    settings: tuple[Setting, ...] = dataclasses.field(init=False, repr=False, compare=False)
    """The setting, once for each position at which the answer may be read."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "settings", tuple(replace(self.setting, read=read) for read in self.reads))

    @property
    def where(self) -> str:
        """The setting in a line, with all positions at which the answer may be read."""
        return self.setting.described(self.reads)

    @property
    def lower(self) -> bool:
        """Whether it says what the models can do."""
        return self.kind in ("has", "contains", "equals")

    @property
    def upper(self) -> bool:
        """Whether it says what they cannot do."""
        return self.kind in ("lacks", "within", "equals")


@dataclass(frozen=True, slots=True)
class CircuitShape:
    """The circuits of a class, one for each length: what they have in common.

    `gates` are those besides NOT. `uniformity` is what lists the circuits from their length; `none` where nothing need.
    `fan_in` is semi-unbounded where OR gates have any number of inputs and AND gates two.
    """

    depth: Literal["constant", "log", "polylog", "poly"]
    size: Literal["poly"]
    fan_in: Literal["two", "semi-unbounded", "unbounded"]
    gates: tuple[Literal["AND", "OR", "MOD", "MAJORITY"], ...]
    uniformity: Literal["none", "DLOGTIME", "FO", "L", "P"]


@dataclass(frozen=True, slots=True)
class LanguageClass:
    """A class of languages.

    `closed`: under reductions by circuits of constant depth, those of a uniform class by uniform circuits alone.
    `circuits` are the circuits that recognise its languages, for a class that circuits define.
    """

    id: str
    what: str
    closed: bool = False
    nonuniform: bool = False
    circuits: CircuitShape | None = None

    def closed_under(self, complete: "LanguageClass") -> bool:
        """Whether the reductions to a language that is complete for another class stay inside."""
        return self.closed and (self.nonuniform or not complete.nonuniform)


@dataclass(frozen=True, slots=True)
class Inclusion:
    """One class within another, or equal to it. `strict` is yes, no (equal) or open; open ones are not known."""

    id: str
    small: str
    big: str
    strict: Literal["yes", "no", "open", "unsaid"]
    sources: tuple[str, ...] = ()
    seen: Seen = CITED
    note: str = ""


@dataclass(frozen=True, slots=True)
class LanguageRecord:
    """A language, or a family of them. `catalogue` is the name by which `capax recognise --language` knows it.

    `instances` are members of a family: what has all of it has them, and what lacks one of them lacks the family.
    """

    id: str
    what: str
    catalogue: str = ""
    instances: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Membership:
    """A language in a class (`holds`), or not in it."""

    id: str
    language: str
    cls: str
    holds: bool
    sources: tuple[str, ...] = ()
    seen: Seen = CITED
    note: str = ""


@dataclass(frozen=True, slots=True)
class Hardness:
    """A language that is complete for a class, under reductions by circuits of constant depth."""

    id: str
    language: str
    cls: str
    sources: tuple[str, ...] = ()
    seen: Seen = CITED


@dataclass(frozen=True, slots=True)
class Conjecture:
    """Two classes, one within the other, that are believed to differ."""

    id: str
    small: str
    big: str
    what: str
    equal_too: tuple[tuple[str, str], ...] = ()
    """Pairs of which `small = big`, in its strong (uniform) reading, says that they are equal."""


@dataclass(frozen=True, slots=True)
class Variant:
    """A change of one field that takes no power away: models with the weaker value count among the stronger.

    `needs` says which values other fields must have for it, in the stronger setting; empty: none. `argued`: it is no
    matter of definitions, and the page The atlas has the argument.
    """

    id: str
    field: str
    weaker: str
    stronger: str
    why: str
    sources: tuple[str, ...] = ()
    seen: Seen = CITED
    needs: Mapping[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    argued: bool = False


@dataclass(frozen=True, slots=True)
class Remark:
    """A result that is not about a language and a setting of the atlas, kept with its source and what runs it."""

    id: str
    text: str
    sources: tuple[str, ...]
    seen: Seen = CITED
    against: str = ""
    theorems: Links = dataclasses.field(default_factory=dict)
    limits: Links = dataclasses.field(default_factory=dict)
    programs: tuple[ProgramLink, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Atlas:
    """All records. Every function of the atlas takes one, so that a question can be asked of a changed one."""

    claims: tuple[Claim, ...]
    classes: tuple[LanguageClass, ...]
    inclusions: tuple[Inclusion, ...]
    languages: tuple[LanguageRecord, ...]
    memberships: tuple[Membership, ...]
    hardness: tuple[Hardness, ...]
    conjectures: tuple[Conjecture, ...]
    variants: tuple[Variant, ...]
    remarks: tuple[Remark, ...] = ()
    assumed: tuple[str, ...] = ()
    """Conjectures that count as true."""

    def without(self, *ids: str) -> "Atlas":
        """The atlas with records deleted."""
        records = {
            name: tuple(record for record in getattr(self, name) if record.id not in ids)
            for name in ("claims", "inclusions", "memberships", "hardness", "conjectures", "variants", "remarks")
        }
        return replace(self, **records)

    def covers(self, family: str, language: str) -> bool:
        """Whether a language is another, or a member of that family."""
        return family == language or language in _instances(self).get(family, ())

    def cls(self, id_: str) -> LanguageClass:
        """The class of a name."""
        return next(one for one in self.classes if one.id == id_)


@lru_cache(maxsize=64)
def _instances(atlas: Atlas) -> dict[str, tuple[str, ...]]:
    """The members of each family."""
    return {one.id: one.instances for one in atlas.languages}
