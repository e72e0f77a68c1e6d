"""The verdicts of `capax recognise`: what the atlas answers for a language from what is found out about it."""

from dataclasses import replace
from typing import Final

from capax.atlas.dataset import ATLAS
from capax.atlas.inference.infer import Answer, recognises, region
from capax.atlas.inference.proof import says
from capax.atlas.papers import PAPERS
from capax.atlas.recognition import verdict as kinds
from capax.atlas.recognition.named import named_verdicts
from capax.atlas.recognition.regular import counting, fixed_precision, regular_verdicts
from capax.atlas.recognition.verdict import RecognitionVerdict
from capax.atlas.records import OURS, Atlas, Hardness, LanguageRecord, Membership, Variant
from capax.formal.acceptance import Read
from capax.formal.automata.classification import Classification
from capax.formal.languages.language import Language

GIVEN: Final = "the language"
REGIONS: Final[dict[str, dict[str, str]]] = {
    kinds.FIXED: region(attention="softmax", mask="strict-past", positions="none", precision="constant"),
    kinds.MASKED: region(attention="unique-hard", mask="strict-past", positions="none"),
    kinds.MASKED_MOD: region(attention="unique-hard", mask="strict-past", positions="periodic"),
    kinds.UNIQUE: region(attention="unique-hard"),
    kinds.CRASP: region(attention="softmax", mask="causal", positions="none", precision="rounded"),
    kinds.SOFT_MASKED: region(attention="softmax", mask="causal", positions="none", precision="real"),
    kinds.SOFT_PERIODIC: region(attention="softmax", mask="none", positions="periodic", precision="real"),
    kinds.LEFT_ANY: region(attention="leftmost-hard", mask="none", positions="arbitrary", precision="real"),
    kinds.RIGHT_FINITE: region(
        attention="rightmost-hard", mask="strict-past", positions="finite-image", precision="real"
    ),
    kinds.AVERAGE_ANY: region(attention="average-hard", positions="arbitrary", precision="real"),
    kinds.CONSTANT: region(attention="softmax", precision="log", uniformity="per-length", width="poly"),
    kinds.LOGARITHMIC: region(attention="softmax", precision="log", uniformity="per-length", depth="log"),
    kinds.THOUGHTS: region(attention="average-hard", steps="linear"),
}
"""What each kind of models that a verdict is about means in the atlas, wherever the answer is read."""
FAMILIES: Final = {
    "majority": "MAJORITY",
    "dyck": "DYCK-k",
    "bounded-dyck": "DYCK-k,D",
    "shuffle-dyck": "SHUFFLE-DYCK-k",
    "anbn": "a^n b^n",
    "anbncn": "a^n b^n c^n",
    "palindrome": "PALINDROME",
    "copy": "COPY",
}


def region_of(models: str, read: Read) -> dict[str, str]:
    """What a kind of models that are read at one position means in the atlas."""
    return REGIONS[models] | {"read": read}


def with_regular(classes: Classification, read: Read = "last", atlas: Atlas = ATLAS) -> Atlas:
    """The atlas with one more language: a regular one, of which the classes are known."""
    facts: dict[str, bool | None] = {
        "R-trivial": classes.partially_ordered,
        "R-trivial-last": fixed_precision(classes, "last"),
        "FO": classes.star_free,
        "FO[MOD]": classes.in_ac0,
        "REG-SOLVABLE": classes.solvable,
        "C-RASP": counting(classes, "last"),
        "REG": True,
    }
    if read == "end":
        facts["C-RASP-end"] = counting(classes, "end")
    if classes.in_ac0 is False:
        facts["AC0"] = False
    new = tuple(
        Membership(f"{GIVEN} {'in' if holds else 'not in'} {cls}", GIVEN, cls, holds, seen=OURS)
        for cls, holds in facts.items()
        if holds is not None
    )
    hard = ("NC1", "u-NC1") if classes.solvable is False else ()
    complete = tuple(
        Hardness(f"{GIVEN} complete for {cls}", GIVEN, cls, ("barrington1989", "barringtontherien1988")) for cls in hard
    )
    return replace(
        atlas,
        languages=(*atlas.languages, LanguageRecord(GIVEN, "the language that was given")),
        memberships=(*atlas.memberships, *new),
        hardness=(*atlas.hardness, *complete),
    )


def of_regular(classes: Classification, read: Read = "last") -> tuple[RecognitionVerdict, ...]:
    """What each kind of transformers can do with a regular language, by the atlas."""
    atlas = with_regular(classes, read)
    return tuple(_settled(atlas, one, GIVEN) for one in regular_verdicts(classes, read))


def of_named(language: Language, read: Read = "last") -> tuple[RecognitionVerdict, ...]:
    """What each kind of transformers can do with a named language that is not regular, by the atlas."""
    name = "DYCK-1" if language.family == "dyck" and language.parameters["k"] == 1 else FAMILIES[language.family]
    return tuple(_settled(ATLAS, one, name) for one in named_verdicts(language, read))


def of_member(cls: str, read: Read = "last") -> tuple[RecognitionVerdict, ...]:
    """What each kind of transformers can do with a language of which only its class is known; what is unknown is left
    out."""
    member = Membership(f"{GIVEN} in {cls}", GIVEN, cls, True, seen=OURS)
    one_more = LanguageRecord(GIVEN, "the language that was given")
    atlas = replace(ATLAS, languages=(*ATLAS.languages, one_more), memberships=(*ATLAS.memberships, member))
    verdicts = []
    for models in REGIONS:
        answer = recognises(atlas, region_of(models, read), GIVEN)
        if answer.verdict == "unknown":
            continue
        because, source = _reason(answer)
        unsettled = RecognitionVerdict(models, "yes" if answer.verdict == "yes" else "no", because, source, read=read)
        verdicts.append(_settled(atlas, unsettled, GIVEN))
    return tuple(verdicts)


def _settled(atlas: Atlas, verdict: RecognitionVerdict, language: str) -> RecognitionVerdict:
    """A verdict with the answer of the atlas; its reason stays if it is a reason for that answer."""
    answer = recognises(atlas, region_of(verdict.models, verdict.read), language)
    proof = answer.proofs[0] if answer.proofs else None
    new = replace(
        verdict,
        answer="no" if answer.verdict == "conditional" else answer.verdict,
        assuming=" and ".join(answer.assuming),
        by=() if proof is None else proof.ids,
    )
    if new.answer == verdict.answer:
        return new
    because, source = _reason(answer)
    return replace(new, because=because, source=source or verdict.source)


def _reason(answer: Answer) -> tuple[str, str]:
    """The reason and the sources from the proof; no sources where there is none."""
    if not answer.proofs:
        return "no record of the atlas decides it", ""
    proof = answer.proofs[0]
    steps = (one for one in proof.records if not isinstance(one, Variant) or one.sources)
    papers = (PAPERS[key] for key in proof.sources)
    return "; ".join(map(says, steps)), "; ".join(f"{paper.short}, {paper.title}" for paper in papers)
