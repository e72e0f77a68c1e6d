"""Heads of third order: columns to spare, columns that are missing, and values of second keys."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from capax import SOp, aggregate, full_s, on_first, on_keys, on_second, selector_width, tokens_int
from capax.certify import verdict_at
from capax.certify.intervals.arithmetic import IntervalArithmetic
from capax.certify.intervals.tensor import ZERO
from capax.certify.not_certified import NotCertified
from capax.certify.parts.pairs import Side
from capax.certify.parts.triples import TensorCheck, _shares, check_tensor_head
from capax.certify.recheck.recheck import spec_of
from capax.certify.values.axes import Axes
from capax.model.model import Model
from capax.model.parts import Affine, TensorHead
from tests.support.perturbed import compiled

MATCH3 = "match3"


def certified(model: Model) -> tuple[int, str]:
    """The length up to which a model of the program is certified, and why not further."""
    made = compiled(MATCH3)
    verdict = verdict_at(model, spec_of(made.model, made.program.node, causal=False), "float32", 3)  # type: ignore[arg-type]
    return verdict.length, verdict.breaks or ""


def tensor_head() -> TensorHead:
    """The head of the model."""
    ((head,),) = [b.heads for b in compiled(MATCH3).model.blocks if b.heads]
    assert isinstance(head, TensorHead)
    return head


def with_head(head: TensorHead) -> Model:
    """The model with another head."""
    model = compiled(MATCH3).model
    return replace(model, blocks=tuple(replace(b, heads=(head,)) if b.heads else b for b in model.blocks))


def wider(map: Affine, weight: float, bias: float) -> Affine:
    """A map with one more output, which reads every direction with a weight."""
    more = np.full((map.inputs, 1), weight, map.weight.dtype)
    return Affine(np.concatenate([map.weight, more], 1), np.append(map.bias, map.bias.dtype.type(bias)))


def with_one_more_value(written: float) -> TensorHead:
    """The head with a value column that it is not said to compute, and what it writes of it to the first slot."""
    head = tensor_head()
    row = np.zeros((1, head.output.shape[1]), head.output.dtype)
    row[0, 0] = written
    sink = head.sink
    if sink is not None:
        sink = replace(sink, value1=np.append(sink.value1, 0), value2=np.append(sink.value2, 1))
    return replace(
        head,
        value1=wider(head.value1, 1.0, 0.0),
        value2=wider(head.value2, 0.0, 1.0),
        output=np.concatenate([head.output, row]),
        sink=sink,
    )


def test_values_that_nothing_reads_do_no_harm() -> None:
    """A head may have more values than it is said to compute, as long as it writes none of them."""
    assert certified(compiled(MATCH3).model) == (3, "")
    assert certified(with_head(with_one_more_value(0.0))) == (3, "")
    length, why = certified(with_head(with_one_more_value(1.0)))
    assert length == 0
    assert "a head writes more than it is said to compute" in why


ALL = on_first(full_s) & on_second(full_s) & on_keys(full_s)


@pytest.mark.parametrize(
    ("programs", "values"),
    [
        ((aggregate(ALL, tokens_int), aggregate(ALL, tokens_int + 1)), 1),
        ((aggregate(ALL, tokens_int), selector_width(ALL)), 2),
    ],
    ids=["two means of one value", "a mean and a count"],
)
def test_a_head_computes_one_kind_of_thing_with_a_value_for_each(programs: tuple[SOp, ...], values: int) -> None:
    nodes = [p.node for p in programs]
    one, several = Affine(np.zeros((1, 1)), np.zeros(1)), Affine(np.zeros((1, values)), np.zeros(values))
    head = TensorHead(one, one, one, several, several, np.ones((values, 1)))
    axes, arithmetic = Axes(nodes[0], (0, 1), 2), IntervalArithmetic("float32", {})
    with pytest.raises(NotCertified, match="has too few values for what it is said to compute"):
        check_tensor_head(TensorCheck(head, nodes, ALL.node, [ZERO], axes, arithmetic, "the head"))


@given(st.integers(0, 9999), st.sampled_from([0.0, 2.0**-6, 0.5]))
def test_shares_of_scores_hold_all_products_of_three_and_are_not_wider(seed: int, noise: float) -> None:
    """At corners of the bounds of queries and keys; without noise what is left is rounding."""
    source, arithmetic = np.random.default_rng(seed), IntervalArithmetic("float64", {})
    middles = [source.integers(-4, 5, (2, 3)) / 3 for _ in range(3)]
    three = [Side(m - noise, m + noise, False, 0.0, {}, None) for m in middles]
    ((low, high),) = _shares([(three[0], three[1], three[2])], arithmetic)
    for signs in source.choice([-1.0, 1.0], (40, 3, 2, 3)):
        q, a, b = (m + noise * s for m, s in zip(middles, signs, strict=True))
        products = np.einsum("im,jm,km->ijk", q, a, b)
        assert (low <= products).all()
        assert (products <= high).all()
    q, a, b = (np.abs(m) for m in middles)
    most = np.einsum("im,jm,km->ijk", q + noise, a + noise, b + noise) - np.einsum("im,jm,km->ijk", q, a, b)
    assert (high - low <= 2 * most + 1e-9).all()
