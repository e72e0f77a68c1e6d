"""All records as Markdown."""

from collections.abc import Sequence
from typing import Final

from capax.atlas.circuit_classes import SHAPE, field_title, shape_cells
from capax.atlas.papers import PAPERS
from capax.atlas.records import OURS, Atlas, Claim, Inclusion, Membership, Remark
from capax.atlas.setting import ANY, FIELDS, value_of

HEAD: Final = """# Records behind the atlas

Everything that `capax atlas` infers from: claims about transformers, inclusions of classes, facts about languages, and
the changes along which claims are carried over. [The atlas](../explanation/atlas.md) says how answers follow.

*Checked* means that the statement itself was read, and says where: in the paper's abstract, introduction or figure, or
in the table of the survey of Strobl et al. (2024) as lecture notes print it. *Cited, not checked* means that the
statement was not read again. *Our argument* means that it follows from others by an argument that
[the atlas](../explanation/atlas.md#our-arguments) gives. No proof of a paper was checked. Fields with a dagger are not
given by the source: they are our reading.

This page is printed by `capax atlas --page`; the tests keep it current.
"""
VERBS: Final = {
    "has": "has",
    "lacks": "lacks",
    "contains": "contains",
    "within": "is within",
    "equals": "equals",
}
CIRCUITS: Final = (
    "What the circuits of a class have in common, one circuit for each length of words. `capax atlas --circuits` asks "
    "for classes by these fields."
)
SIGNS: Final = {"yes": "⊂", "no": "=", "open": "⊆, strict?", "unsaid": "⊆"}


def page(atlas: Atlas) -> str:
    """The whole page."""
    survey = [claim for claim in atlas.claims if claim.row]
    later = [claim for claim in atlas.claims if not claim.row]
    parts = [HEAD, *_fields(), "## The survey's table", "", *_claims(survey), "## Other results", "", *_claims(later)]
    parts += [*_remarks(atlas), *_classes(atlas), *_languages(atlas), *_variants(atlas), *_papers()]
    return "\n".join(parts).rstrip("\n")


def _cell(text: str) -> str:
    return text.replace("|", "&#124;").replace("*", "\\*")


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> list[str]:
    lines = [f"| {' | '.join(map(_cell, row))} |" for row in rows]
    return [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}", *lines, ""]


def _fields() -> list[str]:
    rows = []
    for name, field in FIELDS.items():
        default = "left open" if field.default == ANY else field.default
        rows.append((name, field.what, "; ".join(f"{value}: {what}" for value, what in field.values.items()), default))
    return ["## The fields of a setting", "", *_table(("field", "what", "values", "unless given"), rows)]


def _claims(claims: list[Claim]) -> list[str]:
    rows = []
    for claim in claims:
        fields = []
        for name, field in FIELDS.items():
            value = value_of(claim.setting, name)
            value = " or ".join(claim.reads) if name == "read" else value
            if field.default != value:
                fields.append(f"{name} {value}{'†' if name in claim.unstated else ''}")
        runs = f"runs: {_links(claim)}" if claim.theorems or claim.limits or claim.programs else ""
        note = "; ".join(text for text in (claim.note, claim.reading and f"read: {claim.reading}", runs) if text)
        says = f"{VERBS[claim.kind]} {claim.object}"
        rows.append((claim.id, says, "; ".join(fields), ", ".join(claim.sources), seen_in(claim), note))
    return _table(("claim", "says", "setting", "sources", "seen", "note"), rows)


def seen_in(record: Claim | Remark) -> str:
    """How a record was seen, and of a checked one where."""
    return f"{record.seen}: {record.against.split(';')[0]}" if record.seen == "checked" else record.seen


def _links(record: Claim | Remark) -> str:
    """The theorems, limits and programs that run a record."""
    programs = [f"program `{program.text}`" for program in record.programs]
    return ", ".join([*record.theorems, *(f"limit {name}" for name in record.limits), *programs])


def _remarks(atlas: Atlas) -> list[str]:
    rows = [(one.text, ", ".join(one.sources), seen_in(one), _links(one)) for one in atlas.remarks]
    head = "## Results beside languages and classes, from which nothing is inferred"
    return [head, "", *_table(("result", "sources", "seen", "runs"), rows)]


def _classes(atlas: Atlas) -> list[str]:
    def line(one: Inclusion) -> tuple[str, ...]:
        return f"{one.small} {SIGNS[one.strict]} {one.big}", ", ".join(one.sources) or one.seen, one.note

    classes = [(one.id, one.what) for one in atlas.classes]
    shapes = [(one.id, *shape_cells(one.circuits)) for one in atlas.classes if one.circuits is not None]
    believed = [(one.id, one.what) for one in atlas.conjectures]
    return [
        *("## Classes", "", *_table(("class", "what"), classes)),
        *("## Circuits of the classes", "", CIRCUITS, "", *_table(("class", *map(field_title, SHAPE)), shapes)),
        *(
            "## Inclusions",
            "",
            "Those with a source are cited, not checked.",
            "",
            *_table(("inclusion", "sources", "note"), [line(one) for one in atlas.inclusions]),
        ),
        *("## Conjectures", "", *_table(("conjecture", "what"), believed)),
    ]


def _languages(atlas: Atlas) -> list[str]:
    rows = []
    for one in atlas.languages:
        facts = [fact for fact in atlas.memberships if fact.language == one.id]
        in_ = ", ".join(_fact(fact) for fact in facts if fact.holds)
        out = ", ".join(_fact(fact) for fact in facts if not fact.holds)
        hard = ", ".join(hard.cls for hard in atlas.hardness if hard.language == one.id)
        rows.append((one.id, one.what, in_, out, hard))
    note = (
        "A fact marked ✓ is computed by capax from the automaton, or proved in these pages; one with a part of a paper "
        "was read there; the others are cited, not checked."
    )
    return ["## Languages", "", note, "", *_table(("language", "what", "in", "not in", "complete for"), rows)]


def _fact(fact: Membership) -> str:
    mark = {"checked": f" ({fact.note})", OURS: " ✓"}.get(fact.seen, "")
    return fact.cls + (f" [{', '.join(fact.sources)}]" if fact.sources else "") + mark


def _variants(atlas: Atlas) -> list[str]:
    rows = []
    for one in atlas.variants:
        needs = "; ".join(f"{name} {' or '.join(values)}" for name, values in one.needs.items())
        rows.append(
            (
                one.field,
                one.weaker,
                one.stronger,
                one.why,
                needs,
                ", ".join(one.sources) or (OURS if one.argued else "by definition"),
            )
        )
    return ["## Changes that take no power away", "", *_table(("field", "from", "to", "why", "needs", "source"), rows)]


def _papers() -> list[str]:
    return ["## Papers", "", *(f"- `{key}`: {paper.line}" for key, paper in sorted(PAPERS.items()))]
