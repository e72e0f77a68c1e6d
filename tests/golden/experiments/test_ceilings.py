"""The ceilings of layers of few bits are those that the limit computes, and what fooled them is kept and checked."""

import runpy
from typing import Any

import pytest

from capax.lab.sweep_spec import Spec, read_spec
from capax.limits.base.one_layer import exact_bits, fano_error
from tests.golden.experiments.page import END
from tests.house.tree import ROOT

FOLDER = ROOT / "experiments" / "composition-bits"


@pytest.fixture(scope="module")
def spec() -> Spec:
    file = ROOT / "experiments" / "composition-bits.toml"
    return read_spec(file.read_text(encoding="utf-8"), file.name)


@pytest.fixture(scope="module")
def script() -> dict[str, Any]:
    return runpy.run_path(str(FOLDER / "fool.py"))


def ceilings(spec: Spec) -> dict[tuple[str, int], float]:
    """The greatest accuracy that Fano's inequality allows each layer in integers, by arm and n."""
    layers = [(m.arm, m.settings) for m in spec.members("quick") if m.settings.net == "integer-layer"]
    return {
        (arm, at.max_length): 1
        - fano_error(at.max_length, exact_bits(at.heads, at.head_dim, at.weight_bits, at.value_bits, at.max_length))
        for arm, at in layers
    }


def test_bands_and_lines_are_the_ceilings(spec: Spec) -> None:
    """To four digits: a rule for each that is below 1, and a line of the plot for each arm."""
    allowed = ceilings(spec)
    assert len(allowed) == 10
    bands = {
        (rule.of["arm"], rule.of["max_length"]): rule.value
        for rule in spec.rules
        if rule.take == "max" and (rule.of["arm"], rule.of["max_length"]) in allowed and rule.value != 0.35
    }
    assert bands == {key: pytest.approx(value, abs=5e-5) for key, value in allowed.items() if value < 1}
    lines = dict(spec.plots[0].lines)
    for arm, n in allowed:
        points = dict(lines[f"Fano ceiling, {arm.partition(', ')[2]}"])
        assert points[n] == pytest.approx(allowed[arm, n], abs=5e-5)


def test_the_layers_that_were_fooled_are_those_of_the_runs(spec: Spec, script: dict[str, Any]) -> None:
    """The same settings and accuracy; every witness holds; none is above its ceiling; the page has the table."""
    rows = script["entries"]()
    members = {m.settings.key(): m for m in spec.members("quick")}
    allowed = ceilings(spec)
    assert rows
    for row in rows:
        member = members[row["key"]]
        assert row["same_layer"]
        assert row["checked"]
        assert (row["n"], row["seed"]) == (member.settings.max_length, member.settings.seed)
        assert row["accuracy"] <= row["ceiling"] == pytest.approx(allowed[member.arm, row["n"]], abs=5e-5)
        assert row["had_to_exist"] or row["bits"] >= row["table"]
    text = (ROOT / "docs" / "experiments" / "composition-bits.md").read_text(encoding="utf-8")
    assert script["page"]() in text.partition(END)[2]
