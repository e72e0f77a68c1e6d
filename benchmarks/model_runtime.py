"""How fast does the numpy runtime run softmax models, next to torch, and how much memory does it take?

Two layers, four heads, MLPs of four times the width, float32 by default, one core. Each cell runs in a process of its
own; times are CPU seconds of the best run. torch computes the same function from the same weights, with its
own fused attention. `ratio` is our time over torch's. `memory` is the growth of the process over the weights,
`n x n` what the attention weights of all heads of one layer would take. Cells for which torch would need more than
about 8 GB or a minute are left out.

    python benchmarks/model_runtime.py [--quick] [--float64] [--masked]
"""

import multiprocessing
import os
import resource
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from multiprocessing.queues import Queue
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from table import Table

from capax.model.model import Model
from capax.model.parts import Affine, Array, Block, Head, Mlp, Readout
from capax.model.positions import Positions
from capax.model.run.run import run_rows
from capax.model.vocabulary import Classes, Vocabulary

BATCHES, LENGTHS, WIDTHS = (1, 64, 1024), (20, 100, 500), (16, 64, 256)
HEADS, LAYERS, TOKENS = 4, 2, 32
BUDGET = 0.5
"""Seconds after which no further run of a cell is made."""


def build(width: int, numbers: str, mask: str) -> Model:
    """A model with random weights."""
    random = np.random.default_rng(0)

    def affine(inputs: int, outputs: int) -> Affine:
        weight = random.normal(size=(inputs, outputs)) / np.sqrt(inputs)
        return Affine(weight.astype(numbers), np.zeros(outputs, numbers))

    size = width // HEADS

    def head() -> Head:
        maps = affine(width, size), affine(width, size), affine(width, size), affine(size, width).weight
        return Head(*maps, mask=mask, scale=size**-0.5)  # type: ignore[arg-type]

    def block() -> Block:
        mlp = Mlp((affine(width, 4 * width), affine(4 * width, width)))
        return Block(tuple(head() for _ in range(HEADS)), np.zeros(width, numbers), mlp)

    return Model(
        Vocabulary(tuple(range(TOKENS))),
        random.normal(size=(TOKENS, width)).astype(numbers),
        Positions((), np.zeros((0, width), numbers), random.normal(size=(max(LENGTHS), width)).astype(numbers)),
        tuple(block() for _ in range(LAYERS)),
        Readout(affine(width, TOKENS)),
        Classes(tuple(range(TOKENS))),
        tuple(f"x{i}" for i in range(width)),
        numbers=numbers,
    )


def in_torch(model: Model, mask: str) -> Callable[[Array], Any]:
    """The same model as a torch function of token rows."""
    import torch
    from torch.nn import functional

    torch.set_num_threads(1)

    def linear(weight: Array, bias: Array) -> tuple[Any, Any]:
        return torch.from_numpy(weight.T.copy()), torch.from_numpy(bias.copy())

    layers = []
    for block in model.blocks:
        maps = [getattr(h, part) for part in ("query", "key", "value") for h in block.heads]  # type: ignore[union-attr]
        joined = np.concatenate([m.weight for m in maps], axis=1), np.concatenate([m.bias for m in maps])
        output = np.concatenate([h.output for h in block.heads]), block.bias
        assert isinstance(block.mlp, Mlp)
        layers.append([linear(*joined), linear(*output), *(linear(m.weight, m.bias) for m in block.mlp.maps)])
    table = model.positions.table
    assert table is not None
    embedding, places = torch.from_numpy(model.embedding.copy()), torch.from_numpy(table.copy())
    readout = linear(model.readout.map.weight, model.readout.map.bias)

    @torch.inference_mode()  # type: ignore[untyped-decorator]
    def run(ids: Array) -> Any:
        batch, n = ids.shape
        x = embedding[torch.from_numpy(ids)] + places[:n]
        for joined, output, up, down in layers:
            q, k, v = functional.linear(x, *joined).view(batch, n, 3, HEADS, -1).permute(2, 0, 3, 1, 4)
            z = functional.scaled_dot_product_attention(q, k, v, is_causal=mask == "causal")
            x = x + functional.linear(z.transpose(1, 2).reshape(batch, n, -1), *output)
            x = x + functional.linear(functional.relu(functional.linear(x, *up)), *down)
        return functional.linear(x, *readout).numpy()

    return run


def measure(cell: tuple[int, int, int], engine: str, numbers: str, mask: str, answer: "Queue[Any]") -> None:
    """Puts CPU seconds, the growth of the peak memory in bytes, and a sum that both engines must share."""
    batch, n, width = cell
    model = build(width, numbers, mask)
    ids = np.random.default_rng(1).integers(0, TOKENS, (batch, n))
    run = in_torch(model, mask) if engine == "torch" else lambda rows: run_rows(model, rows)
    run(ids[:1, :2])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    best, spent = np.inf, 0.0
    while spent < BUDGET or best == np.inf:
        start = time.process_time()
        result = run(ids)
        took = time.process_time() - start
        best, spent = min(best, took), spent + took
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    answer.put((best, grown * 1024, float(np.abs(result).mean())))


def in_process(*given: Any) -> tuple[float, float, float]:
    """What `measure` puts, in a fresh process."""
    context = multiprocessing.get_context("spawn")
    answer: Queue[Any] = context.Queue()
    process = context.Process(target=measure, args=(*given, answer))
    process.start()
    found: tuple[float, float, float] = answer.get()
    process.join()
    return found


def shown(seconds: float) -> str:
    """Seconds as text."""
    return f"{seconds * 1000:.2f} ms" if seconds < 1 else f"{seconds:.2f} s"


def main() -> None:
    """Print the table."""
    numbers = "float64" if "--float64" in sys.argv else "float32"
    mask = "causal" if "--masked" in sys.argv else "none"
    columns = ("batch", "n", "width", "capax", "torch", "ratio", "memory", "torch's", "n x n")
    table = Table(*columns, title=f"{numbers}, mask {mask}: {LAYERS} layers, {HEADS} heads")
    quick = "--quick" in sys.argv
    has_torch = find_spec("torch") is not None
    ratios = []
    for batch in BATCHES[:2] if quick else BATCHES:
        for n in LENGTHS[:2] if quick else LENGTHS:
            for width in WIDTHS[:2] if quick else WIDTHS:
                size = np.dtype(numbers).itemsize
                if batch * n * width * size * 20 > 8e9:
                    continue
                own = in_process((batch, n, width), "numpy", numbers, mask)
                row = [str(batch), str(n), str(width), shown(own[0]), "-", "-", f"{own[1] / 1e6:.0f} MB", "-"]
                if has_torch:
                    other = in_process((batch, n, width), "torch", numbers, mask)
                    assert abs(own[2] - other[2]) < 1e-3 * abs(own[2]), "both compute the same"
                    ratios.append(own[0] / other[0])
                    row[4], row[5], row[7] = shown(other[0]), f"{ratios[-1]:.2f}", f"{other[1] / 1e6:.0f} MB"
                table.add_row(*row, f"{batch * HEADS * n * n * size / 1e6:.0f} MB")
    print(table)
    if ratios:
        print(f"ratio to torch: median {np.median(ratios):.2f}, largest {max(ratios):.2f}")


if __name__ == "__main__":
    main()
