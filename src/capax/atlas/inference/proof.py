"""Proofs: the records from which an answer follows, one line for each."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from capax.atlas.records import CITED, Claim, Conjecture, Hardness, Inclusion, Membership, Variant

Record: TypeAlias = Claim | Inclusion | Membership | Hardness | Variant | Conjecture
Verdict: TypeAlias = Literal["yes", "no", "conditional", "unknown"]


@dataclass(frozen=True, slots=True)
class Proof:
    """Records that together prove an answer, and the conjectures that it needs. `rules` are those that join them."""

    records: tuple[Record, ...]
    rules: tuple[str, ...]
    assuming: tuple[str, ...] = ()

    def __add__(self, other: "Proof") -> "Proof":
        records = tuple({record.id: record for record in (*self.records, *other.records)}.values())
        rules = tuple(dict.fromkeys((*self.rules, *other.rules)))
        return Proof(records, rules, tuple(dict.fromkeys((*self.assuming, *other.assuming))))

    @property
    def cost(self) -> tuple[int, int, int]:
        """What makes a proof worse: conjectures, then records cited and not checked, then length."""
        unchecked = sum(getattr(record, "seen", "checked") == CITED for record in self.records)
        return len(self.assuming), unchecked, len(self.records)

    @property
    def ids(self) -> tuple[str, ...]:
        """The names of the records."""
        return tuple(record.id for record in self.records)

    @property
    def claims(self) -> tuple[str, ...]:
        """The names of the claims among the records."""
        return tuple(record.id for record in self.records if isinstance(record, Claim))

    @property
    def sources(self) -> tuple[str, ...]:
        """The papers that the records cite, each once."""
        return tuple(dict.fromkeys(key for record in self.records for key in getattr(record, "sources", ())))

    def to_json(self) -> dict[str, Any]:
        """The proof as plain data."""
        return {
            "rules": list(self.rules),
            "assuming": list(self.assuming),
            "lines": [
                {
                    "id": record.id,
                    "says": says(record),
                    "sources": list(getattr(record, "sources", ())),
                    "seen": getattr(record, "seen", None),
                    "where": getattr(record, "against", "") or None,
                    "read": list(record.reads) if isinstance(record, Claim) else None,
                    "by_definition": by_definition(record),
                }
                for record in self.records
            ],
        }


def sum_of(proofs: Sequence[Proof]) -> Proof:
    """One proof of everything that some proofs prove, at least one."""
    whole = proofs[0]
    for proof in proofs[1:]:
        whole = whole + proof
    return whole


def by_definition(record: Record) -> bool:
    """Whether a record is a change of a setting that needs no argument and no source."""
    return isinstance(record, Variant) and not record.sources and not record.argued


def says(record: Record) -> str:
    """A record as a sentence."""
    match record:
        case Claim():
            verb = {
                "has": "recognise",
                "lacks": "do not recognise",
                "contains": "recognise all of",
                "within": "recognise nothing outside",
                "equals": "recognise exactly",
            }[record.kind]
            return f"{record.where}: these {verb} {record.object}"
        case Inclusion():
            if record.strict == "no":
                return f"{record.small} = {record.big}"
            return f"{record.small} is within {record.big}"
        case Membership():
            return f"{record.language} is {'' if record.holds else 'not '}in {record.cls}"
        case Hardness():
            return f"{record.language} is complete for {record.cls}"
        case Variant():
            return f"{record.field} {record.weaker} counts among {record.stronger}: {record.why}"
        case Conjecture():
            return f"assuming {record.id}: {record.what}"
