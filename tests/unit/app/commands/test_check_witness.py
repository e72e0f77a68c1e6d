"""`capax check-witness` on counterexamples of audits; those of `capax fool` are in `test_fool.py`."""

import json
from pathlib import Path

import pytest

import capax as cx
from tests.support.audit_subjects import gpt
from tests.unit.app.outcome import Capax

SPECS = ("regex:(0|1)*1", "majority", 'program:tokens == "1"')


@pytest.mark.parametrize("against", SPECS)
def test_a_counterexample_of_an_audit_is_checked(capax: Capax, tmp_path: Path, against: str) -> None:
    """What an audit writes holds; with another word or model it does not."""
    model, other = str(tmp_path / "model.safetensors"), str(tmp_path / "other.safetensors")
    gpt(2, seed=1).save(model)
    gpt(2, seed=2).save(other)
    file = tmp_path / "wrong.json"
    options = ("--alphabet", "01", "--read", "last", "--max-length", "6", "--seconds", "20")
    assert capax("audit", model, "--against", against, *options, "-o", str(file)).code == 1
    done = capax("check-witness", str(file), model)
    assert done.code == 0, done.out
    assert done.out.startswith("yes (exact): the witness holds\n  not checked: capax, specification.name\n")
    assert capax("check-witness", str(file), model, "--json").json["holds"] is True
    data = json.loads(file.read_text())
    file.write_text(json.dumps(data | {"expected": not data["expected"]}))
    assert capax("check-witness", str(file), model).code == 1
    assert "another model" in capax("check-witness", str(file), other).err


def test_a_model_that_does_not_fit_the_witness_is_another_model(capax: Capax, tmp_path: Path) -> None:
    """The digest is compared first: other letters, or no table to move words in, are no other error."""
    model, other, file = (str(tmp_path / name) for name in ("model.safetensors", "other.safetensors", "wrong.json"))
    gpt(1, seed=1).save(model)
    cx.compile(cx.library.reverse, alphabet="xy", max_length=3).model.save(other)
    options = ("--alphabet", "01", "--read", "last", "--max-length", "3", "--offset", "1", "-o", file)
    assert capax("audit", model, "--against", "regex:(0|1)*1", *options).code == 1
    done = capax("check-witness", file, other)
    assert (done.code, "the witness is for another model" in done.err) == (2, True)
