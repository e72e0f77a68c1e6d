"""MLPs whose units read units: the same numbers as nested ReLU units, one by one."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from capax.model.parts import Mlp
from capax.theorems.weights.staged import staged
from capax.theorems.weights.stream import Stream

STREAM = Stream(("x", "y", "bit", "out", "other"))


def applied(mlp: Mlp, row: list[float]) -> list[float]:
    """What an MLP adds to a row."""
    values = np.array(row)
    for number, one in enumerate(mlp.maps):
        values = values @ one.weight + one.bias
        if number + 1 < len(mlp.maps):
            values = np.maximum(values, 0)
    return [float(v) for v in values]


@st.composite
def networks(draw: st.DrawFn) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, float]]]:
    """Units that read directions and earlier units, and what is written."""
    known = ["x", "y", "bit", ""]
    coefficient = st.integers(-3, 3).map(float)
    units: dict[str, dict[str, float]] = {}
    for at in range(draw(st.integers(0, 6))):
        units[f"unit {at}"] = draw(st.dictionaries(st.sampled_from(known), coefficient, max_size=4))
        known.append(f"unit {at}")
    writes = draw(
        st.dictionaries(
            st.sampled_from(["out", "other"]), st.dictionaries(st.sampled_from(known), coefficient, max_size=4)
        )
    )
    return units, writes


@given(networks(), st.integers(-5, 5), st.integers(-5, 5), st.booleans())
def test_the_same_numbers(
    network: tuple[dict[str, dict[str, float]], dict[str, dict[str, float]]], x: int, y: int, bit: bool
) -> None:
    """Whatever reads whatever, across any number of stages."""
    units, writes = network
    held = {"x": float(x), "y": float(y), "bit": float(bit), "": 1.0}
    for name, terms in units.items():
        held[name] = max(0.0, sum(c * held[source] for source, c in terms.items()))
    right = [sum(c * held[s] for s, c in writes.get(name, {}).items()) for name in STREAM.names]
    assert applied(staged(STREAM, units, writes, positive=("bit",)), [float(x), float(y), float(bit), 0, 0]) == right
