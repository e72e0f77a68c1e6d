"""How much work a search may take: one budget, and a new one after a length that took too much, but not for ever."""

from dataclasses import replace

import pytest

from capax.certify import length_search as module
from capax.certify.certificate import LengthVerdict
from capax.certify.certify_budget import TOO_MANY, WorkBudget
from capax.certify.length_search import Proofs
from capax.certify.not_certified import NotCertified
from capax.certify.recheck.recheck import spec_of
from tests.support.perturbed import compiled


class Counted(WorkBudget):
    """A budget that counts how often it starts anew."""

    renewed = 0

    def next_system(self) -> None:
        """Starts anew."""
        self.renewed += 1
        super().next_system()


@pytest.mark.parametrize(("too_many", "renewed"), [(True, 3), (False, 1)])
def test_the_budget_of_a_verdict_starts_anew_two_times_at_most(
    too_many: bool, renewed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Shorter lengths are tried with what a new one has; a length that fails for another reason brings none.

    The model's own length has a budget of its own, after which there is a new one in any case.
    """
    made = compiled("reverse")
    spec = spec_of(made.model, made.program.node, causal=False)  # type: ignore[arg-type]
    tried: list[int] = []

    def check(*given: object, longest: int, **more: object) -> LengthVerdict:
        tried.append(longest)
        if longest > 100:
            raise NotCertified(TOO_MANY, too_many=too_many)
        return LengthVerdict("float32", longest)

    monkeypatch.setattr(module, "check_length", check)
    budget = Counted()
    verdict = Proofs(replace(made.model, max_length=1000), spec, budget=budget).greatest_length("float32")
    assert verdict.length == 100
    assert sum(length > 100 for length in tried) > 3
    assert budget.renewed == renewed


def test_short_words_that_tell_nothing_of_margins_are_tried_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The next length is guessed from margins: without one it would be the same again."""
    made = compiled("reverse")
    spec = spec_of(made.model, made.program.node, causal=False)  # type: ignore[arg-type]
    probes: list[int] = []

    def check(*given: object, longest: int, keys: int, **more: object) -> LengthVerdict:
        if keys:
            probes.append(keys)
            raise NotCertified("another reason")
        return LengthVerdict("float32", longest)

    monkeypatch.setattr(module, "check_length", check)
    failed = NotCertified("too near", margin=-1.0)
    proofs = Proofs(replace(made.model, max_length=1000), spec)
    assert proofs.greatest_length("float32", failed=failed).length == 1000
    assert len(probes) == 1
