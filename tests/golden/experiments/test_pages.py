"""The experiments: their pages and the kept report say what the kept runs give, and other runs would say otherwise."""

import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from html import escape
from typing import Any

import pytest

from capax.app.sweeps.results_store import Store
from capax.draw.subjects.lab_report import lab_report
from capax.lab.experiment_verdict import PredictionRule, judge
from capax.lab.stored import StoredRun, chosen, setting
from capax.lab.sweep_spec import Spec, read_spec
from tests.golden.conftest import Golden
from tests.golden.experiments.page import END, page
from tests.house.tree import ROOT

DOCS = ROOT / "docs" / "experiments"
FILES = sorted((ROOT / "experiments").glob("*.toml"))
SPECS = [read_spec(file.read_text(encoding="utf-8"), file.name) for file in FILES]
RULES = [(spec, rule) for spec in SPECS for rule in spec.rules]


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """The kept runs, in a copy, because a reader of SQLite leaves files beside what it reads."""
    copy = tmp_path_factory.mktemp("kept") / "quick.sqlite"
    shutil.copy(DOCS / "quick.sqlite", copy)
    return Store(copy)


@pytest.fixture(scope="module")
def kept_sweeps(kept: Store) -> list[tuple[Spec, str]]:
    """The sweeps of the kept runs, with their presets."""
    return kept.experiments()


def test_there_are_twenty() -> None:
    assert len(FILES) == 20
    assert [file.stem for file in FILES] == [spec.name for spec in SPECS]
    assert all({"quick", "full"} == set(spec.presets) and spec.rules and spec.plots for spec in SPECS)


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_the_page_says_what_the_runs_give(
    spec: Spec, kept: Store, kept_sweeps: list[tuple[Spec, str]], golden: Golden
) -> None:
    """The part of the page above the mark is computed; what is below it was written by hand."""
    presets = {(one.name, preset) for one, preset in kept_sweeps}
    runs = kept.runs(spec.name, "quick")
    full = kept.runs(spec.name, "full") if (spec.name, "full") in presets else []
    computed = page(spec, f"{spec.name}.toml", runs, full)
    assert spec.question in computed
    path = DOCS / f"{spec.name}.md"
    below = path.read_text(encoding="utf-8").partition(END)[2] if path.exists() else ""
    golden(path, computed + below)


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_the_kept_runs_are_those_of_the_sweep(spec: Spec, kept: Store) -> None:
    """They have the settings that the file names today, and no others."""
    runs = kept.runs(spec.name, "quick")
    if not runs:
        pytest.skip("it was not run, and its page says so")
    members = spec.members("quick")
    assert [run.arm for run in runs] == [member.arm for member in members]
    for run, member in zip(runs, members, strict=True):
        now = member.settings.to_json()
        assert {name: now.get(name) for name in run.settings} == run.settings


def test_the_report_has_every_verdict(kept: Store, kept_sweeps: list[tuple[Spec, str]], golden: Golden) -> None:
    """The kept page is the one of the kept runs; the result of each experiment, and of all, is in its headline."""
    parts = [(spec, preset, kept.runs(spec.name, preset)) for spec, preset in kept_sweeps]
    text = lab_report(parts)
    golden(DOCS / "report.html", text)
    verdicts = [judge(spec.rules, runs, spec.yes, spec.no) for spec, _, runs in parts]
    good = sum(verdict.standing == "as predicted" for verdict in verdicts)
    waiting = sum(verdict.standing == "open" for verdict in verdicts)
    still = f", {waiting} open" if waiting else ""
    assert f'<span class="result">{good} of {len(verdicts)} as predicted{still}</span></h1>' in text
    for (spec, preset, _), verdict in zip(parts, verdicts, strict=True):
        _, _, section = text.partition(f'<section id="{spec.name}-{preset}"')
        headline, _, rest = section.partition("</h2>")
        assert f"{verdict.standing}: {verdict.score}</span>" in headline
        assert escape(verdict.text) in rest
        for finding in verdict.findings:
            assert f"<td>{escape(finding.of)}</td><td>{escape(finding.measured)}</td>" in rest
    assert "`" not in text
    assert not re.search(r">[^<]*(token_accuracy|max_length)[^<]*</text>", text), "an identifier at an axis"


@cache
def made(number: int) -> list[StoredRun]:
    """The runs of the sweep of that number, with empty results."""
    return [StoredRun(m.arm, m.settings.key(), m.settings.to_json(), {}) for m in SPECS[number].members("quick")]


def with_figure(runs: Sequence[StoredRun], of: Mapping[str, Any], name: str, value: float) -> list[StoredRun]:
    """The runs, where those chosen have a figure."""
    hit = {id(run) for run in chosen(runs, of)}
    assert hit
    return [replace(run, result=with_value(run.result or {}, name, value)) if id(run) in hit else run for run in runs]


def with_value(result: Mapping[str, Any], name: str, value: float) -> dict[str, Any]:
    """A result with a figure at a path such as `gradients.start.ratio`."""
    first, _, rest = name.partition(".")
    return {**result, first: with_value(result.get(first) or {}, rest, value) if rest else value}


def fed(spec: Spec, rule: PredictionRule, gap: float) -> list[StoredRun]:
    """Runs whose figure is above the rule's number, or that of the other runs and the margin, by a gap."""
    runs, line = made(SPECS.index(spec)), rule.value
    if rule.than is not None:
        runs = with_figure(runs, rule.than, rule.measure, 0.5)
        line = 0.5 + rule.by
    assert line is not None
    return with_figure(runs, rule.of, rule.measure, line + gap)


@pytest.mark.parametrize(("spec", "rule"), RULES, ids=lambda one: one.name if isinstance(one, Spec) else one.measure)
def test_contrary_runs_give_the_contrary_verdict(spec: Spec, rule: PredictionRule) -> None:
    """Each rule on its own: figures inside the band are as predicted, those outside it are not."""
    good = 0.01 if rule.is_ in (">=", ">") else -0.01
    assert judge([rule], fed(spec, rule, good), spec.yes, spec.no).text == spec.yes
    assert judge([rule], fed(spec, rule, -good), spec.yes, spec.no).text == spec.no
    missing = [replace(run, result=None) for run in made(SPECS.index(spec))]
    assert judge([rule], missing, spec.yes, spec.no).standing == "open"


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_the_kept_runs_can_be_overthrown(spec: Spec, kept: Store) -> None:
    """What was found turns round when one figure of the kept runs does."""
    runs = kept.runs(spec.name, "quick")
    before = judge(spec.rules, runs, spec.yes, spec.no)
    if before.standing != "as predicted":
        pytest.skip("it has no verdict that could be overthrown by one figure")
    for rule in spec.rules:
        worst = -10.0 if rule.is_ in (">=", ">") else 10.0
        of = rule.of or {"arm": [setting(run, "arm") for run in runs]}
        after = judge(spec.rules, with_figure(runs, of, rule.measure, worst), spec.yes, spec.no)
        assert (after.standing, after.text) == ("not as predicted", spec.no)
