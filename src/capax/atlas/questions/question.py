"""Questions in a few words: `ask("average-hard poly-steps : P")`.

Before the colon stand keywords, each a value of a field: the value alone where one field has it (`softmax`, `causal`),
or the value and the field (`poly-steps`, `log-precision`, `no-positions`, where `no` is `none`). After it stands a
language or a class.
"""

from capax.atlas.dataset import ATLAS
from capax.atlas.inference.infer import Answer, contains, recognises, region
from capax.atlas.inference.what_if import suppose
from capax.atlas.questions.names import object_named
from capax.atlas.records import Atlas
from capax.atlas.setting import ANY, FIELDS, refuse_unclear
from capax.errors import CapaxError, nearest

ALSO = {"fixed-precision": ("precision", "constant")}
"""Words of the literature for a value that has another name here."""


def keywords() -> dict[str, list[tuple[str, str]]]:
    """Every keyword with the fields and values that it may mean."""
    words: dict[str, list[tuple[str, str]]] = {word: [meant] for word, meant in ALSO.items()}
    for name, field in FIELDS.items():
        for value in (*field.values, ANY):
            if value not in ("none", ANY):
                words.setdefault(value, []).append((name, value))
            words.setdefault(f"{'no' if value == 'none' else value}-{name}", []).append((name, value))
    return words


def parse(atlas: Atlas, text: str) -> tuple[dict[str, str], str, bool]:
    """The fields that a question gives, its language or class, and whether it is a class."""
    before, colon, after = text.rpartition(":")
    if not colon or not after.strip():
        hint = "for instance: softmax log-precision : S5"
        raise CapaxError("bad-question", "a question has a colon, and a language or class after it", hint=hint)
    known = keywords()
    given: dict[str, str] = {}
    for word in before.split():
        refuse_unclear(word.casefold().removesuffix("-mask"))
        meant = known.get(word.casefold(), [])
        if len(meant) > 1:
            ways = ", ".join(f"{value}-{name}" for name, value in meant)
            raise CapaxError("bad-question", f"the keyword {word!r:.60} may mean {ways}", hint="write one of them")
        if not meant:
            near = nearest(word, list(known))
            hint = (
                f"did you mean {near}?" if near else "keywords are values of fields: `capax atlas --fields` lists them"
            )
            raise CapaxError("bad-question", f"{word!r:.60} is not a keyword of the atlas", hint=hint)
        name, value = meant[0]
        if given.get(name, value) != value:
            what = f"the question gives {name} twice: {given[name]} and {value}"
            raise CapaxError("bad-question", what, hint="leave one of them out")
        given[name] = value
    object_, is_class = object_named(atlas, after.strip())
    return given, object_, is_class


def ask(text: str, *, what_if: str | None = None, atlas: Atlas = ATLAS) -> Answer:
    """The answer to a question in keywords: whether some such transformers recognise a language, or all of a class.

    `what_if` is an assumption such as `TC0 = NC1`; `atlas.without("L6")` asks what would follow without a record.
    """
    known = atlas if what_if is None else suppose(atlas, what_if)
    given, name, is_class = parse(known, text)
    return (contains if is_class else recognises)(known, region(**given), name)
