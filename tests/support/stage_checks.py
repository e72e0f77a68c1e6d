"""What must hold between the passes of the compiler: a predicate on the value of each stage."""

import itertools

import numpy as np

from capax.compiler.compiled import Passes
from capax.compiler.layout.network import PlannedHead
from capax.compiler.layout.slots import HeadSublayer, last_reads, written
from capax.errors import CapaxError
from capax.rasp.ir.describe import FULL
from capax.rasp.ir.graph import topological
from capax.rasp.ir.nodes import Aggregate, Best, Const, Indices, SelectorNode, SOpNode, Width
from capax.rasp.meaning import reference

LAST = Best(FULL, Indices())
"""What a head selects that reads the length."""


def check_stages(passes: Passes, length: int) -> int:
    """Checks every stage of a compilation; how many heads had their scores compared on words of a length."""
    check_spec(passes)
    check_analysis(passes)
    check_schedule(passes)
    check_network(passes)
    check_layout(passes)
    check_model(passes)
    return check_scores(passes, length)


def check_spec(passes: Passes) -> None:
    """The root is the value, or the value with its type beside it."""
    spec = passes.spec
    assert (spec.root is spec.value) == (spec.shift is None)


def check_analysis(passes: Passes) -> None:
    """Every node below the root is analysed, every s-op has a value, and tables are as large as their bases."""
    analysis = passes.analysis
    for node in topological(passes.spec.root):
        if isinstance(node, SelectorNode):
            assert node in analysis.selectors
            continue
        known = analysis.sops[node]
        if known.table is not None:
            assert len(known.table) == np.prod([len(analysis.base_values(b)) for b in known.bases], dtype=int)
    assert set(passes.rounding.slacks) == {n for n in topological(passes.spec.value) if isinstance(n, SOpNode)}


def check_schedule(passes: Passes) -> None:
    """No node comes before what it is made from, and only s-ops that vary are encoded."""
    schedule = passes.schedule
    for node in topological(passes.spec.root):
        assert all(schedule.layers[o] <= schedule.layers[node] for o in node.operands)
        if isinstance(node, Aggregate):
            assert schedule.layers[node.value] < schedule.layers[node]
    assert schedule.depth == schedule.layers[passes.spec.root]
    assert not any(isinstance(node, Const) for node in schedule.encoded)
    layers = [schedule.layers[node] for node in schedule.encoded]
    assert layers == sorted(layers)


def check_network(passes: Passes) -> None:
    """Each scheduled aggregate and width has its heads in its layer, and nothing is read before it is written."""
    network, schedule = passes.network, passes.schedule
    computed = {node for head in network.heads for node in head.computes}
    assert computed == {node for node in schedule.encoded if isinstance(node, (Aggregate, Width))}
    for head in network.heads:
        assert all(schedule.layers[node] == head.layer for node in head.computes)
        read = {d for pair in (*head.pairs, head.values) for s in pair for d in s.directions()}
        assert all(direction.born < 2 * head.layer for direction in read)
        assert len(head.sink) in (0, len(head.pairs))
    for layer, mlp in network.mlps.items():
        assert all(direction.born <= 2 * layer for direction in mlp.read())
        assert all(direction.born == 2 * layer + 1 for direction in mlp.writes)


def check_layout(passes: Passes) -> None:
    """Every direction that is read has a slot; what was in it before is read no more, and taken away before that."""
    layout, network = passes.layout, passes.network
    first = [d for d in (*network.by_token, *network.by_position) if d in layout.slots]
    last = last_reads(first, layout.sublayers, network)
    begin = dict.fromkeys(first, -1) | {d: time for time, s in enumerate(layout.sublayers) for d in written(s)}
    first_read = {
        d: min((t for t, s in enumerate(layout.sublayers) if d in s.read()), default=len(layout.sublayers))
        for d in begin
    }
    for direction in last:
        assert 0 <= layout.slots[direction] < layout.width
    by_slot = itertools.groupby(sorted(begin, key=lambda d: (layout.slots[d], begin[d])), key=layout.slots.__getitem__)
    for _, directions in by_slot:
        for before, after in itertools.pairwise(directions):
            assert last[before] <= begin[after], (before.name, after.name)
            assert any(
                before in sublayer.clears
                for time, sublayer in enumerate(layout.sublayers)
                if not isinstance(sublayer, HeadSublayer) and last[before] <= time < first_read[after]
            )


def check_model(passes: Passes) -> None:
    """The model has the heads of the network in the layers of the schedule, and the width of the layout."""
    model = passes.model
    assert model.embedding.shape[1] == passes.layout.width == len(model.names)
    heads = [len(block.heads) for block in model.blocks if block.heads]
    planned = [len([h for h in passes.network.heads if h.layer == n]) for n in range(1, passes.schedule.depth + 1)]
    assert heads == [count for count in planned if count]


def check_scores(passes: Passes, length: int) -> int:
    """Heads score 0 on selected keys and at most -1 on others, on all words of a length; returns how many were checked.

    Without a sink, scores are relative to the highest of the query.
    Each selected pair is in exactly one of the heads that count the parts of a disjunction.
    """
    model, checked = passes.model, 0
    words = list(itertools.product(passes.domain.alphabet, repeat=length))
    run = model.run(words, trace=True, many=True)
    blocks = [
        n - 1 for n, s in zip(passes.layout.blocks, passes.layout.sublayers, strict=True) if isinstance(s, HeadSublayer)
    ]
    for layer, block in enumerate(blocks, 1):
        heads = [head for head in passes.network.heads if head.layer == layer]
        selectors = {
            _selector(head): [n for n, h in enumerate(heads) if _selector(h) is _selector(head)] for head in heads
        }
        for selector, numbers in selectors.items():
            if isinstance(selector, Best):
                continue
            checked += len(numbers)
            scales = np.array([heads[n].scale for n in numbers])[:, None, None]
            for word, scores in zip(words, run[f"blocks.{block}.attn.scores"], strict=True):
                try:
                    selected = np.array(reference.evaluate(selector, word))
                except CapaxError:
                    continue
                of_keys = scores[numbers, :, :length] / scales
                for n, number in enumerate(numbers):
                    if heads[number].pairs and not heads[number].sink:
                        of_keys[n] -= of_keys[n].max(axis=1, keepdims=True)
                assert ((of_keys == 0) | (of_keys <= -1)).all()
                counting = [n for n, number in enumerate(numbers) if heads[number].part is not None]
                for group in (counting, *([n] for n in range(len(numbers)) if n not in counting)):
                    assert not group or ((of_keys[group] == 0).sum(axis=0) == selected).all()
    return checked


def _selector(head: PlannedHead) -> SelectorNode:
    node = head.computes[0]
    assert isinstance(node, (Aggregate, Width))
    return LAST if node is Width(FULL) and head.pairs and not head.sink else node.selector


def plain_heads(passes: Passes) -> list[PlannedHead]:
    """The heads whose selector is not a `best`."""
    return [head for head in passes.network.heads if not isinstance(_selector(head), Best)]
