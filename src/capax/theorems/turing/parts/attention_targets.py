"""Which earlier tokens the heads of a decoder look at, from a run with all its weights."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from capax.model.model import Model


@dataclass(frozen=True, slots=True)
class AttentionTarget:
    """What one head sees at a position: the position of the token with all the weight, or None if it is spread."""

    head: str
    place: int | None
    token: str | None


def looks(model: Model, tokens: Sequence[str]) -> list[list[AttentionTarget]]:
    """For each position of a chain, the first token included, what each head of the model looks at."""
    ran = model.run(list(tokens), trace=True)
    full = [*map(str, model.prefix), *tokens]
    targets: list[list[AttentionTarget]] = [[] for _ in full]
    for number, block in enumerate(model.blocks):
        for at, head in enumerate(block.heads):
            weights = np.asarray(ran[f"blocks.{number}.attn.pattern"])[0, at]
            for position, row in enumerate(weights):
                best = int(row.argmax())
                sharp = bool(row[best] > 0.999)
                targets[position].append(
                    AttentionTarget(head.name, best if sharp else None, full[best] if sharp else None)
                )
    return targets
