"""The job of an audit: the verdict of the command, with pictures and a witness, in time."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from capax.app.web.examples import EXAMPLES
from capax.app.web.jobs import audits
from capax.auditor.verdict import AuditedLength
from capax.errors import CapaxError
from tests.unit.app.outcome import Capax
from tests.unit.app.web.conftest import Ask

CONTAINS = EXAMPLES["contains-11"]


def timeless(audit: Any) -> Any:
    """An audit without its clock and the name of its model."""
    return audit | {"model": "", "lengths": [one | {"seconds": 0} for one in audit["lengths"]]}


def test_the_job_gives_what_the_command_gives(capax: Capax, tmp_path: Path) -> None:
    """The same verdict for an example and for its file; the witness holds; the word is drawn."""
    asked = {"against": CONTAINS.against, "max_length": 7}
    reply = audits.audit({"example": "contains-11", **asked}, str(tmp_path))
    expected = capax("audit", str(CONTAINS.path), "--against", CONTAINS.against, "--max-length", "7", "--json").json
    assert timeless(reply["audit"]) == timeless(expected)
    assert reply["audit"]["wrong"]
    assert reply["attention"]["word"] == reply["witness"]["word"]
    assert reply["attention"]["flow"]["layers"][0]["heads"]
    assert reply["plot"].startswith("<svg")
    (tmp_path / "witness.json").write_text(json.dumps(reply["witness"]))
    assert capax("check-witness", "witness.json", str(CONTAINS.path)).code == 0
    files = {"model.safetensors": base64.b64encode(CONTAINS.path.read_bytes()).decode()}
    again = audits.audit({"files": files, **asked}, str(tmp_path))
    assert timeless(again["audit"]) == timeless(expected)


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_can_be_held_against_all_that_it_offers(tmp_path: Path, name: str) -> None:
    """Its specifications fit its letters."""
    for against in (EXAMPLES[name].against, *EXAMPLES[name].others):
        reply = audits.audit({"example": name, "against": against, "max_length": 3}, str(tmp_path))
        assert reply["audit"]["summary"]


def test_a_model_that_is_right_is_shown_on_its_closest_word(tmp_path: Path) -> None:
    """There is no witness, and the word has the least margin."""
    reply = audits.audit({"example": "majority", "against": "majority", "max_length": 5}, str(tmp_path))
    assert (reply["audit"]["wrong"], reply["witness"]) == ([], None)
    least = min(one["least_margin"] for one in reply["audit"]["lengths"])
    assert reply["attention"]["margin"] == least


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ({"example": "nothing"}, "bad-option"),
        ({}, "bad-option"),
        ({"example": "majority", "max_length": 900}, "bad-option"),
        ({"example": "majority", "max_length": 64}, "word-length"),
        ({"example": "majority", "read": "never"}, "bad-option"),
        ({"example": "majority", "read": "end"}, "bad-option"),
        ({"example": "majority", "against": "regex:(ab)*"}, "unknown-token"),
        ({"example": "majority", "against": "model:/etc"}, "unfit-spec"),
        ({"example": "majority", "against": "a" * 9_000}, "too-large"),
        ({"example": "majority", "alphabet": "00"}, "bad-alphabet"),
        ({"files": {"model.bin": "AAAA"}}, "bad-model-file"),
    ],
)
def test_what_cannot_be_audited(tmp_path: Path, asked: dict[str, Any], code: str) -> None:
    """Each is refused with an error of its own."""
    with pytest.raises(CapaxError) as caught:
        audits.audit(asked, str(tmp_path))
    assert caught.value.code == code


def test_an_audit_that_does_not_stop_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is decided by then is shown, and the rest is unknown."""

    def endless(question: Any, lengths: Any, *, report: Any, **_: Any) -> Any:
        report(AuditedLength(1, "proved", "exhaustion"))
        while True:
            pass

    monkeypatch.setattr(audits, "audit_lengths", endless)
    monkeypatch.setattr(audits, "SECONDS", 0.1)
    monkeypatch.setattr(audits, "SPARE", 0.1)
    audit = audits.audit({"example": "majority", "max_length": 3}, str(tmp_path))["audit"]
    assert (audit["proved"], audit["unknown"]) == ([1], [2, 3])


def test_an_audit_in_the_sandbox(ask: Ask) -> None:
    """In the process that has limits: an example is found, and a file outside is not read."""
    assert ask("audit", example="contains-11", against="regex:.*11.*", max_length=6)["audit"]["wrong"] == [5, 6]
    assert ask("audit", example="contains-11", against="/etc")["error"]["code"] == "unfit-spec"
