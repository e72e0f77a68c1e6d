"""Reads through norms that do almost nothing: the lemmas, against drawn numbers and real kernels."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capax.certify.certify_budget import WorkBudget
from capax.certify.exported_models.curves import curves_of, span
from capax.certify.exported_models.norms import Noisy
from capax.certify.exported_models.norms_mlp import _left, through
from capax.certify.intervals.tensor import between
from capax.certify.not_certified import NotCertified
from capax.certify.parts.pairs import Side, scores
from capax.certify.values.axes import Axes
from capax.model.export.hugging_face.norm_bounds import NormError, norm_error
from capax.model.export.hugging_face.norms import EPSILON, pin_for
from capax.model.export.hugging_face.sizes import HuggingFaceSizes
from capax.model.parts import Affine, Mlp
from capax.rasp.ir.nodes import Input

seeds = st.integers(0, 2**32 - 1)


def noisy(error: NormError, *, after: bool) -> Noisy:
    """Sums with the errors of norms."""
    return Noisy("float32", {}, WorkBudget(), lambda axes: None, error, after=after)


@given(seeds, st.integers(1, 12))
def test_what_units_write_together_lies_in_the_span(seed: int, units: int) -> None:
    """The span holds the sum at every number between the bounds, and its ends are reached."""
    source = np.random.default_rng(seed)
    factors = source.choice([-2.0, -1.0, 0.5, 1.0, 2.0], units)
    biases, written = source.integers(-6, 7, units) / 2, source.integers(-3, 4, units).astype(float)
    low = source.integers(-5, 5, 4) / 1.0
    high = low + source.choice([0.0, 0.25, 3.0], 4)
    least, most = span(low, high, factors, biases, written)
    points = np.linspace(low, high, 241)
    values = (np.maximum(points[..., None] * factors + biases, 0) * written).sum(axis=-1)
    assert (values >= least - 1e-12).all()
    assert (values <= most + 1e-12).all()
    assert np.allclose(values.min(axis=0), least, atol=1e-9)  # kinks are at multiples of 1/4, which are among them
    assert np.allclose(values.max(axis=0), most, atol=1e-9)


def test_units_are_told_apart_by_what_they_read() -> None:
    """Multiples of one column belong together, whatever their sign; a unit alone, or of nothing, does not count."""
    weight = np.array([[1.0, -2.0, 0.0, 1.0, 0.0], [0.5, -1.0, 0.0, 1.0, 3.0]])
    (curve,) = curves_of(weight)
    assert curve.units.tolist() == [0, 1]
    assert curve.factors.tolist() == [1.0, -2.0]


ERROR = NormError(unit=2.0**-24, factor=1e-3, shift=0.3, apart=0.2, own=0.1, reach=100.0)


@given(seeds, st.booleans())
def test_reads_hold_whatever_a_norm_makes_of_a_row(seed: int, after: bool) -> None:
    """Pairs of coordinates with sums of their own, a factor for the row, a shift, and an error for each coordinate."""
    source = np.random.default_rng(seed)
    sums = noisy(ERROR, after=after)
    if after:
        sums.passed = 2e-3
    d, outputs = 5, 4
    x = source.integers(-8, 9, d).astype(float)
    width = source.choice([0.0, 0.01], d)
    weight = source.integers(-2, 3, (d, outputs)).astype(float)
    bias = source.integers(-3, 4, outputs).astype(float)
    slots = [between((), np.asarray(v - w), np.asarray(v + w)) for v, w in zip(x, width, strict=True)]
    true = x + width * source.choice([-1, 0, 1], d)
    found, (apart, more) = sums.read(slots, weight, bias), sums.apart(slots, weight, bias)
    factor = 1 + sums.common * source.choice([-1, 1])
    half = ERROR.apart / 2 * source.choice([-1, 0, 1], d)
    one, two = true * factor + half, -true * factor + half
    if not after:
        shift = ERROR.shift * source.choice([-1, 1])
        each = 3 * ERROR.unit * source.choice([-1, 1], (2, d))
        first, second = true + half, -true + half
        one = (first - shift) * factor + each[0] * (np.abs(first) + ERROR.shift)
        two = (second - shift) * factor + each[1] * (np.abs(second) + ERROR.shift)
    # the sum is taken in float32, in some order
    order = source.permutation(2 * d)
    terms = np.concatenate([one[:, None] * weight / 2, -two[:, None] * weight / 2])[order].astype(np.float32)
    total = np.cumsum(terms, axis=0, dtype=np.float32)[-1] + bias.astype(np.float32)
    assert more is not None
    for value, y, z, b in zip(total.tolist(), found, apart, more.tolist(), strict=True):
        assert y.low <= value <= y.high
        assert min(float(z.low) * f for f in (1 - sums.common, 1 + sums.common)) + b - 1e-12 <= value
        assert value <= max(float(z.high) * f for f in (1 - sums.common, 1 + sums.common)) + b + 1e-12


@given(seeds)
def test_scores_with_a_factor_for_each_row(seed: int) -> None:
    """Scores lie in their bounds for every factor of the query's row and of the key's row."""
    source = np.random.default_rng(seed)
    sums = noisy(ERROR, after=False)
    shared, dims = 0.05, 3

    def side() -> tuple[Side, np.ndarray, np.ndarray]:
        middle, radius = source.integers(-3, 4, (4, dims)).astype(float), source.choice([0.0, 0.1], (4, dims))
        bias = source.integers(-2, 3, dims).astype(float)
        row = (middle + radius * source.choice([-1, 1], (4, dims))) * (1 + shared * source.choice([-1, 1], (4, 1)))
        return Side(middle - radius, middle + radius, False, 0.0, {}, None, bias, shared), row + bias, bias

    (queries, q, _), (keys, k, _) = side(), side()
    low, high = scores(queries, keys, sums)
    assert (low <= q @ k.T).all()
    assert (q @ k.T <= high).all()


@given(seeds, st.sampled_from(["float32", "float64"]), st.integers(1, 40), st.integers(1, 12))
@settings(max_examples=40)
def test_a_stream_that_passes_through_norms(seed: int, dtype: str, directions: int, times: int) -> None:
    """In PyTorch's kernel: directions stay within the bound, and the two coordinates of a pair stay opposite."""
    import torch

    source = np.random.default_rng(seed)
    root, pins = 2, -(-directions // 15)
    sizes = HuggingFaceSizes(2 * pins * 4**root, 1, 2 * pins * 4**root, pins, root)
    x = (source.normal(size=(20, directions)) * 2.0 ** source.integers(-3, 6)).astype(dtype)
    longest = float(np.sqrt(np.square(x.astype(np.float64)).sum(axis=1)).max())
    pin = pin_for(longest, dtype)
    error = norm_error(sizes, dtype, pin, 16 * max(longest, 1.0), directions, after=True)
    rows = np.zeros((20, sizes.width), dtype)
    pinned = np.where(np.arange(sizes.width) % 2 == 0, pin, -pin) * (np.arange(sizes.width) < 2 * pins)
    used = slice(2 * pins, 2 * pins + 2 * directions)
    rows[:, used] = np.stack([x, -x], axis=-1).reshape(20, -1)
    gain = np.zeros(sizes.width)
    gain[used] = pin / 2**root
    tensor = torch.from_numpy((rows + pinned).astype(dtype))
    weights = [torch.from_numpy(a.astype(dtype)) for a in (gain, pinned)]
    for _ in range(times):
        tensor = torch.nn.functional.layer_norm(tensor, (sizes.width,), *weights, EPSILON)
    first, second = (tensor.numpy().astype(np.float64)[:, used][:, i::2] for i in (0, 1))
    relative, absolute = (1 + error.factor) ** times - 1 + 3 * times * error.unit, times * error.absolute * 1.01
    assert np.isfinite(error.factor)
    assert (np.abs((first - second) / 2 - x) <= relative * 1.01 * np.abs(x) + absolute).all()
    assert (np.abs(first + second) <= error.apart).all()


@given(seeds, st.integers(1, 6))
def test_pairs_stay_as_opposite_as_is_noted(seed: int, times: int) -> None:
    """What the sums of pairs do not have in common, after norms that are as bad as they may be one after the other.

    A norm makes (c - s)(1 + d) + e of a coordinate c, with one s and one d for the row and an e for each coordinate.
    """
    source = np.random.default_rng(seed)
    error = NormError(unit=2.0**-24, factor=2.0**-10, shift=0.25, apart=0.5, own=1.0, reach=64.0)
    sums, directions = noisy(error, after=True), 5
    x = np.eye(1, directions)[0] * 0.98 * error.reach + source.uniform(-1, 1, directions)
    slots = [between((), np.asarray(v), np.asarray(v)) for v in x]
    first, second, common = x.copy(), -x, 0.0
    for _ in range(times):
        slots = sums.normed([slots], "here")[0]
        d, shift = error.factor * source.choice([-1, 1]), error.shift * source.choice([-1, 1])
        first, second = (
            (c - shift) * (1 + d)
            + 3 * error.unit * (np.abs(c) + error.shift) * (1 + error.factor) * source.choice([-1, 1], directions)
            for c in (first, second)
        )
        common = (common - 2 * shift) * (1 + d)
        assert (np.abs(first + second - common) <= sums.own).all()
        first, second, common = first - common / 2, second - common / 2, 0.0  # the next norm takes the mean away
    most = 6 * times * error.unit * (error.reach + error.apart + error.shift)
    assert sums.own <= most * (1 + 4 * error.factor) ** times  # and no more is noted


def test_norms_have_no_bound_where_nothing_is_pinned_high_enough() -> None:
    """A pinned number that is not above the rows."""
    sizes = HuggingFaceSizes(32, 1, 32, 1, 2)
    assert norm_error(sizes, "float32", 2.0, 100.0, 14, after=False).factor == np.inf
    assert norm_error(sizes, "float32", 2.0, 100.0, 14, after=True).factor == np.inf


def test_rows_that_are_too_long_are_refused() -> None:
    """And pairs that are no longer opposite."""
    sums = noisy(ERROR, after=False)
    sums.rows([[between((), np.asarray(-99.0), np.asarray(0.0))]], "here")
    with pytest.raises(NotCertified, match="long"):
        sums.rows([[between((), np.asarray(-101.0), np.asarray(0.0))]], "here")
    sums.apart_by(0.2)
    with pytest.raises(NotCertified, match="opposite"):
        sums.rows([[]], "here")


@pytest.mark.parametrize("terms", [1, 7])
def test_products_that_are_too_small_may_be_lost_when_pairs_are_read(terms: int) -> None:
    """Two coordinates for each direction, and the sum."""
    sums = noisy(ERROR, after=False)
    assert float(sums.lost(np.zeros(1), np.zeros(1), terms)) == 2 * (terms + 2) * 2.0**-126


def test_what_is_left_of_a_slot_that_is_cleared() -> None:
    """Twice the noise where a unit takes a sign away, and all that there was of a sign that none takes."""
    sums = noisy(ERROR, after=False)
    old = between((), np.array([-3.0, 0.5]), np.array([-2.0, 0.25 + 0.5]))
    noise = sums.noise_of(old)
    copies = {0: 1, 1: -1}
    for units, low, high in (((0, 1), 0.0, 0.0), ((0,), 3.0, 0.0), ((1,), 0.0, 0.75)):
        found, gone = _left(old, units, copies, sums)
        assert float(found.low) == -(low + 2 * noise)
        assert float(found.high) == high + 2 * noise
        assert gone == 2 * (3.0 + noise)


def test_only_one_stage_of_relus_is_read_through_norms() -> None:
    one = Affine(np.ones((1, 1)), np.zeros(1))
    axes = Axes(Input("asis"), (0, 1), 2)
    for mlp in (Mlp((one, one), "gelu"), Mlp((one, one, one), "relu"), None):
        with pytest.raises(NotCertified, match="is not a network of one stage of ReLUs"):
            through(mlp, [between((), np.zeros(()), np.ones(()))], axes, noisy(ERROR, after=False), "mlp", coarse=False)
