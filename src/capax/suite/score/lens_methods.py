"""Discovery methods on TransformerLens: EAP, EAP-IG, exact edge patching and zero ablation of edges.

Each gives every edge of the graph a score. EAP multiplies the difference that a node's output makes between two words
with the gradient where it is read; EAP-IG averages gradients between the two; exact patching and zero ablation run the
model once for each edge, many edges in one batch. References: Syed, Rager and Conmy 2023; Hanna, Pezzelle and Belinkov
2024; Conmy et al. 2023.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import torch
from torch import Tensor

from capax.errors import CapaxError
from capax.model.export.standalone.lens_load import bridge, hooked, oldest
from capax.model.interpretability.graph import (
    LOGITS,
    Edge,
    GraphShape,
    head_name,
    head_of,
    layer_of,
    letter_of,
    mlp_name,
)
from capax.model.interpretability.lens_model import LensModel

ROWS: Final = 1024
"""Words run at once, those of several edges counted."""


@dataclass(frozen=True, slots=True)
class PairBatch:
    """Clean and corrupted words of one length, as rows (words, positions) with the prefix before them."""

    clean: Tensor
    corrupted: Tensor
    start: int


def opened(lens: LensModel) -> Any:
    """The model in the installed TransformerLens: a `HookedTransformer`, or a `TransformerBridge` from version 4 on."""
    make = {"HookedTransformer": hooked, "TransformerBridge": bridge}[oldest()]
    return make(dict(lens.config), {name: torch.tensor(array) for name, array in lens.tensors.items()})


class LensGraph:
    """A HookedTransformer with its graph: what nodes give on words, and what becomes of the logits."""

    def __init__(self, lens: LensModel) -> None:
        self.shape: GraphShape = lens.shape
        if oldest() != "HookedTransformer":  # a bridge has no hooks at what single heads read
            what = "scoring needs a TransformerLens with HookedTransformer, which version 4 took away"
            raise CapaxError("missing-extra", what, hint="pip install 'transformer-lens<4'")
        self.model = opened(lens)
        for setting in ("attn_result", "split_qkv_input", "hook_mlp_in"):
            getattr(self.model, f"set_use_{setting}")(True)
        for parameter in self.model.parameters():
            parameter.requires_grad_(False)
        self.edges = self.shape.edges(positions=False)
        self.by_target: dict[str, list[Edge]] = {}
        for edge in self.edges:
            self.by_target.setdefault(edge.target, []).append(edge)

    def outputs(self, rows: Tensor) -> tuple[Tensor, dict[str, Tensor]]:
        """The logits, and the output of every node."""
        kept: dict[str, Tensor] = {}

        def keep(value: Tensor, hook: Any) -> None:
            layer = hook.name.split(".")[1] if "." in hook.name else ""
            if hook.name.endswith("hook_result"):
                for head in range(self.shape.heads):
                    kept[head_name(int(layer), head)] = value[:, :, head].detach()
            else:
                kept["input" if not layer else mlp_name(int(layer))] = value.detach()

        names = ["hook_embed"]
        for layer in range(self.shape.layers):
            names += [f"blocks.{layer}.attn.hook_result", f"blocks.{layer}.hook_mlp_out"]
        with torch.no_grad():
            logits = self.model.run_with_hooks(rows, fwd_hooks=[(name, keep) for name in names])
        return logits, kept

    @contextmanager
    def heads_together(self) -> Iterator[None]:
        """What heads write is summed in one product, without the numbers of each: a third of the time is saved."""
        self.model.set_use_attn_result(False)
        try:
            yield
        finally:
            self.model.set_use_attn_result(True)

    def streams(self, rows: Tensor) -> tuple[Tensor, list[Tensor]]:
        """The logits, and the stream before every layer."""
        kept: list[Tensor] = []

        def keep(value: Tensor, hook: Any) -> None:
            kept.append(value.detach())

        names = [f"blocks.{layer}.hook_resid_pre" for layer in range(self.shape.layers)]
        with torch.no_grad():
            logits = self.model.run_with_hooks(rows, fwd_hooks=[(name, keep) for name in names])
        return logits, kept

    def first_layer(self, edge: Edge) -> int:
        """The layer that an edge leads to; the last one for the logits."""
        layer = layer_of(edge.target)
        return self.shape.layers - 1 if layer is None else layer

    def reading_hook(self, target: str) -> str:
        """The hook at which a target reads the stream."""
        place, letter = head_of(target), letter_of(target)
        if place is not None:
            return f"blocks.{place[0]}.hook_{letter}_input"
        last = f"blocks.{self.shape.layers - 1}.hook_resid_post"
        return last if target == LOGITS else f"blocks.{layer_of(target)}.hook_mlp_in"


Metric = Callable[[Tensor], Tensor]
"""From logits (words, positions, answers) to a number for each word."""


def logit_difference(clean: Tensor, corrupted: Tensor, start: int) -> Metric:
    """The logits of the clean answers less those of the corrupted ones, summed over positions, for each word."""
    right, wrong = (logits[:, start:].argmax(-1, keepdim=True) for logits in (clean, corrupted))

    def metric(logits: Tensor) -> Tensor:
        times = len(logits) // len(right)
        own = logits[:, start:]
        better, worse = (own.gather(-1, index.repeat(times, 1, 1)) for index in (right, wrong))
        return (better - worse).sum((1, 2))

    return metric


def eap(graph: LensGraph, batch: PairBatch, steps: int = 1) -> dict[str, float]:
    """The scores of edge attribution patching; with several steps, gradients are averaged between the two words."""
    base, clean = graph.outputs(batch.clean)
    other, corrupted = graph.outputs(batch.corrupted)
    metric = logit_difference(base, other, batch.start)
    scores = dict.fromkeys((edge.name for edge in graph.edges), 0.0)
    for step in range(steps):
        share = 1.0 if steps == 1 else (step + 1) / steps
        mixed = corrupted["input"] + share * (clean["input"] - corrupted["input"])
        grads = _gradients(graph, batch.clean, mixed, metric)
        for target, edges in graph.by_target.items():
            if target not in grads:
                continue
            for edge in edges:
                change = (corrupted[edge.source] - clean[edge.source]) * grads[target]
                scores[edge.name] += float(change.sum()) / steps
    return scores


def _gradients(graph: LensGraph, rows: Tensor, embedded: Tensor, metric: Metric) -> dict[str, Tensor]:
    """The gradient of the metric at what every target reads, with other embeddings in place of those of the words."""
    grads: dict[str, Tensor] = {}
    hooks = {graph.reading_hook(target) for target in graph.by_target}

    def keep(gradient: Tensor, hook: Any) -> None:
        for target in graph.by_target:
            if graph.reading_hook(target) == hook.name:
                place = head_of(target)
                grads[target] = gradient.detach() if place is None else gradient[:, :, place[1]].detach()

    def replaced(value: Tensor, hook: Any) -> Tensor:
        return embedded.clone().requires_grad_(True)

    with graph.model.hooks(fwd_hooks=[("hook_embed", replaced)], bwd_hooks=[(name, keep) for name in sorted(hooks)]):
        torch.autograd.backward(metric(graph.model(rows)).sum())
    return grads


def exact(graph: LensGraph, batch: PairBatch, *, zero: bool = False) -> dict[str, float]:
    """The change of the metric when each edge alone carries the corrupted word's value, or zeros.

    Where that is the value itself the model is not run again: the metric stays exactly as it is.
    """
    base, clean = graph.outputs(batch.clean)
    other, corrupted = graph.outputs(batch.corrupted)
    metric = logit_difference(base, other, batch.start)
    changes = {node: (0 if zero else corrupted[node]) - value for node, value in clean.items()}
    scores = dict.fromkeys((edge.name for edge in graph.edges), 0.0)
    changed = [edge for edge in graph.edges if changes[edge.source].any()]
    with graph.heads_together():
        logits, streams = graph.streams(batch.clean)
        before = metric(logits)
        for layer, stream in enumerate(streams):
            here = [edge for edge in changed if graph.first_layer(edge) == layer]
            for edges in _chunks(here, max(1, ROWS // len(batch.clean))):
                after = metric(_patched(graph, layer, stream, edges, changes)).reshape(len(edges), -1)
                for edge, values in zip(edges, after, strict=True):
                    scores[edge.name] = float((values - before).abs().sum())
    return scores


def _chunks(edges: Sequence[Edge], size: int) -> Iterator[Sequence[Edge]]:
    for start in range(0, len(edges), size):
        yield edges[start : start + size]


def _patched(
    graph: LensGraph, layer: int, stream: Tensor, edges: Sequence[Edge], changes: Mapping[str, Tensor]
) -> Tensor:
    """The logits (edges * words, positions, answers) where each part of the batch has one edge changed.

    `changes` are those of the sources. The edges lead to a layer, from whose `stream` on the model is run.
    """
    count = len(stream)
    by_hook: dict[str, list[tuple[slice, int | None, Tensor]]] = {}
    for number, edge in enumerate(edges):
        place = head_of(edge.target)
        part = slice(number * count, (number + 1) * count)
        head = None if place is None else place[1]
        by_hook.setdefault(graph.reading_hook(edge.target), []).append((part, head, changes[edge.source]))

    def change(value: Tensor, hook: Any) -> Tensor:
        value = value.clone()
        for part, head, difference in by_hook[hook.name]:
            if head is None:
                value[part] += difference
            else:
                value[part, :, head] += difference
        return value

    with torch.no_grad():
        logits: Tensor = graph.model.run_with_hooks(
            stream.repeat(len(edges), 1, 1), start_at_layer=layer, fwd_hooks=[(name, change) for name in by_hook]
        )
    return logits


METHODS: Final[Mapping[str, Callable[[LensGraph, PairBatch], dict[str, float]]]] = {
    "eap": eap,
    "eap-ig": lambda graph, batch: eap(graph, batch, steps=5),
    "exact": exact,
    "zero": lambda graph, batch: exact(graph, batch, zero=True),
}
"""The methods by name."""


def edge_scores(method: str, graph: LensGraph, batches: Sequence[PairBatch]) -> dict[str, float]:
    """The scores of a method, summed over batches of words of different lengths."""
    total = dict.fromkeys((edge.name for edge in graph.edges), 0.0)
    for batch in batches:
        for name, score in METHODS[method](graph, batch).items():
            total[name] += score
    return total
