"""Answers by inference from the records.

A question is about the transformers of a region: some fields of the setting are given, others left open. The answer is
yes if some setting of the region recognises the language, and no if none does. The rules:

- R1: a bound and a language outside the class: M within C and X not in C, so M lacks X.
- R2: a construction and a language inside the class: M contains C and X in C, so M has X.
- R3: inclusions of classes go by chains.
- R4: a bound of a setting holds for weaker ones, a construction for stronger ones, only along recorded changes.
- R5: a language that is complete for a class is outside a smaller one if the classes differ, which may be a conjecture.
- R6: where no rule applies the answer is unknown, never no.
- R7: claims that look contradictory are shown with the fields in which they differ.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any, TypeAlias

from capax.atlas.inference.closure import above, best, inside, not_within, outside
from capax.atlas.inference.order import at_most, climbs, entries, tops
from capax.atlas.inference.proof import Proof, Verdict, by_definition, sum_of
from capax.atlas.records import Atlas, Claim
from capax.atlas.setting import ANY, FIELDS, Setting, value_of
from capax.display import parts

Show: TypeAlias = Callable[[Claim], Proof | None]
"""What a claim shows, with the records that it takes; None: nothing of what is asked."""


@dataclass(frozen=True, slots=True)
class Clash:
    """A claim that says the opposite, and the fields in which it differs from what was asked or found (R7)."""

    claim: Claim
    fields: Mapping[str, tuple[str, str]]
    """Each field with the value here and the value there."""
    beside: Claim | None = None
    """The claim that it is compared with; None: what was asked."""

    def to_json(self) -> dict[str, Any]:
        """The clash as plain data."""
        differs = {name: {"here": here, "there": there} for name, (here, there) in self.fields.items()}
        beside = None if self.beside is None else self.beside.id
        return {"claim": self.claim.id} | parts(self.claim, "kind", "object") | {"beside": beside, "differs": differs}


@dataclass(frozen=True, slots=True)
class Answer:
    """A verdict with its proofs, the best first; a conditional one says no if its conjectures hold."""

    verdict: Verdict
    proofs: tuple[Proof, ...] = ()
    clashes: tuple[Clash, ...] = ()

    @property
    def assuming(self) -> tuple[str, ...]:
        """The conjectures that the best proof needs."""
        return self.proofs[0].assuming if self.proofs else ()

    def __str__(self) -> str:
        records = [one.id for one in self.proofs[0].records if not by_definition(one)] if self.proofs else []
        by = f" [{'; '.join(records)}]" if records else ""
        word = f"no, assuming {' and '.join(self.assuming)}" if self.verdict == "conditional" else self.verdict
        return word + by

    def to_json(self) -> dict[str, Any]:
        """The answer as plain data."""
        return {"answer": self.verdict} | parts(self, "assuming", "proofs", "clashes")


def region(**given: str) -> dict[str, str]:
    """A region: the given fields, and what a question assumes for the others."""
    return {name: given.get(name, field.default) for name, field in FIELDS.items()}


def recognises(atlas: Atlas, where: Mapping[str, str], language: str, *, compare: bool = True) -> Answer:
    """Whether some transformers of a region recognise a language; `compare` adds claims that say the opposite (R7)."""
    yes = _lower(atlas, where, lambda claim: shows_has(atlas, claim, language))
    if yes:
        return Answer("yes", tuple(yes), _against_yes(atlas, language, yes) if compare else ())
    return _negative(
        atlas,
        where,
        lambda claim: shows_lacks(atlas, claim, language),
        lambda: _against_no(atlas, where, language) if compare else (),
    )


def contains(atlas: Atlas, where: Mapping[str, str], cls: str) -> Answer:
    """Whether some transformers of a region, of one setting, recognise every language of a class."""
    yes = _lower(atlas, where, lambda claim: _holds(atlas, claim, cls))
    if yes:
        return Answer("yes", tuple(yes))
    return _negative(atlas, where, lambda claim: _misses(atlas, claim, cls), lambda: ())


def within(atlas: Atlas, where: Mapping[str, str], cls: str) -> Answer:
    """Whether all that transformers of a region recognise is in a class."""
    yes = bounds(atlas, where, cls)
    if yes:
        return Answer("yes", yes)
    proofs = []
    for language in atlas.languages:
        out = outside(atlas, language.id, cls)
        answer = recognises(atlas, where, language.id, compare=False) if out is not None else None
        if out is not None and answer is not None and answer.verdict == "yes":
            proofs.append(answer.proofs[0] + out + Proof((), ("R1",)))
    proof = best(proofs)
    if proof is None:
        return Answer("unknown")
    return Answer("conditional" if proof.assuming else "no", (proof,))


def bounds(atlas: Atlas, where: Mapping[str, str], cls: str) -> tuple[Proof, ...]:
    """The proofs that all that transformers of a region recognise is in a class; empty if there are none."""
    parts = [_upper(atlas, top, lambda claim: _bounded(atlas, claim, cls)) for top in tops(atlas, where)]
    return _joined(parts) if all(parts) else ()


def exact(atlas: Atlas, where: Mapping[str, str], cls: str) -> tuple[Claim, ...]:
    """The claims of settings of a region that say that these recognise exactly a class."""
    return tuple(
        claim
        for claim in atlas.claims
        if claim.kind == "equals"
        and claim.object == cls
        and any(all(where[name] in (ANY, value_of(one, name)) for name in FIELDS) for one in claim.settings)
    )


def _negative(atlas: Atlas, where: Mapping[str, str], show: Show, clashes: Callable[[], tuple[Clash, ...]]) -> Answer:
    """No if every strongest setting of a region has a proof of it; unknown otherwise (R6)."""
    parts = [_upper(atlas, top, show) for top in tops(atlas, where)]
    if not all(parts):
        return Answer("unknown", (), clashes())
    proofs = _joined(parts)
    return Answer("conditional" if proofs[0].assuming else "no", proofs, clashes())


def _joined(parts: list[list[Proof]]) -> tuple[Proof, ...]:
    """The proofs for several settings at once: by one claim for all of them, or if none is as good by several."""
    by_claim = [{proof.records[0].id: proof for proof in reversed(part)} for part in parts]
    common = [id_ for id_ in by_claim[0] if all(id_ in part for part in by_claim)]
    proofs = [sum_of([part[id_] for part in by_claim]) for id_ in common]
    several = sum_of([part[0] for part in parts])
    if all(len(several.assuming) < len(proof.assuming) for proof in proofs):
        proofs.append(several)
    return tuple(sorted(proofs, key=lambda proof: proof.cost))


def _lower(atlas: Atlas, where: Mapping[str, str], show: Show) -> list[Proof]:
    proofs = []
    for claim in atlas.claims:
        proof = show(claim) if claim.lower else None
        ways = () if proof is None else (entries(atlas, setting, where) for setting in claim.settings)
        entry = next((way for way in ways if way is not None), None)
        if entry is not None and proof is not None:
            proofs.append(proof + Proof(entry[1], ("R4",) if entry[1] else ()))
    return sorted(proofs, key=lambda proof: proof.cost)


def _upper(atlas: Atlas, top: Setting, show: Show) -> list[Proof]:
    proofs = []
    for claim in atlas.claims:
        setting = next((one for one in claim.settings if one.read == top.read), None)
        path = at_most(atlas, top, setting) if claim.upper and setting is not None else None
        proof = None if path is None else show(claim)
        if path is not None and proof is not None:
            proofs.append(proof + Proof(path, ("R4",) if path else ()))
    return sorted(proofs, key=lambda proof: proof.cost)


def shows_has(atlas: Atlas, claim: Claim, language: str) -> Proof | None:
    """A proof that the models of a construction recognise a language (R2)."""
    if claim.kind == "has":
        return Proof((claim,), ()) if atlas.covers(claim.object, language) else None
    membership = inside(atlas, language, claim.object) if claim.lower else None
    return None if membership is None else Proof((claim,), ("R2",)) + membership


def shows_lacks(atlas: Atlas, claim: Claim, language: str) -> Proof | None:
    """A proof that the models of a bound do not recognise a language (R1)."""
    if claim.kind == "lacks":
        return Proof((claim,), ()) if atlas.covers(language, claim.object) else None
    membership = outside(atlas, language, claim.object) if claim.upper else None
    return None if membership is None else Proof((claim,), ("R1",)) + membership


def _holds(atlas: Atlas, claim: Claim, cls: str) -> Proof | None:
    """A proof that the models of a construction recognise all of a class."""
    chain = above(atlas, cls).get(claim.object) if claim.kind in ("contains", "equals") else None
    return None if chain is None else Proof((claim,), ("R2",)) + chain


def _misses(atlas: Atlas, claim: Claim, cls: str) -> Proof | None:
    """A proof that the models of a bound do not recognise all of a class."""
    if claim.kind == "lacks":
        membership = inside(atlas, claim.object, cls)
        return None if membership is None else Proof((claim,), ("R1",)) + membership
    gap = not_within(atlas, cls, claim.object)
    return None if gap is None else Proof((claim,), ("R1",)) + gap


def _bounded(atlas: Atlas, claim: Claim, cls: str) -> Proof | None:
    chain = above(atlas, claim.object).get(cls) if claim.kind in ("within", "equals") else None
    return None if chain is None else Proof((claim,), ("R3",)) + chain


def _against_yes(atlas: Atlas, language: str, yes: list[Proof]) -> tuple[Clash, ...]:
    """Bounds against a language that the constructions of the proofs escape, and by which fields each."""
    built = [next(record for record in proof.records if isinstance(record, Claim)) for proof in yes]
    nearest = []
    for claim in atlas.claims:
        if not claim.upper or shows_lacks(atlas, claim, language) is None:
            continue
        beside = [one for one in built if one.setting.attention == claim.setting.attention]
        clashes = [
            Clash(claim, _differs(atlas, mine, theirs), one)
            for one in beside
            for mine, theirs in product(one.settings, claim.settings)
        ]
        if clashes:
            nearest.append(min(clashes, key=lambda clash: len(clash.fields)))
    return _nearest(nearest)


def _against_no(atlas: Atlas, where: Mapping[str, str], language: str) -> tuple[Clash, ...]:
    """Constructions for a language that lie outside the region, and by which fields."""
    nearest = []
    for claim in atlas.claims:
        if not claim.lower or shows_has(atlas, claim, language) is None:
            continue
        clashes = [Clash(claim, _lacking(atlas, where, setting)) for setting in claim.settings]
        nearest.append(min(clashes, key=lambda clash: len(clash.fields)))
    return _nearest(nearest)


def _lacking(atlas: Atlas, where: Mapping[str, str], built: Setting) -> dict[str, tuple[str, str]]:
    """The fields by which a construction lies outside a region."""
    pairs = ((name, where[name], value_of(built, name)) for name in FIELDS)
    return {
        name: (here, there)
        for name, here, there in pairs
        if here != ANY and climbs(atlas, name, there, here, built) is None
    }


def _differs(atlas: Atlas, built: Setting, bound: Setting) -> dict[str, tuple[str, str]]:
    pairs = ((name, value_of(built, name), value_of(bound, name)) for name in FIELDS)
    return {name: (here, there) for name, here, there in pairs if climbs(atlas, name, here, there, bound) is None}


def _nearest(clashes: Iterable[Clash]) -> tuple[Clash, ...]:
    """Those that differ in fewest fields, at least in one."""
    some = [clash for clash in clashes if clash.fields]
    least = min((len(clash.fields) for clash in some), default=0)
    return tuple(clash for clash in some if len(clash.fields) == least)
