"""One proof for several number systems: never more than the proofs in each."""

from dataclasses import replace

import numpy as np
import pytest

from capax.certify import verdict_at
from capax.certify.certificate import LengthVerdict
from capax.certify.length_search import Proofs
from capax.certify.not_certified import NotCertified
from capax.certify.recheck.recheck import spec_of
from capax.certify.systems import SYSTEMS
from capax.model.model import Model
from capax.rasp.analysis.output_spec import OutputSpec
from tests.support.perturbed import PROGRAMS, changed, compiled


def joint_verdicts(model: Model, spec: OutputSpec) -> list[LengthVerdict]:
    """The verdicts of one proof for several systems; none where it fails."""
    try:
        return Proofs(model, spec).joint_verdicts(SYSTEMS)
    except NotCertified:
        return []


def checked(name: str, model: Model) -> bool:
    """Whether there is a proof for both systems; each system alone must then have one."""
    made = compiled(name)
    spec = spec_of(model, made.program.node, causal=False)  # type: ignore[arg-type]
    found = joint_verdicts(model, spec)
    assert [v.numbers for v in found] in ([], ["float32", "float64"])
    for one in found:
        alone = verdict_at(model, spec, one.numbers, one.length)
        assert alone.length == one.length == model.max_length
        for mine, joint in zip(alone.heads, one.heads, strict=True):
            assert joint.gap <= mine.gap
            assert joint.leak >= mine.leak
            assert joint.underflows == mine.underflows
            assert joint.error >= mine.error
    return bool(found)


@pytest.mark.parametrize("name", PROGRAMS)
def test_models_for_float32_are_right_in_float64(name: str) -> None:
    assert checked(name, compiled(name).model)


@pytest.mark.parametrize("name", ["reverse", "histogram", "fraction of previous"])
def test_a_number_that_is_changed(name: str) -> None:
    model = compiled(name).model
    source = np.random.default_rng(0)
    arrays = [(n, a.size) for n, a in model.arrays() if a.size]
    proved = 0
    for _ in range(40):
        array, size = arrays[source.integers(len(arrays))]
        by = float(source.choice([2.0**-20, 2.0**-10, 0.1, 1.0]))
        proved += checked(name, changed(model, array, int(source.integers(size)), by))
    assert 0 < proved < 40


@pytest.mark.parametrize("scale", [16.0, 24.0, 32.0, 48.0, 64.0])
def test_a_leak_between_two_roundoffs(scale: float) -> None:
    """A leak that float32 rounds away is not nothing in float64."""
    model = compiled("fraction of previous").model
    heads = [[replace(h, scale=scale) for h in b.heads] for b in model.blocks]  # type: ignore[type-var]
    blocks = tuple(replace(b, heads=tuple(h)) for b, h in zip(model.blocks, heads, strict=True))
    checked("fraction of previous", replace(model, blocks=blocks))


def test_a_model_with_coarse_numbers_has_no_finer_weights() -> None:
    made = compiled("reverse", "float64")
    assert joint_verdicts(made.model, spec_of(made.model, made.program.node, causal=False)) == []  # type: ignore[arg-type]
