"""The transformer of an n-gram model that was fitted to a text: one head, one layer."""

from typing import Any, Final

from capax.errors import CapaxError
from capax.formal.ngram.ngram import NGram
from capax.model.model import Model
from capax.theorems.ngram.parts.one_head import by_one_head
from capax.theorems.ngram.parts.predictor import INTEGERS, predictor

MOST_WEIGHTS: Final = 200_000_000
"""A larger model is refused: the table is written out for every history."""

MOST_ORDER: Final = 9
"""By softmax, the symbols of a history are digits of one number; float32 resolves eight of them."""


def refuse_order(order: int) -> None:
    """Refuses an order that no transformer is built for: better before the n-grams of a text are counted than after."""
    if not 2 <= order <= MOST_ORDER:
        what = f"no transformer of order {order} can be built"
        raise CapaxError("bad-ngram", what, hint=f"orders 2 to {MOST_ORDER} can be built")


def fitted(language: NGram, *, attention: str, numbers: str, **facts: Any) -> Model:
    """The language model as a transformer with one head; `facts` are kept with it."""
    refuse_order(language.order)
    if attention not in ("softmax", "sparsemax", "hard"):
        raise CapaxError(
            "bad-option", f"unknown kind of attention {attention!r:.60}", hint="softmax, sparsemax or hard"
        )
    if numbers not in INTEGERS:
        raise CapaxError("bad-option", f"--dtype is float32 or float64, not {numbers:.60}")
    weights = len(language.histories) * (language.bos + 2)
    if weights > MOST_WEIGHTS:
        what = f"{len(language.histories):,} histories of {language.bos + 1:,} probabilities are too many weights"
        raise CapaxError("too-large", what, hint="take a smaller order, or characters and not words")
    return predictor(
        language, by_one_head(language, attention, numbers), numbers=numbers, normaliser="softmax", **facts
    )
