"""What is known of an attention pattern: the rank of its scores, and the smallest selector that gives it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from capax.errors import CapaxError
from capax.rasp.analysis.pattern.expression import FoundSelector, NoSelector, selector_for
from capax.rasp.analysis.pattern.ranks import RankBounds, equal_scores_rank, sign_rank
from capax.rasp.ir import build
from capax.rasp.ir.types import Atom
from capax.rasp.meaning.sequence import Matrix
from capax.rasp.python.program import Program, SOp

MOST: Final = 64
"""The most rows of a pattern."""

LEAST_WEIGHT: Final = 1e-6
"""A weight up to this counts as none, unless another number is given."""

KEYS: Final = ("tokens", "indices")
QUERIES: Final = ("tokens", "indices", "indices + 1", "indices - 1", "length - 1 - indices", "0", "length - 1")
"""The s-ops that are compared if no others are given; tokens only with an input."""


@dataclass(frozen=True, slots=True)
class WeightFacts:
    """Of a matrix of weights: how far each row is, at most, from equal weights on what it selects."""

    least: float
    unevenness: float

    @property
    def uniform(self) -> bool:
        """Whether a mean over the selected keys gives these weights, up to 10^-3."""
        return self.unevenness <= 1e-3


@dataclass(frozen=True, slots=True)
class PatternReport:
    """What is known of a pattern on one word."""

    rows: tuple[tuple[bool, ...], ...]
    word: tuple[Atom, ...]
    keys: tuple[str, ...]
    queries: tuple[str, ...]
    ranks: tuple[RankBounds, ...]
    outcome: FoundSelector | NoSelector
    weights: WeightFacts | None = None

    @property
    def selector(self) -> Program | None:
        """The selector that gives the pattern, if there is one over the s-ops."""
        return self.outcome.selector if isinstance(self.outcome, FoundSelector) else None

    def to_json(self) -> dict[str, Any]:
        """The report as plain data."""
        result: dict[str, Any] = {
            "pattern": ["".join("1" if cell else "0" for cell in row) for row in self.rows],
            "input": list(self.word),
            "keys": list(self.keys),
            "queries": list(self.queries),
            "ranks": [rank.to_json() for rank in self.ranks],
        }
        if self.weights is not None:
            weights = self.weights
            result["weights"] = {"least": weights.least, "unevenness": weights.unevenness, "uniform": weights.uniform}
        if isinstance(self.outcome, NoSelector):
            witness = {"selected": list(self.outcome.selected), "not_selected": list(self.outcome.other)}
            return result | {"selector": None, "witness": witness, "why": self.outcome.why}
        found = self.outcome
        return result | {"selector": found.text, "comparisons": found.comparisons, "smallest": found.smallest}

    def render(self) -> str:
        """The pattern, the ranks, and the selector or the two pairs that exclude one."""
        n = len(self.rows)
        count = sum(map(sum, self.rows))
        lines = [f"{n} x {n} pairs, {count} selected"]
        lines += ["  " + " ".join("■" if cell else "·" for cell in row) for row in self.rows]
        if self.weights is not None:
            even = "equal on the selected keys" if self.weights.uniform else "not equal on the selected keys"
            lines.append(
                f"weights: {even} (at most {self.weights.unevenness:.3g} from it); above {self.weights.least:g}"
            )
        lines += [rank.render() for rank in self.ranks]
        compared = f"keys {', '.join(self.keys)}; queries {', '.join(self.queries)}"
        if isinstance(self.outcome, NoSelector):
            return "\n".join([*lines, f"no selector over these s-ops: {compared}", f"  {self.outcome.why}"])
        size = f"{self.outcome.comparisons} comparison{'' if self.outcome.comparisons == 1 else 's'}"
        how = "no smaller one does" if self.outcome.smallest else "a smaller one may exist: the search stopped"
        return "\n".join([*lines, f"selector: {self.outcome.text}", f"  {size}, {how}; over {compared}"])


def pattern(
    matrix: Sequence[Sequence[float]] | Matrix,
    *,
    input: Sequence[Atom] | str | None = None,
    keys: Sequence[str | SOp] | None = None,
    queries: Sequence[str | SOp] | None = None,
    least: float = LEAST_WEIGHT,
) -> PatternReport:
    """What an attention pattern needs: the least rank of scores for it, and the smallest selector that gives it.

    `matrix` has a row for each query: booleans, or weights, of which those above `least` are selected. `input` is the
    word that it is on, for the values of `keys` and `queries`; without one, s-ops of the tokens are left out.

    >>> report = pattern([[1, 0, 0], [1, 1, 0], [1, 1, 1]])
    >>> report.outcome.text, report.ranks[0].low
    ('select(indices, indices, <=)', 2)
    """
    numbers = _checked(matrix)
    n = len(numbers)
    rows = tuple(tuple(x > least for x in row) for row in numbers)
    word = _word(input, n)
    given = input is not None
    key_sops = [_sop(key) for key in (keys or KEYS[0 if given else 1 :])]
    query_sops = [_sop(query) for query in (queries or QUERIES[0 if given else 1 :])]
    names = [tuple(s.name or str(s) for s in sops) for sops in (key_sops, query_sops)]
    outcome = selector_for(rows, word, key_sops, query_sops)
    if isinstance(outcome, FoundSelector):
        assert outcome.selector(list(word)) == [list(row) for row in rows], outcome.text
    ranks = sign_rank(rows), equal_scores_rank(rows)
    return PatternReport(rows, tuple(word), names[0], names[1], ranks, outcome, _weights(numbers, rows, least))


def _checked(matrix: Any) -> list[list[float]]:
    """The numbers of a square matrix; anything else is refused."""
    try:
        numbers = [[float(x) for x in row] for row in matrix]
    except (TypeError, ValueError):
        raise CapaxError("bad-pattern", "a pattern is a matrix of numbers or booleans", hint=HINT) from None
    n = len(numbers)
    if not 1 <= n <= MOST:
        raise CapaxError("bad-pattern", f"a pattern has 1 to {MOST} rows, not {n:,}", hint="give a shorter input")
    for i, row in enumerate(numbers):
        if len(row) != n:
            what = f"row {i} of the pattern has {len(row)} entries, but there are {n} rows"
            raise CapaxError("bad-pattern", what, hint="a pattern has a row and a column for each position")
        if any(not 0 <= x <= 1 for x in row):
            what = f"row {i} of the pattern has an entry that is not between 0 and 1"
            raise CapaxError("bad-pattern", what, hint="entries are booleans, or weights of attention")
    return numbers


HINT: Final = "write 100/110/111, or a list of rows, or give a file"


def _word(input: Sequence[Atom] | str | None, n: int) -> list[Atom]:
    word: list[Atom] = ["a"] * n if input is None else list(input)
    if len(word) != n:
        raise CapaxError(
            "bad-pattern", f"the input has {len(word)} tokens, the pattern {n} rows", hint="they must be equally many"
        )
    return word


def _sop(given: str | SOp) -> SOp:
    """An s-op, or a text that stands for one."""
    if isinstance(given, SOp):
        return given
    text = given.strip()
    if text.lstrip("-").isdigit():
        return build.constant(int(text))
    try:
        program = Program.from_text(text + ";")
    except CapaxError as error:
        raise CapaxError("bad-option", f"`{text:.60}` is no s-op: {error.what}", hint=SOPS) from None
    if not isinstance(program, SOp):
        raise CapaxError("bad-option", f"`{text:.60}` is no s-op", hint=SOPS)
    return program


SOPS: Final = "give s-ops, for instance `tokens, indices, length - 1 - indices`"


def _weights(numbers: list[list[float]], rows: Any, least: float) -> WeightFacts | None:
    if all(x in (0.0, 1.0) for row in numbers for x in row):
        return None
    worst = 0.0
    for weights, chosen in zip(numbers, rows, strict=True):
        count = sum(chosen)
        share = 1 / count if count else 0.0
        total = sum(weights) or 1.0
        off = sum(abs(w / total - (share if c else 0.0)) for w, c in zip(weights, chosen, strict=True)) / 2
        worst = max(worst, off if count else 0.0)
    return WeightFacts(least, worst)
