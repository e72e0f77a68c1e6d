"""What is known of a sink."""

import numpy as np

from capax.certify.parts.pairs import Side, SinkBounds, sink_of
from capax.model.parts import Affine, Head, Sink

NOTHING = Side(np.zeros((1, 1)), np.zeros((1, 1)), True, 1.0, {}, None)


def test_the_middle_and_how_far_off() -> None:
    """It holds the whole interval, and is exact where both ends are one."""
    found = SinkBounds(NOTHING, np.array([1.0, -3.0, 0.1]), np.array([4.0, -3.0, 0.3]))
    assert found.worth(0) == (2.5, 1.5)
    assert found.worth(1) == (-3.0, 0.0)
    middle, off = found.worth(2)
    assert middle - off <= 0.1
    assert middle + off >= 0.3
    assert off <= 0.1 + 1e-15


def test_a_constant_sink_is_known() -> None:
    """Its key is one row without noise; a head without a sink has no bounds."""
    one = Affine(np.ones((1, 2)), np.zeros(2))
    head = Head(one, one, one, np.ones((2, 1)), sink=Sink(np.array([0.5, 3.0]), np.array([2.0, 7.0])))
    found = sink_of(head)
    assert found is not None
    assert found.key.low.tolist() == found.key.high.tolist() == [[0.5, 3.0]]
    assert (found.key.exact, found.key.grain, found.key.positions) == (True, 0.5, None)
    assert found.low.tolist() == found.high.tolist() == [2.0, 7.0]
    assert sink_of(Head(one, one, one, np.ones((2, 1)))) is None
