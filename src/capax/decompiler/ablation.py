"""What each part of a model is needed for: its answers when one part gives the same output everywhere."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from capax.decompiler.sample import Sample, Word
from capax.model.model import Model
from capax.model.parts import Affine, Array, Block, Head, Mlp
from capax.model.vocabulary import Token

Reader = Callable[[Model, Sequence[Word]], list[Token]]
"""The answers of a model to some words, those that are asked for, in a row."""


@dataclass(frozen=True, slots=True)
class AblatedPart:
    """A part of a model, and the share of the answers that stay when its output is its mean everywhere."""

    part: str
    kept: float


def ablate(model: Model, words: Sequence[Word], read: Reader) -> tuple[AblatedPart, ...]:
    """For every head and every MLP of a layer how many of the answers do not need it."""
    sample = Sample.of(words)
    answers = read(model, sample.words)
    traces = [model.run(batch, trace=True, many=True).activations for batch in sample.batches()]
    rows = []
    for name, changed in _without(model, traces):
        now = read(changed, sample.words)
        same = sum(a == b and type(a) is type(b) for a, b in zip(now, answers, strict=True))
        rows.append(AblatedPart(name, same / max(1, len(answers))))
    return tuple(rows)


def _without(model: Model, traces: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, Model]]:
    """The model without each of its parts in turn."""
    for layer, block in enumerate(model.blocks):
        for number, head in enumerate(block.heads):
            if isinstance(head, Head):
                mean = _mean([_part(a, number) for a in _activations(traces, layer, "attn.z")]) @ head.output
                heads = tuple(_silent(h) if h is head else h for h in block.heads)
                yield (
                    f"head {layer + 1}.{number + 1}",
                    _with_block(model, layer, replace(block, heads=heads, bias=block.bias + mean)),
                )
        if isinstance(block.mlp, Mlp):
            mean = _mean(_activations(traces, layer, "mlp.out"))
            last = block.mlp.maps[-1]
            still = Affine(np.zeros_like(last.weight), mean.astype(last.bias.dtype))
            mlp = replace(block.mlp, maps=(*block.mlp.maps[:-1], still))
            yield f"MLP {layer + 1}", _with_block(model, layer, replace(block, mlp=mlp))


def _activations(traces: Sequence[Mapping[str, Any]], layer: int, name: str) -> list[Any]:
    """An activation of a block on all words, in every round if the block is in a loop."""
    inside = f"blocks.{layer}.{name}"
    return [array for trace in traces for key, array in trace.items() if key == inside or key.endswith(f".{inside}")]


def _part(array: object, number: int) -> Array:
    return np.asarray(array[number] if isinstance(array, list) else array[:, number])  # type: ignore[index]


def _mean(arrays: Sequence[Array]) -> Array:
    """The mean over all positions of all words."""
    return np.asarray(np.concatenate([a.reshape(-1, a.shape[-1]) for a in arrays]).mean(axis=0))


def _silent(head: Head) -> Head:
    return replace(head, output=np.zeros_like(head.output))


def _with_block(model: Model, layer: int, block: Block) -> Model:
    blocks = (*model.blocks[:layer], block, *model.blocks[layer + 1 :])
    return replace(model, blocks=blocks)
