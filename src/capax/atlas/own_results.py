"""Claims that follow from others by arguments of ours, which the page The atlas has under *Our arguments*."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from capax.atlas.reading import ANYWHERE, BOTH, MARKED, STEPS
from capax.atlas.recent_results import LATER
from capax.atlas.records import OURS, Claim, Kind
from capax.atlas.setting import Setting
from capax.atlas.survey import SURVEY

PAGE: Final = "the page The atlas, Our arguments"
_FINITELY = "finitely many vectors occur, since a head copies one, and each layer is a formula of the one before"
_HAHN = (
    "one symbol in the middle takes a word out of the language, and moves the output by O(1/n), up to powers of log n; "
    "the introduction of chiang2022 states the lemma"
)
_MARGIN = Setting("softmax", "mixed", "bounded", "real", acceptance="margin", norm="smoothed")


def own(
    name: str, kind: Kind, object_: str, setting: Setting, sources: tuple[str, ...], note: str, **rest: Any
) -> Claim:
    """A claim by an argument of ours from what some papers say."""
    return Claim(name, kind, object_, setting, sources, OURS, PAGE, note=note, **rest)


def _hard() -> Iterator[Claim]:
    """Bounds for hard attention with few vectors, whatever the masks; and without strict masks."""
    classes = {"none": "FO", "periodic": "FO[MOD]", "finite-image": "FO[Mon]"}
    for positions, cls in classes.items():
        setting = Setting("unique-hard", "mixed", positions, "real")
        yield own(f"hard-finite-{positions}", "within", cls, setting, ("yang2024",), _FINITELY, reading=MARKED)
    for mask in ("none", "causal"):
        note = "a symbol that is repeated in place changes no value, since a copy beside the position says the same"
        setting = Setting("unique-hard", mask, "none", "real")
        yield own(f"hard-stutter-{mask}", "within", "FO-stutter", setting, ("yang2024",), note, reading=MARKED)


def _last() -> Iterator[Claim]:
    """What changes with where the answer is read: R-trivial before the last symbol, counts before a marker."""
    note = "the last symbol is seen by no head, so that it can be taken for the end marker, once for each symbol"
    for name in ("leftmost-past", "fixed-precision"):
        claim = next(one for one in LATER if one.id == name)
        setting = replace(claim.setting, read="last")
        yield own(f"{name}-last", "equals", "R-trivial-last", setting, claim.sources, note, reads=("last",))
    for claim in LATER:
        if claim.object == "C-RASP":
            note = "by definition: read at a marker is read at the last symbol of the word with a marker"
            setting = replace(claim.setting, read="end")
            yield own(f"{claim.id}-end", claim.kind, "C-RASP-end", setting, claim.sources, note, reads=("end",))


MIRROR: Final = {
    "leftmost-hard": "rightmost-hard",
    "rightmost-hard": "leftmost-hard",
    "R-trivial": "L-trivial",
    "R-trivial-last": "L-trivial-last",
}


def _mirrored() -> Iterator[Claim]:
    """The same for heads that look at later positions alone: words are read from the other end."""
    for claim in (*SURVEY, *LATER, *_last()):
        if claim.kind != "equals" or claim.setting.mask != "strict-past":
            continue
        attention = MIRROR.get(claim.setting.attention, claim.setting.attention)
        setting = replace(claim.setting, attention=attention, mask="strict-future")
        yield own(
            f"{claim.id}-mirrored",
            claim.kind,
            MIRROR.get(claim.object, claim.object),
            setting,
            claim.sources,
            f"the mirror image of {claim.id}: words from right to left, and the other of the best scores",
            reads=claim.reads,
            reading=claim.reading,
        )


def _positions() -> Iterator[Claim]:
    """Languages that hard attention recognises with the vectors (1, i, i^2, n): the tests build and try the heads."""
    notes = {
        "PALINDROME": "a head finds position n - 1 - i by the score -(j - (n - 1 - i))^2, and the next whether a pair "
        "differs; the tests try such heads on all words of at most 12 symbols",
        "COPY": "the same with position i - n / 2",
    }
    for attention in ("rightmost-hard", "leftmost-hard"):
        for name, note in notes.items():
            setting = Setting(attention, "strict-past", "computable", "log", norm="none")
            why = "a marker is one more position, and the vectors tell it"
            yield own(f"{name.lower()}-{attention}", "has", name, setting, ("yang2024",), note, reading=why)
            ahead = replace(setting, attention=MIRROR[attention], mask="strict-future")
            note = f"the mirror image of {name.lower()}-{attention}: words from right to left"
            yield own(f"{name.lower()}-{attention}-mirrored", "has", name, ahead, ("yang2024",), note, reading=why)


def _oracles() -> Iterator[Claim]:
    """Positions that may depend on the length hold the answer for a language over one letter."""
    for attention in ("softmax", "average-hard", "leftmost-hard", "rightmost-hard"):
        setting = Setting(attention, "causal", "finite-image", "constant", norm="none", depth="one")
        note = "one coordinate of the vectors says whether the length is in the language, decidable or not"
        why = "the vectors tell the length with a marker as well"
        yield own(f"oracle-{attention}", "has", "HALT-UNARY", setting, (), note, reading=why)


def _steps() -> Iterator[Claim]:
    """Bounds for many steps, by doing them one after the other; and automata by hard attention."""
    for attention, precision in (("softmax", "poly"), ("average-hard", "rational")):
        one = Setting(attention, "mixed", "computable", precision, steps="poly", padding="poly")
        note = "a step is in uniform TC0, so that polynomially many of them are in P"
        yield own(f"steps-in-p-{attention}", "within", "P", one, ("chiang2025",), note, reading=STEPS)
        any_ = replace(one, positions="arbitrary", precision="poly", uniformity="per-length", width="poly")
        note = "at one length weights and positions are constants of a circuit of polynomial size for each step"
        yield own(f"steps-in-p-poly-{attention}", "within", "P/poly", any_, ("li2024",), note, reading=STEPS)
    setting = Setting("leftmost-hard", "causal", "computable", "log", steps="linear", norm="none")
    note = (
        "each step writes the next state: a head finds the first state that was written, and so how many symbols are "
        "read; the next finds the next symbol; the tests build it for PARITY"
    )
    yield own("hard-steps-regular", "contains", "REG", setting, ("amiri2025",), note, reading=STEPS)


def _one_layer() -> Iterator[Claim]:
    """One layer with relative positions is one with vectors: the answer is read at one query."""
    claim = next(one for one in LATER if one.id == "one-layer-parity")
    note = "at one length and one query, a term of the distance depends on the key alone"
    setting = replace(claim.setting, positions="relative")
    yield own(f"{claim.id}-relative", "lacks", claim.object, setting, claim.sources, note, reading=ANYWHERE)


def _margins() -> Iterator[Claim]:
    """No margin where one symbol in the middle decides."""
    names = ("MAJORITY", "MOD-p", "DYCK-1", "DYCK-k,D", "(ab)*", "a^n b^n", "a^n b^n c^n", "PALINDROME", "COPY", "S5")
    for name in names:
        id_ = f"shrinking-margin-{name.lower().replace(' ', '')}"
        yield own(id_, "lacks", name, _MARGIN, ("hahn2020", "chiang2022"), _HAHN, reading=ANYWHERE)


OWN: Final = (*_hard(), *_last(), *_mirrored(), *_positions(), *_oracles(), *_steps(), *_one_layer(), *_margins())
assert all(claim.reading or claim.reads != BOTH for claim in OWN)
