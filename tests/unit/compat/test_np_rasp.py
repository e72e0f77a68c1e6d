"""np-rasp's functions on arrays that are not known yet, and what cannot be traced."""

from typing import Any

import numpy as np
import pytest

from capax.compat import np_rasp as nprasp
from capax.compat import to_capax
from capax.compat.np_rasp import aggr, full, indices, kqv, select, seq_map, tok_map
from capax.errors import CapaxError
from capax.rasp.analysis.schedule import schedule


@pytest.mark.parametrize(
    "wrong",
    [
        lambda x: x[0],
        lambda x: len(x),
        lambda x: list(x),
        lambda x: x or x,
        lambda x: np.cumsum(x),
        lambda x: np.where(x > 0, x, 0),
        lambda x: -(x > 0),
        lambda x: (x > 0) + (x > 1),
        lambda x: x.astype(float),
        lambda x: select(x, x, nprasp.equals)[0],
        lambda x: 3,
        lambda x: kqv(x, x, x > 0, nprasp.equals, reduction="min"),
    ],
)
def test_what_cannot_be_traced_is_refused(wrong: Any) -> None:
    """Single elements, lengths, numpy's own functions, and what numpy refuses."""
    with pytest.raises(CapaxError) as caught:
        to_capax(wrong, [0, 1], 4)
    assert caught.value.code == "not-compilable"


@pytest.mark.parametrize("wrong", [lambda x: aggr(select(x, x, nprasp.lt), x, reduction="median"), "reverse"])
def test_bad_options(wrong: Any) -> None:
    """A reduction that is none, and a program that is no function."""
    with pytest.raises(CapaxError) as caught:
        to_capax(wrong, [0, 1], 4)
    assert caught.value.code == "bad-option"


def test_arrays_stay_arrays() -> None:
    """Arrays in, arrays of integers out, lists accepted."""
    x = np.array([3, 1, 2])
    assert indices(x).tolist() == [0, 1, 2]
    assert full(x, 7).dtype.kind == "i"
    assert tok_map(x, lambda v: v / 2).tolist() == [1, 0, 1]
    assert seq_map(x, x, lambda a, b: a > b).dtype.kind == "i"
    assert nprasp.sel is nprasp.select
    assert nprasp.shift_right(x, -1).tolist() == [0, 0, 0]


def test_layers_and_operators_of_a_traced_program() -> None:
    """numpy numbers and lists on either side; copies; one layer."""
    found = to_capax(lambda x: (np.int64(2) * x.copy() + x // 2) ^ 1, [0, 1, 2], 4)
    assert found([0, 1, 2]) == [(2 * v + v // 2) ^ 1 for v in (0, 1, 2)]
    assert schedule(to_capax(lambda x: nprasp.has_seen(x, full(x, 1)), [0, 1], 4).program).depth == 1
    assert to_capax(lambda x: (x > 0).astype(int) + x.astype(bool).astype("int"), [0, 1], 4)([0, 1]) == [0, 2]
