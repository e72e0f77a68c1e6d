"""Scores of methods over a suite: one row for each model and method, and tables by level."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np

from capax.errors import CapaxError
from capax.model.export.target import need
from capax.suite.files import SuiteLevel, load_suite, no_clock
from capax.suite.score.model_scores import EdgeScore, FeatureScore, ScoreState
from capax.suite.score.rank import noise_of, ranking
from capax.suite.truth.pairs import rows_of_words

EDGE_METHODS: Final = ("eap", "eap-ig", "exact", "zero")
PACKAGE_METHODS: Final = ("auto-circuit-eap", "auto-circuit-ig")
"""Methods of maintained packages, run where these are installed."""
MARKED: Final = ("cancelling", "backup", "voting")
"""The levels with groups of heads; their scores are also given without the edges of these."""
FEATURE_METHODS: Final = ("sae", "probe")
LOST: Final = {
    "zero": "true edges with the score 0",
    "tiny": "true edges with a tiny score",
    "groups": "edges of groups above true ones",
    "others": "other edges above true ones",
}
"""The reasons of `Losses`, in words."""
LEAST_SHOWN: Final = 0.0005
"""A loss that is less is not shown."""


@dataclass(frozen=True, slots=True)
class SuiteScores:
    """All scores, with means by method and level."""

    folder: str
    edges: tuple[EdgeScore, ...]
    features: tuple[FeatureScore, ...]

    def to_json(self) -> dict[str, Any]:
        """The scores as plain data."""
        scores = {"edges": [s.to_json() for s in self.edges], "features": [s.to_json() for s in self.features]}
        return {"folder": self.folder, **scores}

    def mean(self, method: str, level: str, kind: Literal["clear", "raw", "unmarked"] = "clear") -> float:
        """The mean AUROC of a method on a level; NaN where there is none.

        `clear` counts scores that may be rounding as 0, `raw` takes scores as they are, and `unmarked` leaves out edges
        of groups of heads.
        """
        values = [
            {"clear": s.ranking.auroc, "raw": s.ranking.auroc_raw, "unmarked": s.auroc_plain}[kind]
            for s in self.edges
            if (s.method, s.level) == (method, level)
        ]
        return _mean(values)

    def tables(self) -> list[list[list[str]]]:
        """Methods by levels: mean AUROC, also without marked edges; what is lost to what; and the features."""
        levels, methods = _ordered(s.level for s in self.edges), _ordered(s.method for s in self.edges)
        table = [["mean AUROC", *methods, "models"]]
        for level in levels:
            count = len({s.case for s in self.edges if s.level == level})
            table.append([level, *(f"{self.mean(method, level):.3f}" for method in methods), str(count)])
            if level in MARKED:
                table.append(["  without its groups", *(f"{self.mean(m, level, 'unmarked'):.3f}" for m in methods), ""])
            raw = [f"{self.mean(method, level, 'raw'):.3f}" for method in methods]
            if raw != table[-1 - (level in MARKED)][1:-1]:
                table.append(["  tiny scores counted", *raw, ""])
        tables = [table] if levels else []
        if len(lost := self._lost(levels, methods)) > 1:
            tables.append(lost)
        if self.features:
            rows = [["features", "level", "recovered", "of", "mean F1", "explained"]]
            for method in _ordered(s.method for s in self.features):
                for level in _ordered(s.level for s in self.features):
                    rows += _feature_rows([s for s in self.features if (s.method, s.level) == (method, level)])
            tables.append(rows)
        return tables

    def _lost(self, levels: Sequence[str], methods: Sequence[str]) -> list[list[str]]:
        """Levels and reasons by methods: how much of the area is lost to what, in the mean over the models."""
        table = [["area lost to", *methods]]
        for level in levels:
            rows = []
            for name, label in LOST.items():
                by_method = [[s for s in self.edges if (s.method, s.level) == (m, level)] for m in methods]
                means = [_mean(getattr(s.ranking.lost, name) for s in own) for own in by_method]
                if any(mean >= LEAST_SHOWN for mean in means):
                    rows.append([f"  {label}", *(f"{mean:.3f}" for mean in means)])
            if rows:
                table += [[level, *("" for _ in methods)], *rows]
        return table

    def render(self) -> str:
        """The tables as text."""
        parts = []
        for table in self.tables():
            wide = [max(len(row[i]) for row in table) for i in range(len(table[0]))]
            parts.append("\n".join(_line(row, wide) for row in table))
        return "\n\n".join(parts) or "nothing was scored"


def _mean(values: Iterable[float]) -> float:
    """The mean of the values that are known; NaN if there are none."""
    known = [value for value in values if not math.isnan(value)]
    return float(np.mean(known)) if known else math.nan


def _line(row: Sequence[str], wide: Sequence[int]) -> str:
    first = row[0].ljust(wide[0])
    return "  ".join([first, *(cell.rjust(w) for cell, w in zip(row[1:], wide[1:], strict=True))]).rstrip()


def _feature_rows(scores: Sequence[FeatureScore]) -> list[list[str]]:
    if not scores:
        return []
    total, got = sum(s.features for s in scores), sum(s.recovered for s in scores)
    f1, explained = (float(np.mean([getattr(s, name) for s in scores])) for name in ("mean_f1", "explained"))
    return [[scores[0].method, scores[0].level, str(got), str(total), f"{f1:.3f}", f"{explained:.4f}"]]


def _ordered(values: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(values))


def score(
    folder: Path | str,
    methods: Sequence[str] = ("eap", "eap-ig", "exact"),
    *,
    levels: Sequence[str] = (),
    programs: Sequence[str] = (),
    pairs: int = 40,
    state: Path | str | None = None,
    say: Callable[[str], None] | None = None,
    clock: Callable[[], float] = no_clock,
) -> SuiteScores:
    """Runs methods on the models of a suite: discovery methods on edges, autoencoders and probes on features.

    `pairs` is how many pairs of words of each length are used. `state` is a file that keeps every score as it comes;
    a later run with the same file only adds what is missing. It needs torch, and transformer_lens for edges.
    """
    _check_methods(methods)
    suite = load_suite(folder)
    suite.check_choice(levels, programs)
    need("torch", ("torch",))
    if not set(methods) <= set(FEATURE_METHODS):
        need("lens", ("transformer_lens",))
    chosen = [m for m in suite.models(tuple(levels)) if not programs or m.case.program.id in programs]
    known = ScoreState(None if state is None else Path(state), suite.digest, pairs)
    edges: list[EdgeScore] = []
    features: list[FeatureScore] = []
    for number, model in enumerate(chosen, 1):
        for scored in _scores_of(model, methods, pairs, known, clock):
            if isinstance(scored, EdgeScore):
                edges.append(scored)
            else:
                features.append(scored)
        if say is not None:
            say(f"{number} of {len(chosen)}  {model.case.program.id} {model.level}")
    return SuiteScores(str(folder), tuple(edges), tuple(features))


def _scores_of(
    model: SuiteLevel, methods: Sequence[str], pairs: int, known: ScoreState, clock: Callable[[], float]
) -> Iterator[EdgeScore | FeatureScore]:
    """The scores of methods on a model: those that are known, and the others now."""
    where = model.case.program.id, model.level
    missing = [method for method in methods if (*where, method) not in known.scores]
    fresh: list[EdgeScore | FeatureScore] = []
    fresh += edge_scores_of(model, [m for m in missing if m in EDGE_METHODS], pairs, clock)
    if any(m in PACKAGE_METHODS for m in missing):
        from capax.suite.score.packages import auto_circuit_scores

        fresh += auto_circuit_scores(model, [m for m in missing if m in PACKAGE_METHODS], pairs, clock)
    fresh += [feature_score_of(model, m, clock) for m in missing if m in FEATURE_METHODS]
    known.add(fresh)
    yield from (known.scores[(*where, method)] for method in methods)


def _check_methods(methods: Sequence[str]) -> None:
    known = (*EDGE_METHODS, *PACKAGE_METHODS, *FEATURE_METHODS)
    if not methods:
        raise CapaxError("bad-option", "at least one method is needed", hint=f"known are {', '.join(known)}")
    for method in methods:
        if method not in known:
            raise CapaxError("bad-suite", f"there is no method {method!r:.40}", hint=f"known are {', '.join(known)}")


def edge_scores_of(
    model: SuiteLevel, methods: Sequence[str], pairs: int, clock: Callable[[], float] = no_clock
) -> list[EdgeScore]:
    """The scores of discovery methods on a model."""
    if not methods:
        return []
    import torch

    from capax.suite.score.lens_methods import LensGraph, PairBatch, edge_scores

    torch.manual_seed(0)
    graph, lens = LensGraph(model.lens), model.lens
    made_with = f"transformer-lens {version('transformer-lens')}"
    batches = []
    for length in sorted({len(pair.clean) for pair in model.pairs}):
        some = [pair for pair in model.pairs if len(pair.clean) == length][:pairs]
        clean, corrupted = (rows_of_words(lens, [getattr(p, side) for p in some]) for side in ("clean", "corrupted"))
        batches.append(PairBatch(torch.tensor(clean), torch.tensor(corrupted), lens.start))
    results = []
    for method in methods:
        started = clock()
        scores = edge_scores(method, graph, batches)
        results.append(judged(model, method, scores, clock() - started, made_with))
    return results


def judged(
    model: SuiteLevel, method: str, scores: Mapping[str, float], seconds: float, made_with: str = ""
) -> EdgeScore:
    """A method's scores against the truth for words of one length."""
    truth = model.truth
    names = set(truth.names(same_length=True, positions=False))
    marked = set(truth.kinds) if model.level in MARKED else set()
    rank = ranking(scores, names, groups=marked)
    plain = ranking(scores, names, marked).auroc
    best_out = max([noise_of(scores), *(abs(s) for name, s in scores.items() if name not in names)])
    missed = sorted((name for name in names if abs(scores[name]) <= best_out), key=lambda n: abs(scores[n]))
    return EdgeScore(model.case.program.id, model.level, method, rank, plain, tuple(missed[:8]), seconds, made_with)


def feature_score_of(model: SuiteLevel, method: str, clock: Callable[[], float] = no_clock) -> FeatureScore:
    """What an autoencoder or probes find of the features of a model."""
    from capax.suite.score.features import probe_score, sae_score

    started = clock()
    total, recovered, f1, explained = sae_score(model) if method == "sae" else probe_score(model)
    seconds = clock() - started
    return FeatureScore(model.case.program.id, model.level, method, total, recovered, f1, explained, seconds)
