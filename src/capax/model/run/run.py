"""The numpy runtime: words in, logits, answers and activations out, in any number system."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from capax.display import Card
from capax.errors import CapaxError, nearest
from capax.model.arithmetic.floats import FloatArithmetic
from capax.model.arithmetic.select import arithmetic, check
from capax.model.model import Model
from capax.model.parts import Array
from capax.model.run.forward import forward, widest
from capax.model.run.word_rows import RowGroup, row_groups
from capax.model.vocabulary import Classes, Fractions, Numbers, Token

MOST_SHOWN: Final = 10
"""More answers than these are counted and not shown."""

SLICE_BYTES: Final = 2 << 20
"""About how much memory the widest activation of one slice of a batch takes."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Run(Card):
    """What a model made of one word or of several: logits, and the activations by name if they were asked for.

    `logits` has an array (n, outputs) for each word, without the prefix. `run["blocks.0.attn.pattern"]` is an
    activation; the names and axes are those of `capax.model.run.trace`.
    """

    model: Model
    single: bool
    words: tuple[tuple[Any, ...], ...]
    logits: tuple[Array, ...]
    activations: Mapping[str, Any]

    @property
    def answers(self) -> Any:
        """The decoded answers: a list for one word, a list of lists for several."""
        return self._each([decoded(self.model, one) for one in self.logits])

    @property
    def probabilities(self) -> Any:
        """The probability of each output at each position (n, outputs), for one word or for each of several."""
        return self._each([probabilities(self.model, one) for one in self.logits])

    @property
    def log_probabilities(self) -> Any:
        """The natural logarithms of the probabilities; that of 0 is minus infinity."""
        return self._each([log_probabilities(self.model, one) for one in self.logits])

    def _each(self, items: list[Any]) -> Any:
        return items[0] if self.single else items

    def __getitem__(self, name: str) -> Any:
        if name not in self.activations:
            near = nearest(name, list(self.activations))
            raise CapaxError(
                "bad-option",
                f"there is no activation {name!r:.60}" if self.activations else "the run recorded no activations",
                hint=(f"did you mean {near}?" if near else None) if self.activations else "run with trace=True",
            )
        return self.activations[name]

    def render(self) -> str:
        """The answers to the first words."""
        shown = [
            f"{list(word)} -> {decoded(self.model, one)}" for word, one in zip(self.words, self.logits, strict=True)
        ]
        more = [f"... ({len(shown):,} words in all)"] if len(shown) > MOST_SHOWN else []
        return "\n".join([*shown[:MOST_SHOWN], *more, *([repr(self)] if self.activations else [])])

    def __repr__(self) -> str:
        activations = f"; {len(self.activations)} activations" if self.activations else ""
        return f"<run of {len(self.words)} word{'s' * (len(self.words) != 1)}{activations}>"


def run(model: Model, inputs: Any, *, trace: bool = False, many: bool | None = None) -> Run:
    """What a model makes of a word or of several words, with every activation if `trace` is true.

    A string is a word, and so is a sequence of tokens that the model knows; anything else is a sequence of words.
    `many` says so outright. Words that are traced together have one length.
    """
    items = inputs if isinstance(inputs, str) else list(inputs)
    single = _is_word(model, items) if many is None else not many
    words = [tuple(items)] if single else [tuple(word) for word in items]
    activations: dict[str, Array] = {}
    if not trace:
        return Run(model, single, tuple(words), tuple(logits(model, words)), activations)
    rows = [model.read(word) for word in words]
    if len({len(r) for r in rows}) != 1 or not rows[0]:
        raise CapaxError(
            "word-length",
            "words that are traced together have one length of at least 1",
            hint="trace them one by one",
        )
    outputs = run_rows(model, np.array(rows), activations)
    return Run(model, single, tuple(words), tuple(out[len(model.prefix) :] for out in outputs), activations)


def _is_word(model: Model, items: Sequence[Any]) -> bool:
    """Whether something is one word and not a sequence of words."""
    if isinstance(items, str):
        return True
    try:
        model.vocabulary.rows(items)
    except CapaxError:
        return not all(isinstance(item, (str, list, tuple, np.ndarray)) for item in items)
    return bool(items) or model.min_length == 0


def answers(model: Model, words: Sequence[Iterable[Any]]) -> list[list[Token]]:
    """The decoded answers of a model for each word; words of one length are decoded together."""
    rows = row_groups(model, words)
    result: list[list[Token]] = [[] for _ in words]
    for group, out in _by_length(model, rows):
        if _odd(model, out).any():  # the word that comes first is told of
            return [decoded(model, one) for one in _logits(model, rows, len(words))]
        n = out.shape[1]
        values = model.decoding.decode(out.reshape(len(group) * n, out.shape[2]))
        for k, i in enumerate(group):
            result[i] = values[k * n : (k + 1) * n]
    return result


def decoded(model: Model, logits: Array) -> list[Token]:
    """The answers that logits (n, outputs) of a model stand for; what is not a number stands for none."""
    refuse_nan(model, logits)
    return model.decoding.decode(logits)


def logits(model: Model, words: Sequence[Iterable[Any]]) -> list[Array]:
    """The logits (n, outputs) of a model for each word, without the prefix; words of one length run together."""
    return _logits(model, row_groups(model, words), len(words))


def _logits(model: Model, rows: Sequence[RowGroup], count: int) -> list[Array]:
    result: list[Array] = [np.zeros((0, model.readout.map.outputs))] * count
    for group, outputs in _by_length(model, rows):
        for i, out in zip(group, outputs, strict=True):
            result[i] = out
    return result


def _by_length(model: Model, groups: Sequence[RowGroup]) -> Iterator[tuple[list[int], Array]]:
    """The numbers of words of one length but 0, some at a time, and their logits (words, n, outputs), no prefix."""
    for group in groups:
        start = 0
        for out in _slices(model, group.ids) if group.ids.size else ():
            yield group.numbers[start : start + len(out)], out[:, len(model.prefix) :]
            start += len(out)


def run_rows(model: Model, ids: Array, trace: dict[str, Array] | None = None) -> Array:
    """Logits (batch, n, outputs) for token rows (batch, n); `trace` is filled with the activations by name.

    In fixed point the logits are float64, in exact integers int64. A large batch runs in slices, so that the memory
    is bounded; a traced one does not.
    """
    parts = list(_slices(model, ids, trace))
    if not parts:
        return np.zeros((0, ids.shape[1], model.readout.map.outputs), arithmetic(model.numbers).dtype)
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _slices(model: Model, ids: Array, trace: dict[str, Array] | None = None) -> Iterator[Array]:
    """The logits of token rows, slice by slice."""
    system = arithmetic(model.numbers)
    batch, n = ids.shape
    check(model, n)
    rows = max(1, SLICE_BYTES // (n * widest(model) * system.dtype.itemsize)) if trace is None else max(1, batch)
    for start in range(0, batch, rows):
        with np.errstate(all="ignore"):
            out = forward(model, system, ids[start : start + rows], trace)
        yield out


def probabilities(model: Model, logits: Array, temperature: float = 1.0) -> Array:
    """The probabilities (..., outputs) of logits divided by a temperature."""
    if not isinstance(model.decoding, Classes):
        raise CapaxError(
            "not-generative",
            "the model answers with one number, not with a distribution over outputs",
            hint="probabilities need a model with one logit per answer",
        )
    x = np.asarray(logits, np.float64)
    # A tiny temperature would make infinities of the highest logits, were they not moved to 0 first.
    with np.errstate(over="ignore", invalid="ignore"):
        x = np.where(x == x.max(axis=-1, keepdims=True), 0.0, (x - x.max(axis=-1, keepdims=True)) / temperature)
    if model.output_weights == "sparsemax":
        return FloatArithmetic("float64").sparse(x)[0]
    with np.errstate(all="ignore"):
        w = np.exp(x)
    return np.asarray(w / w.sum(axis=-1, keepdims=True))


def log_probabilities(model: Model, logits: Array) -> Array:
    """The natural logarithms of the probabilities; those of a softmax are exact where a probability underflows."""
    if model.output_weights == "softmax" and isinstance(model.decoding, Classes):
        x = np.asarray(logits, np.float64)
        x = x - x.max(axis=-1, keepdims=True)
        return np.asarray(x - np.log(np.exp(x).sum(axis=-1, keepdims=True)))
    with np.errstate(divide="ignore"):
        return np.log(probabilities(model, logits))


def refuse_nan(model: Model, logits: Array, start: int = 0) -> None:
    """Raises an error when logits (n, outputs) of positions from `start` on are NaN: no answer is then the best.

    A decoding as `Numbers` shows them as they are; `Fractions` needs them finite.
    """
    odd = _odd(model, logits)
    if odd.any():
        raise CapaxError(
            "number-system",
            f"the logits at position {start + int(odd.any(axis=-1).argmax())} are {logits[odd][0]}: a number was too "
            f"large for {model.numbers:.60}, or had no value",
            hint="run(..., trace=True) shows where it began; a system with larger numbers may help",
        )


def _odd(model: Model, logits: Array) -> Array:
    """Which logits the decoding has no answer for."""
    if isinstance(model.decoding, Numbers):
        return np.zeros(0, bool)
    return ~np.isfinite(logits) if isinstance(model.decoding, Fractions) else np.isnan(logits)
