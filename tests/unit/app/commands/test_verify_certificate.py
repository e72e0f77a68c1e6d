"""`capax verify --certificate` on files whose certificate was edited: a refusal in words, with exit code 1."""

import copy
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from capax.model.model import Model
from capax.rasp.text import module
from tests.support.perturbed import claiming, compiled
from tests.unit.app.outcome import Capax

FILE = "edited.safetensors"


def edited(path: tuple[Any, ...], new: Any, name: str = "sort") -> Model:
    """A certified model with one part of its certificate that is another."""
    model = compiled(name).model
    claimed = copy.deepcopy(model.provenance.certificate)
    inner = claimed
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = new
    return replace(model, provenance=replace(model.provenance, certificate=claimed))


NESTED: Any = []
for _ in range(50):
    NESTED = [NESTED]


@pytest.mark.parametrize("new", [10**400, -(10**400), float("nan"), math.inf, -math.inf, 1e308, "x", [], NESTED])
@pytest.mark.parametrize("field", ["gap", "leak", "length"])
def test_figures_that_are_none(capax: Capax, tmp_path: Path, field: str, new: Any) -> None:
    """Are refused, unless they claim less: no traceback."""
    where = ("verdicts", 0, field) if field == "length" else ("verdicts", 0, "heads", 0, field)
    edited(where, new).save(tmp_path / FILE)
    done = capax("verify", "--certificate", FILE)
    less = (field == "leak" and new in (math.inf, 1e308)) or (field == "gap" and new == -math.inf)
    assert done.code == (0 if less else 1)
    assert done.err == ""
    assert done.out.startswith(f"{FILE}: the certificate {'follows' if less else 'does not follow'} from the weights")
    assert max(map(len, done.out.splitlines())) < 300


@pytest.mark.parametrize("field", ["breaks", "where", "help"])
def test_words_that_nobody_checks_are_not_printed(capax: Capax, tmp_path: Path, field: str) -> None:
    """What a file says of greater lengths is not taken for a result."""
    edited(("verdicts", 2, field), "RIGHT AT ALL LENGTHS").save(tmp_path / FILE)
    done = capax("verify", "--certificate", FILE)
    assert done.code == 0
    assert "RIGHT" not in done.out


@pytest.mark.parametrize("command", [("verify",), ("verify", "--certificate")], ids=" ".join)
def test_a_program_that_runs_for_long(
    capax: Capax, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    """Is stopped, and it is said where it stands."""
    monkeypatch.setattr(module, "STORED_BUDGET", 200)
    model = compiled("sort").model
    text = "def f(x) { for i in range(10000) { for j in range(10000) { x = x + 1; } } return x; }\ny = f(indices);"
    replace(model, provenance=replace(model.provenance, program=text)).save(tmp_path / FILE)
    done = capax(*command, FILE)
    assert (done.code, done.out) == (2, "")
    assert "error[too-many-steps]: the program in the model's file takes more than" in done.err


def test_the_shortest_words_are_said(capax: Capax, tmp_path: Path) -> None:
    """A certificate about words from two tokens on says so; one that does not say it is refused."""
    longer = replace(edited(("min_length",), 2, "booleans and numbers"), min_length=2)
    longer.save(tmp_path / FILE)
    done = capax("verify", "--certificate", FILE)
    assert "it claims length 1 in bfloat16 (proved: 0; the model takes words of 2 to 3 tokens)" in done.out
    claiming(longer, "float32", "float64").save(tmp_path / FILE)
    done = capax("verify", "--certificate", FILE)
    assert (done.code, done.out.splitlines()[1]) == (0, "  float32   for words of 2 to 3 tokens")
    assert capax("verify", "--certificate", FILE, "--json").json["min_length"] == 2
    replace(compiled("sort").model, min_length=2).save(tmp_path / FILE)
    done = capax("verify", "--certificate", FILE)
    assert (done.code, done.out.splitlines()[1:]) == (
        1,
        ["it is about words from length 1 on; the model takes them from 2 on"],
    )
    assert capax("verify", "--certificate", FILE, "--json").json["min_length"] is None


def test_a_model_without_a_certificate(capax: Capax, tmp_path: Path) -> None:
    """Is said to have none, also where it has no program: nothing fails to follow."""
    model = compiled("sort").model
    for program in (model.provenance.program, None):
        bare = replace(model.provenance, certificate=None, program=program)
        replace(model, provenance=bare).save(tmp_path / FILE)
        done = capax("verify", "--certificate", FILE)
        assert (done.code, done.out.splitlines()[0]) == (1, f"{FILE} has no certificate")
        result = capax("verify", "--certificate", FILE, "--json").json
        assert (result["follows"], result["why"]) == (False, "the model has no certificate")
