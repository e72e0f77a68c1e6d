"""The audit from end to end: every verdict agrees with trying all words."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import capax
import capax.auditor.audit_lengths as audit_module
from capax import aggregate, full_s, indicator, tokens
from capax.auditor.audit_lengths import Ledger, _enter_bound, audit_lengths, certified_length
from capax.auditor.bounds.prove import LengthBound
from capax.auditor.exhaust import affordable, tokens_to_run
from capax.auditor.question import Question, question
from capax.auditor.spec import Spec
from capax.auditor.verdict import AuditedLength
from tests.support.audit_subjects import (
    alternating,
    blocks,
    clock,
    gpt,
    no_clock,
    parity,
    plain_margins,
    without_states,
)

SPECS = (parity(), blocks(), alternating(), without_states(parity()))


def rights(asked: Question, n: int) -> bool | None:
    """Whether a model is right on all words of a length; None if there is no word that is asked about."""
    margins = plain_margins(asked, n)
    return all(margin > 0 for margin in margins.values()) if margins else None


@given(
    layers=st.integers(1, 2),
    seed=st.integers(0, 500),
    spec=st.sampled_from(SPECS),
    read=st.sampled_from(["each", "last"]),
)
def test_verdicts_agree_with_all_words(layers: int, seed: int, spec: Spec, read: str) -> None:
    """Proved only where every word is right, wrong only where one is not, and short lengths are decided."""
    asked = question(gpt(layers, seed=seed), spec, read=read)  # type: ignore[arg-type]
    audit = audit_lengths(asked, range(1, 6), used=no_clock, seconds=60.0)
    for verdict in audit.lengths:
        expected = {True: "proved", False: "wrong", None: "empty"}[rights(asked, verdict.length)]
        assert verdict.outcome == expected, verdict
        assert verdict.outcome == "empty" or verdict.words == len(plain_margins(asked, verdict.length))


@given(seed=st.integers(0, 500), steps=st.integers(1, 40))
def test_little_time_gives_no_false_verdict(seed: int, steps: int) -> None:
    """A length for which there was no time is unknown; one that is decided is decided right."""
    asked = question(gpt(seed=seed), parity(), read="last")
    audit = audit_lengths(asked, range(1, 7), used=clock(steps), seconds=1.0)
    assert [verdict.length for verdict in audit.lengths] == list(range(1, 7))
    for verdict in audit.lengths:
        if verdict.outcome != "unknown":
            assert (verdict.outcome == "proved") == rights(asked, verdict.length), verdict


@pytest.mark.parametrize("length", [18, 24])
def test_heads_without_keys_are_bounded(length: int) -> None:
    """A uniform mean compiles to a head of no key dimensions: long words are decided all the same."""
    half = aggregate(full_s, indicator(tokens == "1")) > 1 / 2
    model = capax.compile(half, alphabet="01", max_length=length).model
    audit = capax.audit(model, "majority", min_length=length, max_length=length, read="last")
    assert [(v.outcome, v.method) for v in audit.lengths] == [("proved", "bounds")]


def test_a_certificate_is_used_for_its_own_program_only() -> None:
    """Its program is proved by the certificate, checked again; other programs, and changed weights, are not."""
    program = aggregate(full_s, indicator(tokens == "a"))
    model = capax.compile(program, alphabet="ab", max_length=30).model
    audit = capax.audit(model, program, max_length=30)
    assert {(v.outcome, v.method) for v in audit.lengths} == {("proved", "certificate")}
    other = capax.audit(model, aggregate(full_s, indicator(tokens == "b")), max_length=4)
    assert other.wrong is not None
    changed = capax.compile(program, alphabet="ab", max_length=30).model
    embedding = np.array(changed.embedding)
    embedding[0] *= 1.5
    from dataclasses import replace

    asked = question(replace(changed, embedding=embedding), audit.question.spec)
    assert certified_length(asked) == 0


def test_the_counterexample_is_of_the_shortest_wrong_length() -> None:
    """The summary names the least length that is wrong, and the word fails there."""
    asked = question(gpt(seed=3), parity(), read="last")
    audit = audit_lengths(asked, range(1, 8), used=no_clock, seconds=60.0)
    assert audit.wrong is not None
    assert audit.wrong.length == min(n for n in range(1, 8) if rights(asked, n) is False)
    wrong = audit.wrong.counterexample
    assert wrong is not None
    assert plain_margins(asked, audit.wrong.length)[wrong.word] <= 0
    assert f"wrong at {''.join(map(str, wrong.word))}" in audit.summary()


def test_a_length_that_is_not_decided_by_bounds_has_no_bound() -> None:
    """A bound is a number, of a length that bounds proved or that is open: the highest of the rounds."""
    asked = question(gpt(seed=3), parity(), read="last")
    ledger = Ledger(asked, no_clock, 60.0, lambda verdict: None)
    for n in range(4):
        _enter_bound(ledger, n, LengthBound(False, (-np.inf, -42.0, -3.0, -3.0)[n], 0.0, np.inf, None, None, (), 1, 8))
    assert [ledger.verdicts[n].bound for n in range(4)] == [None, -42.0, -3.0, -3.0]
    assert ledger.verdicts[0].to_json()["least_margin"] is None
    ledger.enter(AuditedLength(1, "proved", "exhaustion", 8, margin=0.5))
    _enter_bound(ledger, 2, LengthBound(False, -9.0, 0.0, 1.0, None, None, (), 1, 8))
    _enter_bound(ledger, 3, LengthBound(True, 0.25, 0.5, 1.0, None, None, (), 1, 8))
    assert [ledger.verdicts[n].bound for n in range(4)] == [None, None, -3.0, 0.25]
    assert [ledger.verdicts[n].rounding for n in range(4)] == [None, None, None, 0.5]


def open_bound(asked: Question, n: int, **_: object) -> LengthBound:
    """Bounds that decide nothing."""
    return LengthBound(False, -1.0, 0.0, np.inf, None, None, (), 1, 2**n)


@pytest.mark.parametrize(("look", "quick"), [(1e-5, True), (4e-3, False)])
def test_what_is_quick_by_measured_speed_is_run_before_long_rounds(
    monkeypatch: pytest.MonkeyPatch, look: float, quick: bool
) -> None:
    """Lengths of too many words for the first round, of which bounds decide none: by a clock that looks move on."""
    monkeypatch.setattr(audit_module, "FEW", 1000)
    monkeypatch.setattr(audit_module, "prove_length", open_bound)
    steps: list[str] = []
    for name in ("_exhaust_quickly", "_search"):
        own = getattr(audit_module, name)

        def noted(ledger: Ledger, lengths: list[int], *more: float, name: str = name, own: Any = own) -> None:
            steps.append(f"{name} of {len(lengths)}")
            own(ledger, lengths, *more)

        monkeypatch.setattr(audit_module, name, noted)
    looks = iter(range(10**9))
    asked = question(gpt(seed=3), parity(), read="last")
    audit = audit_lengths(asked, range(11, 13), used=lambda: next(looks) * look, seconds=60.0)
    assert steps[:2] == ["_exhaust_quickly of 2", f"_search of {0 if quick else 2}"]
    if quick:
        assert {v.method for v in audit.lengths} == {"exhaustion"}
    for verdict in audit.lengths:
        if verdict.outcome != "unknown":
            assert (verdict.outcome == "proved") == rights(asked, verdict.length)


@pytest.mark.parametrize("read", ["last", "each"])
def test_the_tokens_of_an_exhaustion_are_counted(read: str) -> None:
    """Prefixes of a causal model; the lengths are as many as fit."""
    asked = question(gpt(), parity(), read=read)  # type: ignore[arg-type]
    assert tokens_to_run(asked, []) == 0
    assert tokens_to_run(asked, [3, 5]) == sum(2**n for n in range(1, 6))
    assert affordable(asked, [3, 4, 5, 6], 62, 100) == [3, 4, 5]
    assert affordable(asked, [3, 4, 5, 6], 1e9, 16) == [3, 4]
    assert affordable(asked, [3, 4], 13, 100) == []
