"""`capax stages` and `capax compile --stage`."""

from capax.compiler.stages.stage_listing import NAMES
from tests.unit.app.outcome import Capax

REVERSE = ("reverse", "--alphabet", "ab", "--max-length", "4")


def test_stages_prints_every_stage(capax: Capax) -> None:
    done = capax("stages", *REVERSE)
    assert done.code == 0, done.err
    assert [line.removeprefix("== ") for line in done.out.splitlines() if line.startswith("== ")] == list(NAMES)


def test_one_stage_is_that_of_the_listing(capax: Capax) -> None:
    listing = capax("stages", *REVERSE).out
    stages = {stage["name"]: stage for stage in capax("stages", *REVERSE, "--json").json["stages"]}
    assert tuple(stages) == NAMES
    for name in ("schedule", "heads"):
        assert f"== {name}\n{capax('compile', *REVERSE, '--stage', name).out}" in listing
        assert capax("compile", *REVERSE, "--stage", name, "--json").json == stages[name]


def test_an_unknown_stage_is_an_error(capax: Capax) -> None:
    done = capax("compile", *REVERSE, "--stage", "shedule")
    assert (done.code, done.out) == (2, "")
    assert "did you mean schedule?" in done.err
