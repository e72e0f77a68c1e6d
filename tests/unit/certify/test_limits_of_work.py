"""What happens where a check would take too much work."""

import pytest

from capax.certify.budget import MOST, Effort
from capax.certify.certificate import certify
from capax.certify.not_certified import Refusal
from capax.certify.recheck.recheck import wanted_of
from capax.model.model import Model
from capax.rasp.analysis.output_spec import OutputSpec
from tests.support.perturbed import compiled


def reverse() -> tuple[Model, OutputSpec]:
    """A model, and what it is to compute."""
    made = compiled("reverse")
    return made.model, wanted_of(made.model, made.program.node, causal=False)  # type: ignore[arg-type]


def test_a_length_with_too_much_work_is_not_tried_again() -> None:
    """Nor is a longer one; shorter ones are."""
    model, wanted = reverse()
    effort = Effort(left=10)
    with pytest.raises(Refusal) as caught:
        certify(model, wanted, numbers="float32", longest=3, effort=effort)
    assert caught.value.too_many
    assert effort.beyond == 3
    effort.left = MOST
    for longest in (3, 4):
        with pytest.raises(Refusal, match="too many combinations") as again:
            certify(model, wanted, numbers="float32", longest=longest, effort=effort)
        assert again.value.too_many
    assert effort.left == MOST
    assert certify(model, wanted, numbers="float32", longest=2, effort=effort).length == 2


def test_other_refusals_leave_other_lengths_open() -> None:
    model, wanted = reverse()
    effort = Effort()
    with pytest.raises(Refusal) as caught:
        certify(model, wanted, numbers="bfloat16", longest=4, keys=1000, effort=effort)
    assert not caught.value.too_many
    assert effort.beyond > 10**9


def test_what_is_kept_costs_the_same_again() -> None:
    """So that a verdict does not depend on what was tried before it."""
    model, wanted = reverse()
    effort, spent = Effort(), []
    for _ in range(2):
        before = effort.left
        certify(model, wanted, numbers="float32", longest=3, effort=effort)
        spent.append(before - effort.left)
    assert spent[0] == spent[1] > 0
