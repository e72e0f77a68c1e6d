"""The plot of an audit, in a form for wide windows and in one for narrow ones."""

import re
from dataclasses import replace

import numpy as np

import capax
from capax.draw.subjects.audit_plot import draw_audit
from tests.support.audited import Kind, random_model, random_states, states_spec


def _width(svg: str) -> float:
    box = re.search(r'viewBox="([^"]*)"', svg)
    assert box is not None
    return float(box[1].split()[2])


def test_a_narrow_plot_has_the_same_marks_and_fits_a_telephone() -> None:
    """Also with a specification of a long name, whose end is left out; the legend is below."""
    rng = np.random.default_rng(0)
    name = "a specification with a name that is far too long for a telephone"
    spec = replace(states_spec(random_states(rng, 2, dead=False), "ab"), name=name)
    audit = capax.audit(random_model(rng, Kind()), spec, max_length=3, read="last")
    wide, narrow = draw_audit(audit), draw_audit(audit, narrow=True)
    assert wide.count("<circle") == narrow.count("<circle") > 3
    assert _width(narrow) < 340 < 600 < _width(wide)
    assert ">against a specificat…<" in narrow
    assert "far too long" in wide
