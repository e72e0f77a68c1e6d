"""What a certificate is checked against: the program, the words and the shift that the file names."""

from dataclasses import replace
from typing import Any

import pytest

from capax.certify import verdict_at
from capax.certify.length_search import Proofs
from capax.certify.recheck.recheck import program_in, recheck, spec_of
from capax.certify.systems import SYSTEMS
from capax.errors import CapaxError
from capax.rasp.ir.nodes import SOpNode
from tests.support.perturbed import compiled, with_provenance


@pytest.mark.parametrize("facts", [{"program": 7}, {"program": None}, {"domain": []}, {"domain": None}, {"name": 7}])
def test_a_file_without_a_program(facts: dict[str, Any]) -> None:
    """Its text, its name and its domain are each of the type that they have, or there is none."""
    model = compiled("reverse").model
    assert program_in(with_provenance(model, name=None))[1] is False
    with pytest.raises(CapaxError) as caught:
        program_in(with_provenance(model, **facts))
    assert caught.value.code == "no-program"


def test_shifts_that_a_file_may_name() -> None:
    """Positive integers that are no larger than numbers of models; all else is none."""
    made = compiled("booleans and numbers")
    node = made.program.node
    assert isinstance(node, SOpNode)

    def shift(value: Any) -> int | None:
        return spec_of(with_provenance(made.model, shift=value), node, causal=False).shift

    assert shift(5) == 5
    assert shift(1) == 1
    assert shift(2**60 - 1) == 2**60 - 1
    for value in (0, -1, 2**60, True, 5.0, "5", None):
        assert shift(value) is None


@pytest.mark.parametrize("by", [-1, 1])
def test_a_file_about_longer_or_shorter_words(by: int) -> None:
    model = compiled("reverse").model
    assert recheck(model).holds
    domain = {**model.provenance.domain.to_json(), "max_length": model.max_length + by}  # type: ignore[operator]
    assert not recheck(with_provenance(model, domain=domain)).holds


def test_proofs_for_each_system_alone_are_accepted() -> None:
    """Their figures are better than those of one proof for several systems."""
    made = compiled("reverse")
    model, longest = made.model, made.model.max_length
    assert longest is not None
    spec = spec_of(model, made.program.node, causal=False)  # type: ignore[arg-type]
    alone = [verdict_at(model, spec, system, longest) for system in ("float32", "float64")]
    joint = {v.numbers: v for v in Proofs(model, spec).joint_verdicts(SYSTEMS)}
    assert alone[0].heads[1].error < joint["float32"].heads[1].error
    claimed = {**model.provenance.certificate, "verdicts": [v.to_json() for v in alone]}
    assert recheck(with_provenance(model, certificate=claimed)).holds
    worse = {**claimed, "verdicts": [joint["float32"].to_json(), joint["float64"].to_json()]}
    assert recheck(with_provenance(model, certificate=worse)).holds


def test_a_certificate_of_no_length_is_none() -> None:
    """Though nothing that it claims is wrong."""
    model = compiled("reverse").model
    nothing = [
        {**v, "length": 0, "whole": False, "heads": [], "stages": [], "decoding_margin": None}
        for v in model.provenance.certificate["verdicts"]
    ]
    report = recheck(with_provenance(model, certificate={**model.provenance.certificate, "verdicts": nothing}))
    assert not report.holds
    assert report.counterexample == "it certifies no length in any number system"


def test_what_a_file_leaves_out() -> None:
    """A domain that does not say so is not causal; a model of any length, or without verdicts, has no certificate."""
    model = compiled("reverse").model
    domain = {key: value for key, value in model.provenance.domain.to_json().items() if key != "causal"}
    assert program_in(with_provenance(model, domain=domain))[1] is False
    for without in (
        replace(model, max_length=None),
        with_provenance(model, certificate={**model.provenance.certificate, "verdicts": []}),
        with_provenance(model, certificate=None),
    ):
        report = recheck(without)
        assert (report.holds, report.counterexample) == (False, "the model has no certificate")


def test_a_certificate_that_holds_is_proved_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """One proof for several systems is enough, where its figures are those that are claimed."""
    model = compiled("sort").model
    proved: list[tuple[str, int]] = []

    def noted(model: Any, spec: Any, numbers: str, length: int) -> Any:
        proved.append((numbers, length))
        return verdict_at(model, spec, numbers, length)

    monkeypatch.setattr("capax.certify.recheck.recheck.verdict_at", noted)
    assert recheck(model).holds
    assert len(set(proved)) == len(proved) < len(model.provenance.certificate["verdicts"])
    assert not {"float32", "float64"} & {numbers for numbers, _ in proved}
