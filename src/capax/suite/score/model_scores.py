"""What a method reached on one model of a suite; and scores that are kept in a file as they come."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from capax.errors import CapaxError
from capax.model.io.atomic import unwritable
from capax.suite.score.rank import Losses, Ranking


@dataclass(frozen=True, slots=True)
class EdgeScore:
    """What a discovery method reached on a model.

    `auroc` counts edges of heads that cancel, or of backups, as the truth has them; `auroc_plain` leaves them out.
    """

    case: str
    level: str
    method: str
    ranking: Ranking
    auroc_plain: float
    missed: tuple[str, ...]
    """The true edges that have the lowest scores, below some edge that is not in."""
    seconds: float
    made_with: str = ""
    """The packages that ran the method, with their versions."""

    def to_json(self) -> dict[str, Any]:
        """The score as plain data."""
        r = self.ranking
        return {
            "case": self.case,
            "level": self.level,
            "method": self.method,
            "edges": r.edges,
            "true": r.true,
            "auroc": rounded(r.auroc),
            "auroc_with_rounding": rounded(r.auroc_raw),
            "auroc_without_marked_edges": rounded(self.auroc_plain),
            "zero_scores": rounded(r.zeros),
            "lost": {name: rounded(value) for name, value in r.lost._asdict().items()},
            "missed": list(self.missed),
            "curve": [[rounded(x), rounded(y)] for x, y in r.curve],
            "cpu_seconds": rounded(self.seconds),
            "made_with": self.made_with,
        }

    @staticmethod
    def from_json(data: Any) -> "EdgeScore":
        """The score of plain data."""
        area, raw, plain, zeros = (
            math.nan if data[name] is None else float(data[name])
            for name in ("auroc", "auroc_with_rounding", "auroc_without_marked_edges", "zero_scores")
        )
        curve = tuple((float(x), float(y)) for x, y in data["curve"])
        lost = Losses(**{name: math.nan if value is None else float(value) for name, value in data["lost"].items()})
        rank = Ranking(int(data["edges"]), int(data["true"]), area, curve, zeros, raw, lost)
        where = data["case"], data["level"], data["method"]
        return EdgeScore(*where, rank, plain, tuple(data["missed"]), data["cpu_seconds"], data["made_with"])


def rounded(value: float) -> float | None:
    """A figure for JSON; None for NaN."""
    return None if math.isnan(value) else round(value, 4)


FEATURE_KEYS: Final = ("case", "level", "method", "features", "recovered", "mean_f1", "explained", "cpu_seconds")


@dataclass(frozen=True, slots=True)
class FeatureScore:
    """What an autoencoder or probes reached on a model: features found, of how many, and what is explained."""

    case: str
    level: str
    method: str
    features: int
    recovered: int
    mean_f1: float
    explained: float
    seconds: float

    def to_json(self) -> dict[str, Any]:
        """The score as plain data."""
        return {
            "case": self.case,
            "level": self.level,
            "method": self.method,
            "features": self.features,
            "recovered": self.recovered,
            "mean_f1": rounded(self.mean_f1),
            "explained": rounded(self.explained),
            "cpu_seconds": rounded(self.seconds),
        }

    @staticmethod
    def from_json(data: Any) -> "FeatureScore":
        """The score of plain data."""
        return FeatureScore(*(data[name] for name in FEATURE_KEYS))


class ScoreState:
    """Scores by model and method, kept in a file of lines if there is one."""

    def __init__(self, file: Path | None, digest: str, pairs: int) -> None:
        self.file, self.about = file, {"suite": digest, "pairs": pairs}
        self.scores: dict[tuple[str, str, str], EdgeScore | FeatureScore] = {}
        if file is not None and file.exists():
            self._read(file)

    def _read(self, file: Path) -> None:
        try:
            lines = file.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeError) as error:
            raise CapaxError("bad-suite", f"{file}: this is not a file of scores: {error!r:.80}") from None
        for line in lines:
            try:
                data = json.loads(line)
            except ValueError:
                continue  # the last line of a run that was cut short
            if not isinstance(data, dict) or data.get("of") != self.about:
                what = f"{file} has scores of another suite, or with other pairs"
                raise CapaxError("bad-suite", what, hint="give another file")
            try:
                one = (EdgeScore if "auroc" in data else FeatureScore).from_json(data)
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                what = f"{file} has a line that is not a score: {error!r:.80}"
                raise CapaxError("bad-suite", what, hint="give another file") from None
            self.scores[one.case, one.level, one.method] = one

    def add(self, fresh: Sequence[EdgeScore | FeatureScore]) -> None:
        """Keeps scores."""
        self.scores |= {(one.case, one.level, one.method): one for one in fresh}
        if self.file is None or not fresh:
            return
        try:
            with self.file.open("a", encoding="utf-8") as handle:
                handle.writelines(json.dumps({**one.to_json(), "of": self.about}) + "\n" for one in fresh)
        except OSError as error:
            raise unwritable(self.file, error) from None
