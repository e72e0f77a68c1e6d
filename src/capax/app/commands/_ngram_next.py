"""What follows a text: the distribution of a language model after it, and the probability that words begin with it."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from capax.app.commands._columns import columns
from capax.app.options import count
from capax.display import parts
from capax.errors import CapaxError

if TYPE_CHECKING:
    from capax.formal.ngram.ngram import NGram
    from capax.model.model import Model
    from capax.model.provenance import NGramRecord


@dataclass(frozen=True, slots=True)
class NextRow:
    """A symbol or the end, its probability after the text, and the same by the counts of a corpus."""

    symbol: str
    probability: float
    counted: float | None


@dataclass(frozen=True, slots=True)
class NextSymbolLaw:
    """The distribution of what follows a text: every symbol and the end, the likeliest first; `top` are printed."""

    text: str
    end: str
    log_prefix: float
    """The logarithm of the probability that a word begins with the text."""
    rows: tuple[NextRow, ...]
    top: int
    tolerance: float

    @property
    def possible(self) -> bool:
        """Whether some word begins with the text; if not, no quotient of probabilities says what follows."""
        return self.log_prefix > -math.inf

    @property
    def difference(self) -> float | None:
        """The largest difference between the model and the counts, None without a corpus."""
        pairs = [(row.probability, row.counted) for row in self.rows if row.counted is not None]
        return max(abs(p - q) for p, q in pairs) if pairs else None

    @property
    def agrees(self) -> bool:
        """Whether the counts say the same, up to rounding; yes without counts."""
        return self.difference is None or self.difference <= self.tolerance

    def to_json(self) -> dict[str, Any]:
        """The whole distribution."""
        rows = [{"symbol": row.symbol, "p": row.probability, "counts": row.counted} for row in self.rows]
        told = parts(self, "text", "end", "log_prefix", "possible", "difference")
        return told | {"next": rows}

    def render(self) -> str:
        """The likeliest symbols, each with the probability that words begin with the text and it."""
        prefix = math.exp(self.log_prefix)
        lines = [f'p( . | "{self.text}"), where words begin with it with probability {prefix:.6g}']
        if not self.possible:
            lines.append("no word begins with it, so nothing says what follows; what the model has for it is shown")
        heads = ["", "p", "p(text, it)", *(["counts"] if self.difference is not None else [])]
        table = [heads]
        likely = [row for row in self.rows if row.probability]
        for row in likely[: self.top]:
            cells = [_shown(row.symbol), f"{row.probability:.6f}", f"{prefix * row.probability:.6g}"]
            table.append(cells + ([f"{row.counted:.6f}"] if row.counted is not None else []))
        lines += columns(table, right=(1, 2, 3))
        rest = likely[self.top :]
        if rest:
            lines.append(f"and {count(len(rest), 'symbol')} more with {sum(r.probability for r in rest):.6f} together")
        if len(likely) < len(self.rows):
            lines.append(f"{count(len(self.rows) - len(likely), 'symbol')} with probability 0")
        if self.difference is not None:
            verb = "is" if self.agrees else "DIFFERS from"
            lines.append(f"the model {verb} what the counts say, within {self.difference:.2g}")
        return "\n".join(lines)


def _shown(symbol: str) -> str:
    """A symbol as it is, or in quotes where it could not be seen."""
    return symbol if symbol.isprintable() and symbol.strip() else repr(symbol)


def next_symbol(
    model: "Model", record: "NGramRecord", text: str, *, top: int, counts: "Callable[[NGramRecord], NGram] | None"
) -> NextSymbolLaw:
    """The distribution of a language model after a text; `counts` makes the n-gram model to compare with."""
    import numpy as np

    from capax.model.vocabulary import Classes
    from capax.theorems.ngram.parts.equivalence import TOLERANCE, distributions

    if top < 1:
        raise CapaxError("bad-option", f"{top} symbols cannot be shown", hint="--top 10")
    assert isinstance(model.decoding, Classes)
    symbols = list(text.split() if record.split == "words" else text)
    ids = model.read(symbols)[len(model.prefix) :]
    laws = distributions(model, np.array([ids], dtype=np.int64).reshape(1, -1))[0]
    with np.errstate(divide="ignore"):
        log_prefix = math.fsum(np.log(laws[np.arange(len(ids)), ids]))
    names = [str(value) for value in model.decoding.values]
    counted = _counted_law(counts(record), names, record.end, symbols) if counts is not None else None
    order = sorted(range(len(names)), key=lambda at: -laws[-1][at])
    rows = tuple(
        NextRow(names[at], float(laws[-1][at]), None if counted is None else counted[names[at]]) for at in order
    )
    return NextSymbolLaw(text, record.end, log_prefix, rows, top, TOLERANCE.get(model.numbers, 1e-6))


def _counted_law(language: "NGram", names: list[str], end: str, symbols: list[str]) -> dict[str, float]:
    """What the counts of a corpus say after the symbols, by the names of the model."""
    known = [str(symbol) for symbol in language.alphabet]
    if sorted([*known, end]) != sorted(names):
        what = "the corpus has other symbols than the model"
        raise CapaxError("bad-ngram", what, hint="give the corpus that the model was fitted to")
    k = language.order - 1
    history = ([language.bos] * k + language.numbers(symbols))[-k:]
    return dict(zip([*known, end], map(float, language.next(history)), strict=True))
