"""Running a transformer from the folder that it was exported to, with onnxruntime."""

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime

from capax.model.export.standalone.words import Words


class Transformer:
    """A transformer in onnxruntime: `model("abc")` gives answers, `model.logits(words)` the numbers behind them."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.session = onnxruntime.InferenceSession(os.fspath(path), providers=["CPUExecutionProvider"])
        self.words = Words(json.loads(self.session.get_modelmeta().custom_metadata_map["config"]))

    def __call__(self, word: Iterable[Any]) -> list[Any]:
        """The answers for a word: one for each token."""
        return self.batch([word])[0]

    def batch(self, words: Iterable[Iterable[Any]]) -> list[list[Any]]:
        """The answers for several words, which may differ in length."""
        return [self.words.answers(rows.tolist()) for rows in self.logits(words)]

    def logits(self, words: Iterable[Iterable[Any]]) -> list[Any]:
        """The logits (position, output) of each word, without the prefix."""
        rows = [self.words.rows(word) for word in words]
        longest = max(map(len, rows), default=0)
        if not longest:
            return [np.zeros((0, 1)) for _ in rows]
        ids = np.array([row + [0] * (longest - len(row)) for row in rows], np.int64)
        lengths = np.array([len(row) for row in rows], np.int64)
        (logits,) = self.session.run(["logits"], {"ids": ids, "lengths": lengths})
        return [one[: len(row) - len(self.words.prefix)] for one, row in zip(logits, rows, strict=True)]


def load(folder: str | os.PathLike[str]) -> Transformer:
    """The model in the file model.onnx of a folder."""
    return Transformer(Path(folder) / "model.onnx")
