"""What changes with an assumption: that two classes are equal or differ, or the value of one field of a setting."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from capax.atlas.inference.closure import above, not_within
from capax.atlas.inference.infer import Answer, recognises
from capax.atlas.inference.proof import Verdict
from capax.atlas.questions.names import class_named
from capax.atlas.records import Atlas, Conjecture, Inclusion
from capax.atlas.setting import FIELDS, MODELS
from capax.errors import CapaxError


@dataclass(frozen=True, slots=True)
class Change:
    """A cell of the table whose answer changes."""

    model: str
    language: str
    before: Verdict
    after: Verdict


def suppose(atlas: Atlas, text: str) -> Atlas:
    """The atlas under an assumption such as `TC0 = NC1` or `TC0 != NC1`.

    An equality is read of the uniform classes and an inequality of the non-uniform ones: each is the stronger reading.
    """
    plain = text.replace("≠", "!=").replace("==", "=")
    sign = "!=" if "!=" in plain else "="
    parts = [part.strip() for part in plain.split(sign)]
    if len(parts) != 2 or not all(parts):
        hint = 'for instance: --what-if "TC0 = NC1"'
        raise CapaxError("bad-question", f"{text!r:.60} is not an assumption about two classes", hint=hint)
    first, second = (class_named(atlas, part) for part in parts)
    known = next((one for one in atlas.conjectures if {one.small, one.big} == {first, second}), None)
    return _equal(atlas, first, second, known) if sign == "=" else _different(atlas, first, second, known)


def _equal(atlas: Atlas, first: str, second: str, known: Conjecture | None) -> Atlas:
    for small, big in ((first, second), (second, first)):
        gap = not_within(atlas, small, big)
        if gap is not None and not gap.assuming and not any(isinstance(one, Conjecture) for one in gap.records):
            what = f"{first} and {second} are known to differ: {'; '.join(gap.ids)}"
            raise CapaxError("bad-question", what, hint=_open(atlas))
    pairs = known.equal_too if known is not None else ((first, second),)
    added = tuple(Inclusion(f"{a} = {b}, supposed", a, b, "no", note="supposed") for a, b in pairs)
    supposed = replace(atlas, inclusions=(*atlas.inclusions, *added))
    left = tuple(one for one in atlas.conjectures if one.small not in above(supposed, one.big))
    return replace(supposed, conjectures=left)


def _different(atlas: Atlas, first: str, second: str, known: Conjecture | None) -> Atlas:
    if known is not None:
        return replace(atlas, assumed=(*atlas.assumed, known.id))
    if second in above(atlas, first):
        small, big = first, second
    elif first in above(atlas, second):
        small, big = second, first
    else:
        what = f"neither of {first} and {second} is recorded within the other, so nothing follows from their difference"
        raise CapaxError("bad-question", what, hint=_open(atlas))
    if small in above(atlas, big):
        raise CapaxError("bad-question", f"{first} and {second} are known to be equal", hint=_open(atlas))
    added = Conjecture(f"{small} != {big}", small, big, "supposed")
    return replace(atlas, conjectures=(*atlas.conjectures, added), assumed=(*atlas.assumed, added.id))


def _open(atlas: Atlas) -> str:
    return f"open are {', '.join(one.id for one in atlas.conjectures)}"


def changes(before: Atlas, after: Atlas) -> list[Change]:
    """The cells of the table of models and languages whose answers differ."""
    cells = []
    for model, setting in MODELS.items():
        for language in before.languages:
            where = setting.to_json()
            old = recognises(before, where, language.id, compare=False).verdict
            new = recognises(after, where, language.id, compare=False).verdict
            if old != new:
                cells.append(Change(model, language.id, old, new))
    return cells


@dataclass(frozen=True, slots=True)
class Turn:
    """A field set to a value, all else as asked, and the answer then."""

    field: str
    value: str
    answer: Answer


def turns(atlas: Atlas, where: Mapping[str, str], language: str) -> list[Turn]:
    """Every change of one field, with its answer."""
    return [
        Turn(name, value, recognises(atlas, {**where, name: value}, language, compare=False))
        for name, field in FIELDS.items()
        for value in field.values
        if value != where[name]
    ]
