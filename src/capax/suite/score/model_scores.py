"""What a method reached on one model of a suite, as a value and as plain data."""

import math
from dataclasses import dataclass
from typing import Any, Final

from capax.suite.score.rank import Ranking


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
        rank = Ranking(int(data["edges"]), int(data["true"]), area, curve, zeros, raw)
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
