"""Networks in JSON: those with too few bits or units are fooled, others are not, and no false witness holds."""

import hashlib
import json
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capax.errors import CapaxError
from capax.limits.witnesses.check.net_check import check_net_witness, is_net_witness
from capax.limits.witnesses.net import FullyConnected, IntegerRnn, read_net
from capax.limits.witnesses.search.fool_nets import fool_net, null_vector
from tests.support.outcomes import count_outcome, least_share

SEEDS = st.integers(0, 10**6)


def claims(read: IntegerRnn | FullyConnected, kind: str, inputs: list[Any]) -> dict[str, Any]:
    """A witness made up of two inputs; all that it says of the network is true."""
    n = read.length
    why = f"no statement at this size: the first layer has {2 * n} units for {n} numbers"
    if isinstance(read, IntegerRnn):
        why = f"no statement at this size: {n} bits are read, and a state can have {read.state_bits} bits"
    task = {"task": "sparse-averaging", "q": 1, "n": n}
    head = {"format": "capax-witness", "version": 1, "kind": kind, "task": task, "model": read.key, "inputs": inputs}
    return head | {"guaranteed": False, "why": why, "method": "forgery", "seed": 0}


def recurrent(seed: int, length: int, bits: int, d: int) -> dict[str, Any]:
    """A random recurrent network."""
    random = np.random.default_rng(seed)

    def rows(*size: int) -> Any:
        return random.integers(-2, 3, size).tolist()

    head = {"format": "capax-net", "kind": "recurrent", "length": length, "bits": bits}
    return head | {"start": [0] * d, "state": rows(d, d), "input": rows(2, d), "bias": rows(d), "read": rows(length, d)}


def remembering(length: int) -> dict[str, Any]:
    """A recurrent network that keeps every bit: its state shifts, and each number holds one bit."""
    shift = [[int(j == i + 1) for j in range(length)] for i in range(length)]
    entry = [[0] * length, [1, *[0] * (length - 1)]]
    read = [[int(j == length - 1 - i) for j in range(length)] for i in range(length)]
    head = {"format": "capax-net", "kind": "recurrent", "length": length, "bits": 2}
    return head | {"start": [0] * length, "state": shift, "input": entry, "bias": [0] * length, "read": read}


def connected(seed: int, length: int, units: int) -> dict[str, Any]:
    """A random fully connected network."""
    random = np.random.default_rng(seed)

    def rows(*size: int) -> Any:
        return (random.integers(-8, 9, size) / 4).tolist()

    last = [{"weight": rows(3, units), "bias": rows(3)}, {"weight": rows(1, 3), "bias": rows(1)}]
    head = {"format": "capax-net", "kind": "fully-connected", "length": length, "layers": last}
    return head | {"vectors": rows(units, length), "positions": rows(units, length), "bias": rows(units)}


def looking_up(length: int) -> dict[str, Any]:
    """A network that answers z_i: for each place a pair of units that is open only where it is asked for."""
    eye = np.eye(length, dtype=int)
    vectors = np.concatenate([eye, -eye]).tolist()
    places = np.concatenate([2 * eye, 2 * eye]).tolist()
    # z + 2 - 1 >= 0 where asked for, z - 1 <= 0 elsewhere: the difference of the two units is 2 z
    last = [{"weight": [["1/2"] * length + ["-1/2"] * length], "bias": [0]}]
    head = {"format": "capax-net", "kind": "fully-connected", "length": length, "layers": last}
    return head | {"vectors": vectors, "positions": places, "bias": [-1] * 2 * length}


def checked(net: dict[str, Any], witness: dict[str, Any]) -> bool:
    """Whether a witness holds against a network."""
    return check_net_witness(json.dumps(witness), json.dumps(net), "w").holds


@settings(max_examples=25, deadline=None)
@given(SEEDS, st.integers(1, 3), st.integers(1, 3))
def test_recurrent_networks_of_few_bits_are_fooled(seed: int, bits: int, d: int) -> None:
    net = recurrent(seed, bits * d + 1, bits, d)
    found = fool_net(read_net(json.dumps(net), "net"), lambda: 0.0)
    assert found.guaranteed
    assert found.witness is not None
    assert is_net_witness(json.dumps(found.witness))
    assert checked(net, found.witness)
    one, two = found.witness["inputs"]
    assert not checked(net, found.witness | {"inputs": [one, one]})
    asked = two[-1]
    for bit in (0, 1):
        # the same bit at the place that is asked for: nothing to tell apart
        words = [[*word[:asked], bit, *word[asked + 1 :]] for word in (one, two)]
        assert not checked(net, found.witness | {"inputs": words})


def test_a_network_that_remembers_is_not_fooled() -> None:
    net = remembering(10)
    found = fool_net(read_net(json.dumps(net), "net"), lambda: 0.0)
    assert found.witness is None
    assert found.ruled_out
    for seed in range(40):
        one, two = np.random.default_rng(seed).integers(0, 2, (2, 10)).tolist()
        at = seed % 10
        forged = claims(read_net(json.dumps(net), "net"), "equal-states", [[*one, at], [*two, at]])
        assert not checked(net, forged)


@settings(max_examples=25, deadline=None)
@given(SEEDS, st.integers(2, 6))
def test_narrow_networks_are_fooled(seed: int, length: int) -> None:
    net = connected(seed, length, length - 1)
    read = read_net(json.dumps(net), "net")
    found = fool_net(read, lambda: 0.0)
    assert found.guaranteed
    assert found.witness is not None
    assert checked(net, found.witness)
    assert isinstance(read, FullyConnected)


def test_a_network_that_looks_up_is_not_fooled() -> None:
    net = looking_up(4)
    read = read_net(json.dumps(net), "net")
    assert isinstance(read, FullyConnected)
    random = np.random.default_rng(0)
    for _ in range(30):
        z = [x / 8 for x in random.integers(-8, 9, 4).tolist()]
        for at in range(4):
            assert float(read.answer(read_fractions(z), at)) == z[at]
    found = fool_net(read, lambda: 0.0)
    assert found.witness is None
    assert found.ruled_out
    for seed in range(20):
        one, two = (np.random.default_rng(seed).integers(-8, 9, (2, 4)) / 8).tolist()
        forged = claims(read, "null-vector", [[*one, seed % 4], [*two, seed % 4]])
        assert not checked(net, forged)


def read_fractions(z: list[float]) -> list[Fraction]:
    """Numbers as fractions."""
    return [Fraction(x) for x in z]


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "other"},
        {"format": "other"},
        {"length": 0},
        {"length": "3"},
        {"bits": 99},
        {"start": [9, 9]},
        {"start": 3},
        {"state": [[1]]},
        {"input": [[1, 1]]},
        {"bias": [0.5, 1]},
        {"read": None},
        {"state": [[1 << 30, 0], [0, 0]]},
    ],
)
def test_what_is_no_network_is_refused(change: dict[str, Any]) -> None:
    for text in (json.dumps(recurrent(0, 4, 2, 2) | change), "[]", "{", "3"):
        with pytest.raises(CapaxError) as caught:
            read_net(text, "net.json")
        assert caught.value.code == "bad-model"


def test_a_witness_for_another_network_is_refused() -> None:
    net = recurrent(0, 9, 2, 2)
    witness = fool_net(read_net(json.dumps(net), "net"), lambda: 0.0).witness
    assert witness is not None
    for other, made in ((recurrent(1, 9, 2, 2), witness), (net, {"kind": "equal-states", "model": witness["model"]})):
        with pytest.raises(CapaxError) as caught:
            checked(other, made)
        assert caught.value.code == "bad-witness"


HOSTILE = ["1e999999999", "1/0", float("inf"), float("nan"), 10**400, None, True, [], "x", "0x1/0x0"]


@pytest.mark.parametrize("value", HOSTILE, ids=lambda value: str(value)[:12])
def test_hostile_numbers_are_refused_at_once(value: Any) -> None:
    """In the network and in the witness: no number that fills the memory, no traceback."""
    net = connected(0, 3, 2)
    witness = fool_net(read_net(json.dumps(net), "net"), lambda: 0.0).witness
    assert witness is not None
    one, two = witness["inputs"]
    made = witness | {"inputs": [[value, *one[1:]], two]}
    if value == 10**400:
        assert not checked(net, made)
        return
    with pytest.raises(CapaxError) as refused:
        checked(net, made)
    assert refused.value.code == "bad-witness"
    with pytest.raises(CapaxError) as caught:
        read_net(json.dumps(net | {"bias": [value, 0]}), "net")
    assert caught.value.code == "bad-model"


def test_a_state_of_endless_bits_is_refused() -> None:
    net = recurrent(0, 9, 2, 2)
    witness = fool_net(read_net(json.dumps(net), "net"), lambda: 0.0).witness
    assert witness is not None
    huge = net | {"bits": 10**12}
    key = hashlib.sha256(json.dumps(huge, sort_keys=True).encode()).hexdigest()
    with pytest.raises(CapaxError, match="does not fit"):
        checked(huge, witness | {"model": key})


@least_share("a vector", 0.3)
@settings(max_examples=25, deadline=None)
@given(SEEDS, st.integers(1, 6), st.integers(1, 6))
def test_null_vectors_by_definition(seed: int, units: int, length: int) -> None:
    """A vector that all rows send to 0, or none where the rank is full."""
    weight = (np.random.default_rng(seed).integers(-2, 3, (units, length)) / 2).tolist()
    found = null_vector(weight)
    if found is None:
        assert np.linalg.matrix_rank(np.array(weight)) == length
        count_outcome("full rank")
        return
    count_outcome("a vector")
    assert any(found)
    for row in weight:
        assert sum(Fraction(w) * v for w, v in zip(row, found, strict=True)) == 0


def test_the_search_for_a_null_vector_ends_in_time() -> None:
    """The time counts, and none found is then no proof that there is none."""
    read = read_net(json.dumps(connected(0, 40, 39)), "net")
    found = fool_net(read, lambda: 2.0)
    assert found.witness is None
    assert found.guaranteed
    assert not found.ruled_out


def test_long_fractions_are_written_and_read() -> None:
    """Weights of many digits give fractions of more digits than Python writes in decimal."""
    random = np.random.default_rng(0)
    rows = random.normal(size=(20, 21)) * np.exp2(random.integers(-900, 1, (20, 21)))
    net = connected(0, 21, 20) | {"vectors": rows.tolist()}
    found = fool_net(read_net(json.dumps(net), "net"), lambda: 0.0)
    assert found.witness is not None
    assert any("0x" in text for text in found.witness["inputs"][0][:-1])
    assert checked(net, found.witness)
