"""All records as Markdown."""

from collections.abc import Sequence
from typing import Final

from capax.atlas.bibliography import PAPERS
from capax.atlas.records import Atlas, Claim, Inclusion, Remark
from capax.atlas.setting import ANY, FIELDS, value_of

HEAD: Final = """# The records of the atlas

Everything that `capax atlas` infers from: claims about transformers, inclusions of classes, facts about languages, and
the changes along which claims are carried over. [The atlas](../explanation/atlas.md) says how answers follow.

*Checked* means that the record was compared with the paper's abstract, or with the table of the survey of Strobl et
al. (2024) as lecture notes reproduce it; *recalled* that it was written from memory. No proof was checked. Fields with
a dagger are not given by the source: they are our reading.

This page is printed by `capax atlas --page`; the tests hold it current.
"""
VERBS: Final = {
    "has": "has",
    "lacks": "lacks",
    "contains": "contains",
    "within": "is within",
    "equals": "equals",
}
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
            if field.default != value:
                fields.append(f"{name} {value}{'†' if name in claim.unstated else ''}")
        runs = f"runs: {_links(claim)}" if claim.theorems or claim.limits or claim.programs else ""
        note = "; ".join(text for text in (claim.note, runs) if text)
        says = f"{VERBS[claim.kind]} {claim.object}"
        rows.append((claim.id, says, "; ".join(fields), ", ".join(claim.sources), claim.seen, note))
    return _table(("claim", "says", "setting", "sources", "seen", "note"), rows)


def _links(record: Claim | Remark) -> str:
    """The theorems, limits and programs that run a record."""
    programs = [f"program `{text}`" for text, _ in record.programs] if isinstance(record, Claim) else []
    return ", ".join(
        [*(name for name, _ in record.theorems), *(f"limit {name}" for name, _ in record.limits), *programs]
    )


def _remarks(atlas: Atlas) -> list[str]:
    rows = [(one.text, ", ".join(one.sources), one.seen, _links(one)) for one in atlas.remarks]
    head = "## Results beside languages and classes, from which nothing is inferred"
    return [head, "", *_table(("result", "sources", "seen", "runs"), rows)]


def _classes(atlas: Atlas) -> list[str]:
    def line(one: Inclusion) -> tuple[str, ...]:
        return f"{one.small} {SIGNS[one.strict]} {one.big}", ", ".join(one.sources), one.note

    classes = [(one.id, one.what) for one in atlas.classes]
    believed = [(one.id, one.what) for one in atlas.conjectures]
    return [
        *("## Classes", "", *_table(("class", "what"), classes)),
        *(
            "## Inclusions (recalled)",
            "",
            *_table(("inclusion", "sources", "note"), [line(one) for one in atlas.inclusions]),
        ),
        *("## Conjectures", "", *_table(("conjecture", "what"), believed)),
    ]


def _languages(atlas: Atlas) -> list[str]:
    rows = []
    for one in atlas.languages:
        facts = [fact for fact in atlas.memberships if fact.language == one.id]
        in_ = ", ".join(_fact(fact.cls, fact.sources, fact.seen) for fact in facts if fact.holds)
        out = ", ".join(_fact(fact.cls, fact.sources, fact.seen) for fact in facts if not fact.holds)
        hard = ", ".join(hard.cls for hard in atlas.hardness if hard.language == one.id)
        rows.append((one.id, one.what, in_, out, hard))
    note = "A fact marked ✓ is found out by capax from the monoid, and the tests do so; the others are recalled."
    return ["## Languages", "", note, "", *_table(("language", "what", "in", "not in", "complete for"), rows)]


def _fact(cls: str, sources: tuple[str, ...], seen: str) -> str:
    return cls + (f" [{', '.join(sources)}]" if sources else "") + (" ✓" if seen == "checked" else "")


def _variants(atlas: Atlas) -> list[str]:
    rows = []
    for one in atlas.variants:
        needs = "; ".join(f"{name} {' or '.join(values)}" for name, values in one.needs.items())
        rows.append((one.field, one.weaker, one.stronger, one.why, needs, ", ".join(one.sources) or "by definition"))
    return ["## Changes that take no power away", "", *_table(("field", "from", "to", "why", "needs", "source"), rows)]


def _papers() -> list[str]:
    return ["## Papers", "", *(f"- `{key}`: {paper.line}" for key, paper in sorted(PAPERS.items()))]
