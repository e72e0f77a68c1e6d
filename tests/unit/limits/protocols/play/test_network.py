"""Messages of all nodes along the edges of a network."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capax.errors import CapaxError
from capax.limits.protocols.play.network import NETWORKS, bits_of, bytes_of, deliver, network_of


@given(st.data())
def test_every_message_reaches_every_node(data: st.DataObject) -> None:
    """Bit for bit, and an edge carries what is on its side, at most the bandwidth in a round."""
    n = data.draw(st.integers(2, 9))
    name = data.draw(st.sampled_from(sorted(set(NETWORKS) - {"graph"})))
    size, bandwidth = data.draw(st.integers(1, 12)), data.draw(st.integers(1, 5))
    messages = data.draw(st.lists(st.text("01", min_size=size, max_size=size), min_size=n, max_size=n))
    tree = network_of(name, ["0" * n] * n).spanning_tree()
    assert len(tree.edges) == n - 1
    delivery = deliver(tree, messages, bandwidth)
    for node, heard in enumerate(delivery.received):
        assert heard == {origin: bits for origin, bits in enumerate(messages) if origin != node}
    for a, b in tree.edges:
        assert len(delivery.carried[a, b]) + len(delivery.carried[b, a]) == n * size
    packets = -(-size // bandwidth)
    busiest = max(len(bits) // size for bits in delivery.carried.values())
    assert packets * busiest <= delivery.rounds <= packets * n + n


@given(st.text("01", max_size=40))
def test_bits_and_bytes(bits: str) -> None:
    assert bits_of(bytes_of(bits), len(bits)) == bits


def test_the_networks_have_their_edges() -> None:
    rows = ["0100", "1010", "0101", "0010"]
    edges = {name: len(network_of(name, rows).edges) for name in NETWORKS}
    assert edges == {"clique": 6, "graph": 3, "path": 3, "ring": 4, "star": 3, "tree": 3}


def test_what_is_refused() -> None:
    with pytest.raises(CapaxError, match="not connected: nothing reaches vertex 2"):
        network_of("graph", ["010", "100", "000"]).spanning_tree()
    with pytest.raises(CapaxError, match="no network"):
        network_of("torus", ["0"])
    with pytest.raises(CapaxError, match="packets"):
        deliver(network_of("path", ["0" * 60] * 60), ["0" * 1000] * 60, 1)
