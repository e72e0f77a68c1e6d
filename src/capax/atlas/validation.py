"""What is wrong with a record of the atlas: names of nothing, missing sources, readings without a reason."""

from collections.abc import Container
from dataclasses import dataclass
from typing import TypeAlias

from capax.atlas.records import (
    CITED,
    OURS,
    READ_IN,
    Claim,
    Conjecture,
    Hardness,
    Inclusion,
    LanguageClass,
    LanguageRecord,
    Membership,
    Remark,
    Variant,
)
from capax.atlas.setting import FIELDS, value_of

AnyRecord: TypeAlias = (
    Claim | LanguageClass | Inclusion | LanguageRecord | Membership | Hardness | Conjecture | Variant | Remark
)


@dataclass(frozen=True, slots=True)
class KnownNames:
    """What records may name."""

    classes: Container[str]
    languages: Container[str]
    papers: Container[str]

    def unknown_classes(self, *names: str) -> list[str]:
        """A problem for each name that is not that of a class."""
        return [f"there is no class {name}" for name in names if name not in self.classes]

    def unknown_languages(self, *names: str) -> list[str]:
        """A problem for each name that is not that of a language."""
        return [f"there is no language {name}" for name in names if name not in self.languages]


def problems(record: AnyRecord, known: KnownNames) -> list[str]:
    """What is wrong with a record; empty if nothing is."""
    sources = () if isinstance(record, LanguageClass | LanguageRecord | Conjecture) else record.sources
    unknown = [f"{key} is not in papers.bib" for key in sources if key not in known.papers]
    return [*unknown, *_problems(record, known)]


def _problems(record: AnyRecord, known: KnownNames) -> list[str]:
    match record:
        case Claim():
            return [*_claim(record, known), *_seen(record)]
        case Remark():
            return [*_no_source(bool(record.sources)), *_seen(record)]
        case LanguageRecord():
            return known.unknown_languages(*record.instances)
        case LanguageClass():
            return _circuits(record)
        case Inclusion():
            return [*known.unknown_classes(record.small, record.big), *_origin(record)]
        case Conjecture():
            equal = (name for pair in record.equal_too for name in pair)
            return known.unknown_classes(record.small, record.big, *equal)
        case Membership():
            read = record.seen != "checked" or record.note.split(";")[0] in READ_IN
            names = [*known.unknown_languages(record.language), *known.unknown_classes(record.cls)]
            return [
                *names,
                *_origin(record),
                *([] if read else [f"checked in {record.note or 'no part of the paper'}"]),
            ]
        case Hardness():
            names = [*known.unknown_languages(record.language), *known.unknown_classes(record.cls)]
            return [*names, *_no_source(bool(record.sources))]
        case Variant():
            fields = [(record.field, record.weaker), (record.field, record.stronger)]
            fields += [(name, value) for name, values in record.needs.items() for value in values]
            wrong = [problem for name, value in fields for problem in _unknown_value(name, value)]
            return wrong + _no_source(bool(record.sources) or record.seen == OURS)


def _circuits(record: LanguageClass) -> list[str]:
    """Circuits are uniform exactly if their class is, and have each kind of gate once, AND and OR among them."""
    shape = record.circuits
    if shape is None:
        return ["it is non-uniform, and circuits are missing"] if record.nonuniform else []
    wrong = []
    if record.nonuniform != (shape.uniformity == "none"):
        says = "non-uniform" if record.nonuniform else "uniform"
        wrong.append(f"it is {says}, and its circuits have the uniformity {shape.uniformity}")
    if len(set(shape.gates)) < len(shape.gates) or not {"AND", "OR"} <= set(shape.gates):
        wrong.append(f"its gates are {', '.join(shape.gates)}, which is not AND, OR and others, each once")
    return wrong


def _unknown_value(name: str, value: str) -> list[str]:
    if name not in FIELDS:
        return [f"there is no field {name}; known are {', '.join(FIELDS)}"]
    return [] if value in FIELDS[name].values else [f"there is no {name} {value}"]


def _no_source(sourced: bool) -> list[str]:
    return [] if sourced else ["it has no source"]


def _origin(record: Claim | Inclusion | Membership) -> list[str]:
    """A fact has a source, or is an argument of ours with a note."""
    return _no_source(bool(record.sources) or (record.seen == OURS and bool(record.note)))


def _claim(claim: Claim, known: KnownNames) -> list[str]:
    wrong = [problem for name in FIELDS for problem in _unknown_value(name, value_of(claim.setting, name))]
    languages = claim.kind in ("has", "lacks")
    wrong += known.unknown_languages(claim.object) if languages else known.unknown_classes(claim.object)
    wrong += _origin(claim)
    reads = FIELDS["read"].values
    if not claim.reads or any(read not in reads for read in claim.reads):
        wrong.append(f"reads has {', '.join(claim.reads) or 'nothing'}; known are {', '.join(reads)}")
    elif claim.setting.read not in claim.reads:
        wrong.append(f"its setting is read {claim.setting.read}, and reads has {', '.join(claim.reads)}")
    if len(claim.reads) > 1 and not claim.reading:
        wrong.append("reading must say why it does not matter where the answer is read")
    return wrong + [f"unstated has {name}, which is not a field" for name in claim.unstated if name not in FIELDS]


def _seen(record: Claim | Remark) -> list[str]:
    """A checked record says in which part of the paper its statement was read; an argument of ours names its page."""
    part = record.against.split(" ")[0].rstrip(";,")
    right = {"checked": part in READ_IN, OURS: record.against.startswith("the page"), CITED: not record.against}
    return [] if right[record.seen] else [f"it is {record.seen}, and against is {record.against!r}"]
