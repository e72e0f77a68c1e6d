"""What does an export cost beside a plain module of the same sizes, and how does that grow?

The plain module is what a person would write: one matrix for all queries, keys and values of a layer,
`scaled_dot_product_attention` without a mask (in PyTorch's fused kernel), ReLU MLPs, a table of positions; `onnx` sets
the graph that capax writes beside the one that `torch.onnx.export` writes of that module. The compiled model is
`reverse` over four letters for words of up to 500 tokens, in float32; its plain module has the same widths, its heads'
keys and values filled up to one size, and neither sink nor formulas of positions. The random models have two layers of
four heads and MLPs of four times the width, and the plain module has their weights and logits. From token rows to
logits, without lengths; one thread. CPU milliseconds, the best of several runs; the four take turns. `growth` is the
time over that of the next shorter words, `MB` the growth of a process that runs this engine alone (at full sizes, on
Linux).

    python benchmarks/export_overhead.py [--quick] [--masked]
"""

import multiprocessing
import os
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from multiprocessing.queues import Queue
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import onnxruntime
import torch
from model_runtime import build
from table import Table
from torch import Tensor, nn
from torch.nn import functional

import capax
from capax.model.export.target import target
from capax.model.model import Model
from capax.model.parts import Affine, Array, Block, Head, Mlp

CELLS = ((1, 20), (1, 100), (1, 500), (64, 20), (64, 100), (64, 500), (1024, 20), (1024, 100))
"""Batch and length."""
LONGEST = 500
BUDGET = 0.5
"""CPU seconds after which no further run of a cell is made."""

Engine = Callable[[Array], Any]


class Plain(nn.Module):
    """A module of the sizes of a model, as it is usually written."""

    def __init__(self, model: Model, longest: int, causal: bool) -> None:
        super().__init__()
        self.causal = causal
        table = model.positions.table
        rows = np.zeros((longest, model.width), model.numbers) if table is None else table
        self.embedding, self.table = _parameter(model.embedding), _parameter(rows)
        self.layers = nn.ModuleList(Layer(block, causal) for block in model.blocks)
        self.readout = _linear(model.readout.map)

    def forward(self, ids: Tensor) -> Tensor:
        """The logits (batch, position, output) of token rows."""
        x = self.embedding[ids] + self.table[: ids.shape[1]]
        for layer in self.layers:
            x = layer(x)
        logits: Tensor = self.readout(x)
        return logits


class Layer(nn.Module):
    """Attention and an MLP, each added to the stream."""

    def __init__(self, block: Block, causal: bool) -> None:
        super().__init__()
        heads = [head for head in block.heads if isinstance(head, Head)]
        size = max(1, *(max(head.query.outputs, head.value.outputs) for head in heads))
        self.heads, self.causal, self.scale = len(heads), causal, float(heads[0].scale)
        maps = [_filled(getattr(head, part), size) for part in ("query", "key", "value") for head in heads]
        weight, bias = np.concatenate([m.weight for m in maps], axis=1), np.concatenate([m.bias for m in maps])
        self.joined = _linear(Affine(weight, bias))
        output = [np.pad(head.output, ((0, size - len(head.output)), (0, 0))) for head in heads]
        self.output = _linear(Affine(np.concatenate(output), block.bias))
        self.mlp = nn.ModuleList(_linear(m) for m in block.mlp.maps) if isinstance(block.mlp, Mlp) else None

    def forward(self, x: Tensor) -> Tensor:
        """The stream after the layer."""
        batch, n, _ = x.shape
        q, k, v = self.joined(x).view(batch, n, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        z = functional.scaled_dot_product_attention(q, k, v, is_causal=self.causal, scale=self.scale)
        x = x + self.output(z.transpose(1, 2).reshape(batch, n, -1))
        if self.mlp is None:
            return x
        y = x
        for number, stage in enumerate(self.mlp):
            y = stage(functional.relu(y) if number else y)
        return x + y


def _filled(map: Affine, size: int) -> Affine:
    missing = size - map.outputs
    return Affine(np.pad(map.weight, ((0, 0), (0, missing))), np.pad(map.bias, (0, missing)))


def _parameter(array: Array) -> nn.Parameter:
    return nn.Parameter(torch.from_numpy(array.copy()))


def _linear(map: Affine) -> nn.Linear:
    linear = nn.Linear(map.inputs, map.outputs)
    linear.weight, linear.bias = _parameter(map.weight.T), _parameter(map.bias)
    return linear


def in_torch(module: nn.Module) -> Engine:
    """A module as a function of token rows."""

    def run(ids: Array) -> Any:
        with torch.inference_mode():
            return module(torch.from_numpy(ids)).numpy()

    return run


def in_onnxruntime(path: Path) -> Engine:
    """A graph as a function of token rows."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    lengths = {given.name for given in session.get_inputs()} > {"ids"}

    def run(ids: Array) -> Any:
        feeds = {"ids": ids} | ({"lengths": np.full(len(ids), ids.shape[1])} if lengths else {})
        return session.run(None, feeds)[0]

    return run


def engines(model: Model, longest: int, causal: bool, folder: Path) -> dict[str, Engine]:
    """The export and the plain module, in PyTorch and in onnxruntime."""
    plain = Plain(model, longest, causal)
    for name, data in target("onnx").write(model, folder).items():
        (folder / name).write_bytes(data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        axes = {"ids": {0: "batch", 1: "position"}}
        example = (torch.zeros(2, 3, dtype=torch.long),)
        torch.onnx.export(
            plain, example, folder / "plain.onnx", input_names=["ids"], dynamic_axes=axes, opset_version=17,
            dynamo=False, verbose=False,
        )  # fmt: skip
    return {
        "torch": in_torch(model.to_torch()),
        "plain torch": in_torch(plain),
        "onnx": in_onnxruntime(folder / "model.onnx"),
        "plain onnx": in_onnxruntime(folder / "plain.onnx"),
    }


def times(runs: dict[str, Engine], ids: Array) -> dict[str, float]:
    """The CPU milliseconds of each engine, in turn some runs of each."""
    best, spent = dict.fromkeys(runs, np.inf), 0.0
    while spent < BUDGET * len(runs) or np.inf in best.values():
        for name, run in runs.items():
            begun = time.process_time()
            while (start := time.process_time()) == begun or start - begun < BUDGET / 10:
                run(ids)
                took = time.process_time() - start
                best[name], spent = min(best[name], 1000 * took), spent + took
    return best


def memory(name: str, kind: str, causal: bool, answer: "Queue[Any]") -> None:
    """Puts the megabytes by which a process grows in a run of each cell over what it had before the first."""
    torch.set_num_threads(1)
    clear, status = Path("/proc/self/clear_refs"), Path("/proc/self/status")

    def size(field: str) -> int:
        return next(int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith(field))

    model, used = MODELS[name](causal), {}
    with tempfile.TemporaryDirectory() as folder:
        run = engines(model, LONGEST, causal, Path(folder))[kind]
        run(np.zeros((1, 2), np.int64))
        before = size("VmRSS")
        for batch, n in sorted(CELLS, key=lambda cell: cell[0] * cell[1]):
            clear.write_text("5")  # sets the highest size back to the present one
            run(np.zeros((batch, n), np.int64))
            used[batch, n] = max(0, size("VmHWM") - before) / 1024
    answer.put(used)


def in_process(name: str, kind: str, causal: bool) -> dict[tuple[int, int], float]:
    """What `memory` puts, in a fresh process."""
    context = multiprocessing.get_context("spawn")
    answer: Queue[Any] = context.Queue()
    process = context.Process(target=memory, args=(name, kind, causal, answer))
    process.start()
    used: dict[tuple[int, int], float] = answer.get()
    process.join()
    return used


def measured(name: str, causal: bool, table: Table, quick: bool) -> list[tuple[float, ...]]:
    """Adds the rows of a model; the ratios of both exports."""
    ratios, before, model = [], dict[tuple[int, str], float](), MODELS[name](causal)
    with tempfile.TemporaryDirectory() as folder:
        runs = engines(model, LONGEST, causal, Path(folder))
        seen = not quick and Path("/proc/self/clear_refs").exists()
        used = {kind: in_process(name, kind, causal) for kind in runs} if seen else {}
        for batch, n in CELLS[:5] if quick else CELLS:
            ids = np.random.default_rng(0).integers(0, len(model.embedding), (batch, n))
            took = times(runs, ids)
            if name.startswith("random"):
                first, *others = (run(ids[:2]) for run in runs.values())
                assert all(np.allclose(first, other, atol=1e-3) for other in others), "all compute the same"
            row = [name, f"{batch} x {n}"]
            for kind in ("torch", "onnx"):
                own, plain = took[kind], took[f"plain {kind}"]
                growth = f"x{own / before[batch, kind]:.1f}" if (batch, kind) in before else ""
                before[batch, kind] = own
                grown = [f"{used[engine][batch, n]:.0f}" for engine in (kind, f"plain {kind}")] if used else ["-"]
                row += [f"{own:.2f}", f"{plain:.2f}", f"{own / plain:.2f}", growth, " / ".join(grown)]
            ratios.append((took["torch"] / took["plain torch"], took["onnx"] / took["plain onnx"]))
            table.add_row(*row)
    return ratios


def compiled(causal: bool) -> Model:
    """The compiled model."""
    program = capax.library.reverse
    return capax.compile(program, alphabet="abcd", max_length=LONGEST, certify=False, words=50).model


MODELS: dict[str, Callable[[bool], Model]] = {
    "compiled reverse": compiled,
    "random, width 64": lambda causal: build(64, "float32", "causal" if causal else "none"),
    "random, width 256": lambda causal: build(256, "float32", "causal" if causal else "none"),
}


def main() -> None:
    """Prints the table."""
    torch.set_num_threads(1)
    quick, causal = "--quick" in sys.argv, "--masked" in sys.argv
    parts = ("ms", "plain", "ratio", "growth", "MB / plain")
    columns = [f"{kind} {part}" for kind in ("torch", "onnx") for part in parts]
    table = Table("model", "batch x n", *columns, title="causal" if causal else "")
    ratios = []
    for name in MODELS:
        if not (causal and name.startswith("compiled")):  # it has no masks
            ratios += measured(name, causal, table, quick)
    print(table)
    for kind, values in zip(("torch", "onnx"), zip(*ratios, strict=True), strict=True):
        print(f"ratio of {kind}: median {np.median(values):.2f}, largest {max(values):.2f}")


if __name__ == "__main__":
    main()
