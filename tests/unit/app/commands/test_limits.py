"""`capax limits`, `capax limit`, `capax tasks` and `capax task`."""

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from capax import limits, tasks, theorems
from tests.unit.app.outcome import Capax


def test_limits_are_listed(capax: Capax) -> None:
    """A line for each, and all facts as JSON."""
    done = capax("limits")
    assert [line.split()[0] for line in done.out.splitlines()] == list(limits.names())
    found = capax("limits", "--json").json
    assert [item["name"] for item in found] == list(limits.names())
    assert all(item["statement"] and item["citation"] for item in found)


def test_a_limit_is_computed(capax: Capax) -> None:
    """With sizes as options; it is no failure that a bound says nothing."""
    done = capax("limit", "composition", "--heads", "32", "--dim", "128", "--bits", "16", "--n", "10000")
    assert done.code == 0, done.err
    assert "42.8 %" in done.out
    assert "cited" in done.out
    silent = capax("limit", "composition", "--n", "5334")
    assert silent.code == 0
    assert "no statement at this size" in silent.out
    result = capax("limit", "composition", "--n", "1e300", "--json").json
    assert not result["vacuous"]
    assert result["at"]["n"] == "1" + "0" * 300
    assert result["cited_quantities"] == ["error, paper", "least n, paper >= 0.25"]


def test_a_limit_is_drawn(capax: Capax) -> None:
    """As SVG, with the region in which it speaks, and dark pages in mind."""
    without = {"parity-sensitivity", "cot-hard-attention", "log-log-depth", "length-generalisation"}
    for name in sorted(set(limits.names()) - without):
        done = capax("limit", name, "--draw", "bound.svg")
        assert done.code == 0, done.err
        assert "bound.svg: drawn" in done.err
        root = ET.fromstring(Path("bound.svg").read_text(encoding="utf-8"))
        texts = [item.text for item in root.iter("{http://www.w3.org/2000/svg}text")]
        assert any(text and "no statement at this size" in text for text in texts)
    for name in ("cot-hard-attention", "log-log-depth", "length-generalisation"):
        assert capax("limit", name, "--draw", "bound.svg").code == 2


def test_a_model_is_measured(capax: Capax) -> None:
    """The sensitivity of the model that recognises PARITY: one symbol moves it less and less."""
    assert capax("theorem", "parity", "--length", "40", "-o", "parity.safetensors").code == 0
    done = capax("limit", "parity-sensitivity", "--model", "parity.safetensors", "--longest", "32", "--draw", "s.svg")
    assert done.code == 0, done.err
    assert "the change falls as n^-1.8" in done.out
    assert Path("s.svg").exists()
    assert "give one with --model" in capax("limit", "parity-sensitivity").out


@pytest.mark.parametrize(
    "args",
    [
        ("limit", "nothing"),
        ("limit", "composition", "--n", "1"),
        ("limit", "composition", "--n", "-3"),
        ("limit", "composition", "--n"),
        ("limit", "composition", "--heads", "0"),
        ("limit", "composition", "--error", "1"),
        ("limit", "composition", "--nothing", "1"),
        ("limit", "composition", "--count", "measured"),
        ("limit", "composition", "--model", "x.safetensors"),
        ("limit", "composition", "--draw", "x.txt"),
        ("limit", "sequential-composition", "--layers", "17"),
        ("limit", "parity-sensitivity", "--model", "missing.safetensors"),
        ("limit", "parity-sensitivity", "--draw", "x.svg"),
        ("task", "nothing"),
        ("task", "composition", "-n", "0"),
        ("task", "composition", "--count", "0"),
        ("task", "composition", "--seed", "-1"),
        ("task", "iterated-composition", "--steps", "16", "--choices", "1000"),
        ("task", "sequential-composition", "--queries", "2,x"),
        ("task", "sequential-composition", "--queries", "1000,1000,1000"),
    ],
)
def test_wrong_arguments(capax: Capax, args: tuple[str, ...]) -> None:
    """Exit code 2 and a message."""
    done = capax(*args)
    assert done.code == 2
    assert done.err.startswith("error[")


def test_the_wrong_symbols_are_refused(capax: Capax) -> None:
    """A model without the tokens, and one token for both."""
    assert capax("theorem", "parity", "-o", "parity.safetensors").code == 0
    for zero, one in (("a", "1"), ("0", "0")):
        done = capax("limit", "parity-sensitivity", "--model", "parity.safetensors", "--zero", zero, "--one", one)
        assert done.code == 2


def test_hard_attention_is_not_covered(capax: Capax) -> None:
    """The bound on changes is for softmax attention."""
    assert capax("theorem", "majority", "--length", "20", "-o", "m.safetensors").code == 0
    model = theorems.theorem("majority").run(length=20).model
    tokens = [str(token) for token in model.vocabulary.tokens]
    done = capax("limit", "parity-sensitivity", "--model", "m.safetensors", "--zero", tokens[-2], "--one", tokens[-1])
    kinds = {getattr(head, "attention", "") for block in model.blocks for head in block.heads}
    assert ("no statement at this size" in done.out) == (kinds != {"softmax"})


def test_tasks_are_listed(capax: Capax) -> None:
    """A line for each, and all facts as JSON."""
    assert [line.split()[0] for line in capax("tasks").out.splitlines()] == list(tasks.names())
    assert [item["name"] for item in capax("tasks", "--json").json] == list(tasks.names())


@pytest.mark.parametrize("name", tasks.names())
@pytest.mark.parametrize("size", ["1", "7"])
def test_a_task_is_sampled(capax: Capax, name: str, size: str) -> None:
    """The same inputs for the same seed, with their answers."""
    done = capax("task", name, "-n", size, "--count", "2", "--seed", "3")
    assert done.code == 0, done.err
    assert "->" in done.out
    assert capax("task", name, "-n", size, "--count", "2", "--seed", "3").out == done.out
    found = capax("task", name, "-n", size, "--count", "2", "--seed", "3", "--json").json
    assert [set(item) for item in found["samples"]] == [{"word", "answer"}] * 2


def test_the_answer_is_a_step(capax: Capax) -> None:
    """Of steps of thought it is said that the answer is the last of them."""
    none = capax("limit", "cot-hard-attention", "--functions", "1", "--steps", "0")
    assert "no layer answers in 0 steps, as the answer is the last step; exactly 1 step is needed" in none.out.replace(
        "\n           ", " "
    )
    more = capax("limit", "cot-hard-attention", "--functions", "4", "--steps", "1").out.replace("\n           ", " ")
    assert "4-fold composition in 1 step on domains" in more
    assert "exactly 4 steps are needed, and the answer is the last step" in more
    assert "1 step is enough" in capax("limit", "cot-hard-attention", "--functions", "1", "--steps", "1").out


def test_what_is_missing_has_no_unit(capax: Capax) -> None:
    """A bound that says nothing has a dash, and JSON says why there is no number."""
    done = capax("limit", "composition", "--n", "5")
    line = next(line for line in done.out.splitlines() if line.startswith("missing bits R"))
    assert line.split() == ["missing", "bits", "R", "-", "derived", "not", "positive"]
    rows = capax("limit", "composition", "--n", "5", "--json").json["quantities"]
    found = {row["name"]: row for row in rows}["missing bits R"]
    assert (found["value"], found["form"], found["note"]) == (None, "none", "not positive")
