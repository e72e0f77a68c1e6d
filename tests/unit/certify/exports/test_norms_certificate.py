"""The check of a model with norms: where it stops, and why."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from capax.budget import Budget
from capax.certify.certify_budget import WorkBudget
from capax.certify.exports.norms import Noisy
from capax.certify.exports.norms_certificate import NormedModel, check_normed
from capax.certify.intervals.tensor import IntervalTensor
from capax.certify.not_certified import NotCertified
from capax.certify.pipeline import ProofCache
from tests.support.proved_exports import exported, given


def test_too_much_work_closes_longer_words() -> None:
    """A length that takes too much is not tried again, nor is a longer one."""
    found, error, spec = given(exported("reverse", "float32"))
    it = NormedModel(found, error, "float32")
    budget, cache = WorkBudget(Budget(10)), ProofCache()
    with pytest.raises(NotCertified) as caught:
        check_normed(it, spec, 3, budget, cache)
    assert caught.value.too_many
    assert cache.too_long == 3
    budget.next_system()
    with pytest.raises(NotCertified) as again:
        check_normed(it, spec, 4, budget, cache)
    assert again.value.too_many
    assert check_normed(it, spec, 2, budget, cache).length == 2
    assert cache.too_long == 3


@pytest.mark.parametrize(("name", "where"), [("reverse", "the embedding"), ("induction", "layer 1")])
def test_rows_that_are_too_long_for_norms_are_refused_where_they_are_read(name: str, where: str) -> None:
    """By the norm after the embedding, or else by that before the heads of the first layer."""
    found, error, spec = given(exported(name, "float32"))
    assert found.after == (where == "the embedding")
    with pytest.raises(NotCertified, match="a row of the stream may be") as caught:
        check_normed(NormedModel(found, replace(error, reach=1e-3), "float32"), spec, 2, WorkBudget(), ProofCache())
    assert caught.value.where == where
    assert not caught.value.too_many


@pytest.mark.parametrize("name", ["reverse", "induction"])
def test_rows_are_looked_at_once_before_every_norm(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bounds on a norm hold for rows up to a length; norms stand after the sublayers, or before what reads."""
    found, error, spec = given(exported(name, "float32"))
    looked: list[str] = []
    rows = Noisy.rows

    def noted(self: Noisy, slots: Sequence[Sequence[IntervalTensor]], where: str) -> None:
        looked.append(where)
        rows(self, slots, where)

    monkeypatch.setattr(Noisy, "rows", noted)
    check_normed(NormedModel(found, error, "float32"), spec, 2, WorkBudget(), ProofCache())
    expected = ["the embedding"] if found.after else []
    for number, block in enumerate(found.model.blocks, 1):
        expected += [f"layer {number}"]
        expected += [f"layer {number}, MLP"] if found.after or block.mlp is not None else []
    assert looked == [*expected, "the readout"]
