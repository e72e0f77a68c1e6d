"""Verdicts: what the stored runs say to a prediction, by rules that are data."""

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

from capax.display import parts
from capax.errors import CapaxError, nearest
from capax.lab.plain_names import choice_name, measure_name
from capax.lab.seed_spread import spread_of
from capax.lab.stored import StoredRun, check_settings, chosen, measured, setting

TAKES: Mapping[str, Callable[[Sequence[float]], float]] = MappingProxyType(
    {"mean": statistics.fmean, "median": statistics.median, "min": min, "max": max}
)
"""How the figures of several runs become one."""

COMPARE: Mapping[str, Callable[[float, float], bool]] = MappingProxyType(
    {">=": lambda a, b: a >= b, ">": lambda a, b: a > b, "<=": lambda a, b: a <= b, "<": lambda a, b: a < b}
)
KEYS = ("measure", "of", "take", "is", "value", "than", "by", "each", "than_take", "seeds")

Standing: TypeAlias = Literal["as predicted", "not as predicted", "open"]


@dataclass(frozen=True, slots=True)
class PredictionRule:
    """A figure of some runs compared with a number, or with a figure of other runs and a margin.

    `take` (mean, median, min or max) over the runs `of` some settings has to stand in the relation `is` to `value`, or
    to the same over the runs `than`, plus `by`. With `each` that holds for every value of this setting in the runs.
    With `seeds` nothing is taken over the runs: at least so many of them have to stand in the relation, each by itself.
    """

    measure: str
    is_: str
    of: Mapping[str, Any] = field(default_factory=dict)
    take: str = "mean"
    value: float | None = None
    than: Mapping[str, Any] | None = None
    than_take: str = ""
    by: float = 0.0
    each: str = ""
    seeds: int = 0


@dataclass(frozen=True, slots=True)
class RuleFinding:
    """What came of one rule: whether it holds (None while runs are missing), and what was measured and predicted.

    `figure` is what is compared, such as the mean token accuracy, and `of` says of which runs.
    """

    holds: bool | None
    figure: str
    of: str
    measured: str
    predicted: str = ""

    @property
    def line(self) -> str:
        """All of it as a sentence."""
        if self.holds is None:
            return f"{self.figure} of {self.of}: {self.measured}"
        end = f"predicted {self.predicted}: {'yes' if self.holds else 'no'}"
        return f"{self.figure} of {self.of}: {self.measured}, {end}"


@dataclass(frozen=True, slots=True)
class ExperimentVerdict:
    """What the runs say to the prediction: as predicted, not as predicted, or open while runs are missing."""

    standing: Standing
    text: str
    findings: tuple[RuleFinding, ...]

    @property
    def score(self) -> str:
        """How many of the predicted figures came out so."""
        return f"{sum(finding.holds is True for finding in self.findings)} of {len(self.findings)}"

    def to_json(self) -> dict[str, Any]:
        """The verdict as plain data."""
        return parts(self, "standing", "text") | {
            "findings": [
                parts(finding, "holds", "figure", "of", "measured", "predicted", "line") for finding in self.findings
            ]
        }


def read_rule(table: Mapping[str, Any]) -> PredictionRule:
    """The rule of a table of a spec; one that means nothing is an error."""
    for key in table:
        if key not in KEYS:
            near = nearest(key, list(KEYS))
            hint = f"did you mean {near}?" if near else f"a rule has {', '.join(KEYS)}"
            raise CapaxError("bad-spec", f"a rule has a key {key!r:.60}, which means nothing", hint=hint)
    measure, relation = table.get("measure"), table.get("is")
    take = table.get("take", "mean")
    for ok, what in (
        (isinstance(measure, str), "a rule has no measure"),
        (relation in list(COMPARE), f"a rule has no relation `is`: one of {' '.join(COMPARE)}"),
        (
            take in list(TAKES) and table.get("than_take", take) in list(TAKES),
            f"a rule takes one of {', '.join(TAKES)}",
        ),
        (("value" in table) != ("than" in table), "a rule compares with either a value or the runs `than`"),
        (all(_is_number(table.get(key, 0)) for key in ("value", "by")), "value and by of a rule are finite numbers"),
        (all(isinstance(table.get(key, {}), Mapping) for key in ("of", "than")), "of and than of a rule are tables"),
        (isinstance(table.get("each", ""), str), "each of a rule is the name of a setting"),
        (
            "seeds" not in table or (type(table["seeds"]) is int and table["seeds"] > 0 and "take" not in table),
            "seeds of a rule is the number of runs that have to agree, 1 or more, instead of `take`",
        ),
    ):
        if not ok:
            raise CapaxError("bad-spec", what, hint="see docs/reference/lab.md")
    each = table.get("each", "")
    check_settings([*table.get("of", {}), *table.get("than", {}), *([each] if each else [])], "a rule")
    return PredictionRule(
        str(measure),
        str(relation),
        table.get("of", {}),
        take,
        table.get("value"),
        table.get("than"),
        table.get("than_take", ""),
        float(table.get("by", 0.0)),
        each,
        table.get("seeds", 0),
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def judge(rules: Sequence[PredictionRule], runs: Sequence[StoredRun], yes: str, no: str) -> ExperimentVerdict:
    """The verdict of rules on runs. A rule that does not hold decides; a run that is missing leaves it open."""
    findings = tuple(finding for rule in rules for finding in _apply(rule, runs))
    if any(finding.holds is False for finding in findings):
        return ExperimentVerdict("not as predicted", no, findings)
    if not findings or any(finding.holds is None for finding in findings):
        missing = sum(run.result is None for run in runs)
        why = f"{missing} of {len(runs)} runs are missing" if missing else "no rule could be applied"
        return ExperimentVerdict("open", f"No verdict yet: {why}.", findings)
    return ExperimentVerdict("as predicted", yes, findings)


def _apply(rule: PredictionRule, runs: Sequence[StoredRun]) -> list[RuleFinding]:
    if not rule.each:
        return [_once(rule, runs, {})]
    values: list[Any] = []
    for run in chosen(runs, rule.of):
        if setting(run, rule.each) not in values:
            values.append(setting(run, rule.each))
    return [_once(rule, runs, {rule.each: value}) for value in values] or [
        RuleFinding(None, f"{rule.take} {measure_name(rule.measure)}", "no runs", f"no runs with {rule.each}")
    ]


def _once(rule: PredictionRule, runs: Sequence[StoredRun], also: Mapping[str, Any]) -> RuleFinding:
    take = "median" if rule.seeds else rule.take
    left, seen = _figure(rule.measure, take, runs, {**rule.of, **also})
    right, predicted = _predicted(rule, runs, also)
    figure, of = f"{take} {measure_name(rule.measure)}", _named({**rule.of, **also}, runs)
    if left is None or right is None:
        choices = [rule.of if left is None else rule.than or {}, also]
        there = chosen(runs, {name: value for part in choices for name, value in part.items()})
        why = "runs are missing" if any(run.result is None for run in there) else "not every run has this figure"
        return RuleFinding(None, figure, of, why if there else "there are no such runs", predicted)
    if rule.seeds:
        return _counted(rule, chosen(runs, {**rule.of, **also}), right, (of, predicted))
    holds = COMPARE[rule.is_](left, right)
    return RuleFinding(holds, figure, of, f"{left:.4g} ({seen} run{'s' if seen != 1 else ''})", predicted)


def _counted(rule: PredictionRule, runs: Sequence[StoredRun], right: float, names: tuple[str, str]) -> RuleFinding:
    """The finding of a rule that counts runs, all of which have the figure; `names` are of which, and what is asked."""
    values = [value for run in runs if (value := measured(run, rule.measure)) is not None]
    agree = sum(COMPARE[rule.is_](value, right) for value in values)
    of, predicted = names
    told = f"{agree} of {len(values)} runs (median {spread_of(values).render('.4g')})"
    return RuleFinding(
        agree >= rule.seeds, measure_name(rule.measure), of, told, f"{predicted} in at least {rule.seeds} runs"
    )


def _predicted(rule: PredictionRule, runs: Sequence[StoredRun], also: Mapping[str, Any]) -> tuple[float | None, str]:
    """The number that a rule compares with (None while it is not known), and what the rule asks."""
    if rule.than is None:
        assert rule.value is not None
        return rule.value, f"{rule.is_} {rule.value:g}"
    take = rule.than_take or rule.take
    right, _ = _figure(rule.measure, take, runs, {**rule.than, **also})
    margin = f"{abs(rule.by):g} {'above' if rule.by > 0 else 'below'} the " if rule.by else ""
    other = f"{margin}{take} of {_named({**rule.than, **also}, runs)}"
    if right is None:
        return None, f"{rule.is_} {other}"
    return right + rule.by, f"{rule.is_} {right + rule.by:.4g} ({other})"


def _figure(measure: str, take: str, runs: Sequence[StoredRun], of: Mapping[str, Any]) -> tuple[float | None, int]:
    """The figure of the runs, and how many they are; None when one of them is missing, or there are none."""
    values = [measured(run, measure) for run in chosen(runs, of)]
    plain = [value for value in values if value is not None]
    return (TAKES[take](plain), len(plain)) if plain and len(plain) == len(values) else (None, len(plain))


def _named(of: Mapping[str, Any], runs: Sequence[StoredRun]) -> str:
    tasks = {run.settings.get("task", "") for run in runs}
    return ", ".join(choice_name(name, value, tasks) for name, value in of.items()) or "all runs"
