"""A name for the shape of a node that is the same in every process."""

import struct
from hashlib import blake2b
from typing import Any
from weakref import WeakKeyDictionary

from capax.rasp.ir.graph import postorder
from capax.rasp.ir.nodes import Node

_known: WeakKeyDictionary[Node, bytes] = WeakKeyDictionary()
"""Fingerprints already computed. A node never changes, so this only saves time."""


def fingerprint(root: Node) -> bytes:
    """Sixteen bytes that depend only on the shape of the node and on its constants, with their types.

    Nodes are told apart by a cryptographic hash, so two different shapes with one fingerprint are not to be expected.
    """
    for node in postorder([root], lambda n: [o for o in n.operands if o not in _known]):
        _known[node] = blake2b(_spelled((type(node).__name__, *node.parts)), digest_size=16).digest()
    return _known[root]


def _spelled(part: Any) -> bytes:
    """The part as bytes that no other part has."""
    if isinstance(part, Node):
        return b"n" + _known[part]
    if isinstance(part, tuple):
        return b"t%d:" % len(part) + b"".join(map(_spelled, part))
    if isinstance(part, float):
        return b"f" + struct.pack("<d", part)
    text = hex(part) if isinstance(part, int) else str(part)
    kind = {bool: b"b", int: b"i"}.get(type(part), b"s")
    spelled = text.encode("utf-8", "surrogatepass")
    return kind + b"%d:" % len(spelled) + spelled
