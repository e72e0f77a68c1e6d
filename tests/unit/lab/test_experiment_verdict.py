"""Specs, verdicts and plots: contrary results give the contrary verdict."""

import statistics
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capax import CapaxError
from capax.draw.subjects.lab_plot import draw_plot
from capax.draw.subjects.lab_report import NOT_LEARNED, lab_report
from capax.draw.subjects.lab_tables import settings_table
from capax.lab.experiment_verdict import judge, read_rule
from capax.lab.plots import Plot, Point, Series, plot
from capax.lab.settings import Settings
from capax.lab.stored import StoredRun
from capax.lab.sweep_spec import Member, read_spec

TEXT = """
name = "reverse"
title = "Reverse <two>"
question = "Does one layer do?"
prediction = "No."
source = "by `select`"
shows_not = "Little."
seeds = [0, 1]
[settings]
task = "reverse"
parameters = {symbols = 20}
[[arms]]
name = "two"
layers = 2
[[arms]]
name = "one"
layers = 1
grid = {width = [8, 16]}
[grid]
max_length = [4, 5]
parameters.symbols = [3, 4]
[presets.quick]
note = "a minute"
settings = {steps = 10}
[presets.full]
seeds = [5]
grid = {max_length = [9]}
[[plots]]
kind = "bars"
lines = [{name = "paper", points = [[0, 0.4]]}]
[[plots]]
kind = "lines"
x = "max_length"
log_x = true
[[plots]]
kind = "lengths"
[[plots]]
kind = "history"
measure = "loss"
log_y = true
[verdict]
yes = "It did not."
no = "It did."
[[verdict.rules]]
measure = "token_accuracy"
of = {arm = "two"}
is = ">="
value = 0.9
take = "min"
[[verdict.rules]]
measure = "token_accuracy"
of = {arm = "two"}
is = ">"
than = {arm = "one"}
by = 0.2
each = "max_length"
"""
SPEC = read_spec(TEXT, "reverse.toml")
MEMBERS = SPEC.members("quick")


def stored(member: Member, accuracy: float | None) -> StoredRun:
    """A run of a sweep with an accuracy, or one that is missing."""
    part = {"token_accuracy": accuracy}
    head = {"name": "flip", "best": [1, 1], "best_agreement": 0.5, "word": ["a", "b"]}
    head |= {"program_map": [[0.0, 1.0], [1.0, 0.0]], "learned_map": [[0.5, 0.5], [0.0001, 1.0]]}
    result: dict[str, Any] | None = None
    if accuracy is not None:
        history = [{"step": step, "loss": 1 / step, "token_accuracy": accuracy} for step in (1, 2)]
        result = part | {"by_length": {"3": part}, "history": history, "heads": [head], "parameters": 12}
        if member.arm == "two":
            rank = {"name": "rank", "base": 0.4, "layers": [0.5, 0.5 + 0.5 * member.settings.seed]}
            result["probes"] = [rank, {"name": "length", "base": 1.0, "layers": [1.0, 1.0]}]
    return StoredRun(member.arm, member.settings.key(), member.settings.to_json(), result, 60.0)


def runs(**accuracy: float | None) -> list[StoredRun]:
    """All runs of the sweep, with an accuracy for each arm."""
    return [stored(member, accuracy[member.arm]) for member in MEMBERS]


def test_members_of_a_sweep() -> None:
    """Arms, the grid, the grid of an arm and seeds are crossed; presets join settings and replace the rest."""
    assert len(MEMBERS) == 2 * 4 + 2 * 4 * 2
    assert {m.settings.steps for m in MEMBERS} == {10}
    assert {(m.settings.layers, m.arm) for m in MEMBERS} == {(2, "two"), (1, "one")}
    assert {m.settings.parameters["symbols"] for m in MEMBERS} == {3, 4}
    full = SPEC.members("full")
    assert {(m.settings.max_length, m.settings.seed, m.settings.steps) for m in full} == {(9, 5, 4000)}
    assert {m.settings.parameters["symbols"] for m in full} == {20}
    assert SPEC.note("quick") == "a minute"


def test_a_papers_figure_stands_beside_the_runs() -> None:
    """It is no setting; arms without one have an empty cell, and sweeps without any have no column."""
    spec = read_spec(TEXT.replace('name = "two"\n', 'name = "two"\npaper = 0.996\n'), "reverse.toml")
    assert [m.settings.key() for m in spec.members("quick")] == [m.settings.key() for m in MEMBERS]
    assert (spec.paper("quick"), SPEC.paper("quick")) == ({"two": 0.996}, {})
    done = runs(two=0.9, one=0.3)
    assert "<th>paper</th>" not in lab_report([(SPEC, "quick", done)])
    beside = lab_report([(spec, "quick", done)])
    assert beside.count("<th>paper</th>") == 1
    rows = beside.partition("<h3>Figures</h3>")[2].partition("</table>")[0].split("<tr>")[2:]
    assert {("<td>0.996</td>" in row, "<td></td>" in row) for row in rows} == {(True, False), (False, True)}
    assert all(row.startswith("<td>two") == ("<td>0.996</td>" in row) for row in rows)
    with pytest.raises(CapaxError, match="no number"):
        read_spec(TEXT.replace('name = "two"\n', 'name = "two"\npaper = "high"\n'), "reverse.toml")


@pytest.mark.parametrize(
    ("two", "one", "standing", "text"),
    [
        (0.99, 0.5, "as predicted", "It did not."),
        (0.99, 0.9, "not as predicted", "It did."),
        (0.5, 0.1, "not as predicted", "It did."),
        (0.5, 0.99, "not as predicted", "It did."),
        (0.99, None, "open", "No verdict yet: 16 of 24 runs are missing."),
        (0.5, None, "not as predicted", "It did."),
        (None, None, "open", "No verdict yet: 24 of 24 runs are missing."),
    ],
)
def test_contrary_results_give_the_contrary_verdict(
    two: float | None, one: float | None, standing: str, text: str
) -> None:
    """All rules hold; one fails; runs are missing, of which none could mend a rule that has failed."""
    found = judge(SPEC.rules, runs(two=two, one=one), SPEC.yes, SPEC.no)
    assert (found.standing, found.text) == (standing, text)
    assert len(found.findings) == 3  # the second rule holds for each length


def test_one_seed_can_turn_a_rule() -> None:
    """The least of the seeds is what the first rule takes."""
    every = runs(two=0.99, one=0.5)
    every[0] = stored(MEMBERS[0], 0.8)
    found = judge(SPEC.rules, every, "yes", "no")
    assert found.standing == "not as predicted"
    assert [finding.holds for finding in found.findings] == [False, True, True]


@pytest.mark.parametrize(
    ("rule", "why"),
    [
        ({"of": {"arm": "three"}}, "there are no such runs"),
        ({"than": {"arm": "three"}}, "there are no such runs"),
        ({"measure": "kl"}, "not every run has this figure"),
        ({"of": {"arm": "one"}}, "runs are missing"),
    ],
)
def test_why_there_is_no_finding(rule: dict[str, Any], why: str) -> None:
    """Runs that are missing are told from runs that there cannot be."""
    found = {"measure": "token_accuracy", "is": ">=", "of": {"arm": "two"}} | rule
    found |= {} if "than" in rule else {"value": 0.9}
    verdict = judge([read_rule(found)], runs(two=0.99, one=None), "yes", "no")
    assert verdict.standing == "open"
    assert verdict.findings[0].line.endswith(why)


def test_no_rules_no_verdict() -> None:
    """Without rules nothing is said."""
    assert judge((), runs(two=1.0, one=0.0), "yes", "no").standing == "open"


@given(st.lists(st.floats(0, 1), min_size=8, max_size=8))
def test_figures_of_several_runs(values: list[float]) -> None:
    """Mean, median, least and most over runs, by their definitions."""
    from capax.lab.experiment_verdict import PredictionRule

    two = [m for m in MEMBERS if m.arm == "two"]
    every = [stored(member, value) for member, value in zip(two, values, strict=True)]
    for take, figure in (("mean", statistics.fmean), ("median", statistics.median), ("min", min), ("max", max)):
        wanted = figure(values)
        for is_, value, holds in (
            (">=", wanted, True),
            (">", wanted, False),
            ("<=", wanted, True),
            ("<", wanted, False),
        ):
            rule = PredictionRule("token_accuracy", is_, {}, take, value)
            assert (judge((rule,), every, "y", "n").standing == "as predicted") == holds


def test_plots_have_the_spread_over_seeds() -> None:
    """The mean, the least and the most of each group, and further lines as they are."""
    every = [stored(m, 0.5 + 0.1 * m.settings.seed) for m in MEMBERS]
    bars = plot(SPEC.plots[0], every)
    assert [one.name for one in bars.series] == ["two", "one", "paper"]
    point = bars.series[0].points[0]
    assert (round(point.mean, 6), point.low, point.high, point.count) == (0.55, 0.5, 0.6, 8)
    lines = plot(SPEC.plots[1], every)
    assert [p.x for p in lines.series[0].points] == [4, 5]
    assert [p.x for p in plot(SPEC.plots[2], every).series[0].points] == [3]
    assert [p.mean for p in plot(SPEC.plots[3], every).series[0].points] == [1, 0.5]
    for one in SPEC.plots:
        assert draw_plot(plot(one, every)).startswith("<svg")
        assert draw_plot(plot(one, [])).startswith("<svg")


def test_the_page_of_an_experiment() -> None:
    """Question, prediction, verdict and what it does not show, escaped; nothing from elsewhere."""
    page = lab_report([(SPEC, "quick", runs(two=0.99, one=0.5)), (SPEC, "full", runs(two=None, one=None))])
    for text in ("Does one layer do?", "It did not.", "Reverse &lt;two&gt;", "as predicted", "Little.", NOT_LEARNED):
        assert text in page
    assert "<two>" not in page
    assert "<code>select</code>" in page
    assert page.count("<td>0.400</td><td>0.500 0.750</td>") == 4, "the mean over seeds, at each point of the grid"
    assert "<td>length</td>" not in page, "the same everywhere"
    assert "http" not in page.replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert "No verdict yet" in page
    assert page.count("agreement 0.500</text>") == 2
    contrary = lab_report([(SPEC, "quick", runs(two=0.5, one=0.99))])
    assert "not as predicted" in contrary
    assert "cannot" not in contrary.replace(NOT_LEARNED, "")


def test_the_headlines_of_the_page() -> None:
    """How many came out as predicted; a table of ticks with what was measured; the disclaimer once; links beside it."""
    page = lab_report([(SPEC, "quick", runs(two=0.99, one=0.9)), (SPEC, "full", runs(two=None, one=None))])
    assert '<span class="result">0 of 2 as predicted, 1 open</span></h1>' in page
    assert "not as predicted: 1 of 3</span></h2>" in page
    assert page.count(NOT_LEARNED) == 1
    row = "<td>mean token accuracy</td><td>two, longest word = 4</td><td>0.99 (4 runs)</td>"
    assert f'<td class="no">✗ no</td>{row}<td>&gt; 1.1 (0.2 above the mean of one, longest word = 4)</td>' in page
    assert '<a href="#reverse-full"><span class="open">?</span>' in page
    assert ">longest word (log scale)</text>" in page
    assert "`" not in page
    assert "token_accuracy" not in page


def test_lines_that_coincide_are_nested() -> None:
    """What is drawn first is wider than what is drawn over it; the frame is free, and lines apart are all thin."""

    def widths(*heights: float) -> list[str]:
        points = [[Point(x, y, y, y, 1) for x in (1.0, 2.0, 4.0)] for y in heights]
        series = tuple(Series(str(k), tuple(one), k == 2) for k, one in enumerate(points))
        picture = draw_plot(Plot("t", "x", "accuracy", series, share=True))
        trails = [part for part in picture.split("<path")[1:] if part.split(' d="')[-1].count("L") == 2]
        return [part.partition("stroke-width:")[2].partition('"')[0] for part in trails]

    assert widths(1, 1, 1) == ["6.6", "4", ""]
    assert widths(1, 0.5, 1) == ["4", "", ""]
    assert widths(1, 0.5, 0) == ["", "", ""]
    assert ">1</text>" in draw_plot(Plot("t", "x", "y", (Series("a", (Point(1, 1, 1, 1, 1),)),), share=True))


def test_tasks_have_their_own_parameters() -> None:
    """A parameter that only one of two tasks has is listed with its values alone."""
    both = [Settings(task="sort"), Settings(task="histogram", parameters={"most": 5})]
    table = settings_table([StoredRun(at.task, at.key(), at.to_json(), None) for at in both])
    assert "<td>most</td><td>5</td>" in table


@pytest.mark.parametrize(
    "change",
    [
        ('name = "reverse"', "name = 3"),
        ('question = "Does one layer do?"', ""),
        ("seeds = [0, 1]", "seeds = 3"),
        ("seeds = [0, 1]", 'seeds = ["a"]'),
        ("layers = 2", "layer = 2"),
        ("max_length = [4, 5]", "max_length = 4"),
        ('kind = "bars"', 'kind = "pies"'),
        ('x = "max_length"', ""),
        ("points = [[0, 0.4]]", "points = 3"),
        ('is = ">="', 'is = "=="'),
        ("value = 0.9", ""),
        ("value = 0.9", 'value = "high"'),
        ('take = "min"', 'take = "most"'),
        ("by = 0.2", "buy = 0.2"),
        ("[presets.full]\nseeds = [5]", "[presets.full]\nseed = 5"),
        ('yes = "It did not."', 'yep = "x"'),
        ('name = "reverse"', 'name = ""'),
        ("[settings]", "[settings]\nseed = 3"),
        ("max_length = [4, 5]", "max_length = [4, 5]\nseed = [1]"),
        ("[presets.quick]", "[presets.quick]\narms = []"),
        ('kind = "bars"', 'kind = "bars"\nof = 3'),
        ('kind = "bars"', 'kind = "bars"\nby = "layer"'),
        ('x = "max_length"', 'x = "max_lenght"'),
        ("points = [[0, 0.4]]", "points = [[0, nan]]"),
        ('is = ">="', "is = [1]"),
        ("value = 0.9", "value = nan"),
        ('take = "min"', "take = [1]"),
        ('each = "max_length"', 'each = "max_lenght"'),
        ('of = {arm = "two"}', 'of = {arms = "two"}'),
    ],
)
def test_a_spec_that_means_nothing_is_refused(change: tuple[str, str]) -> None:
    """Each with a code and a hint, before anything runs."""
    assert change[0] in TEXT
    with pytest.raises(CapaxError) as raised:
        read_spec(TEXT.replace(change[0], change[1], 1), "reverse.toml")
    assert raised.value.code in ("bad-spec", "bad-settings")


@pytest.mark.parametrize(("needed", "holds"), [(1, True), (2, True), (3, False)])
def test_a_rule_can_count_seeds(needed: int, holds: bool) -> None:
    """At least so many runs have to stand in the relation, each by itself; the median is told."""
    rule = read_rule({"measure": "token_accuracy", "is": ">=", "value": 0.9, "seeds": needed})
    runs = [StoredRun("", str(k), {}, {"token_accuracy": value}) for k, value in enumerate((0.95, 0.2, 0.97))]
    (finding,) = judge([rule], runs, "yes", "no").findings
    assert finding.holds is holds
    assert finding.measured == "2 of 3 runs (median 0.95 (0.2 to 0.97))"
    (missing,) = judge([rule], [*runs, StoredRun("", "k", {}, None)], "yes", "no").findings
    assert missing.holds is None


@pytest.mark.parametrize("more", [{"seeds": 0}, {"seeds": "two"}, {"seeds": 2, "take": "min"}])
def test_a_rule_that_counts_seeds_wrongly_is_refused(more: dict[str, Any]) -> None:
    """Seeds are a whole number from 1 on, and nothing is taken over them."""
    with pytest.raises(CapaxError) as error:
        read_rule({"measure": "token_accuracy", "is": ">=", "value": 0.9, **more})
    assert error.value.code == "bad-spec"
