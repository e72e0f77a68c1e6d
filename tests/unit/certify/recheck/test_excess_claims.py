"""Every field of a certificate, made something else: refused in words, or a claim of less; never a crash."""

import copy
import math
import sys
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

import capax
from capax.certify.certificate import Certificate
from capax.certify.recheck.excess_claims import claims_too_much
from capax.certify.recheck.handmade import certify_model
from capax.certify.recheck.recheck import recheck
from capax.errors import CapaxError
from capax.model.model import Model
from capax.model.provenance import Provenance
from capax.report import Report
from tests.support.outcomes import count_outcome, least_share
from tests.support.perturbed import PROGRAMS, compiled, with_provenance

HUGE = 10**400
JUNK: list[Any] = [
    *(None, True, False, 0, 1, -1, 7, 2**63, HUGE, -HUGE, 10**3000, 0.5, -0.0, 1e308, -1e308, 5e-324),
    *(math.inf, -math.inf, math.nan, "", "x", "float32", "x" * 2000, [], [0], [[]], {}, {"a": 1}, [HUGE]),
]
NESTED: Any = 0
for _ in range(59):
    NESTED = [NESTED]


def honest(name: str = "reverse") -> dict[str, Any]:
    """The certificate of a model as the compiler made it."""
    found: dict[str, Any] = copy.deepcopy(compiled(name).model.provenance.certificate)
    return found


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of all parts of nested data."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(p for key, inner in items for p in places(inner, (*path, key)))]


def put(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """Nested data with one part that is another."""
    made = copy.deepcopy(value)
    inner = made
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = new
    return made


def at(value: Any, path: tuple[Any, ...]) -> Any:
    """A part of nested data."""
    for key in path:
        value = value[key]
    return value


LESS = {"gap": -1, "margin": -1, "decoding_margin": -1, "spread": 1, "leak": 1, "error": 1, "error_in": 1}
LESS |= {"error_out": 1, "length": -1}
"""For each figure whether a smaller one (-1) or a greater one (1) claims less."""
WORDS = ("breaks", "where", "help")


def may_stand(field: Any, old: Any, new: Any, path: tuple[Any, ...]) -> bool:
    """Whether a field may be so, by what it means: it claims no more, or it is a word about greater lengths."""
    if new == old and type(new) is type(old):
        return True
    if field in WORDS and path[-3:-1] != ("heads",) and len(path) == 3:
        return new is None or isinstance(new, str)
    if field in ("whole", "underflows", "types"):
        return new is False
    if field == "one_quotient":
        return new is True
    if field not in LESS or type(new) not in (int, float) or type(old) not in (int, float):
        return False
    if type(old) is int:
        return type(new) is int and new >= 0 and LESS[field] * (new - old) >= 0
    if math.isnan(new) if isinstance(new, float) else abs(new) > sys.float_info.max:
        return False
    return bool(LESS[field] * new >= LESS[field] * old - 1e-9 * abs(old))


@given(st.data())
@settings(max_examples=200)
def test_a_changed_field(data: st.DataObject) -> None:
    """Is refused unless it claims less; the figures at the claimed lengths are those that were found."""
    true = honest(data.draw(st.sampled_from(["reverse", "sort", "fraction of previous"])))
    path = data.draw(st.sampled_from([p for p in places(true) if p]))
    new = data.draw(st.sampled_from([*JUNK, NESTED]) | st.floats() | st.integers())
    assume(not (isinstance(new, float) and isinstance(at(true, path), float) and math.isclose(new, at(true, path))))
    assume(not (isinstance(new, int) and path[-1] == "length" and 0 <= new < at(true, path)))  # found at another length
    wrong = claims_too_much(put(true, path, new), Certificate.from_json(true))
    event("accepted" if wrong is None else "refused")
    assert (wrong is None) == may_stand(path[-1], at(true, path), new, path), (path, new, wrong)
    assert wrong is None or 0 < len(wrong) < 400


@given(st.data())
def test_a_field_that_is_missing_or_new(data: st.DataObject) -> None:
    """A new field is refused wherever it stands; one that is missing, unless it claims nothing."""
    true = honest()
    path = data.draw(st.sampled_from([p for p in places(true) if isinstance(at(true, p), dict)]))
    more = copy.deepcopy(true)
    at(more, path)["proved"] = data.draw(st.sampled_from(JUNK))
    assert "unknown field 'proved'" in str(claims_too_much(more, Certificate.from_json(true)))
    less = copy.deepcopy(true)
    name = data.draw(st.sampled_from(sorted(at(less, path))))
    del at(less, path)[name]
    harmless = name in ("whole", "underflows") or (name in WORDS and len(path) == 2)
    assert (claims_too_much(less, Certificate.from_json(true)) is None) == harmless


FACTS = ["certificate", "heads", "shift", "domain", "name"]


def outcome(model: Model) -> Report | CapaxError:
    """What checking a model gives; any other exception is a fault of ours."""
    try:
        return recheck(model)
    except CapaxError as error:
        return error


@least_share("a report", 0.5)
@given(st.data())
@settings(max_examples=40)
def test_facts_of_every_kind(data: st.DataObject) -> None:
    """The whole check ends with a report or an error with a code, whatever the facts are."""
    model = compiled("booleans and numbers").model
    assert type(model.provenance.shift) is int
    facts = copy.deepcopy({name: model.provenance.to_json().get(name) for name in FACTS})
    path = data.draw(st.sampled_from([p for p in places(facts) if p and p[0] != "certificate"] + [("certificate",)]))
    new = data.draw(st.sampled_from([*JUNK, NESTED]))
    report = outcome(with_provenance(model, **put(facts, path, new)))
    if isinstance(report, CapaxError):
        assert report.code == "no-program"
        count_outcome("an error")
        return
    count_outcome("a report")
    assert report.holds == (report.counterexample is None)
    harmless = ("name", "masks", "mlp_depth", "causal", "part", 0)
    assert report.holds <= (path[-1] in harmless or new == at(facts, path))


@pytest.mark.parametrize("figure", ["gap", "spread", "leak", "error"])
@pytest.mark.parametrize("claim", [HUGE, -HUGE, 10**3000])
def test_integers_beyond_all_floats(figure: str, claim: int) -> None:
    """Are no figures."""
    true = honest()
    wrong = claims_too_much(put(true, ("verdicts", 0, "heads", 0, figure), claim), Certificate.from_json(true))
    assert wrong == f"it is damaged: the {figure} of layer 1, head 1 is not a number"


@pytest.mark.parametrize(
    ("path", "new", "what"),
    [
        (("verdicts", 0, "length"), HUGE, "it claims length about 2^1328 in float32 (proved: 4)"),
        (("verdicts", 0, "length"), 2**63 - 1, f"it claims length {2**63 - 1} in float32 (proved: 4)"),
        (("verdicts", 0, "length"), 2**63, "it claims length about 2^63 in float32 (proved: 4)"),
        (("verdicts", 0, "length"), -1, "it is damaged: a verdict has no number system or no length"),
        (("verdicts", 0, "length"), 5, "it claims length 5 in float32 (proved: 4)"),
        (("verdicts", 0, "length"), True, "it is damaged: a verdict has no number system or no length"),
        (("verdicts", 0, "numbers"), "x" * 99, f"it claims length 4 in {'x' * 20} (proved: 0)"),
        (("verdicts", 0, "breaks"), 3, "it is damaged: in float32 it does not say in words what breaks"),
        (("verdicts", 0, "whole"), 1, "it is damaged: its `whole` is not a boolean"),
        (("verdicts", 0), [], "it is damaged: a part of it is not an object"),
        (("types",), None, "it is damaged: its types are neither true nor false"),
        (("types",), 1, "it is damaged: its types are neither true nor false"),
        (("min_length",), 0, "it is damaged: its min_length is not a length"),
        (("min_length",), 1.0, "it is damaged: its min_length is not a length"),
        (("version",), 3, "its version is not the one of this check"),
        (("assumptions",), [], "its assumptions differ"),
    ],
)
def test_what_is_said(path: tuple[Any, ...], new: Any, what: str) -> None:
    """The reason in words."""
    true = honest()
    assert claims_too_much(put(true, path, new), Certificate.from_json(true)) == what


def test_what_is_claimed_of_types_and_whole_lengths() -> None:
    """Is refused where it was not found."""
    true = honest()
    assert true["types"] is True
    assert (
        claims_too_much(true, Certificate.from_json({**true, "types": False})) == "it claims the types of the answers"
    )
    short = put(true, ("verdicts", 0, "whole"), False)
    assert claims_too_much(true, Certificate.from_json(short)) == "it claims the whole length in float32 (proved: 4)"
    assert claims_too_much(short, Certificate.from_json(true)) is None


# what the model takes, which no weight says


def test_a_least_length_is_part_of_the_claim() -> None:
    """A model that refuses short words does not have the certificate of one that takes them."""
    model = compiled("histogram").model
    assert model.provenance.certificate["min_length"] == 1
    for least in (2, 3, 4):
        edited = replace(model, min_length=least)
        with pytest.raises(CapaxError):
            edited("a")
        report = recheck(edited)
        assert not report.holds
        assert report.counterexample == (f"it is about words from length 1 on; the model takes them from {least} on")
        claimed = {**model.provenance.certificate, "min_length": least}
        assert recheck(with_provenance(edited, certificate=claimed)).holds  # then it says which words it is about
        assert not recheck(with_provenance(replace(model, min_length=least + 1), certificate=claimed)).holds
    assert recheck(replace(model, min_length=0)).holds  # the empty word is in no certificate


@pytest.mark.parametrize("least", [2, 5, 6, 1000, 10**400])
def test_no_greater_least_length_than_the_model_s_own(least: int) -> None:
    """Words from a greater length on may be none at all; a certificate is about all words that the model takes."""
    model = compiled("histogram").model
    report = recheck(with_provenance(model, certificate={**model.provenance.certificate, "min_length": least}))
    assert not report.holds
    assert report.counterexample is not None
    assert report.counterexample.endswith("the model takes them from 1 on")
    assert len(report.counterexample) < 200


def test_a_version_is_a_whole_number() -> None:
    true = honest()
    assert (
        claims_too_much({**true, "version": float(true["version"])}, Certificate.from_json(true))
        == "its version is not the one of this check"
    )


def test_a_model_made_for_long_words_alone() -> None:
    """Its certificate says so; of words that it does not take nothing is certified."""
    program, longest = PROGRAMS["histogram"][0], 60
    model = capax.compile(program, alphabet="abc", max_length=longest, certify=False).model
    bare = replace(model, min_length=3, provenance=Provenance())
    made = certify_model(bare, program, [[[program]]], max_length=longest)
    certificate = made.provenance.certificate
    assert certificate["min_length"] == 3
    assert certificate["verdicts"][0]["length"] == longest
    assert recheck(made).holds
    coarse = next(v for v in certificate["verdicts"] if v["numbers"] == "bfloat16")
    assert coarse["length"] == 0 or coarse["length"] >= 3
    alone = certify_model(replace(bare, min_length=longest), program, [[[program]]])
    assert [v["length"] for v in alone.provenance.certificate["verdicts"]][:2] == [longest, longest]
    assert alone.provenance.certificate["verdicts"][2]["length"] == 0  # bfloat16 is certified up to fewer tokens only


def header_edits(model: Model) -> dict[str, Model]:
    """The model with other settings that no tensor holds: which words it takes, or is said to be made for."""
    tokens = model.vocabulary.tokens
    assert model.max_length is not None
    return {
        "a shorter greatest length": replace(model, max_length=model.max_length - 1),
        "a longer greatest length": replace(model, max_length=model.max_length + 1),
        "no greatest length": replace(model, max_length=None),
        "another token": replace(model, vocabulary=type(model.vocabulary)((*tokens[:-1], "other"))),
        "a token before every word": replace(model, prefix=tokens[:1]),
        "a least length": replace(model, min_length=2),
        "other tokens in the file": with_provenance(
            model, domain={**model.provenance.domain.to_json(), "alphabet": ["q"]}
        ),
        "another length in the file": with_provenance(
            model, domain={**model.provenance.domain.to_json(), "max_length": 99}
        ),
        "no tokens in the file": with_provenance(model, domain={}),
        "more than tokens in the file": with_provenance(
            model, domain={**model.provenance.domain.to_json(), "alphabet": [*model.provenance.domain.alphabet, None]}
        ),
        "a token twice in the file": with_provenance(
            model,
            domain={**model.provenance.domain.to_json(), "alphabet": [*model.provenance.domain.alphabet, tokens[0]]},
        ),
        "a length that is no whole number": with_provenance(
            model, domain={**model.provenance.domain.to_json(), "max_length": float(model.max_length)}
        ),
        "no word on later positions": with_provenance(
            model, domain={**model.provenance.domain.to_json(), "causal": "no"}
        ),
    }


@pytest.mark.parametrize("name", ["reverse", "histogram"])
def test_settings_that_no_weight_says(name: str) -> None:
    """The words that a model takes, and those that its file says it was made for, are part of what is certified."""
    model = compiled(name).model
    for what, edited in header_edits(model).items():
        assert not recheck(edited).holds, what
    for harmless in (replace(model, output_weights="sparsemax"), replace(model, norm_place="after")):
        assert recheck(harmless).holds  # of probabilities nothing is claimed; there is no norm
        assert harmless("ab") == model("ab")
