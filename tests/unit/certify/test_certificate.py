"""The certificate as a type, and as the plain data of a model's file."""

import json

import pytest

from capax.certify import NOT_TRIED, Certificate, certify
from capax.certify.recheck.recheck import program_in, spec_of
from capax.rasp.ir.nodes import SOpNode
from tests.support.perturbed import PROGRAMS, compiled


@pytest.mark.parametrize("name", PROGRAMS)
def test_plain_data_is_the_whole_certificate(name: str) -> None:
    """It comes back from JSON as it was, and is what the model's provenance has."""
    certificate = compiled(name).certificate
    data = certificate.to_json()
    assert Certificate.from_json(json.loads(json.dumps(data))) == certificate
    assert data == compiled(name).model.provenance.certificate
    assert list(data) == ["version", "assumptions", "types", "min_length", "verdicts"]


def test_the_verdict_in_a_number_system() -> None:
    certificate = compiled("reverse").certificate
    assert certificate.length_in("float32") == compiled("reverse").certified_length > 0
    verdict = certificate.verdict_in("bfloat16")
    assert verdict is not None
    assert verdict.length == certificate.length_in("bfloat16")
    assert certificate.verdict_in("float8") is None
    assert certificate.length_in("float8") == 0
    assert NOT_TRIED.length_in("float32") == 0


def test_what_a_verdict_may_leave_out() -> None:
    """A flag that is missing claims nothing; so does a text."""
    data = compiled("reverse").certificate.to_json()
    for verdict in data["verdicts"]:
        for name in ("whole", "breaks", "where", "help"):
            del verdict[name]
        for head in verdict["heads"]:
            del head["underflows"]
    bare = Certificate.from_json(data)
    assert not any(verdict.whole or verdict.breaks or verdict.where or verdict.help for verdict in bare.verdicts)
    assert not any(head.underflows for verdict in bare.verdicts for head in verdict.heads)


def test_certify_gives_the_certificate_of_the_compiler() -> None:
    """From the model and the spec alone; of fewer number systems, the same verdicts but for the advice."""
    made = compiled("histogram")
    program, causal = program_in(made.model)
    assert isinstance(program.node, SOpNode)
    spec = spec_of(made.model, program.node, causal=causal)
    assert certify(made.model, spec) == made.certificate
    (alone,) = certify(made.model, spec, ["bfloat16"]).verdicts
    assert (alone.numbers, alone.length) == ("bfloat16", made.certificate.length_in("bfloat16"))
    assert alone.help is None
