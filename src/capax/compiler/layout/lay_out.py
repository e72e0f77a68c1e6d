"""Pass: the layout, which is the sublayers in order, and the slot of the stream that each direction has.

Each direction gets a slot of its own, or slots are reused after the last read, whichever makes the model smaller.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from capax.budget import Budget
from capax.compiler.domain import spend
from capax.compiler.encode.signals import Direction
from capax.compiler.layout.network import Network, check_parameters
from capax.compiler.layout.shared_slot import with_shared_slot
from capax.compiler.layout.slots import (
    HeadSublayer,
    SlotLayout,
    Sublayer,
    allocate_reusing,
    allocate_separate,
    sublayers_of,
    written,
)


def lay_out(network: Network, budget: Budget) -> SlotLayout:
    """The layout of a network with the fewest weights; a network that does not fit the budget is rejected."""
    sublayers, blocks = sublayers_of(network)
    first = _embedded(network, sublayers)
    width = len(first) + sum(len(written(s)) for s in sublayers)
    count = _weights(network, sublayers, width)
    check_parameters(count, network.domain)
    spend(budget, count // 100, None)
    layouts = [allocate_separate(first, sublayers)]
    if not network.domain.keep_all:
        layouts.append(allocate_reusing(first, sublayers, network))
    layouts = [replace(layout, blocks=tuple(blocks)) for layout in layouts]
    if not network.domain.keep_all:
        layouts += [shared for layout in layouts if (shared := with_shared_slot(layout, network)) is not None]
    return min(layouts, key=lambda layout: _parameters(network, layout, max(blocks, default=0)))


def _embedded(network: Network, sublayers: list[Sublayer]) -> list[Direction]:
    """The directions that the embedding and the positions write and something reads."""
    read = {d for s in network.readout.logits for d in s.directions()}
    for sublayer in sublayers:
        read |= sublayer.read()
    return [d for d in (*network.by_token, *network.by_position) if d in read]


def _weights(network: Network, sublayers: Sequence[Sublayer], width: int) -> int:
    """About how many weights a model of a width has: without biases and sinks."""
    count = width * (len(network.domain.alphabet) + network.domain.max_length + len(network.readout.logits))
    for sublayer in sublayers:
        if isinstance(sublayer, HeadSublayer):
            count += sum(width * (h.order * len(h.pairs) + 2 * len(h.outputs)) for h in sublayer.heads)
        else:
            count += sum(a * b for a, b in pairwise([width, *map(len, sublayer.units), width]))
    return count


def _parameters(network: Network, layout: SlotLayout, blocks: int) -> int:
    """How many parameters a layout has, up to what all layouts of the network have alike."""
    width, domain = layout.width, network.domain
    columns = [f for d, f in network.by_position.items() if d in layout.slots]
    count = width * (len(domain.alphabet) + len(network.readout.logits) + blocks)
    count += width * sum(isinstance(f, str) for f in columns)
    count += width * domain.max_length * any(not isinstance(f, str) for f in columns)
    for sublayer in layout.sublayers:
        if isinstance(sublayer, HeadSublayer):
            count += width * sum(h.order * len(h.pairs) + len(h.values) + len(h.outputs) for h in sublayer.heads)
        else:
            count += sum((a + 1) * b for a, b in pairwise([width, *map(len, sublayer.units), width]))
    return count
