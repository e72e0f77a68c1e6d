"""Answers follow from the records by the rules, and from nothing else."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capax.atlas.dataset import ATLAS
from capax.atlas.inference.infer import Answer, contains, exact, recognises, region, within
from capax.atlas.inference.order import at_most
from capax.atlas.records import Claim
from capax.atlas.setting import FIELDS, MODELS, Setting
from tests.support.atlas_consistency import contradictions

SETTINGS = st.builds(Setting, **{name: st.sampled_from(list(field.values)) for name, field in FIELDS.items()})
NAMES = st.sampled_from([one.id for one in ATLAS.languages])


def asked(language: str, **given: str) -> Answer:
    """The answer of the whole atlas."""
    return recognises(ATLAS, region(**given), language)


MARGIN = {"attention": "softmax", "positions": "bounded", "acceptance": "margin"}
LEFTMOST = {"attention": "leftmost-hard", "positions": "none", "precision": "constant"}
FIXED = {"attention": "softmax", "mask": "strict-past", "positions": "none", "precision": "constant"}
COUNTING = {"attention": "softmax", "mask": "causal", "positions": "none", "precision": "rounded"}
KNOWN = [
    ("PARITY", {"attention": "leftmost-hard"}, "no", {"U1a", "PARITY not in AC0"}),
    ("PARITY", {"attention": "leftmost-hard", "precision": "rational"}, "no", {"U3"}),
    ("DYCK-1", {"attention": "rightmost-hard"}, "no", {"hard-attention-in-ac0"}),
    ("PARITY", {"attention": "softmax"}, "yes", {"L6"}),
    ("PARITY", {"attention": "average-hard"}, "yes", {"L9"}),
    ("PARITY", MARGIN | {"precision": "real", "norm": "smoothed"}, "no", {"shrinking-margin-parity"}),
    ("PARITY", MARGIN | {"precision": "log", "norm": "none"}, "no", {"shrinking-margin-parity"}),
    ("PARITY", MARGIN, "yes", {"layer-norm-parity"}),
    ("PARITY", MARGIN | {"precision": "rounded", "norm": "none"}, "unknown", set()),
    ("PARITY", {"attention": "average-hard", "positions": "computable"}, "yes", {"average-hard-parity"}),
    (
        "(ab)*",
        {"attention": "rightmost-hard", "mask": "strict-past", "positions": "none", "norm": "none"},
        "yes",
        {"E2"},
    ),
    ("HALT", {"attention": "softmax", "precision": "log"}, "no", {"HALT not in P/poly"}),
    ("COPY", {"attention": "average-hard", "steps": "linear"}, "yes", {"linear-steps-machines"}),
    ("AC0-NOT-HARD", {"attention": "rightmost-hard", "mask": "strict-past", "positions": "finite-image"}, "no", {"E4"}),
    ("AC0-NOT-HARD", {"attention": "rightmost-hard", "mask": "strict-past"}, "unknown", set()),
    ("(ab)*", LEFTMOST | {"mask": "strict-past"}, "no", {"leftmost-past", "leftmost-past-last"}),
    ("(ab)*", LEFTMOST | {"mask": "strict-past", "precision": "real"}, "no", {"precision: real to constant"}),
    ("(ab)*", LEFTMOST | {"mask": "strict-future"}, "yes", {"E2-mirrored"}),
    ("LAST", FIXED | {"read": "last"}, "yes", {"fixed-precision-last"}),
    ("LAST", FIXED | {"read": "end"}, "no", {"fixed-precision"}),
    ("LAST", FIXED | {"read": "end", "mask": "strict-future"}, "yes", {"fixed-precision-mirrored"}),
    ("FIRST", FIXED | {"read": "end", "mask": "strict-future"}, "no", {"fixed-precision-mirrored"}),
    ("LAST", COUNTING | {"read": "last"}, "yes", {"counting-rounded"}),
    ("LAST", COUNTING | {"read": "end"}, "no", {"counting-rounded-end"}),
    ("MAJORITY", COUNTING | {"read": "end"}, "yes", {"counting-rounded-end"}),
    ("PARITY", {"attention": "average-hard", "mask": "none", "positions": "none"}, "no", {"no-positions-parity"}),
    ("(ab)*", {"attention": "rightmost-hard", "mask": "causal", "positions": "none"}, "no", {"hard-stutter-causal"}),
    ("PARITY", {"attention": "unique-hard", "steps": "linear"}, "yes", {"hard-steps-regular"}),
    ("PARITY", {"attention": "unique-hard", "mask": "causal", "steps": "log"}, "no", {"hard-parity-steps"}),
    ("MAJORITY", MARGIN | {"precision": "real", "norm": "smoothed"}, "no", {"shrinking-margin-majority"}),
    ("HALT", {"attention": "softmax", "steps": "unbounded"}, "yes", {"softmax-steps-relative"}),
    ("HALT", {"attention": "softmax", "steps": "unbounded", "positions": "none"}, "unknown", set()),
    ("HALT-UNARY", {"attention": "softmax", "steps": "unbounded", "positions": "none"}, "yes", {"softmax-steps-unary"}),
    ("PALINDROME", {"attention": "unique-hard"}, "yes", {"palindrome-rightmost-hard"}),
    ("PALINDROME", {"attention": "unique-hard", "positions": "finite-image"}, "no", {"hard-finite-finite-image"}),
    ("PARITY", {"attention": "softmax", "depth": "one"}, "no", {"one-layer-parity"}),
    ("MAJORITY", {"attention": "average-hard"}, "yes", {"L1"}),
    ("S5", {"attention": "softmax", "precision": "log"}, "conditional", {"TC0 != NC1"}),
    ("S5", {"attention": "softmax", "precision": "log", "positions": "computable"}, "conditional", {"U6", "U7"}),
    ("S5", {"attention": "average-hard", "depth": "log"}, "yes", {"log-depth-regular"}),
    ("S5", {"attention": "unique-hard"}, "no", {"hard-attention-in-ac0"}),
    ("S5", {"attention": "softmax"}, "unknown", set()),
    ("HALT", {"attention": "average-hard", "steps": "unbounded"}, "yes", {"E1"}),
    ("(ab)*", {"attention": "rightmost-hard", "mask": "strict-past", "positions": "none"}, "yes", {"E2"}),
    ("(aa)*", {"attention": "rightmost-hard", "mask": "strict-past", "positions": "none"}, "no", {"E2"}),
    ("(aa)*", {"attention": "rightmost-hard", "mask": "strict-past", "positions": "periodic"}, "yes", {"E3"}),
]


@pytest.mark.parametrize(("language", "given", "verdict", "uses"), KNOWN)
def test_known_answers(language: str, given: dict[str, str], verdict: str, uses: set[str]) -> None:
    """Questions whose answers are known, with records that some of the proofs must use."""
    found = asked(language, **given)
    assert found.verdict == verdict
    assert uses <= {id_ for proof in found.proofs for id_ in proof.ids}


def test_context_free_languages_by_steps() -> None:
    """All context-free languages by polynomially many steps, from the equality with P."""
    found = contains(ATLAS, region(attention="average-hard", positions="none", steps="poly"), "CFL")
    assert found.verdict == "yes"
    assert "E5" in found.proofs[0].ids
    assert [claim.id for claim in exact(ATLAS, region(attention="average-hard", steps="poly"), "P")] == ["E5"]


def test_questions_about_classes() -> None:
    """Equality is two answers; a class that is too large, and one that is too small, are refused."""
    where = MODELS["polynomially many steps"].to_json()
    assert [contains(ATLAS, where, cls).verdict for cls in ("L", "P", "RE")] == ["yes", "yes", "no"]
    assert [within(ATLAS, where, cls).verdict for cls in ("AC0", "L", "P", "RE")] == ["no", "conditional", "yes", "yes"]
    # positions that depend on the length may hold answers that nothing computes
    assert within(ATLAS, region(attention="unique-hard"), "AC0").verdict == "yes"
    assert within(ATLAS, region(attention="unique-hard"), "P").verdict == "no"


def test_the_logic_of_monadic_predicates_is_about_finitely_many_vectors() -> None:
    """Exactly FO[Mon] with finite-image positions; with arbitrary ones more, PALINDROME for one."""
    for attention in ("rightmost-hard", "unique-hard"):
        where = region(attention=attention, mask="strict-past", positions="finite-image")
        assert [f(ATLAS, where, "FO[Mon]").verdict for f in (contains, within)] == ["yes", "yes"]
        more = within(ATLAS, where | {"positions": "arbitrary"}, "FO[Mon]")
        assert more.verdict == "no"
        assert "PALINDROME not in FO[Mon]" in more.proofs[0].ids


def test_bounds_for_many_steps() -> None:
    """Polynomially many steps stay in P with positions that can be computed, and in P/poly with any."""
    where = region(attention="softmax", steps="poly", precision="log")
    assert within(ATLAS, where | {"positions": "computable"}, "P").verdict == "yes"
    assert within(ATLAS, where, "P").verdict == "no"
    any_ = region(attention="softmax", steps="poly", precision="constant", uniformity="per-length", width="log")
    assert [f(ATLAS, any_, "P/poly").verdict for f in (contains, within)] == ["yes", "yes"]


@pytest.mark.parametrize("claim", [one for one in ATLAS.claims if one.kind == "equals"], ids=lambda one: str(one.id))
def test_where_an_answer_is_read_is_part_of_a_claim(claim: Claim) -> None:
    """An equality is answered for the ways to read that it is about, and for no other by itself alone."""
    alone = replace(ATLAS, claims=(claim,))
    for read in ("last", "end"):
        where = claim.setting.to_json() | {"read": read}
        found = [contains(alone, where, claim.object).verdict, within(alone, where, claim.object).verdict]
        assert found == (["yes", "yes"] if read in claim.reads else ["unknown", "unknown"])


def test_hahn_and_chiang_and_cholak_do_not_contradict() -> None:
    """R7: the margin is the one field in which the bound differs from the construction."""
    clashes = {clash.claim.id: clash for clash in asked("PARITY", attention="softmax").clashes}
    clash = clashes["shrinking-margin-parity"]
    assert clash.claim.sources == ("hahn2020",)
    assert clash.beside is not None
    assert clash.beside.sources == ("chiang2022",)
    assert dict(clash.fields) == {"acceptance": ("exact", "margin")}


@pytest.mark.parametrize(("language", "given", "verdict", "uses"), [row for row in KNOWN if row[2] != "unknown"])
def test_answers_die_with_their_records(language: str, given: dict[str, str], verdict: str, uses: set[str]) -> None:
    """Deleting any record behind a proof destroys that proof, and deleting one of each proof makes it unknown."""
    atlas, where = ATLAS, region(**given)
    for _ in range(200):
        found = recognises(atlas, where, language)
        if found.verdict == "unknown":
            break
        for id_ in found.proofs[0].ids:
            after = recognises(atlas.without(id_), where, language)
            assert all(id_ not in proof.ids for proof in after.proofs)
            assert after.verdict != found.verdict or after.proofs[0].ids != found.proofs[0].ids
        claim = next(record for record in found.proofs[0].records if isinstance(record, Claim))
        atlas = atlas.without(claim.id)
    else:
        pytest.fail("the answer outlives all claims")


def test_one_claim_decides() -> None:
    """An answer with one proof is gone with any record of it, and stays with any other."""
    where = region(attention="rightmost-hard", mask="strict-past", positions="periodic")
    found = recognises(ATLAS, where, "(aa)*")
    assert [proof.ids for proof in found.proofs] == [("E3", "(aa)* in FO[MOD]")]
    assert recognises(ATLAS.without("E3"), where, "(aa)*").verdict == "unknown"
    assert recognises(ATLAS.without("(aa)* in FO[MOD]"), where, "(aa)*").verdict == "unknown"
    assert recognises(ATLAS.without("E2", "E4", "PARITY not in AC0"), where, "(aa)*").proofs == found.proofs


def test_an_empty_atlas_knows_nothing() -> None:
    """R6: without claims every answer is unknown."""
    empty = replace(ATLAS, claims=())
    for language in ATLAS.languages:
        assert recognises(empty, region(), language.id).verdict == "unknown"
    for cls in ATLAS.classes:
        assert contains(empty, region(), cls.id).verdict == "unknown"
        assert within(empty, region(), cls.id).verdict == "unknown"


def test_there_is_no_contradiction() -> None:
    """Everything that follows agrees."""
    assert contradictions(ATLAS) == []


def test_a_contradiction_is_found() -> None:
    """The fourth row of the survey's table, read literally, contradicts Hahn's bound; and so does a wrong fact."""
    row = next(claim for claim in ATLAS.claims if claim.id == "L4b")
    literal = replace(ATLAS, claims=(*ATLAS.claims, replace(row, id="L4 as printed", object="DYCK-k")))
    assert any("L4 as printed" in text and "U1b" in text for text in contradictions(literal))
    # what a construction reaches by a change that the bound's setting would not allow any more
    place = Setting("rightmost-hard", "strict-past", "arbitrary", "real", norm="none")
    bound = Claim("no (ab)*", "lacks", "(ab)*", place, ("hahn2020",))
    assert at_most(ATLAS, Setting("rightmost-hard", "strict-past", "none", "real"), place) is None
    assert any("E2" in text for text in contradictions(replace(ATLAS, claims=(*ATLAS.claims, bound))))
    fact = next(fact for fact in ATLAS.memberships if fact.id == "PARITY not in AC0")
    wrong = replace(ATLAS, memberships=(*ATLAS.memberships, replace(fact, id="PARITY in FO", cls="FO", holds=True)))
    assert any("PARITY" in text for text in contradictions(wrong))


@given(SETTINGS, NAMES)
@settings(max_examples=60, deadline=None)
def test_no_setting_has_and_lacks_a_language(where: Setting, language: str) -> None:
    """At a random setting no construction and no bound meet."""
    from capax.atlas.inference.infer import shows_has, shows_lacks

    has = [
        claim
        for claim in ATLAS.claims
        if claim.lower
        and any(at_most(ATLAS, one, where) is not None for one in claim.settings)
        and shows_has(ATLAS, claim, language)
    ]
    lacks = [
        proof
        for claim in ATLAS.claims
        if claim.upper and any(at_most(ATLAS, where, one) is not None for one in claim.settings)
        if (proof := shows_lacks(ATLAS, claim, language)) is not None and not proof.assuming
    ]
    assert not has or not lacks


@given(SETTINGS, SETTINGS, NAMES)
@settings(max_examples=60, deadline=None)
def test_stronger_settings_keep_what_weaker_ones_have(weak: Setting, strong: Setting, language: str) -> None:
    """R4, along the fields in which one setting is at most the other."""
    joined = Setting(
        **{
            name: there
            if at_most(ATLAS, weak, replace(weak, **{name: there})) is not None
            and not any(step.needs for step in at_most(ATLAS, weak, replace(weak, **{name: there})) or ())
            else here
            for name, here, there in ((n, weak.to_json()[n], strong.to_json()[n]) for n in FIELDS)
        }
    )
    before, after = (recognises(ATLAS, one.to_json(), language).verdict for one in (weak, joined))
    assert before != "yes" or after == "yes"
    assert after not in ("no",) or before in ("no",)


@given(SETTINGS, NAMES)
@settings(max_examples=25, deadline=None)
def test_an_open_field_is_any_of_its_values(where: Setting, language: str) -> None:
    """A question with a field left open is yes if it is for some value, and no only if it is for every value."""
    for name in ("attention", "positions", "precision"):
        each = [recognises(ATLAS, where.to_json() | {name: v}, language).verdict for v in FIELDS[name].values]
        whole = recognises(ATLAS, where.to_json() | {name: "any"}, language).verdict
        assert "yes" not in each or whole == "yes"
        assert whole != "no" or set(each) == {"no"}
