"""How many layers the bound for sequential composition reaches."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capax.limits import limit
from capax.limits.base.deep_sizes import DeepSizes
from capax.limits.log_log_depth import largest_layers, largest_stated, least_message


@settings(max_examples=40, deadline=None)
@given(st.integers(4, 60_000), st.integers(1, 10**6))
def test_the_largest_layers_are_those_that_the_limit_calls_impossible(log: int, message: int) -> None:
    """By the other calculator: impossible at L, no statement at L + 1."""
    n, deep = 2**log, limit("sequential-composition")
    reach = largest_layers(n, message)
    for layers in range(2, reach + 2):
        kind = deep.run(n=n, layers=layers, heads=1, dim=message, bits=1).verdict.kind
        assert (kind == "impossible") == (layers <= reach)


@pytest.mark.parametrize("log", [15, 16, 255, 256, 4095, 4096, 65536])
def test_with_two_bits_it_is_a_quarter_of_log_log(log: int) -> None:
    """B = 2: the largest L with 16^L <= log2 n."""
    assert largest_stated(2**log, 2) == math.floor(math.log2(log) / 4 + 1e-12)


@pytest.mark.parametrize("layers", [2, 3, 4, 5])
def test_theorem_1_1_follows_from_there_on(layers: int) -> None:
    """At the least B and above it, whatever satisfies the inequality has a prompt that fits; below it, not always."""
    least = least_message(layers)
    for message in (least, least + 1, 10 * least):
        n = message ** (16**layers)
        assert float(DeepSizes(layers, message).prompt) <= math.log2(message) * 16**layers
        if n.bit_length() < 300_000:
            assert largest_layers(n, message) >= layers
    below = least - 1
    assert below < 2 or float(DeepSizes(layers, below).prompt) > math.log2(below) * 16**layers


def test_no_largest_layers_where_there_is_no_statement() -> None:
    """Theorem 4.1 starts at two layers: below, the line has no number."""
    result = limit("log-log-depth").run(n=10**6)
    assert result.verdict.kind == "no-statement"
    assert result["largest L, Theorem 4.1"].value is None
    assert limit("log-log-depth").run(n=2**3000)["largest L, Theorem 4.1"].value == 2
