"""One symbol moves a softmax model's output by O(1/n), and PARITY hangs on every symbol.

Statement: In a transformer of softmax attention with bounded positions and Lipschitz maps, one changed symbol other
than the last moves the output at the last position by O(1/n), so on PARITY its cross-entropy tends to that of guessing.
With hard attention, no transformer recognises PARITY or Dyck-1.
Idea: a position gets weight O(1/n) in each head, and the later maps multiply a change by at most a constant. The last
symbol is left out: its own stream goes to the output past all heads. With hard attention, fixing some symbols leaves a
constant share of the positions free and an output that depends on a constant number of them.
Cite: Hahn (2020), Theoretical limitations of self-attention in neural sequence models.
Unchecked: The statement; numbers are measured on the given model.
Escapes: It does not forbid recognition: theorem parity recognises PARITY with a margin that vanishes. Positions that
grow and layer norms without eps escape it.
Scope: a measurement on the model that is given, on random words and on all-equal ones, at some lengths. It is not a
bound on recognition: an output that moves by 1/n can still have the right sign. A readout may multiply by any number,
so a change is given as it is and divided by the largest weight of the readout, and so is the margin: the difference of
the two highest logits, or how far a single one is from the number at which the answer changes. For the margin see
Chiang and Cholak (2022), Overcoming a theoretical limitation of self-attention.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from capax.errors import CapaxError
from capax.limits.base.limit import BoundVerdict, Chart, Finding, Line, Quantity, limit_in, no_statement, quantity
from capax.tasks.base.parameter import Parameter

if TYPE_CHECKING:
    from capax.model.model import Model
    from capax.model.vocabulary import Token

SHORTEST: Final = 4
EXCLUDES: Final = "recognition with a margin that vanishes beside the scale is not excluded"
TOGETHER: Final = 2_000_000
"""About this many scores of one layer are computed together."""


@dataclass(frozen=True, slots=True)
class LengthMeasurement:
    """The largest change of a logit at a length, and how far the logits are from another answer, if there is one."""

    change: float
    margin: float | None


def scale_of(model: Model) -> float:
    """The largest weight of the readout, by size: what the last stream is multiplied by."""
    import numpy as np

    return float(np.abs(np.asarray(model.readout.map.weight, float)).max(initial=0.0))


def margin_of(model: Model, words: Sequence[Sequence[Token]]) -> float | None:
    """How far the logits at the last position of some words are from another answer at least; None where none is."""
    import numpy as np

    from capax.model.run.run import logits
    from capax.model.vocabulary import Classes, Nearest

    rows = [np.sort(np.asarray(out[-1], float)) for out in logits(model, words)]
    match model.decoding:
        case Classes(values=values) if len(values) > 1:
            return min(float(row[-1] - row[-2]) for row in rows)
        case Nearest(codes=codes) if len(codes) > 1:
            middles = (np.array(codes[1:], float) + np.array(codes[:-1], float)) / 2
            return min(float(np.abs(row[0] - middles).min()) for row in rows)
    return None


def changes(model: Model, word: Sequence[Token], pair: tuple[Token, Token], *, last: bool = False) -> float:
    """The largest change of a logit at the last position when one symbol of a word is exchanged for the other.

    The symbol is any but the last, or the last alone.
    """
    import numpy as np

    from capax.model.run.run import logits

    flipped = []
    for position in range(len(word) - 1) if not last else [len(word) - 1]:
        other = pair[1] if word[position] == pair[0] else pair[0]
        flipped.append([*word[:position], other, *word[position + 1 :]])
    (plain,) = logits(model, [word])
    most, step = 0.0, max(1, TOGETHER // max(1, len(word)) ** 2)
    for start in range(0, len(flipped), step):
        for out in logits(model, flipped[start : start + step]):
            most = max(most, float(np.abs(np.asarray(out[-1], float) - np.asarray(plain[-1], float)).max()))
    return most


def sensitivity(
    model: Model, n: int, pair: tuple[Token, Token], samples: int, seed: int, *, last: bool = False
) -> float:
    """The largest change over some words of length n."""
    return max(changes(model, word, pair, last=last) for word in words_of(n, pair, samples, seed))


def words_of(n: int, pair: tuple[Token, Token], samples: int, seed: int) -> list[list[Token]]:
    """The words of length n that are tried: the two all-equal ones and random ones."""
    import numpy as np

    random = np.random.default_rng([seed, n])
    words = [[pair[0]] * n, [pair[1]] * n]
    return words + [[pair[int(bit)] for bit in random.integers(0, 2, n)] for _ in range(samples)]


def lengths_for(model: Model, longest: int) -> list[int]:
    """Doubled lengths that the model reads, from 4 on."""
    most = longest if model.max_length is None else min(longest, model.max_length)
    lengths, n = [], max(SHORTEST, model.min_length)
    while n <= most:
        lengths.append(n)
        n *= 2
    return lengths


def slope(points: Sequence[tuple[int, float]]) -> float | None:
    """The slope of the logarithms by least squares; None for fewer than two points above 0."""
    above = [(math.log(n), math.log(y)) for n, y in points if y > 0]
    if len(above) < 2:
        return None
    middle = sum(x for x, _ in above) / len(above)
    spread = sum((x - middle) ** 2 for x, _ in above)
    return sum((x - middle) * y for x, y in above) / spread


def tokens_of(model: Model, zero: str, one: str) -> tuple[Token, Token]:
    """The two tokens of the model that are written so."""
    tokens = []
    for text in (zero, one):
        matching = [token for token in model.vocabulary.tokens if str(token) == text]
        if not matching:
            some = ", ".join(str(token) for token in model.vocabulary.tokens[:8])
            hint = f"--zero and --one name two of its tokens: {some:.80}"
            raise CapaxError("bad-option", f"the model has no token {text!r:.40}", hint=hint)
        tokens.append(matching[0])
    if tokens[0] == tokens[1]:
        raise CapaxError("bad-option", "the two symbols are the same", hint="give two tokens of the model")
    return tokens[0], tokens[1]


def measured(model: Model, longest: int, samples: int, seed: int, zero: str, one: str) -> dict[int, LengthMeasurement]:
    """The sensitivity and the margin at each length."""
    pair = tokens_of(model, zero, one)
    return {
        n: LengthMeasurement(
            sensitivity(model, n, pair, samples, seed), margin_of(model, words_of(n, pair, samples, seed))
        )
        for n in lengths_for(model, longest)
    }


def lines_of(n: int, one: LengthMeasurement, scale: float) -> list[Quantity]:
    """What was measured at a length, as it is and beside the scale of the readout."""
    rows = [quantity(f"largest change, n = {n}", one.change, "", "measured")]
    if one.margin is not None:
        rows.append(quantity(f"least margin, n = {n}", one.margin, "", "measured", "of the words that are changed"))
    if scale > 0:
        beside = "divided by the readout's largest weight"
        rows.append(quantity(f"change / scale, n = {n}", one.change / scale, "", "measured", beside))
        if one.margin is not None:
            rows.append(quantity(f"margin / scale, n = {n}", one.margin / scale, "", "measured", beside))
    return rows


def compute(model: Model | None, **at: Any) -> Finding:
    """The sensitivity of a model against the length, and its slope."""
    if model is None:
        return (), no_statement("this limit measures a model; give one with --model FILE.safetensors")
    at_length, scale = measured(model, **at), scale_of(model)
    points = [(n, one.change) for n, one in at_length.items()]
    steep = slope(points)
    kinds = {getattr(head, "attention", "third-order") for block in model.blocks for head in block.heads}
    rows = [quantity("scale", scale, "", "measured", "the readout's largest weight, which multiplies all changes")]
    rows += [row for n, one in at_length.items() for row in lines_of(n, one, scale)]
    if points:
        n, pair = points[-1][0], tokens_of(model, at["zero"], at["one"])
        alone = sensitivity(model, n, pair, at["samples"], at["seed"], last=True)
        rows.append(quantity(f"by the last symbol, n = {n}", alone, "", "measured", "which the bound is not about"))
    says = "Hahn's bound: -1 or steeper, for long words" if steep is not None else "fewer than two changes above 0"
    rows.append(quantity("slope of the logarithms", steep, "", "measured", says))
    if kinds - {"softmax"}:
        names = ", ".join(sorted(kinds))
        return tuple(rows), no_statement(f"the bound on changes is for softmax attention, and these heads are {names}")
    if steep is None:
        what = "the model reads too few lengths" if len(points) < 2 else "no change of one symbol moves the output"
        return tuple(rows), no_statement(f"{what}, so there is no slope")
    text = f"the change falls as n^{steep:.2f} on these words" if steep < 0 else "the change does not fall with n here"
    means = "as the bound says, n^-1 or faster" if steep < -0.9 else "slower than n^-1: longer words, or unbounded maps"
    return tuple(rows), BoundVerdict("measured", f"{text}: {means}; {EXCLUDES}")


def chart(model: Model | None, **at: Any) -> Chart | None:
    """The sensitivity against n, with the line of slope -1 through its first point."""
    at_length = measured(model, **at) if model is not None else {}
    points = [(n, one.change) for n, one in at_length.items() if one.change > 0]
    if len(points) < 2:
        return None
    drawn = tuple((math.log10(n), math.log10(y)) for n, y in points)
    (x0, y0), (x1, _) = drawn[0], drawn[-1]
    return Chart(
        "How much one symbol moves the output",
        "n, the length",
        "largest change",
        (Line("measured", drawn), Line("1/n", ((x0, y0), (x1, y0 - (x1 - x0))), dashed=True)),
        log_y=True,
        notes=("a measurement on this model, not a bound on recognition",),
    )


LIMIT = limit_in(
    __name__,
    (
        Parameter("longest", 64, "the longest word that is tried", SHORTEST, 512),
        Parameter("samples", 4, "how many random words of each length", 1, 100),
        Parameter("seed", 0, "the seed of the random words", 0),
        Parameter("zero", "0", "the token for 0"),
        Parameter("one", "1", "the token for 1"),
    ),
    assumptions=(
        "positions stay bounded, and layer norms have eps > 0",
        "the symbol is not the last one, whose own stream reaches the output past all heads",
        "the constant is a product of Lipschitz constants, which is not computed: the change is measured",
    ),
    measures=True,
    theorems=("parity",),
)
