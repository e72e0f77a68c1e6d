"""Runs an exported directory with the stock classes of Hugging Face, as anyone would."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from capax.model.export.hugging_face.answers import decoding_of, number_behind
from capax.model.export.target import ExportOutput, Runner, Word
from capax.model.parts import Array
from capax.model.provenance import Record
from capax.model.vocabulary import Nearest, token_key


def load(directory: Path) -> Runner:
    """A runner of the model in a directory: its tokenizer and its class are found by `from_pretrained`."""
    import torch
    import transformers

    description = json.loads((directory / "capax.json").read_text(encoding="utf-8"))
    generates = description["task"] == "text-generation"
    loader = transformers.AutoModelForCausalLM if generates else transformers.AutoModelForTokenClassification
    with _no_bars(transformers.utils.logging):
        network = loader.from_pretrained(str(directory), dtype="auto", local_files_only=True).eval()
        tokenizer = transformers.AutoTokenizer.from_pretrained(str(directory), local_files_only=True)
    assert network.dtype == getattr(torch, description["dtype"]), "the configuration sets the dtype"
    names = {token_key(token): name for name, token in description["tokens"]}
    between = "" if description["characters"] else " "

    def run(words: Sequence[Word]) -> list[ExportOutput]:
        texts = [between.join(names[token_key(token)] for token in word) for word in words]
        rows = [torch.tensor(ids) for ids in tokenizer(texts)["input_ids"]]
        counts = [len(row) for row in rows]
        # not by the tokenizer, which need not have a token for it
        ids = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True)
        mask = (torch.arange(ids.shape[1]) < torch.tensor(counts)[:, None]).long()
        with torch.inference_mode():
            logits = network(input_ids=ids, attention_mask=mask).logits
            logits = (logits.float() if logits.dtype == torch.bfloat16 else logits).numpy()
        for word, count in zip(words, counts, strict=True):
            assert count == len(word) + description["prefix"], "the tokenizer splits a word into its tokens"
        return [
            _output(description, row[description["prefix"] : count]) for row, count in zip(logits, counts, strict=True)
        ]

    return run


@contextmanager
def _no_bars(logging: Any) -> Iterator[None]:
    """Keeps the library from drawing bars of progress, which do not belong in a report."""
    enabled = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if enabled:
            logging.enable_progress_bar()


def _output(description: Record, rows: Array) -> ExportOutput:
    """The answers of one word, and the logits in the order of the model's own outputs."""
    decoding = decoding_of(description["decoding"])
    logits = rows
    if description["task"] == "text-generation":
        logits = rows[:, description["rows"]]
        # a token that is not an answer must not win
        assert (rows.max(axis=-1) == logits.max(axis=-1)).all(), "a token that is not an answer has the highest logit"
    if isinstance(decoding, Nearest):
        best = [decoding.values[i] for i in np.argmax(logits, axis=-1)]
        return ExportOutput(best, number_behind(decoding, logits.astype(np.float64)))
    return ExportOutput(decoding.decode(logits), logits)
