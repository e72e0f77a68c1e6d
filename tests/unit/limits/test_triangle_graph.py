"""Directed triangles: the bound with its constant."""

import pytest

from capax.limits import limit
from capax.limits.protocols import protocol
from capax.limits.triangle_graph import sent
from capax.limits.witnesses.models import triangle_digraph
from capax.limits.witnesses.models.random_layers import ToyShape
from capax.limits.witnesses.models.triangle_graph import random_layers


@pytest.mark.parametrize("sizes", [(1, 1, 1, 1), (2, 3, 4, 5), (3, 1, 2, 16)])
def test_it_binds_from_the_size_that_it_says(sizes: tuple[int, int, int, int]) -> None:
    """Impossible from k = (2D - 1) 2 H m p + 1 on, no statement before."""
    layers, heads, dim, bits = sizes
    k = sent(*sizes)
    assert k == (2 * layers - 1) * 2 * heads * dim * bits
    at = {"layers": layers, "heads": heads, "dim": dim, "bits": bits}
    bound = limit("triangle-graph")
    for n, kind in ((3 * k + 2, "no-statement"), (3 * k + 3, "impossible"), (2**1000, "impossible")):
        result = bound.run(n=n, **at)
        assert result.verdict.kind == kind
        low = result["D H m needed"]
        if kind == "impossible" and low.value is not None:
            assert layers * heads * dim <= float(low.value) * 2 * layers / (2 * layers - 1)


def test_the_sharp_condition_is_printed() -> None:
    """At N = 51 with all ones and 8 bits it decides, while D H m = 1 is above what follows from it."""
    result = limit("triangle-graph").run(n=51, layers=1, heads=1, dim=1, bits=8)
    assert result.verdict.kind == "impossible"
    assert result["(2D - 1) 2 H m p"].value == 16
    assert "below floor(N / 3) = 17" in result.verdict.text
    assert "1 layer with 1 head of dimension 1 in numbers of 8 bits" in result.verdict.text
    before = limit("triangle-graph").run(n=50, layers=1, heads=1, dim=1, bits=8).verdict
    assert "16 is not below floor(N / 3) = 16" in before.text


def test_the_bits_are_those_of_a_run() -> None:
    """The calculator's count of what the layers send is that of the protocol in exact integers."""
    model = random_layers(6, ToyShape(layers=3, heads=2, dim=2, numbers="integer:8,4,8"), 1)
    outcome = protocol("triangle-disjointness").play(model, {"n": 6}, {}, 0)
    assert outcome.exact_bits == 2 * sent(3, 2, 2, 8)
    row = limit("triangle-graph").run(n=6, layers=3, heads=2, dim=2, bits=8)["the layers send"]
    assert outcome.exact_bits == outcome.counted_bits == row.value


def test_no_model_that_works_is_called_impossible() -> None:
    """Models that find all directed triangles send at least as many bits as the bound asks for."""
    for n in (3, 6, 9):
        outcome = protocol("triangle-disjointness").play(triangle_digraph.solving(n), {"n": n}, {}, 1)
        assert outcome.output == outcome.truth
        assert outcome.exact_bits >= (n // 3) ** 2
