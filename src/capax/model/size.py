"""What a model costs, counted in one way for all models."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from capax.display import Card
from capax.model.io.storage import storage_of
from capax.model.loop import ModelLoop
from capax.model.model import Model
from capax.model.parts import Array, GatedMlp, Mlp, OracleMap
from capax.notation.rounds import rounds_at


@dataclass(frozen=True, slots=True)
class LoopSize:
    """The loop of a model: the attention layers before it, in it and after it, and its rounds.

    `unrolled` is the number of parameters with the loop written out for words of the greatest length.
    """

    before: int
    layers: int
    after: int
    rounds: int | str
    block_parameters: int
    length: int
    unrolled: int

    def __str__(self) -> str:
        times = f"{self.before} + {self.layers} x {self.rounds} + {self.after} attention layers"
        return f"{times}; {self.block_parameters:,} parameters in the shared blocks"


@dataclass(frozen=True, slots=True)
class Size(Card):
    """The size of a model.

    `heads` has a count for each block. `input_mlp_depth` and `mlp_depth` (one for each block) count the hidden
    stages of MLPs. `head_dimension` is the largest dimension of queries, keys or values, `hidden` the largest
    hidden stage. `parameters` counts every number of every array, zeros too: embedding, positions, heads with
    biases and sinks, MLPs, norms and unembedding. `nonzero` counts those that are not zero, `unique` the different
    values among all of them. `bits` is `parameters` times the bits of one number: 64 for float64, 16 for bfloat16 and
    for fixed:16.8. `oracles` counts maps that are arbitrary functions, which have no parameters.
    """

    attention_layers: int
    heads: tuple[int, ...]
    input_mlp_depth: int
    mlp_depth: tuple[int, ...]
    width: int
    head_dimension: int
    hidden: int
    parameters: int
    nonzero: int
    unique: int
    bits: int
    oracles: int
    loop: LoopSize | None = None

    def to_json(self) -> dict[str, Any]:
        """The size as plain data."""
        flat = asdict(self) | {"heads": list(self.heads), "mlp_depth": list(self.mlp_depth)}
        return flat if self.loop is not None else {name: value for name, value in flat.items() if name != "loop"}

    def rows(self) -> list[tuple[str, str]]:
        """The lines of the printed table: what, and how much."""
        before = f"{self.input_mlp_depth} before the first layer" if self.input_mlp_depth else ""
        depths = ", ".join(map(str, self.mlp_depth)) if self.mlp_depth else "" if before else "0"
        rows = [
            ("attention layers", f"{self.attention_layers}"),
            ("heads per layer", ", ".join(map(str, self.heads)) or "none"),
            ("MLP depth", "; ".join(filter(None, (before, depths)))),
            ("width", f"{self.width:,}"),
            ("parameters", f"{self.parameters:,}"),
            ("non-zero", f"{self.nonzero:,}"),
            ("unique", f"{self.unique:,}"),
            ("bits", f"{self.bits:,}"),
        ]
        if self.loop is not None:
            rows.insert(1, ("loop", str(self.loop)))
            rows.append(("written out", f"{self.loop.unrolled:,} parameters at length {self.loop.length:,}"))
        if self.oracles:
            rows.append(("oracle maps", f"{self.oracles} (arbitrary functions, not counted above)"))
        return rows

    def __str__(self) -> str:
        rows = self.rows()
        wide = max(len(what) for what, _ in rows)
        return "\n".join(f"{what.ljust(wide)}  {much}" for what, much in rows)


def size(model: Model) -> Size:
    """The size of a model."""
    arrays = [array for _, array in model.arrays()]
    maps = [model.input_mlp, *(block.mlp for block in model.blocks)]
    depths = [m.depth if isinstance(m, Mlp) else int(isinstance(m, GatedMlp)) for m in maps]
    heads = [array.shape[0] for name, array in model.arrays() if _is_head_bias(name)]
    return Size(
        attention_layers=model.depth,
        heads=tuple(len(block.heads) for block in model.blocks),
        input_mlp_depth=depths[0],
        mlp_depth=tuple(depths[1:]),
        width=model.width,
        head_dimension=max(heads, default=0),
        hidden=max(
            [a.outputs for m in maps if isinstance(m, Mlp) for a in m.maps[:-1]]
            + [m.up.outputs for m in maps if isinstance(m, GatedMlp)],
            default=0,
        ),
        parameters=sum(array.size for array in arrays),
        nonzero=sum(int(np.count_nonzero(array)) for array in arrays),
        unique=_unique(arrays),
        bits=sum(array.size for array in arrays) * storage_of(model.numbers).bits,
        oracles=sum(isinstance(m, OracleMap) for m in maps),
        loop=None if model.loop is None else loop_size(model, model.loop),
    )


LONG: int = 1024
"""The length for which a loop is counted as written out, of a model that reads words of any length."""


def loop_size(model: Model, loop: ModelLoop) -> LoopSize:
    """The size of a model's loop."""
    shared = tuple(f"blocks.{number}." for number in range(loop.first, loop.end))
    inside = sum(array.size for name, array in model.arrays() if name.startswith(shared))
    length = LONG if model.max_length is None else model.max_length
    more = (rounds_at(loop.rounds, length) - 1) * inside
    layers = [bool(block.heads) for block in model.blocks]
    before, middle, after = sum(layers[: loop.first]), sum(layers[loop.first : loop.end]), sum(layers[loop.end :])
    total = sum(array.size for _, array in model.arrays())
    return LoopSize(before, middle, after, loop.rounds, inside, length, total + more)


def _is_head_bias(name: str) -> bool:
    parts = name.split(".")
    return len(parts) == 6 and parts[2] == "heads" and parts[5] == "bias"


def _unique(arrays: list[Array]) -> int:
    """How many different values there are."""
    return len(np.unique(np.concatenate([np.unique(array) for array in arrays])))
