"""A stored sweep in short: its runs, its time, the figures of each arm, and the verdict."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from capax.app.options import count
from capax.errors import CapaxError
from capax.lab.experiment_verdict import ExperimentVerdict, judge
from capax.lab.fixed_bands import fixed_line
from capax.lab.plain_names import measure_name
from capax.lab.seed_spread import spread_of
from capax.lab.stored import StoredRun, measured
from capax.lab.sweep_spec import Spec
from capax.model.io.atomic import path_text


@dataclass(frozen=True, slots=True)
class SweepSummary:
    """A sweep at one of its presets: the spec, the runs that are stored, and what they say to the prediction."""

    spec: Spec
    preset: str
    runs: tuple[StoredRun, ...]
    verdict: ExperimentVerdict
    arms: tuple[tuple[str, str], ...]
    """Each arm with its figures in a line."""

    @property
    def cpu_seconds(self) -> float:
        """The processor time of all runs."""
        return sum(run.seconds for run in self.runs)

    @property
    def finished(self) -> int:
        """How many runs have a result."""
        return sum(run.result is not None for run in self.runs)

    def to_json(self) -> dict[str, Any]:
        """The summary as plain data."""
        failed = [{"key": run.key, "error": run.error} for run in self.runs if run.error and run.result is None]
        return {
            "name": self.spec.name,
            "preset": self.preset,
            "title": self.spec.title,
            "runs": len(self.runs),
            "finished": self.finished,
            "failed": failed,
            "cpu_seconds": self.cpu_seconds,
            "arms": [{"arm": arm, "line": line} for arm, line in self.arms],
            "fixed": None if self.spec.fixed is None else self.spec.fixed.isoformat(),
            "verdict": self.verdict.to_json(),
        }

    def render(self) -> str:
        """The sweep in a line, a line for each arm, and the verdict."""
        lines = [
            f"{self.spec.name} ({self.preset}): {self.finished} of {count(len(self.runs), 'run')}, "
            f"{self.cpu_seconds / 60:.1f} CPU minutes"
        ]
        lines += [f"    {arm or 'all runs'}: {line}" for arm, line in self.arms]
        fixed = fixed_line(self.spec.fixed, self.runs)
        lines += [f"    {fixed}"] if fixed else []
        return "\n".join([*lines, f"    {self.verdict.standing}: {self.verdict.text}"])

    def render_whole(self) -> str:
        """The same, with every figure that was predicted, and how far heads follow those of the program."""
        lines = [self.render(), *(f"      {finding.line}" for finding in self.verdict.findings)]
        return "\n".join([*lines, *(f"    {line}" for line in head_lines(self.runs))])


def summary(spec: Spec, preset: str, runs: list[StoredRun]) -> SweepSummary:
    """A sweep in short."""
    arms: dict[str, list[StoredRun]] = {}
    for run in runs:
        arms.setdefault(run.arm, []).append(run)
    verdict = judge(spec.rules, runs, spec.yes, spec.no)
    return SweepSummary(spec, preset, tuple(runs), verdict, tuple((arm, figures(group)) for arm, group in arms.items()))


def figures(runs: list[StoredRun]) -> str:
    """The median and the interval over some runs of what they measure, in a line."""
    done = [run.result for run in runs if run.result is not None]
    if not done:
        return "no run is finished"
    name = next((name for name in ("kl", "error") if name in done[0]), "token_accuracy")
    values = [value for run in runs if (value := measured(run, name)) is not None]
    if not values:
        return f"no run has {measure_name(name)}"
    return f"{measure_name(name)} {spread_of(values).render()}, runs: {len(values)}"


def head_lines(runs: Sequence[StoredRun]) -> list[str]:
    """For each arm and head of the program, how far the trained heads follow it: the median over runs, from 0 to 1."""
    heads: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for run in runs:
        for head in (run.result or {}).get("heads", ()):
            pair = (float(head["agreement"]), float(head["best_agreement"]))
            heads.setdefault((run.arm, head["name"]), []).append(pair)
    lines = []
    for (arm, name), pairs in heads.items():
        same, best = (spread_of(column).render(".2f") for column in zip(*pairs, strict=True))
        lines.append(
            f"{arm or 'all runs'}, head `{name}`: agreement {same} with the program's; of the nearest head {best}, "
            f"runs: {len(pairs)}"
        )
    return lines


@contextmanager
def damage_as_error(file: str) -> Iterator[None]:
    """Turns what a table, list or number in the wrong place does to the code that reads it into an error of the file.

    The file may come from anybody. What is in it is JSON of any shape, and its readers look at many parts of it.
    """
    try:
        yield
    except (TypeError, KeyError, ValueError, AttributeError, IndexError, OverflowError) as error:
        what = f"{path_text(file)} is damaged: a result in it has the wrong shape ({type(error).__name__})"
        raise CapaxError("file-unreadable", what, hint="--results FILE names another file") from error
