"""How many words per second and core does one model answer here and in the tools that it is exported to?

The model is `reverse` over four letters, compiled for words of up to 500 tokens, in float32: numpy runs it as it is,
PyTorch and onnxruntime run its exports. The Hugging Face classes run their own export, which is made for them: it has a
token in place of sinks, layers without heads, and norms, so it is a larger model with the same answers; its dtype is
shown. From token rows to logits, without tokenizers and decoding. One thread; processor time, the best of several runs.
All engines are given slices of a batch whose scores (words * n * n) stay below a bound.

    python benchmarks/export_throughput.py [--quick]
"""

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("HF_HUB_OFFLINE", "1")

import numpy as np
from table import Table

import capax
from capax.app.files.exports import export
from capax.errors import CapaxError
from capax.model.export.target import need, target
from capax.model.model import Model
from capax.model.run.run import run_rows

BATCHES, LENGTHS = (1, 64, 1024), (20, 100, 500)
CELLS = 1_000_000
"""The most words * n * n of a slice."""
BUDGET = 0.5
"""Seconds after which no further run of a cell is made."""

Engine = Callable[[np.ndarray], Any]


def in_numpy(model: Model, folder: Path) -> tuple[str, Engine]:
    """The runtime of capax."""
    return model.numbers, lambda ids: run_rows(model, ids)


def in_torch(model: Model, folder: Path) -> tuple[str, Engine]:
    """The exported module."""
    import torch

    torch.set_num_threads(1)
    module = model.to_torch()

    def run(ids: np.ndarray) -> Any:
        with torch.inference_mode():
            return module(torch.from_numpy(ids))

    return model.numbers, run


def in_onnxruntime(model: Model, folder: Path) -> tuple[str, Engine]:
    """The exported graph."""
    import onnxruntime

    export(model, str(folder / "onnx"), target("onnx"), words=20)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    path = str(folder / "onnx" / "model.onnx")
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    return model.numbers, lambda ids: session.run(None, {"ids": ids, "lengths": np.full(len(ids), ids.shape[1])})


def in_hugging_face(model: Model, folder: Path) -> tuple[str, Engine]:
    """The stock class, as its own loader makes it."""
    import torch
    import transformers

    export(model, str(folder / "hf"), target("hf"), words=20)
    config = transformers.AutoConfig.from_pretrained(folder / "hf")
    loader = transformers.AutoModelForTokenClassification
    network = loader.from_pretrained(folder / "hf", dtype=config.dtype).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder / "hf")
    # The rows of the letters, and what the tokenizer puts before a word.
    rows = tokenizer("abcd")["input_ids"]
    start, letters = np.array(rows[:-4], np.int64), np.array(rows[-4:])

    def run(ids: np.ndarray) -> Any:
        given = np.concatenate([np.tile(start, (len(ids), 1)), letters[ids]], axis=1)
        with torch.inference_mode():
            return network(input_ids=torch.from_numpy(given)).logits

    return str(config.dtype).removeprefix("torch."), run


ENGINES = {
    "numpy": ((), in_numpy),
    "torch": (("torch",), in_torch),
    "onnxruntime": (("onnx", "onnxruntime"), in_onnxruntime),
    "Hugging Face": (("torch", "transformers"), in_hugging_face),
}


def rate(engine: Engine, batch: int, n: int) -> float:
    """Words per second of processor time."""
    ids = np.random.default_rng(0).integers(0, 4, (batch, n))
    step = max(1, CELLS // (n * n))
    slices = [ids[start : start + step] for start in range(0, batch, step)]
    engine(ids[:1])
    best, begun = 0.0, time.perf_counter()
    while not best or time.perf_counter() - begun < BUDGET:
        before, done = time.process_time(), 0
        # A batch that takes too long is not run to its end: its slices are alike.
        for part in slices * max(1, 20 // batch):
            engine(part)
            done += len(part)
            if time.perf_counter() - begun > 4 * BUDGET:
                break
        best = max(best, done / (time.process_time() - before))
    return best


def main() -> None:
    """Prints the table."""
    longest = 100 if "--quick" in sys.argv else max(LENGTHS)
    model = capax.compile(capax.library.reverse, alphabet="abcd", max_length=longest, certify=False, words=100).model
    sizes = [(n, batch) for n in LENGTHS for batch in BATCHES if n <= longest]
    title = f"words per second and core; reverse for words of up to {longest}, width {model.width}"
    table = Table("engine", "dtype", *(f"n {n}, batch {batch}" for n, batch in sizes), title=title)
    with tempfile.TemporaryDirectory() as folder:
        for name, (packages, make) in ENGINES.items():
            try:
                need(name, packages)
                dtype, engine = make(model, Path(folder))
            except CapaxError as error:
                table.add_row(name, error.what)
                continue
            table.add_row(name, dtype, *(f"{rate(engine, batch, n):,.0f}" for n, batch in sizes))
    print(table)


if __name__ == "__main__":
    main()
