"""The lead of a best key part by part: never more than what all pairs have."""

import math
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import capax
from capax import aggregate, best, indices, select, selector_width, tokens, tokens_int
from capax.certify import verdict_at
from capax.certify.not_certified import NotCertified
from capax.certify.parts import best_by_parts, check_heads
from capax.certify.recheck.recheck import spec_of
from capax.compiler.compiled import Compiled
from tests.support.perturbed import changed

BEFORE = select(indices, indices, "<=")
COUNT = selector_width(select(tokens, tokens, "=="))
PROGRAMS: dict[str, tuple[capax.Program, Any, bool]] = {
    "induction": (capax.library.induction, "abc", True),
    "latest of the same": (aggregate(best(select(tokens, tokens, "==") & BEFORE, indices), indices), "abc", False),
    "greatest of the same": (aggregate(best(select(tokens, tokens, "=="), tokens_int), indices, -1), [0, 1, 2], False),
    "greatest before": (aggregate(best(BEFORE, tokens_int), indices), [0, 1, 2], False),
    "greatest count": (aggregate(best(select(True, True, "=="), COUNT), COUNT), "abc", False),
    "greatest beside": (
        aggregate(best(select(tokens_int, tokens_int, "<") & BEFORE, tokens_int), indices, -1),
        [0, 1, 2],
        False,
    ),
}


@cache
def made(name: str, dtype: str = "float32") -> Compiled:
    program, alphabet, causal = PROGRAMS[name]
    return capax.compile(program, alphabet=alphabet, max_length=4, causal=causal, dtype=dtype, certify=False, words=30)


def gaps(monkeypatch: pytest.MonkeyPatch, model: Any, name: str, numbers: str) -> list[tuple[float | None, float]]:
    """The gap part by part (None where there is one part) and by all pairs, of each head that takes the best."""
    pairs: list[tuple[float | None, float]] = []
    by_parts = check_heads.lead_of_best

    def both(reader: Any, axes: Any, arithmetic: Any, *, filled: bool) -> None:
        known = by_parts(reader, axes, arithmetic, filled=filled)
        parts.append(None if known is None else known[0])  # and all pairs are gone through

    parts: list[float | None] = []
    dense = check_heads._lead_of_best

    def noted(*args: Any, **settings: Any) -> tuple[float, float]:
        try:
            gap = dense(*args, **settings)
        except NotCertified:
            pairs.append((parts[-1], -math.inf))
            raise
        pairs.append((parts[-1], gap[0]))
        return gap

    with monkeypatch.context() as patched:
        patched.setattr(check_heads, "lead_of_best", both)
        patched.setattr(check_heads, "_lead_of_best", noted)
        spec = spec_of(model, made(name).program.node, causal=PROGRAMS[name][2])  # type: ignore[arg-type]
        verdict_at(model, spec, numbers, 4)
    return pairs


@pytest.mark.parametrize("numbers", ["float32", "float64", "bfloat16"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_parts_claim_no_more_than_all_pairs(monkeypatch: pytest.MonkeyPatch, name: str, numbers: str) -> None:
    found = gaps(monkeypatch, made(name).model, name, numbers)
    assert found
    assert all(by_parts is None or by_parts <= max(dense, 0.0) for by_parts, dense in found)
    if name == "induction" and numbers == "float32":
        assert found[0][0] == found[0][1] == 128  # and there is no loss where scores are exact


@pytest.mark.parametrize("numbers", ["float32", "float64"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_blocks_change_nothing_and_one_radius_for_all_claims_no_more(
    monkeypatch: pytest.MonkeyPatch, name: str, numbers: str
) -> None:
    model = made(name).model
    known = [gap for gap, _ in gaps(monkeypatch, model, name, numbers)]
    for pairs in ("AT_ONCE", "MANY_AT_ONCE"):
        monkeypatch.setattr(best_by_parts, pairs, 3)  # a query or so at a time
    assert [gap for gap, _ in gaps(monkeypatch, model, name, numbers)][: len(known)] == known
    monkeypatch.setattr(best_by_parts, "MANY_PAIRS", 0)
    rougher = [gap for gap, _ in gaps(monkeypatch, model, name, numbers)][: len(known)]
    assert all((one is None) == (two is None) for one, two in zip(known, rougher, strict=True))
    assert all(two <= one for one, two in zip(known, rougher, strict=True) if one is not None and two is not None)


ALL, NONE = 0, 10**9


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(["induction", "greatest of the same"]),
    st.integers(0, 10**6),
    st.sampled_from([0.0, -1.0, 2.0**-18, -40.0]),
    st.sampled_from(["float32", "float64"]),
    st.sampled_from([0, 2**22]),
)
def test_selected_pairs_by_themselves_have_the_same_lead(
    name: str, place: int, by: float, numbers: str, many: int
) -> None:
    """Keys of an equality are found in a sorted list, and scores in float32 where that is exact: no lead differs."""
    model = made(name).model
    block = len(model.blocks) - 1
    weight = model.blocks[block].heads[0].key.weight
    other = changed(model, f"blocks.{block}.heads.0.key.weight", place % weight.size, by)
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(best_by_parts, "MANY_PAIRS", many)
        monkeypatch.setattr(best_by_parts, "MANY_AT_ONCE", 4)
        known = []
        for few in (ALL, NONE):
            monkeypatch.setattr(best_by_parts, "FEW_CHOSEN", few)
            known.append(gaps(monkeypatch, other, name, numbers))
    assert known[0] == known[1]


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(PROGRAMS)), st.integers(0, 10**6), st.sampled_from([-1.0, 0.5, 2.0**-18, 3.0, -40.0]))
def test_changed_weights_have_no_more_of_a_lead(name: str, place: int, by: float) -> None:
    """Whatever number of a head is changed."""
    model = made(name).model
    block = len(model.blocks) - 1
    part = ("query", "key")[place % 2]
    weight = getattr(model.blocks[block].heads[0], part).weight
    with pytest.MonkeyPatch.context() as monkeypatch:
        other = changed(model, f"blocks.{block}.heads.0.{part}.weight", place % weight.size, by)
        for by_parts, dense in gaps(monkeypatch, other, name, "float32"):
            assert by_parts is None or by_parts <= max(dense, 0.0) + 1e-9


def test_a_large_vocabulary_is_certified() -> None:
    """Pairs of tokens are gone through by themselves, and positions too: not all pairs of both."""
    tokens = [f"t{n}" for n in range(400)]
    compiled = capax.compile(capax.library.induction, alphabet=tokens, max_length=30, causal=True, words=20)
    assert compiled.certified_length == 30
    assert compiled.size.parameters < 40 * len(tokens)


def test_a_query_without_a_position_is_one_query() -> None:
    """A million pairs of a count and a position are ranked once, not for each of a thousand queries."""
    compiled = capax.compile(PROGRAMS["greatest count"][0], alphabet="abcdefgh", max_length=1000, words=10)
    assert compiled.label == "certified in float32 up to length 1000"
