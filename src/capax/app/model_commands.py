"""The commands about models as functions: plain data in, plain data out."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from capax.app.files.models import given_model
from capax.app.reading import marker_missing, reading
from capax.errors import CapaxError
from capax.model.explain import explain as explain_model
from capax.model.model import Model
from capax.model.run.run import decoded
from capax.model.run.run import logits as logits_of
from capax.model.vocabulary import Classes
from capax.rasp.ir.types import sequence_type


def apply(path: str, word: Iterable[Any], *, logits: bool = False, unchecked: bool = False) -> dict[str, Any]:
    """The answers of the model in a file on a word, and with `logits` the numbers behind them."""
    model = given_model(path, unchecked=unchecked)
    tokens = list(word)
    if not logits:
        values = model(tokens)
        told = {"model": Path(path).stem, "input": tokens, "type": _type(values), "values": values}
        return told | {"note": marker_missing(model.provenance, tokens)}
    numbers = logits_of(model, [tokens])[0]
    values = decoded(model, numbers)
    return {
        "model": Path(path).stem,
        "input": tokens,
        "type": _type(values),
        "values": values,
        "outputs": output_names(model),
        "logits": [[float(x) for x in row] for row in numbers],
        "note": marker_missing(model.provenance, tokens),
    }


def output_names(model: Model) -> list[str]:
    """What the outputs of a model are called: by the readout, else by the answers that they stand for."""
    count = model.decoding.outputs
    if len(model.readout.names) == count:
        return list(model.readout.names)
    if isinstance(model.decoding, Classes):
        return [str(value) for value in model.decoding.values]
    return [f"output {number}" for number in range(count)] if count > 1 else ["output"]


def _type(values: list[Any]) -> str:
    """The type of a sequence of answers as the language names it; `mixed` where it has no name."""
    try:
        return sequence_type(values) if values else "none"
    except CapaxError:
        return "mixed"


def size(path: str, *, unchecked: bool = False) -> dict[str, Any]:
    """What the model in a file costs, and where its answer is read."""
    model = given_model(path, unchecked=unchecked)
    return model.size.to_json() | reading(model.provenance) | {"text": str(model.size)}


def explain(path: str, *, unchecked: bool = False) -> dict[str, Any]:
    """What each part of the model in a file does."""
    model = given_model(path, unchecked=unchecked)
    return explain_model(model) | reading(model.provenance)
