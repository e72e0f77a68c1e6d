"""What follows about classes and languages alone: inclusions by chains, memberships up and down them."""

from collections import deque
from collections.abc import Iterable
from functools import lru_cache

from capax.atlas.inference.proof import Proof
from capax.atlas.records import Atlas, Conjecture, Inclusion


def _edges(atlas: Atlas, cls: str) -> list[tuple[str, Inclusion]]:
    edges = [(one.big, one) for one in atlas.inclusions if one.small == cls]
    return edges + [(one.small, one) for one in atlas.inclusions if one.big == cls and one.strict == "no"]


@lru_cache(maxsize=4096)
def above(atlas: Atlas, cls: str) -> dict[str, Proof]:
    """Every class that contains a class, itself too, each with the shortest chain of inclusions (R3)."""
    chains = {cls: Proof((), ())}
    queue = deque([cls])
    while queue:
        here = queue.popleft()
        for there, by in _edges(atlas, here):
            if there not in chains:
                chains[there] = chains[here] + Proof((by,), ("R3",))
                queue.append(there)
    return chains


def best(proofs: Iterable[Proof]) -> Proof | None:
    """The best of some proofs; None if there are none."""
    return min(proofs, key=lambda proof: proof.cost, default=None)


@lru_cache(maxsize=4096)
def inside(atlas: Atlas, language: str, cls: str) -> Proof | None:
    """A proof that a language is in a class."""
    proofs = []
    for fact in atlas.memberships:
        if fact.holds and atlas.covers(fact.language, language):
            chain = above(atlas, fact.cls).get(cls)
            if chain is not None:
                proofs.append(Proof((fact,), ()) + chain)
    return best(proofs)


@lru_cache(maxsize=4096)
def outside(atlas: Atlas, language: str, cls: str) -> Proof | None:
    """A proof that a language is not in a class, without conjectures if there is one."""
    proofs = [*_plainly(atlas, language, cls)]
    for hard in atlas.hardness:
        if hard.language == language:
            proofs += [Proof((hard,), ()) + proof for proof in _harder(atlas, hard.cls, cls, language)]
    return best(proofs)


@lru_cache(maxsize=4096)
def _plainly(atlas: Atlas, language: str, cls: str) -> tuple[Proof, ...]:
    """Proofs by a recorded fact, and by a conjecture about the class for which the language is complete (R5)."""
    up = above(atlas, cls)
    proofs = [
        Proof((fact,), ()) + up[fact.cls]
        for fact in atlas.memberships
        if not fact.holds and fact.cls in up and atlas.covers(language, fact.language)
    ]
    for hard in atlas.hardness:
        if hard.language == language:
            closed = [middle for middle in up if atlas.cls(middle).closed_under(atlas.cls(hard.cls))]
            proofs += [
                Proof((hard,), ()) + up[middle] + proof
                for middle in closed
                for proof in differ(atlas, middle, hard.cls)
            ]
    return tuple(proofs)


def _harder(atlas: Atlas, hard: str, cls: str, language: str) -> list[Proof]:
    """Proofs that a class lacks a language that is complete for another: the other has more than its closed class."""
    proofs = []
    for middle, chain in above(atlas, cls).items():
        if not atlas.cls(middle).closed_under(atlas.cls(hard)):
            continue
        for other in atlas.languages:
            there = inside(atlas, other.id, hard) if other.id != language else None
            out = best(_plainly(atlas, other.id, middle)) if there is not None else None
            if there is not None and out is not None:
                proofs.append(chain + there + out + Proof((), ("R5",)))
    return proofs


def differ(atlas: Atlas, small: str, big: str) -> list[Proof]:
    """Proofs by a conjecture (R5) that a class does not contain another."""
    proofs = []
    for one in atlas.conjectures:
        up, onward = above(atlas, small).get(one.small), above(atlas, one.big).get(big)
        if up is not None and onward is not None:
            proofs.append(up + onward + assume(atlas, one))
    return proofs


def assume(atlas: Atlas, one: Conjecture) -> Proof:
    """The proof of a conjecture: itself, which is no condition where the question took it for granted."""
    return Proof((one,), ("R5",), () if one.id in atlas.assumed else (one.id,))


@lru_cache(maxsize=4096)
def not_within(atlas: Atlas, small: str, big: str) -> Proof | None:
    """A proof that a class is not within another: a language, or a conjecture."""
    proofs = []
    for language in atlas.languages:
        there, out = inside(atlas, language.id, small), None
        if there is not None:
            out = outside(atlas, language.id, big)
        if there is not None and out is not None:
            proofs.append(there + out)
    return best([*proofs, *differ(atlas, big, small)])
