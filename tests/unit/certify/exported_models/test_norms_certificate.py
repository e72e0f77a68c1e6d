"""The check of a model with norms: where it stops, and why."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from capax.budget import Budget
from capax.certify.certify_budget import WorkBudget
from capax.certify.exported_models.norms import Noisy
from capax.certify.exported_models.norms_certificate import NormedModel, _BlockChecks, _check_all, check_normed
from capax.certify.intervals.tensor import IntervalTensor, exactly
from capax.certify.not_certified import NotCertified
from capax.certify.pipeline import ProofCache
from capax.certify.values.axes import TOKEN, Axes
from capax.model.export.hugging_face.norm_bounds import NormError
from capax.model.parts import Affine, Head, Mask
from tests.support.proved_exports import exported, given


def test_too_much_work_closes_longer_words() -> None:
    """A length that takes too much is not tried again, nor is a longer one."""
    found, error, spec = given(exported("flip", "float32"))
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


@pytest.mark.parametrize(("name", "where"), [("flip", "the embedding"), ("induction", "layer 1")])
def test_rows_that_are_too_long_for_norms_are_refused_where_they_are_read(name: str, where: str) -> None:
    """By the norm after the embedding, or else by that before the heads of the first layer."""
    found, error, spec = given(exported(name, "float32"))
    assert found.after == (where == "the embedding")
    with pytest.raises(NotCertified, match="a row of the stream may be") as caught:
        check_normed(NormedModel(found, replace(error, reach=1e-3), "float32"), spec, 2, WorkBudget(), ProofCache())
    assert caught.value.where == where
    assert not caught.value.too_many


@pytest.mark.parametrize("name", ["flip", "induction"])
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


def first_token(gap: float, mask: Mask = "none") -> tuple[float, float]:
    """What a head gives at the token before words, which have a score that is lower by a gap, and values up to 1."""
    still = NormError(unit=2.0**-24, factor=0.0, shift=0.0, apart=0.0, own=1.0, reach=100.0)
    axes = Axes(TOKEN, ("a", "b"), 3)
    noisy = Noisy("float32", {TOKEN: 2}, WorkBudget(), axes.feasible, still, after=False)
    words = [exactly((), np.zeros(())), exactly((TOKEN,), np.array([0.25, 1.0]))]
    first = [exactly((), np.ones(())), exactly((), np.zeros(()))]
    nothing, one = np.zeros((2, 1)), np.ones(1)
    head = Head(
        Affine(nothing, one),
        Affine(np.array([[gap], [0.0]]), np.zeros(1)),
        Affine(np.array([[0.0], [1.0]]), np.zeros(1)),
        np.ones((1, 2)),
        mask=mask,
    )
    check = _BlockChecks(noisy, axes, coarse=False)
    (result,) = check._at_first(head, check._sink(head, first), [words, first], "here")
    return float(result.low), float(result.high)


@pytest.mark.parametrize("gap", [0.01, 0.5, 2.0, 8.0, 30.0])
def test_what_the_first_token_sees_of_words_is_within_bounds(gap: float) -> None:
    """With three words that all have the greatest value; the bound is a few times as wide as that."""
    low, high = first_token(gap)
    share = 3 * math.exp(-gap) / (1 + 3 * math.exp(-gap))
    assert low <= 0
    assert share <= high <= 6.1 * math.exp(-gap) + 1e-4


def test_the_first_token_must_attend_to_itself() -> None:
    """Unless it sees nothing else: behind a causal mask it stands first."""
    for gap in (0.0, -1.0):
        with pytest.raises(NotCertified, match="the token before every word does not attend to itself alone"):
            first_token(gap)
        low, high = first_token(gap, "causal")
        assert -1e-5 <= low <= 0 <= high <= 1e-5


@pytest.mark.parametrize("name", ["flip", "sort", "induction"])
def test_coarser_axes_prove_no_more(name: str) -> None:
    """They are tried where there are too many combinations: margins are no greater, and answers still are proved."""
    found, error, spec = given(exported(name, "float64"))
    fine, coarse = (
        _check_all(NormedModel(found, error, "float64"), spec, 4, WorkBudget(), ProofCache(), coarse=coarse)
        for coarse in (False, True)
    )
    assert fine.length == coarse.length == 4
    assert fine.decoding_margin is not None
    assert coarse.decoding_margin is not None
    assert 0 < coarse.decoding_margin <= fine.decoding_margin * (1 + 1e-9)
