"""A network whose nodes send a few bits along each edge in a round, and how messages of all nodes reach all of them.

This is the CONGEST model of distributed computing. A message is cut into packets of at most `bandwidth` bits. Packets
go along the edges of a spanning tree; in each round every node sends on each of its edges the packet that came first
and was not sent there yet. Who sends what when depends on the network and on lengths alone, which all nodes know, so
packets need no headers.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from capax.errors import CapaxError, nearest

NETWORKS: Final = {
    "clique": "every node sends to all others at once",
    "graph": "the graph itself, its edges taken both ways; it has to be connected",
    "path": "0 - 1 - 2 - ...",
    "ring": "a path whose ends are joined",
    "star": "all nodes joined to node 0",
    "tree": "node i joined to node (i - 1) // 2",
}
"""The networks that can be named, with what they are."""
MOST_PACKETS: Final = 2_000_000
"""More packets than these are not sent."""

Edge = tuple[int, int]


@dataclass(frozen=True, slots=True)
class CommunicationNetwork:
    """An undirected graph on nodes 0 ... size - 1."""

    name: str
    size: int
    edges: frozenset[Edge]

    def near(self, node: int) -> list[int]:
        """The neighbours of a node, in order."""
        return sorted(b if a == node else a for a, b in self.edges if node in (a, b))

    def spanning_tree(self) -> "CommunicationNetwork":
        """The tree of shortest ways from node 0; a network that is not connected is refused."""
        edges: list[Edge] = []
        reached, queue = {0}, deque([0])
        near = [self.near(node) for node in range(self.size)]
        while queue:
            node = queue.popleft()
            for other in near[node]:
                if other not in reached:
                    reached.add(other)
                    queue.append(other)
                    edges.append((min(node, other), max(node, other)))
        if len(reached) < self.size:
            missing = min(set(range(self.size)) - reached)
            raise CapaxError(
                "bad-input",
                f"the network {self.name} is not connected: nothing reaches vertex {missing} from vertex 0",
                hint="take another graph, or another --network",
            )
        return CommunicationNetwork(self.name, self.size, frozenset(edges))


def network_of(name: str, word: Sequence[Any]) -> CommunicationNetwork:
    """The network of a name on as many nodes as a graph has vertices; the graph's rows are texts of bits."""
    n = len(word)
    match name:
        case "clique":
            pairs = {(i, j) for j in range(n) for i in range(j)}
        case "graph":
            pairs = {(min(i, j), max(i, j)) for i in range(n) for j in range(n) if i != j and word[i][j] == "1"}
        case "path" | "ring":
            pairs = {(i, i + 1) for i in range(n - 1)} | ({(0, n - 1)} if name == "ring" and n > 2 else set())
        case "star":
            pairs = {(0, i) for i in range(1, n)}
        case "tree":
            pairs = {((i - 1) // 2, i) for i in range(1, n)}
        case _:
            near = nearest(name, list(NETWORKS))
            hint = f"did you mean {near}?" if near else f"known are {', '.join(NETWORKS)}"
            raise CapaxError("bad-option", f"there is no network {name!r:.60}", hint=hint)
    return CommunicationNetwork(name, n, frozenset(pairs))


@dataclass(frozen=True, slots=True)
class Delivery:
    """What was sent: the rounds, the bits that went along each edge in each direction, and what every node then has.

    `carried` maps (from, to) to the bits as a text of 0 and 1, in the order in which they were sent; `received` has for
    each node the messages of all others by their origin.
    """

    rounds: int
    carried: dict[Edge, str]
    received: tuple[dict[int, str], ...]


def deliver(tree: CommunicationNetwork, messages: Sequence[str], bandwidth: int) -> Delivery:
    """Sends every node's message, a text of bits, to all others, a round at a time."""
    packets = sum(-(-len(message) // bandwidth) for message in messages)
    if packets * len(tree.edges) * 2 > MOST_PACKETS:
        what = f"{packets:,} packets on {len(tree.edges):,} edges are more than {MOST_PACKETS:,}"
        raise CapaxError("too-large", what, hint="take a larger --bandwidth, or a smaller model")
    near = [tree.near(node) for node in range(tree.size)]
    queues: dict[Edge, deque[tuple[int, str]]] = {(a, b): deque() for a in range(tree.size) for b in near[a]}
    for origin, message in enumerate(messages):
        cut = [(origin, message[k : k + bandwidth]) for k in range(0, len(message), bandwidth)]
        for other in near[origin]:
            queues[origin, other].extend(cut)
    carried = dict.fromkeys(queues, "")
    received: list[dict[int, str]] = [{} for _ in messages]
    rounds = 0
    while any(queues.values()):
        rounds += 1
        sent = [(edge, queue.popleft()) for edge, queue in sorted(queues.items()) if queue]
        for (sender, node), (origin, bits) in sent:
            carried[sender, node] += bits
            received[node][origin] = received[node].get(origin, "") + bits
            for other in near[node]:
                if other != sender:
                    queues[node, other].append((origin, bits))
    return Delivery(rounds, carried, tuple(received))


def bits_of(data: bytes, count: int) -> str:
    """The first bits of bytes, as a text."""
    return "".join(f"{byte:08b}" for byte in data)[:count]


def bytes_of(bits: str) -> bytes:
    """The bytes of a text of bits, the last one filled with zeros."""
    return bytes(int(bits[k : k + 8].ljust(8, "0"), 2) for k in range(0, len(bits), 8))
