"""The planned network: heads, MLPs and readout over signals, before any direction has a slot."""

from collections.abc import Mapping
from dataclasses import dataclass

from capax.compiler.domain import Domain
from capax.compiler.encode.signals import Direction, SignalSum
from capax.compiler.layout.layered_mlp import LayeredMlp
from capax.errors import CapaxError
from capax.model.parts import Mask, Origin
from capax.model.vocabulary import Decoding
from capax.rasp.ir.nodes import Node

PER_BUDGET = 2500
"""A model may have this many parameters for each unit of the budget: 50 million at the usual one."""

MOST_PARAMETERS = 500_000_000
"""A model of more parameters has a file beyond the limit of 2,000,000,000 bytes, whatever the budget."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PlannedHead:
    """A head over signals: score = scale * sum of query * key over the pairs; the sink's key meets the same queries.

    A head of third order has triples: a query, a first and a second key. Its values are read at the first key.

    `values` are summed with the weights of the keys into the outputs; `defaults` are the sink's values. `computes` are
    the nodes that the head is for, `part` is the number of the part of a disjunction that it counts, and `keys` are the
    positions from and up to which it counts keys, where these are not all.
    """

    layer: int
    pairs: tuple[tuple[SignalSum, ...], ...]
    sink: tuple[float, ...]
    scale: float
    mask: Mask
    values: tuple[SignalSum, ...]
    defaults: tuple[float, ...]
    outputs: tuple[Direction, ...]
    name: str
    origin: Origin
    computes: tuple[Node, ...]
    part: int | None = None
    keys: tuple[int, int] | None = None
    order: int = 2


@dataclass(frozen=True, slots=True, eq=False)
class PlannedReadout:
    """The readout over signals, one sum per logit, and what the logits mean.

    `tolerance` is how far the numbers that it reads may be off, where that is known.
    """

    logits: tuple[SignalSum, ...]
    decoding: Decoding
    tolerance: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """All heads, the MLP of each layer (layer 0 is the input MLP), what embedding and positions write, the readout."""

    domain: Domain
    depth: int
    heads: tuple[PlannedHead, ...]
    mlps: Mapping[int, LayeredMlp]
    by_token: Mapping[Direction, tuple[float, ...]]
    by_position: Mapping[Direction, str | tuple[float, ...]]
    readout: PlannedReadout


def check_parameters(count: int, domain: Domain) -> None:
    """Rejects a model of more parameters than the budget allows."""
    most = PER_BUDGET * domain.budget
    if count > most:
        more = ", or raise the budget" if count <= MOST_PARAMETERS else ""
        raise CapaxError(
            "too-many-values",
            f"the model would have about {count:,} parameters; the budget allows {most:,}",
            hint="shorten max_length, or use fewer tokens" + more,
        )
